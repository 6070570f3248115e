// Proves: Reset is a new process, Round trip, Rejected means unchanged, Methods.
import { describe, expect, it } from 'vitest'
import { hasTrustedHost } from '../../src/core/control/access.ts'
import { defaultBehaviors } from '../../src/core/schema/behavior.ts'
import { noon, errorResponse } from '../support/api.ts'
import { request } from '../cli/support/request.ts'
import { startAdmin } from '../support/control.ts'
import { readJson, readResponse } from '../support/read.ts'
import { errors } from '../../src/core/schema/error.ts'

const seed = {
  tokens: [{ token: 'tok_1' }],
  projects: {
    acme: { preferredLocale: 'pt-BR', users: [{ id: 'usr_1', email: 'a@b.c' }] },
    beta: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
  },
}

describe('/__admin/state', () => {
  it('has only the differences of each project, and every setting in the export of one project', async () => {
    const { call, mock } = await startAdmin({ seed: { projects: { acme: {} } } })
    const settings = { preferredLocale: 'en-US', clock: { mode: 'frozen', now: noon } }
    const part = { ...settings, users: [], paymentLinks: [], progress: { counters: { usr: 0, pml: 0 } } }
    expect((await call('GET', '/state')).body.projects).toEqual({ acme: part })
    const whole = { ...part, idSeed: 'paylink-mock', behaviors: defaultBehaviors }
    expect((await call('GET', '/projects/acme/state')).body).toEqual(whole)
    const acme = mock.project('acme')
    await acme.state.patch({ invoices: ['inv_1'], users: [{ id: 'usr_1', email: 'a@b.c' }] })
    await acme.behaviors.set({ createStatus: 200 })
    await acme.users.delete('usr_1')
    const { progress, ...parts } = (await call('GET', '/state')).body.projects.acme
    const { progress: _, ...before } = part
    expect(parts).toEqual({ ...before, invoices: ['inv_1'], behaviors: { createStatus: 200 } })
    expect(Object.keys(progress)).toEqual(['counters', 'deleted'])
  })

  it('never shows a token, and leaves tokens unchanged when it is loaded', async () => {
    const { call, mock } = await startAdmin({ seed })
    const { body: exported } = await call('GET', '/state')
    expect(JSON.stringify(exported)).not.toContain('tok_1')
    await call('PUT', '/state', { tokens: [{ token: 'tok_2' }] })
    const status = async (token: string) =>
      (await mock.fetch('/projects/acme/users', { headers: { authorization: `Bearer ${token}` } })).status
    expect([await status('tok_1'), await status('tok_2')]).toEqual([200, 401])
  })

  it('keeps the id seed of a project in the seed, whichever way it is loaded', async () => {
    const own = { idSeed: 'top', projects: { a: { idSeed: 'own' } } }
    const first = await startAdmin({ seed: own })
    const { id } = await first.mock.project('a').users.create({ email: 'a@b.c' })
    for (const [path, document] of [
      ['/state', { projects: { a: {} } }],
      ['/projects/a/state', {}],
    ] as const) {
      expect(await first.call('PUT', path, document)).toMatchObject({ status: 200 })
      expect((await first.mock.project('a').users.create({ email: 'a@b.c' })).id).toBe(id)
    }
  })

  it('names at most a thousand problems of a document, and mentions that it has more', async () => {
    const { call } = await startAdmin({ seed })
    const users = Array.from({ length: 3000 }, () => ({ email: 'nobody' }))
    const { status, body } = await call('PUT', '/state', { projects: { acme: { users } } })
    expect([status, body.code, body.details.length]).toEqual([422, 'invalidBody', 1000])
    expect(body.message).toMatch(/^The request body has more than 1000 problems: projects\.acme\.users\[0\]/)
    expect(body.message).toMatch(/; and many more\.$/)
  })
})

const contentType = 'model/gltf+json'
// For a body of another type, or for none, the validator of Hono takes an empty object: a valid state without records.
it.each([
  ['without a body', {}, '', errors.malformedBody('empty')],
  ['without a body of a type', { 'content-type': 'application/json' }, '', errors.malformedBody('empty')],
  ['of white space', { 'content-type': 'application/json' }, ' ', errors.malformedBody('empty')],
  [
    'of JSON that is no application',
    { 'content-type': contentType },
    '{}',
    errors.unsupportedMediaType({ contentType }),
  ],
])('a state over HTTP is rejected %s, without a change', async (_, headers, body, error) => {
  const { url, call } = await startAdmin({ seed })
  const before = (await call('GET', '/state')).body
  const sent = { ...headers, 'content-length': `${body.length}` }
  const response = await request(`${url}/__admin/state`, { method: 'PUT', headers: sent, body })
  expect(response).toMatchObject({ status: error.status, body: error.toJSON() })
  expect((await call('GET', '/state')).body).toEqual(before)
})

describe('the control API', () => {
  it.each(['/healthz', '/__admin/health'])('returns GET %s, with the uptime in whole seconds', async (path) => {
    const health = { status: 'ok', version: '0.1.0', uptimeSeconds: 61, seed: null }
    let now = 5000
    const { url } = await startAdmin({ now: () => now })
    now += 61_999
    expect(await readJson(fetch(`${url}${path}`))).toEqual(health)
  })

  it('rejects an unknown route with the nearest ones, and a wrong method with the allowed ones', async () => {
    const { call } = await startAdmin()
    const missing = await call('POST', '/rest')
    expect(missing).toMatchObject(errorResponse(404, 'routeNotFound'))
    expect(missing.body.hint).toContain('POST /__admin/reset')
    const wrong = await call('GET', '/reset')
    expect(wrong).toMatchObject(errorResponse(405, 'methodNotAllowed'))
    expect(wrong.headers.get('allow')).toBe('POST, OPTIONS')
  })

  it.each([
    ['PUT', '/state?project=py', '/__admin/projects/py/state'],
    ['POST', '/reset?project=a%20b', '/__admin/projects/a%20b/reset'],
    ['GET', '/users?limit=1&project=py', '/__admin/projects/py/users'],
  ])('rejects %s %s, with the path to use, and changes nothing', async (method, path, use) => {
    const { mock, call } = await startAdmin({ seed: { projects: { py: { users: [{ email: 'ada@example.com' }] } } } })
    const before = JSON.stringify(await mock.state.get())
    const response = await call(method, path, method === 'GET' ? undefined : {})
    expect(response).toMatchObject(errorResponse(422, 'invalidQuery'))
    expect(response.body).toMatchObject({ hint: `Use ${use}.`, details: [{ path: 'project' }] })
    expect(JSON.stringify(await mock.state.get())).toBe(before)
  })

  it.each([null, 7, true, '', 'now', [1], { now: true }])('rejects an unexpected body: %j', async (body) => {
    const { call } = await startAdmin()
    expect(await call('POST', '/reset', body)).toMatchObject(errorResponse(422, 'invalidBody'))
  })

  it('rejects unexpected parameters, and names each of them', async () => {
    const { call } = await startAdmin()
    const response = await call('GET', '/projects?limit=1&status=active')
    expect(response).toMatchObject(errorResponse(422, 'invalidQuery', ['limit', 'status']))
  })

  it.each([
    ['GET', '/health'],
    ['GET', '/projects'],
    ['DELETE', '/requests', 204],
    ['GET', '/openapi.json'],
    ['GET', '/openapiXjson', 404],
    ['PUT', '/health', 405],
    ['GET', '/projects?limit=1', 422],
  ])('forbids caching of its responses: %s %s', async (method, path, status = 200) => {
    const { call } = await startAdmin()
    const response = await call(method, path)
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store'])
  })

  it('rejects a duplicate parameter', async () => {
    const { call } = await startAdmin()
    for (const parameter of ['limit=1', 'method=GET', 'status=200', 'operation=createUser']) {
      const [name = ''] = parameter.split('=')
      const twice = await call('GET', `/requests?${parameter}&${parameter}`)
      expect(twice).toMatchObject(errorResponse(422, 'invalidQuery', [name]))
      expect(twice.body).toMatchObject({ message: `${name} must be given once (got 2 values).` })
    }
    const unknown = await call('GET', '/requests?methd=GET&methd=GET')
    expect(unknown.body).toMatchObject({ message: expect.stringContaining("did you mean 'method'?") })
  })

  it('checks the form of the body first, then the query and the fields of the body', async () => {
    const { url } = await startAdmin()
    const send = async (query: string, contentType: string, body: string) => {
      const headers = { 'content-type': contentType }
      const response = await fetch(`${url}/__admin/clock${query}`, { method: 'PUT', headers, body })
      return (await readResponse(response)).body.code
    }
    expect(await send('?a=1', 'text/plain', '{')).toBe('unsupportedMediaType')
    expect(await send('?a=1', 'application/json', '{')).toBe('malformedBody')
    expect(await send('?a=1', 'application/json', '{"mode":1}')).toBe('invalidQuery')
    expect(await send('', 'application/json', '{"mode":1}')).toBe('invalidBody')
  })

  it.each([
    ['/projects/acme/users', '{"email":"a@b.c",}', ' (got {"email":"a@b.c",})'],
    ['/projects/acme/users', '{email:"a"}', ' (got {email:"a"})'],
    ['/faults', '{"effect":{"headers":{"x":"canary"}},}', ''],
    ['/requests/verify', '{"match":{"headers":{"x":"canary"}},}', ''],
    ['/projects/acme/tokens', '["canary",]', ''],
    ['/projects/acme/state', '["canary",]', ''],
  ])('%s shows a body that is not JSON, without a secret: %s', async (path, body, shown) => {
    const { url } = await startAdmin()
    const headers = { 'content-type': 'application/json' }
    const method = /tokens|state/.test(path) ? 'PUT' : 'POST'
    const response = await readResponse(await fetch(`${url}/__admin${path}`, { method, headers, body }))
    const message = `The request body is not valid JSON${shown}.`
    expect(response.body).toMatchObject({ code: 'malformedBody', message })
  })

  it('ignores the body of a GET, and treats zero bytes as no body', async () => {
    const { url } = await startAdmin()
    const headers = { 'content-type': 'text/plain', 'content-length': '4' }
    expect((await request(`${url}/__admin/state`, { headers, body: 'text' })).status).toBe(200)
    const chunked = { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }
    expect((await request(`${url}/__admin/reset`, chunked)).status).toBe(200)
  })
})

it.each([
  // No browser sends an empty one, so no page can have been rebound to it.
  ['', [], true],
  ['mock.example', [], false],
  ['Mock.Example.:8443', ['mock.example'], true],
  ['mock.example:8443', ['mock.example'], true],
  ['MOCK.example', ['mock.example.'], true],
  ['mock.example', ['other.example', 'MOCK.example:4600'], true],
  ['sub.mock.example', ['mock.example'], false],
  ['sub.mock.example', ['*.mock.example'], true],
  ['mock.example', ['*.mock.example'], false],
  ['evilmock.example', ['*.mock.example'], false],
  ['evilmock.example', ['mock.example'], false],
  ['a.b.Mock.example:4600', ['*.mock.Example'], true],
  ['sub.mock.example.evil.com', ['*.mock.example'], false],
  ['mock.example.evil.com', ['mock.example'], false],
])('the Host %j is its own if %j are allowed: %s', (host, allowedHosts, own) => {
  const req = { url: `http://${host}/__admin/state`, method: 'GET', header: () => undefined }
  const env = { connection: { admin: { token: undefined, allowedHosts } } }
  expect(hasTrustedHost({ req, env })).toBe(own)
})
