// Proves: Control API.
import { describe, expect, it } from 'vitest'
import type { ListenOptions } from '../../src/node/index.ts'
import { connectRaw } from './support/raw.ts'
import { request, requestText } from './support/request.ts'
import { closingMock, listeningMock } from '../support/mock.ts'

const seed = { projects: { acme: { users: [{ id: 'usr_ada', email: 'ada@example.com' }] } } }

const start = async (options: ListenOptions = {}) => {
  const { mock, url, port, adminToken } = await listeningMock({ seed, clock: 'frozen' }, options)
  const readAll = async () => structuredClone([await mock.projects(), await mock.state.get()])
  const before = await readAll()
  return {
    url,
    port,
    token: adminToken,
    /** A call that changes the state if it is allowed. */
    change: (headers: Readonly<Record<string, string>> = {}) =>
      request(`${url}/__admin/projects/acme/users/usr_ada`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"fullName":"Mallory"}',
      }),
    read: (headers: Readonly<Record<string, string>> = {}) => request(`${url}/__admin/projects`, { headers }),
    /** Fails with the differences if the state has changed since the start. */
    expectUnchanged: async () => expect(await readAll()).toEqual(before),
  }
}

const sentence = expect.stringMatching(/^\S.*\.$/)
const rejected = (code: string, status = 403) => ({
  status,
  body: { object: 'error', code, message: sentence, hint: sentence },
})

describe('the Host of a call of the control API', () => {
  const names = 'localhost localhost:4600 LOCALHOST:4600 localhost. localhost.:4600 app.localhost a.b.localhost:4600'
  const addresses =
    '127.0.0.1 127.0.0.1:4600 127.0.0.2 192.168.1.17:8080 [::1] [::1]:4600 [FE80::1]:4600 [::ffff:7f00:1]'
  const local =
    'paylink-mock paylink-mock:4600 my_app:4600 printer.local host.docker.internal:4600 mock.TEST mock.test.'

  it('may be a name or an address of this machine', async () => {
    const api = await start()
    for (const host of `${names} ${addresses} ${local}`.split(' '))
      for (const call of [api.read, api.change]) expect(await call({ host }), host).toMatchObject({ status: 200 })
  })

  const evil = [
    'evil.com evil.com:4600 EVIL.com. evil.com.. 127.0.0.1.nip.io 127.0.0.1.nip.io:4600 127.0.0.1-evil.com 1.2.3.evil',
    'localhost.evil.com localhost.evil.com. localhost.com evil-localhost.com notlocal.evil evil.notlocal evil.latest',
    'internal.evil.com app.localhost.evil.com printer.local.evil.com host.docker.internal.evil.com mock.test.evil.com',
    'mock.testing test.com mock.example sub.mock.example xn--lcalhost-.com lo\u00e7alhost [::1].evil.com [evil.com]',
    'localhost:4600@evil.com user@localhost localhost.. localhost:4600:80 localhost: localhost/.. localhost#.evil.com',
    'localhost\\.evil.com 1.2.3.4.5 127.1 0177.0.0.1 0x7f.0.0.1 [::1 [::1%25lo] [fe80::1%eth0] localhost,evil.com',
  ]

  it('may not be another one, which changes nothing', async () => {
    const api = await start()
    for (const host of evil.join(' ').split(' '))
      for (const call of [api.read, api.change]) {
        const { status, body } = await call({ host })
        expect([400, 403], host).toContain(status)
        expect(body, host).toMatchObject({ object: 'error', ...(status === 403 && { code: 'hostNotAllowed' }) })
      }
    await api.expectUnchanged()
  })

  it('is named in the error, with the option that would allow it', async () => {
    const { body } = await (await start()).read({ host: 'Mock.Example:4600' })
    expect(body).toMatchObject({ code: 'hostNotAllowed', message: expect.stringContaining("'mock.example:4600'") })
    expect(body.hint).toContain('--allowed-hosts mock.example.')
  })

  it.each([
    ['Mock.Example', 'mock.example.:4600', true],
    ['mock.example', 'evilmock.example', false],
    ['mock.example', 'localhost', true],
    ['*.example.com', 'a.b.example.com:4600', true],
    ['*.example.com', 'mock.example.com.evil.com', false],
  ])('allowed with %j: %s is accepted: %s', async (pattern, host, through) => {
    const api = await start({ allowedHosts: [pattern] })
    expect((await api.change({ host })).status).toBe(through ? 200 : 403)
    if (through) await expect(api.expectUnchanged()).rejects.toThrow('deeply equal')
    else await api.expectUnchanged()
  })

  it.each([
    ['a forwarded host', '/', 'evil.com', 403],
    // RFC 9112, section 3.2.2: the Host header of a request with an absolute target is ignored.
    ['the Host header beside an absolute target', 'http://evil.com/', 'localhost', 403],
    ['the Host header beside an absolute target', 'http://localhost/', 'evil.com', 200],
  ])('is not that of %s: %s with Host %s', async (_, target, host, status) => {
    const { port, expectUnchanged } = await start()
    const raw = await connectRaw({ port })
    raw.send(`GET ${target}__admin/projects HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: localhost\r\n\r\n`)
    expect((await raw.readResponse()).status).toBe(status)
    await expectUnchanged()
  })

  const publicHosts = ['evil.com', 'localhost.evil.com', '127.0.0.1.nip.io']
  it.each(publicHosts)('does not matter to the mocked API: %s', async (host) => {
    const { url } = await start()
    const headers = { host, origin: 'https://evil.com', authorization: 'Bearer any', 'sec-fetch-site': 'cross-site' }
    expect(await request(`${url}/projects/acme/users`, { headers })).toMatchObject({ status: 200 })
  })
})

describe('the Origin of a call of the control API', () => {
  const evil = 'https://evil.com http://evil.com http://localhost.evil.com:4600 http://localhost:4600@evil.com'
  const near =
    'http://localhost:1 http://localhost http://sub.localhost:4600 localhost:4600 http://evil.com/#http://localhost'
  const odd = [
    'null',
    'file://',
    'chrome-extension://abcdefgh',
    'not an origin',
    '',
    'http://localhost:4600, https://evil.com',
  ]

  it('may not be that of another page, which changes nothing', async () => {
    const api = await start()
    for (const origin of [...`${evil} ${near}`.split(' '), ...odd])
      for (const call of [api.read, api.change])
        expect(await call({ host: 'localhost:4600', origin }), origin).toMatchObject(rejected('originNotAllowed'))
    await api.expectUnchanged()
  })

  it.each([
    ['localhost:4600', 'http://localhost:4600'],
    ['LOCALHOST:4600', 'http://localhost:4600'],
    ['127.0.0.1:4600', 'http://127.0.0.1:4600'],
    ['[::1]:4600', 'http://[::1]:4600'],
    ['localhost', 'http://localhost'],
    ['mock.test', 'https://mock.test'],
  ])('may be the origin of the mock’s own pages, with the Host %s: %s', async (host, origin) => {
    const api = await start()
    expect(await api.change({ host, origin, 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 })
  })

  it('does not allow a page by DNS rebinding', async () => {
    const api = await start()
    const headers = { host: 'evil.com:4600', origin: 'http://evil.com:4600', 'sec-fetch-site': 'same-origin' }
    expect(await api.change(headers)).toMatchObject(rejected('hostNotAllowed'))
    await api.expectUnchanged()
  })
})

describe('the Sec-Fetch-Site of a call of the control API', () => {
  const sites = ['cross-site', 'same-site', 'CROSS-SITE', 'other']
  it.each(sites)('may not be %s when it changes something', async (site) => {
    const api = await start()
    expect(await api.change({ 'sec-fetch-site': site })).toMatchObject(rejected('originNotAllowed'))
    await api.expectUnchanged()
  })

  it.each(['same-origin', 'none'])('may be %s', async (site) => {
    expect(await (await start()).change({ 'sec-fetch-site': site })).toMatchObject({ status: 200 })
  })

  it.each(['cross-site', 'same-site'])('may be %s when a person follows a link', async (site) => {
    const { url, read } = await start()
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect(await read(headers)).toMatchObject({ status: 200 })
    expect((await requestText(`${url}/__admin/`, { headers })).status).toBe(200)
  })

  const destinations = ['object', 'embed', 'iframe', 'frame', 'image', 'script', 'style', 'empty', '']
  it.each(destinations)('may not be that of another page that loads a record (Sec-Fetch-Dest: %s)', async (dest) => {
    const { url } = await start()
    for (const site of ['cross-site', 'same-site'])
      for (const method of ['GET', 'HEAD'])
        for (const path of ['users/usr_ada', 'users/usr_none', '', 'paymentLinks', 'events']) {
          const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': dest }
          const { status } = await requestText(`${url}/__admin/projects/acme/${path}`, { method, headers })
          expect([method, site, path, status]).toEqual([method, site, path, 403])
        }
  })
})

it.each([
  ['GET', '/__admin/projects', 200],
  ['GET', '/__admin/state', 200],
  ['GET', '/__admin/health', 200],
  ['GET', '/healthz', 200],
  ['GET', '/__admin/openapi.json', 200],
  ['GET', '/openapi.json', 200],
  ['POST', '/__admin/reset', 200],
  ['GET', '/__admin/projects/acme/users/usr_none', 404],
  ['GET', '/__admin/nowhere', 404],
  ['GET', '/__admin/reset', 405],
  ['PUT', '/__admin/dashboard/users', 405],
])(
  'the content type of a response of the control API must not be sniffed by a browser: %s %s',
  async (method, path, status) => {
    const response = await request(`${(await start()).url}${path}`, { method })
    expect([response.status, response.headers['content-type']]).toEqual([status, 'application/json'])
    expect(response.headers['x-content-type-options']).toBe('nosniff')
  },
)

describe('the body of a call of the control API', () => {
  const document = '{"projects":{}}'

  const forms = ['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

  const contentTypes = [...forms, 'text/plain', 'text/plain; application/json', 'text/json', 'application/jsonp', '']
  it.each(contentTypes)('must be JSON, not %j, or nothing changes', async (contentType) => {
    const api = await start()
    const response = await request(`${api.url}/__admin/state`, {
      method: 'PUT',
      headers: contentType === '' ? {} : { 'content-type': contentType },
      body: document,
    })
    expect(response).toMatchObject(rejected('unsupportedMediaType', 415))
    expect(response.body.hint).toBe("Send 'Content-type: application/json'.")
    await api.expectUnchanged()
  })

  const jsonTypes = ['application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json']
  it.each(jsonTypes)('may be %s', async (contentType) => {
    const { url, expectUnchanged } = await start()
    const headers = { 'content-type': contentType }
    expect(await request(`${url}/__admin/state`, { method: 'PUT', headers, body: document })).toMatchObject({
      status: 200,
    })
    await expect(expectUnchanged()).rejects.toThrow('deeply equal')
  })

  it('is rejected as a form by endpoints without a body', async () => {
    const api = await start()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await request(`${api.url}/__admin/reset`, { method: 'POST', headers, body: 'a=b' })
    expect(response).toMatchObject(rejected('unsupportedMediaType', 415))
    await api.expectUnchanged()
  })
})

describe('CORS', () => {
  it('is rejected for the preflight of a foreign page', async () => {
    const { url } = await start()
    const headers = { origin: 'https://evil.com', 'access-control-request-method': 'POST' }
    expect(await request(`${url}/__admin/reset`, { method: 'OPTIONS', headers })).toMatchObject({ status: 403 })
  })

  it.each([
    ['/__admin/reset', 'POST, OPTIONS'],
    ['/__admin/projects', 'GET, HEAD, OPTIONS'],
    ['/__admin/projects/acme/users/usr_ada', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
  ])('is not in the response to OPTIONS of %s: 204 with Allow', async (path, allow) => {
    const { url } = await start()
    expect(await request(url + path, { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      body: undefined,
      headers: { allow },
    })
  })
})

describe('the token of the control API', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it.each([
    ['127.0.0.1', undefined, false],
    ['127.0.0.2', undefined, false],
    ['localhost', undefined, false],
    ['0.0.0.0', undefined, true],
    ['127.0.0.1', 'tok_admin', true],
    ['0.0.0.0', 'tok_admin', true],
    ['127.0.0.1', 'none', false],
    ['0.0.0.0', 'none', false],
  ])('with the host %s and the admin token %j is required: %s', async (host, adminToken, needed) => {
    const api = await start({ host, adminToken })
    expect(api.token !== undefined).toBe(needed)
    if (adminToken === 'tok_admin') expect(api.token).toBe('tok_admin')
    expect((await api.read()).status).toBe(needed ? 401 : 200)
    expect((await api.change()).status).toBe(needed ? 401 : 200)
    if (needed) await api.expectUnchanged()
    else await expect(api.expectUnchanged()).rejects.toThrow('deeply equal')
    if (api.token !== undefined) expect((await api.change(bearer(api.token))).status).toBe(200)
  })

  it.each([
    ['none', undefined, 'adminTokenMissing'],
    ['an empty one', 'Bearer ', 'adminTokenMissing'],
    ['that of another scheme', 'Basic tok_admin', 'adminTokenMissing'],
    ['one without a scheme', 'tok_admin', 'adminTokenMissing'],
    ['two', 'Bearer tok_admin tok_admin', 'adminTokenMissing'],
    ['a longer one', 'Bearer tok_admin1', 'adminTokenWrong'],
    ['a shorter one', 'Bearer tok_admi', 'adminTokenWrong'],
    ['one in capitals', 'Bearer TOK_ADMIN', 'adminTokenWrong'],
    ['the word none', 'Bearer none', 'adminTokenWrong'],
    ['one of the mocked API', 'Bearer tok_api', 'adminTokenWrong'],
  ])('rejects %s, names the variable, and changes nothing', async (_, authorization, code) => {
    const api = await start({ adminToken: 'tok_admin' })
    const response = await api.change(authorization === undefined ? {} : { authorization })
    expect(response).toMatchObject(rejected(code, 401))
    expect(response.body.hint).toContain('PAYLINK_MOCK_ADMIN_TOKEN')
    expect(JSON.stringify(response)).not.toContain('tok_a')
    await api.expectUnchanged()
  })

  const authorizations = ['Bearer tok_admin', 'bearer tok_admin', 'Bearer   tok_admin ']
  it.each(authorizations)('is accepted as %j', async (authorization) => {
    expect(await (await start({ adminToken: 'tok_admin' })).read({ authorization })).toMatchObject({ status: 200 })
  })

  it('is not valid for the mocked API, nor a token of the mocked API here', async () => {
    const { url } = await listeningMock({ seed, tokens: ['tok_api'] }, { adminToken: 'tok_admin' })
    const status = async (path: string, token: string) => (await request(url + path, { headers: bearer(token) })).status
    expect(await status('/projects/acme/users', 'tok_api')).toBe(200)
    expect(await status('/projects/acme/users', 'tok_admin')).toBe(401)
    expect(await status('/__admin/projects', 'tok_admin')).toBe(200)
    expect(await status('/__admin/projects', 'tok_api')).toBe(401)
  })
})

const spellings: readonly [string, (path: string) => string][] = [
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
]

it.each(spellings)(
  'every spelling of a path of the control API needs the admin token, also with %s',
  async (_, spell) => {
    const api = await start({ adminToken: 'tok_admin' })
    const paths = ['state', 'openapi.json', 'nowhere', 'dashboard/bar?project=acme', 'projects/acme/reset']
    const socket = await connectRaw({ port: api.port })
    for (const path of paths)
      for (const method of ['GET', 'POST']) {
        const head = `${method} ${spell(`/__admin/${path}`)} HTTP/1.1\r\nHost: localhost\r\n`
        socket.send(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`)
        const { status } = await socket.readResponse()
        // 403: the host of an absolute target is not trusted.
        expect([400, 401, 403, 404], `${method} ${path}`).toContain(status)
      }
    await api.expectUnchanged()
  },
)

it.each(['/healthz', '/__admin/health'])('health at %s needs no token, and accepts any Host', async (path) => {
  const { url } = await start({ adminToken: 'tok_admin' })
  for (const headers of [{}, { host: 'evil.com' }, { host: 'mock.example:80' }, { origin: 'https://evil.com' }])
    expect(await request(url + path, { headers })).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await request(url + path, { method: 'HEAD' })).toMatchObject({ status: 200, body: undefined })
})

it('in process the control API accepts every request, whatever its origin headers', async () => {
  const mock = closingMock({ seed })
  await mock.listen({ adminToken: 'tok_admin' })
  const response = await mock.fetch('http://evil.com/__admin/projects/acme/users/usr_ada', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', origin: 'https://evil.com', 'sec-fetch-site': 'cross-site' },
    body: '{"fullName":"Ada"}',
  })
  expect(response.status).toBe(200)
})
