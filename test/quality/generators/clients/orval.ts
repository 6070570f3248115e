import { createPaymentLink, createUser, retrievePaymentLink } from './orval/api'
import { payPaymentLink, verifyRequests } from './orval/control'
import { project, runSteps, unexpected } from './steps'

void runSteps('orval', {
  createUser: async (email) => {
    const response = await createUser(project, { email })
    if (response.status !== 201) throw unexpected(response)
    return response.data
  },
  createPaymentLink: async (invoice, email) => {
    const body = { invoice, type: 'partner', partner: { user: { email } } } as const
    const response = await createPaymentLink(project, body)
    if (response.status !== 201) throw unexpected(response)
    return response.data
  },
  pay: async (id) => {
    const response = await payPaymentLink(project, id)
    if (response.status !== 200) throw unexpected(response)
    return response.data
  },
  payIn: async (id, milliseconds) => {
    const response = await payPaymentLink(project, id, { when: { in: milliseconds } })
    if (response.status !== 202) throw unexpected(response)
    return response.data
  },
  verify: async (operation, exactly) => {
    const response = await verifyRequests(project, { match: { operation }, times: { exactly } })
    if (response.status !== 200) throw unexpected(response)
    return response.data
  },
  retrieve: async (id) => {
    const response = await retrievePaymentLink(project, id)
    if (response.status !== 200) throw unexpected(response)
    return response.data
  },
})
