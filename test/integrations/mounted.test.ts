// Proves: Control API, Same on every transport.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { etag } from 'hono/etag'
import { secureHeaders } from 'hono/secure-headers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { setupServer } from 'msw/node'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { connectRaw } from '../cli/support/raw.ts'
import { within } from '../support/within.ts'
import { readJson, readResponse } from '../support/read.ts'
import { paylinkHandlers } from '../../src/testing/msw/index.ts'
import { createClient, tellStory } from './story/story.js'
import { closingMock, listeningMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

const publicUrl = 'http://shop.example/mock'
const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
const seed = { projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }] } } }
const user = '/projects/acme/users/usr_1'

/** Serves an app as its owner would, with the globals of the process as they are. */
const listen = async (fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>) => {
  const server = serve({
    fetch: (request, env) => fetch(request, env as HttpBindings),
    port: 0,
    hostname: '127.0.0.1',
    overrideGlobalObjects: false,
  })
  onTestFinished(() => void server.close())
  await within('the port', once(server, 'listening'))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

const mount = (options: MockOptions = {}) => {
  const mock = closingMock({ seed, publicUrl, clock: 'frozen', ...options })
  const app = new Hono().mount('/mock', mock.app.fetch)
  return { mock, app }
}

describe('a mock that is mounted in another app', () => {
  it('has the mocked API, a sandbox and payment pages under the path of the app and the public URL', async () => {
    const { mock, app } = mount()
    const { url } = await listen(app.fetch)
    const body = JSON.stringify({ invoice: 'inv_1', type: 'partner', partner: { user: {} } })
    const created = await fetch(`${url}/mock/projects/acme/paymentLinks`, { method: 'POST', headers, body })
    const { id, paymentUrl } = await readJson(created, 201)
    expect(paymentUrl).toBe(`${publicUrl}/pay/acme/${id}`)
    const form = new URLSearchParams({ outcome: 'succeeded' })
    const paid = await fetch(paymentUrl.replace(publicUrl, `${url}/mock`), { method: 'POST', body: form })
    expect(paid.status).toBe(200)
    expect(await mock.project('acme').paymentLinks.get(id)).toMatchObject({ status: 'completed' })
    const inSandbox = await fetch(`${url}/mock/@one/projects/acme/paymentLinks`, { method: 'POST', headers, body })
    expect((await readJson(inSandbox, 201)).paymentUrl).toMatch(`${publicUrl}/@one/pay/acme/`)
  })

  it('can be the app of a server', async () => {
    const { mock } = mount()
    const { url } = await listen(mock.app.fetch)
    expect((await fetch(url + user, { headers })).status).toBe(200)
    expect((await fetch(`${url}/__admin/state`)).status).toBe(403)
    expect((await fetch(`${url}/__admin/health`)).status).toBe(200)
  })

  it.each([
    ['GET', '/__admin/state'],
    ['POST', '/__admin/reset'],
    ['GET', '/__admin/'],
    ['GET', '/__admin/dashboard/overview'],
    ['GET', '/@one/__admin/state'],
  ])('has a closed control API: %s %s', async (method, path) => {
    const { url } = await listen(mount().app.fetch)
    const response = await fetch(`${url}/mock${path}`, { method })
    expect(await readResponse(response)).toMatchObject({ status: 403, body: { code: 'controlApiClosed' } })
  })

  it('shows no records to a visitor of its start page', async () => {
    const { url } = await listen(
      mount({ seed: { projects: { zebra: seed.projects.acme }, tokens: [{ token: 'tok_zoo' }] } }).app.fetch,
    )
    const page = await (await fetch(`${url}/mock/`, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain('paylink-mock')
    expect(page).not.toContain('zebra')
  })

  const environments = [undefined, {}, { incoming: {} }, { DATABASE: 'shop' }, new URL('http://server')]
  it.each(environments)('has a closed control API for any environment: %o', async (env) => {
    const { mock, app } = mount()
    expect((await app.request('/mock/__admin/state', {}, env)).status).toBe(403)
    expect((await mock.app.fetch(new Request('http://mock/__admin/state'), env)).status).toBe(403)
  })

  it('has a control API with a token', async () => {
    const { url } = await listen(mount({ adminToken: 'secret' }).app.fetch)
    const statusWith = async (authorization: string) =>
      (await fetch(`${url}/mock/__admin/state`, { headers: { authorization } })).status
    expect([await statusWith('Bearer secret'), await statusWith('Bearer other')]).toEqual([200, 401])
    const { url: open } = await listen(mount({ adminToken: 'none' }).app.fetch)
    expect((await fetch(`${open}/mock/__admin/state`)).status).toBe(200)
  })

  it('resets and truncates responses of the server in front', async () => {
    const { mock, app } = mount()
    const { port } = await listen(app.fetch)
    const complain = vi.spyOn(console, 'error')
    onTestFinished(() => complain.mockRestore())
    const ask = async () => {
      const raw = await connectRaw({ port })
      raw.send(`GET /mock${user} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n\r\n`)
      return raw.ended()
    }
    const { faults } = mock.project('acme')
    await faults.add({ effect: { connection: 'reset' } })
    expect(await ask()).toBe('')
    await faults.add({ effect: { corrupt: 'truncated' } })
    const [head = '', body = ''] = (await ask()).split('\r\n\r\n')
    expect(body).toHaveLength(Math.floor(Number(/content-length: (\d+)/i.exec(head)?.[1]) / 2))
    expect(complain.mock.calls).toEqual([])
  })
})

describe('mock.fetch', () => {
  // `next` is of Next, `tls` of Bun.
  const otherFields = { priority: 'high', next: { revalidate: 60 }, tls: { rejectUnauthorized: false } }
  it.each(Object.entries(otherFields))('accepts a request with the field %s, like `fetch`', async (field, value) => {
    const { mock } = mount()
    const init: RequestInit = { headers, [field]: value }
    expect((await mock.fetch(new Request(`http://mock${user}`), init)).status).toBe(200)
    expect((await mock.fetch(new Request('http://mock/__admin/state'), init)).status).toBe(200)
  })

  it('accepts a request as its second argument, like `fetch`', async () => {
    const { mock } = mount()
    const init = new Request('http://other', { method: 'DELETE', headers })
    expect((await mock.fetch(user, init)).status).toBe(200)
    expect((await mock.project('acme').users.list()).items).toEqual([])
  })

  // As Node, Bun and Workers call it.
  const serverArguments = [[{ incoming: {}, outgoing: {} }], [new URL('http://server')], [{}, { waitUntil: () => {} }]]
  it.each(serverArguments)('names mock.app to a server that calls it with %o', async (...args) => {
    const { mock } = mount()
    for (const fetch of [mock.fetch, mock.sandbox('one').fetch]) {
      const call = Reflect.apply(fetch, undefined, [new Request('http://mock/__admin/state'), ...args])
      await expect(call).rejects.toMatchObject({
        code: 'invalidOptions',
        message:
          "mock.fetch is for calls in this process, and a server calls it. Use mock.app, as in 'serve(mock.app)'.",
      })
    }
  })
})

const sent = {
  ...headers,
  'x-tag': 'a, b',
  cookie: 'a=1; b=2',
  'if-none-match': '"x"',
  origin: 'https://shop.example',
}

/** Returns what a middleware around the mock sees, and what a client receives. */
const observe = async (isServed: boolean, path: string, init: RequestInit) => {
  const { mock } = mount()
  const seen: object[] = []
  const app = new Hono()
    .use(async (c, next) => {
      await next()
      const own = Object.entries(c.req.header()).filter(([name]) => name in sent)
      seen.push({ sent: own.toSorted(), received: [...c.res.headers].toSorted(), status: c.res.status })
    })
    .use(cors({ origin: 'https://shop.example' }), secureHeaders(), etag())
    .mount('/', mock.app.fetch)
  const send = isServed ? fetch : app.request
  const url = isServed ? (await listen(app.fetch)).url : 'http://127.0.0.1'
  const response = await send(url + path, { headers: sent, ...init })
  const ofConnection = new Set(['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'])
  const received = [...response.headers].filter(([name]) => !ofConnection.has(name)).toSorted()
  return { seen, status: response.status, received, text: await response.text() }
}

it.each<[string, RequestInit]>([
  [user, {}],
  [user, { method: 'HEAD' }],
  ['/projects/acme/users', { method: 'POST', body: '{"email":"grace@example.com"}' }],
  ['/projects/acme/users', { method: 'POST', body: '{' }],
  ['/projects/acme', {}],
  ['/openapi.json', {}],
])('middleware of Hono sees the same headers over a socket and in process: %s %j', async (path, init) => {
  const [inProcess, served] = [await observe(false, path, init), await observe(true, path, init)]
  expect(served).toEqual(inProcess)
  expect(inProcess.seen).toMatchObject([{ sent: expect.arrayContaining([['x-tag', 'a, b']]) }])
})

const baseUrl = 'https://api.example.com/v1'
const clientHeaders = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

const addressMessage =
  "baseUrl must be an http or https address such as 'https://api.example.com/v1', without a password or a query"

const startIntercepting = (options?: MockOptions, base = baseUrl) => {
  const mock = createMock(options)
  const server = setupServer(...paylinkHandlers(mock, base))
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  return mock
}

const addresses = [baseUrl, 'https://api.example.com/v1/', 'https://api.example.com', 'http://localhost:8080/a/b']
it.each(addresses)('tells the story to code with %s built in', async (base) => {
  const mock = startIntercepting({}, base)
  const { paymentLinks } = mock.project('acme')
  await tellStory({
    baseUrl: base.replace(/\/$/, ''),
    token: 't',
    project: 'acme',
    pay: ({ id }) => paymentLinks.pay(id),
  })
})

it('serves the payment page on the origin of the service', async () => {
  const mock = startIntercepting()
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

const unknownRoutes = ['/devices', '/devices/projects/acme', '/pay/acme/pml_1']
it.each(unknownRoutes)('responds to unknown routes as the service would: %s', async (path) => {
  startIntercepting()
  const response = await fetch(`${baseUrl}${path}?limit=1`, { headers: clientHeaders })
  const error = await readJson(response, 404)
  expect(error).toMatchObject({ object: 'error', code: 'routeNotFound' })
  expect(error.message).toContain(`/v1${path}`)
})

it('responds only on the origin of the service, below its base path', async () => {
  startIntercepting()
  for (const url of [
    'https://api.example.com/v2/projects/acme/users',
    'https://other.example.com/v1/projects/acme/users',
  ])
    await expect(fetch(url, { headers: clientHeaders })).rejects.toThrow()
})

it('passes on query, headers and body', async () => {
  const mock = startIntercepting()
  const acme = mock.project('acme')
  const body = JSON.stringify({ email: 'ada@example.com' })
  await fetch(`${baseUrl}/projects/acme/users/search?limit=3`, { method: 'POST', headers: clientHeaders, body })
  const { items } = await acme.requests.list()
  expect(items).toMatchObject([
    { path: '/projects/acme/users/search', query: { limit: '3' }, request: { body: { email: 'ada@example.com' } } },
  ])
  await acme.violations.verify()
})

it('breaks a connection that a fault breaks', async () => {
  const mock = startIntercepting()
  await mock.project('acme').faults.add({ effect: { connection: 'reset' } })
  const request = fetch(`${baseUrl}/projects/acme/users`, { headers: clientHeaders })
  await expect(request).rejects.toThrow(TypeError)
  await expect(request).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  expect((await fetch(`${baseUrl}/projects/acme/users`, { headers: clientHeaders })).status).toBe(200)
})

it.each<[message: string, url: unknown, mock?: unknown]>([
  ['mock must be a mock with a fetch function (got null).', baseUrl, null],
  ['mock must be a mock with a fetch function (got an object).', baseUrl, {}],
  [`${addressMessage} (got 'api.example.com').`, 'api.example.com'],
  [`${addressMessage} (got undefined).`, undefined],
  [`${addressMessage} (got '${baseUrl}?x=1').`, `${baseUrl}?x=1`],
  [`${addressMessage} (got 'https://***@api.example.com').`, 'https://ada:secret@api.example.com'],
])('paylinkHandlers throws: %s', (message, url, mock = createMock()) => {
  const create = () => paylinkHandlers(mock as never, url as never)
  expect(create).toThrow(expect.objectContaining({ code: 'invalidOptions', message }))
})

it('the script for the container image works with any listening mock', async () => {
  const { url } = await listeningMock({}, { adminToken: 'secret' })
  const script = new URL('story/run.js', import.meta.url).pathname
  const { stdout } = await exec(process.execPath, [script], {
    env: { ...process.env, BASE_URL: url, ADMIN_TOKEN: 'secret' },
  })
  expect(stdout).toBe('story: ok\n')
})
