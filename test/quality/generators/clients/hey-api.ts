import { createPaymentLink, createUser, retrievePaymentLink } from './hey-api/api'
import { client as api } from './hey-api/api/client.gen'
import { payPaymentLink, verifyRequests } from './hey-api/control'
import { client as control } from './hey-api/control/client.gen'
import { headers, project, runSteps, unexpected, url } from './steps'

for (const client of [api, control]) client.setConfig({ baseUrl: url, headers, throwOnError: true })

const throwOnError = true
const path = { project }

void runSteps('@hey-api/openapi-ts', {
  createUser: async (email) => (await createUser({ path, body: { email }, throwOnError })).data,
  createPaymentLink: async (invoice, email) => {
    const body = { invoice, type: 'partner', partner: { user: { email } } } as const
    return (await createPaymentLink({ path, body, throwOnError })).data
  },
  pay: async (id) => {
    const { data } = await payPaymentLink({ path: { project, paymentLink: id }, throwOnError })
    if (!('status' in data)) throw unexpected(data)
    return data
  },
  payIn: async (id, milliseconds) => {
    const body = { when: { in: milliseconds } }
    const { data } = await payPaymentLink({ path: { project, paymentLink: id }, body, throwOnError })
    if (!('outcome' in data)) throw unexpected(data)
    return data
  },
  verify: async (operation, exactly) =>
    (await verifyRequests({ path, body: { match: { operation }, times: { exactly } }, throwOnError })).data,
  retrieve: async (id) => (await retrievePaymentLink({ path: { project, paymentLink: id }, throwOnError })).data,
})
