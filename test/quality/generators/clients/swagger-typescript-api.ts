import { headers, project, runSteps, url } from './steps'
import { Api } from './swagger-typescript-api/api'
import { Api as Control, type ScheduledPayment } from './swagger-typescript-api/control'

const settings = { baseUrl: url, baseApiParams: { headers } }
const { projects } = new Api(settings)
const { admin } = new Control(settings)

void runSteps('swagger-typescript-api', {
  createUser: async (email) => (await projects.createUser(project, { email })).data,
  createPaymentLink: async (invoice, email) =>
    (await projects.createPaymentLink(project, { invoice, type: 'partner', partner: { user: { email } } })).data,
  pay: async (id) => (await admin.payPaymentLink(project, id)).data,
  // It knows one response of success only.
  payIn: async (id, milliseconds) => {
    const { data }: { data: unknown } = await admin.payPaymentLink(project, id, { when: { in: milliseconds } })
    return data as ScheduledPayment
  },
  verify: async (operation, exactly) =>
    (await admin.verifyRequests(project, { match: { operation }, times: { exactly } })).data,
  retrieve: async (id) => (await projects.retrievePaymentLink(project, id)).data,
})
