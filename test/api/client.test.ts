import createClient from 'openapi-fetch'
import { expect, it } from 'vitest'
import { type Transport, startApi, transports } from '../support/api.ts'
import type { components, paths } from '../support/client-types.ts'

const startClient = async (transport: Transport) => {
  const { mock, origin } = await startApi(transport)
  const headers = { authorization: 'Bearer any', accept: 'application/json' }
  const fetch = transport === 'in process' ? mock.fetch : globalThis.fetch
  // The client has only the types, not the comma-separated style of list parameters.
  const querySerializer = { array: { style: 'form', explode: false } } as const
  const client = createClient<paths>({ baseUrl: origin, headers, querySerializer, fetch: (request) => fetch(request) })
  return { mock, ...client }
}

const project = 'acme'
type LinkQuery = NonNullable<paths['/projects/{project}/paymentLinks']['get']['parameters']['query']>

it.each(transports)('a typed client works with users, %s', async (transport) => {
  const { GET, POST, PATCH, DELETE } = await startClient(transport)
  const path = '/projects/{project}/users/{user}'

  const created = await POST('/projects/{project}/users', {
    params: { path: { project } },
    body: { email: 'ada@example.com', birthday: null, metadata: { customer: 'c-1815' } },
  })
  const ada: components['schemas']['User'] = created.data!
  expect(created.response.status).toBe(201)
  const params = { path: { project, user: ada.id } }
  expect((await GET(path, { params })).data).toEqual(ada)

  const changed = await PATCH(path, { params, body: { fullName: 'Ada Lovelace' } })
  expect(changed.data?.fullName).toBe('Ada Lovelace')
  const query = { limit: 1 }
  const listed = await GET('/projects/{project}/users', { params: { path: { project }, query } })
  expect(listed.data).toEqual({ object: 'list', items: [changed.data], moreItemsAfter: null, moreItemsBefore: null })
  const search = { params: { path: { project } }, body: { email: 'ADA@example.com' } }
  expect((await POST('/projects/{project}/users/search', search)).data?.items).toEqual([changed.data])
  expect((await DELETE(path, { params })).data).toEqual(changed.data)

  const afterDeletion = await GET(path, { params })
  const code: 'projectNotFound' | 'userNotFound' | undefined = afterDeletion.error?.code as 'userNotFound' | undefined
  expect([afterDeletion.response.status, code]).toEqual([404, 'userNotFound'])
})

it.each(transports)('a typed client works with payment links, %s', async (transport) => {
  const { mock, GET, POST } = await startClient(transport)
  const path = '/projects/{project}/paymentLinks/{paymentLink}'
  const create = async (invoice: string) => {
    const partner = { user: { fullName: 'Ada Lovelace' }, redirectUrl: 'https://shop.example/done' }
    const params = { path: { project } }
    return (await POST('/projects/{project}/paymentLinks', { params, body: { invoice, type: 'partner', partner } }))
      .data!
  }
  const first = await create('inv_1')
  const second = await create('inv_2')
  expect(first.partner?.redirectUrl).toBe('https://shop.example/done')
  const params = { path: { project, paymentLink: first.id } }
  expect((await POST(`${path}/cancel`, { params })).data?.status).toBe('canceled')
  await mock.project(project).paymentLinks.pay(second.id)

  const listed = await GET('/projects/{project}/paymentLinks', {
    params: { path: { project }, query: { status: ['canceled', 'completed'], limit: 2 } },
  })
  expect(listed.data?.items.map(({ id, status }) => [id, status])).toEqual([
    [second.id, 'completed'],
    [first.id, 'canceled'],
  ])
  expect((await GET(path, { params })).data?.canceledAt).not.toBeNull()
  const again = await POST(`${path}/cancel`, { params })
  expect(again.error).toMatchObject({ object: 'error', code: 'paymentLinkNotActive' })
})

it('the types reject requests that the document does not allow', async () => {
  const { GET, POST } = await startClient('in process')
  const params = { path: { project } }
  // @ts-expect-error `email` is required
  expect((await POST('/projects/{project}/users', { params, body: {} })).response.status).toBe(422)
  // @ts-expect-error an invalid `type`
  const body: components['schemas']['CreatePaymentLinkBody'] = { invoice: 'inv_1', type: 'card', partner: { user: {} } }
  expect((await POST('/projects/{project}/paymentLinks', { params, body })).error?.code).toBe('invalidBody')
  // @ts-expect-error an unknown status
  const query: LinkQuery = { status: ['open'] }
  expect((await GET('/projects/{project}/paymentLinks', { params: { ...params, query } })).error?.code).toBe(
    'invalidQuery',
  )
})
