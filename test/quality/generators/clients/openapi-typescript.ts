import createClient from 'openapi-fetch'
import type { paths as ApiPaths } from './openapi-typescript/api'
import type { paths as ControlPaths } from './openapi-typescript/control'
import { headers, project, runSteps, unexpected, url } from './steps'

const api = createClient<ApiPaths>({ baseUrl: url, headers })
const control = createClient<ControlPaths>({ baseUrl: url, headers })

const dataOf = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  if (data === undefined) throw unexpected(error)
  return data
}
const paid = (id: string, body?: { when: { in: number } }) =>
  control.POST('/__admin/projects/{project}/paymentLinks/{paymentLink}/pay', {
    params: { path: { project, paymentLink: id } },
    ...(body && { body }),
  })

void runSteps('openapi-typescript', {
  createUser: async (email) =>
    dataOf(await api.POST('/projects/{project}/users', { params: { path: { project } }, body: { email } })),
  createPaymentLink: async (invoice, email) =>
    dataOf(
      await api.POST('/projects/{project}/paymentLinks', {
        params: { path: { project } },
        body: { invoice, type: 'partner', partner: { user: { email } } },
      }),
    ),
  pay: async (id) => {
    const data = dataOf(await paid(id))
    if (!('status' in data)) throw unexpected(data)
    return data
  },
  payIn: async (id, milliseconds) => {
    const data = dataOf(await paid(id, { when: { in: milliseconds } }))
    if (!('outcome' in data)) throw unexpected(data)
    return data
  },
  verify: async (operation, exactly) =>
    dataOf(
      await control.POST('/__admin/projects/{project}/requests/verify', {
        params: { path: { project } },
        body: { match: { operation }, times: { exactly } },
      }),
    ),
  retrieve: async (id) =>
    dataOf(
      await api.GET('/projects/{project}/paymentLinks/{paymentLink}', {
        params: { path: { project, paymentLink: id } },
      }),
    ),
})
