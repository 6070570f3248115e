// Proves: Control API, Tokens.
import { Agent, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { views } from '../../src/dashboard/views.ts'
import type { Command } from '../../src/core/control/command.ts'
import { commands } from '../../src/core/control/commands.ts'

const users = [{ id: 'usr_ada', email: 'ada@example.com' }]
const paymentLinks = [{ id: 'pml_open', invoice: 'inv_1' }]
const seed = { tokens: [{ token: 'tok_api' }], projects: { acme: { users, paymentLinks } } }
const idOf: Readonly<Record<string, string>> = { project: 'acme', user: 'usr_ada', paymentLink: 'pml_open' }

interface TestedRoute {
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
  /** The response is a stream without an end. */
  readonly streams: boolean
}

const route = (method: string, path: string, more: Partial<TestedRoute> = {}): TestedRoute => ({
  method,
  path: `/__admin${path}`.replace(/\{(\w+)\}/g, (_, name: string) => idOf[name] ?? 'some'),
  takesBody: method !== 'GET',
  streams: false,
  ...more,
})

// From the table of commands, so that new commands are included. The health check needs no token.
const commandRoutes = Object.entries<Command>(commands).flatMap(([id, { scope, method, path, event }]) => {
  if (id === 'health') return []
  const more = { streams: event !== undefined }
  const one = route(method, `/projects/{project}${path}`, more)
  const all = route(method, path, more)
  return { mock: [all], project: [one], both: [all, one] }[scope]
})
const dataRoutes = [
  ...commandRoutes,
  route('GET', '/openapi.json'),
  ...[...views.keys()].map((view) => route('GET', `/dashboard/${view}?project=acme&id=usr_ada`)),
  route('GET', '/nowhere'),
  route('POST', '/nowhere'),
]
const openRoutes = ['', '/', '/dashboard/style.css', '/dashboard/script.js'].map((path) => route('GET', path))
const changingRoutes = dataRoutes.filter(({ takesBody }) => takesBody)
/** One route of each shape is enough, because all routes share their access checks. */
const someRoutes = dataRoutes.filter(({ path }) =>
  /^\/__admin\/(state|openapi|dashboard\/bar|(projects\/acme\/)?(reset|users|snapshots|faults))/.test(path),
)

type Headers = Readonly<Record<string, string>>

interface ReceivedResponse {
  readonly status: number
  readonly code: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
}

const token = 'tok_admin_0123456789'
const authorized = { authorization: `Bearer ${token}` }
const json = { 'content-type': 'application/json' }

describe('every route of the control API', () => {
  let mock: Mock
  let port: number
  let before: string
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })

  beforeAll(async () => {
    mock = createMock({ seed, clock: 'frozen' })
    const acme = mock.project('acme')
    await acme.snapshots.save('some')
    await mock.snapshots.save('some')
    await acme.faults.add({ match: { operation: 'createUser' }, times: null, effect: { status: 503 } })
    await acme.paymentLinks.pay('pml_open', { when: { reads: 5 } })
    await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer tok_api' } })
    port = (await mock.listen({ adminToken: token })).port
    before = await everything()
  })
  afterAll(async () => {
    agent.destroy()
    await mock.close()
  })

  /** Everything that a command could change. */
  const everything = async () => {
    const [acme, all] = [mock.project('acme'), mock]
    return JSON.stringify([
      await all.projects(),
      await all.state.get(),
      await all.tokens.get(),
      await all.snapshots.list(),
      await all.faults.list(),
      await acme.snapshots.list(),
      await acme.faults.list(),
      await acme.requests.list(),
    ])
  }
  // Sends the path unchanged; `fetch` and `URL` would normalize it.
  const send = (method: string, path: string, headers: Headers, body = ''): Promise<ReceivedResponse> =>
    new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { host: 'localhost', 'content-length': body.length, ...headers },
      }
      const outgoing = httpRequest(options, (incoming) => {
        const response = { status: incoming.statusCode!, headers: incoming.headers }
        if (headers.accept === 'text/event-stream') {
          incoming.destroy()
          return resolve({ ...response, code: undefined })
        }
        let text = ''
        incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
        incoming.on('end', () => {
          const isJson = incoming.headers['content-type'] === 'application/json'
          resolve({ ...response, code: isJson && text !== '' ? JSON.parse(text).code : undefined })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const call = ({ method, path, takesBody }: TestedRoute, headers: Headers, how = method) =>
    send(how, path, { ...(takesBody && json), ...headers }, takesBody ? '{}' : '')
  /** Calls all routes at once and returns those with a different status or code. */
  const others = async (routes: readonly TestedRoute[], headers: Headers, status: number, code: string) => {
    // HEAD and OPTIONS have no body that could be rejected.
    const also = (method: string) => (status === 415 ? [] : method === 'GET' ? ['HEAD', 'OPTIONS'] : ['OPTIONS'])
    const responses = await Promise.all(
      routes.flatMap((one) =>
        [one.method, ...also(one.method)].map(async (how) => ({
          name: `${how} ${one.path}`,
          ...(await call(one, headers, how)),
        })),
      ),
    )
    expect(responses.length).toBeGreaterThanOrEqual(routes.length)
    return responses
      .filter((response) => response.status !== status || (response.code ?? code) !== code)
      .map((response) => `${response.name}: ${response.status} ${response.code}`)
  }

  it('exists for an authorized caller', async () => {
    const found = await Promise.all(
      commandRoutes
        .filter(({ takesBody }) => !takesBody)
        .map(async (one) => {
          const { status, code } = await call(one, {
            ...authorized,
            ...(one.streams && { accept: 'text/event-stream' }),
          })
          return status === 200 || code === 'requestNotFound' || code === 'faultNotFound' ? '' : `${one.path} ${status}`
        }),
    )
    expect(found.filter(Boolean)).toEqual([])
    // Each command rejects an invalid body itself, which proves that the route exists.
    const responses = await Promise.all(
      changingRoutes.map(({ method, path }) => send(method, path, { ...authorized, ...json }, '[1]')),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([422, 404]))
    expect(responses.filter(({ code }) => code === 'routeNotFound')).toHaveLength(1)
  })

  it.each<[string, Headers, string]>([
    ['no token', {}, 'adminTokenMissing'],
    ['a wrong token', { authorization: 'Bearer tok_admin_0123456780' }, 'adminTokenWrong'],
    ['a token of the mocked API', { authorization: 'Bearer tok_api' }, 'adminTokenWrong'],
    ['the token as another scheme', { authorization: `Basic ${token}` }, 'adminTokenMissing'],
    ['the token as a cookie', { cookie: `token=${token}` }, 'adminTokenMissing'],
  ])('rejects a call with %s', async (_, headers, code) => {
    expect(await others(dataRoutes, headers, 401, code)).toEqual([])
  })

  it.each<[string, Headers, string]>([
    ['under a public name', { host: 'evil.example' }, 'hostNotAllowed'],
    ['from another page', { origin: 'http://evil.example' }, 'originNotAllowed'],
    ['from another port of this machine', { origin: 'http://localhost:1' }, 'originNotAllowed'],
    ['from a page that hides its origin', { origin: 'null' }, 'originNotAllowed'],
  ])('rejects a call %s, whatever its token', async (_, headers, code) => {
    expect(await others([...dataRoutes, ...openRoutes], { ...authorized, ...headers }, 403, code)).toEqual([])
  })

  it.each(['cross-site', 'same-site'])('that changes the state rejects a %s call, whatever its token', async (site) => {
    const headers = { ...authorized, 'sec-fetch-site': site }
    expect(await others(changingRoutes, headers, 403, 'originNotAllowed')).toEqual([])
  })

  // Content types that an HTML form can send without a preflight.
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'that changes the state rejects a body of %j',
    async (contentType) => {
      const routes = changingRoutes.filter(({ path }) => !path.endsWith('/nowhere'))
      expect(await others(routes, { ...authorized, 'content-type': contentType }, 415, 'unsupportedMediaType')).toEqual(
        [],
      )
    },
  )

  it.each<[string, (path: string) => string]>([
    ['its first segment in percent signs', (path) => path.replace('/__admin', '/%5F%5Fadmin')],
    ['one letter in percent signs', (path) => path.replace('/__admin', '/__%61dmin')],
    ['every letter in percent signs', (path) => path.replace(/\w/g, (char) => `%${char.charCodeAt(0).toString(16)}`)],
    ['percent signs in percent signs', (path) => path.replace('/__admin', '/__%2561dmin')],
    ['two slashes in front', (path) => `/${path}`],
    ['two slashes within', (path) => path.replace('/__admin/', '/__admin//')],
    ['a backslash in front', (path) => `/\\${path}`],
    ['a slash in percent signs', (path) => path.replace('/__admin/', '/__admin%2F')],
    ['a dot', (path) => `/.${path}`],
    ['a way up', (path) => `/x/..${path}`],
    ['a way up in percent signs', (path) => `/x/%2e%2e${path}`],
    ['a way up from the mocked API', (path) => `/projects/acme/../..${path}`],
    ['a way up from the payment page', (path) => `/pay/acme/../..${path}`],
    ['a way through the open health', (path) => `/__admin/health/../..${path}`],
    ['capitals', (path) => path.replace('/__admin', '/__ADMIN')],
    ['a slash behind', (path) => `${path}/`],
    ['a parameter of the path', (path) => path.replace('/__admin', '/__admin;x')],
    ['an address before it', (path) => `http://localhost${path}`],
    ['an address with userinfo before it', (path) => `http://user@localhost${path}`],
  ])('is protected when the path is written with %s', async (_, written) => {
    const responses = await Promise.all(
      someRoutes.map(async (one) => ({
        path: written(one.path),
        status: (await call({ ...one, path: written(one.path) }, {})).status,
      })),
    )
    // 403: the host of an absolute target is not trusted.
    expect(responses.filter(({ status }) => ![400, 401, 403, 404].includes(status))).toEqual([])
  })

  it('was not changed by any of these calls', async () => {
    expect(await everything()).toBe(before)
  })
})
