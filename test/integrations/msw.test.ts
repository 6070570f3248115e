import { setupServer } from 'msw/node'
import { expect, it, onTestFinished } from 'vitest'
import { paylinkHandlers } from '../../src/extensions/msw/index.ts'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { createClient, tellStory } from './story/story.js'
import { readJson } from '../support/read.ts'

const baseUrl = 'https://api.example.com/v1'
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

const start = (options?: MockOptions, base = baseUrl) => {
  const mock = createMock(options)
  const server = setupServer(...paylinkHandlers(mock, base))
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  return mock
}

it.each([baseUrl, 'https://api.example.com/v1/', 'https://api.example.com', 'http://localhost:8080/a/b'])(
  'tells the story to code with %s built in',
  async (base) => {
    const mock = start({}, base)
    const { paymentLinks } = mock.project('acme')
    await tellStory({
      baseUrl: base.replace(/\/$/, ''),
      token: 't',
      project: 'acme',
      pay: ({ id }) => paymentLinks.pay(id),
    })
  },
)

it('serves the payment page on the origin of the service', async () => {
  const mock = start()
  const link = await createClient({ baseUrl, token: 't' }).call('POST', '/projects/acme/paymentLinks', {
    invoice: 'inv_1',
    type: 'partner',
    partner: { user: {} },
  })
  expect(link.paymentUrl).toBe(`https://api.example.com/pay/acme/${link.id}`)
  const page = await fetch(link.paymentUrl, { method: 'POST', body: new URLSearchParams({ outcome: 'succeeded' }) })
  expect(page.status).toBe(200)
  expect((await mock.project('acme').paymentLinks.get(link.id)).status).toBe('completed')
})

it.each(['/devices', '/devices/projects/acme', '/pay/acme/pml_1'])(
  'responds to unknown routes as the service would: %s',
  async (path) => {
    start()
    const response = await fetch(`${baseUrl}${path}?limit=1`, { headers })
    const error = await readJson(response, 404)
    expect(error).toMatchObject({ object: 'error', code: 'routeNotFound' })
    expect(error.message).toContain(`/v1${path}`)
  },
)

it('responds only on the origin of the service, below its base path', async () => {
  start()
  for (const url of [
    'https://api.example.com/v2/projects/acme/users',
    'https://other.example.com/v1/projects/acme/users',
  ])
    await expect(fetch(url, { headers })).rejects.toThrow()
})

it('passes on query, headers and body', async () => {
  const mock = start()
  const acme = mock.project('acme')
  const body = JSON.stringify({ email: 'ada@example.com' })
  await fetch(`${baseUrl}/projects/acme/users/search?limit=3`, { method: 'POST', headers, body })
  const { items } = await acme.requests.list()
  expect(items).toMatchObject([
    { path: '/projects/acme/users/search', query: { limit: '3' }, request: { body: { email: 'ada@example.com' } } },
  ])
  await acme.violations.verify()
})

it('breaks a connection that a fault breaks', async () => {
  const mock = start()
  await mock.project('acme').faults.add({ effect: { connection: 'reset' } })
  await expect(fetch(`${baseUrl}/projects/acme/users`, { headers })).rejects.toThrow(TypeError)
  expect((await fetch(`${baseUrl}/projects/acme/users`, { headers })).status).toBe(200)
})

it('allows a client to abort a hanging request', async () => {
  const mock = start()
  await mock.project('acme').faults.add({ effect: { connection: 'hang' } })
  const signal = AbortSignal.timeout(50)
  await expect(fetch(`${baseUrl}/projects/acme/users`, { headers, signal })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
})
