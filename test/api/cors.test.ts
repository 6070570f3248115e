import { describe, expect, it } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { closingMock, listeningMock } from '../support/mock.ts'

const shop = 'https://shop.example'
const seed = { projects: { acme: { users: [{ id: 'usr_ada', email: 'ada@example.com' }] } } }
const users = '/projects/acme/users'

const start = (options: MockOptions = { cors: [shop] }) => {
  const mock = closingMock({ seed, ...options })
  const call = (path: string, method = 'GET', given: Record<string, string> = {}) =>
    mock.fetch(path, {
      method,
      headers: { authorization: 'Bearer t', accept: 'application/json', origin: shop, ...given },
    })
  /** Sends what a browser sends before a request with a token and a JSON body. */
  const preflight = (path: string, origin = shop, method = 'POST') =>
    mock.fetch(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    })
  return { mock, call, preflight }
}

const allowedOrigin = ({ headers }: Response) => headers.get('access-control-allow-origin')
const corsNames = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => /^(?:access-control-|vary$)/.test(name))

describe('cors', () => {
  it('is off by default', async () => {
    const { call, preflight } = start({})
    for (const response of [await call(users), await preflight(users)]) expect(corsNames(response)).toEqual([])
  })

  it('lets pages of an allowed origin read responses and the headers of the mock', async () => {
    const { call } = start({ cors: ['https://other.example', shop] })
    const response = await call(users)
    expect(allowedOrigin(response)).toBe(shop)
    expect(response.headers.get('vary')).toBe('Origin')
    expect(response.headers.get('access-control-expose-headers')).toBe(
      'Mock-Request-Id,Mock-Assumed,Mock-Fault,Retry-After,RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset',
    )
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  const otherOrigins = ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null']
  it.each(otherOrigins)('allows no page of %s', async (origin) => {
    const { call, preflight } = start()
    for (const response of [await call(users, 'GET', { origin }), await preflight(users, origin)])
      expect(allowedOrigin(response)).toBe(null)
  })

  it.each([[['*']], [[shop, '*']]])('allows pages of every origin with %j', async (cors) => {
    const { call, preflight } = start({ cors })
    for (const response of [
      await call(users, 'GET', { origin: 'null' }),
      await preflight(users, 'https://any.example'),
    ])
      expect(allowedOrigin(response)).toBe('*')
  })

  const preflights =
    '/projects/acme/users /projects/acme/nothing /@a/projects/acme/users /%40a/projects/acme/users'.split(' ')
  it.each(preflights)('allows the preflight of %s, which is neither recorded nor counted', async (path) => {
    const { mock, call, preflight } = start()
    const response = await preflight(path, shop, 'PUT')
    expect([response.status, allowedOrigin(response)]).toEqual([204, shop])
    expect(response.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    expect((await mock.requests.list()).items).toEqual([])
    expect(await mock.sandboxes.list()).toEqual([])
    const alone = await start({}).call(users)
    expect((await call(users)).headers.get('mock-request-id')).toBe(alone.headers.get('mock-request-id'))
  })

  const anyOrigins = [undefined, shop, 'https://evil.example']
  it.each(anyOrigins)('answers an OPTIONS that is no preflight, of %s', async (origin) => {
    const { mock } = start()
    const headers = origin === undefined ? {} : { origin }
    const response = await mock.fetch(users, { method: 'OPTIONS', headers })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'POST, GET, HEAD, OPTIONS'])
    expect(allowedOrigin(response)).toBe(origin === shop ? shop : null)
    expect((await mock.fetch('/projects/acme/nothing', { method: 'OPTIONS', headers })).status).toBe(404)
    const ids = (await mock.requests.list()).items.map(({ id }) => id)
    expect(ids).toEqual([response.headers.get('mock-request-id'), expect.anything()])
  })

  it.each([
    ['GET', users, { authorization: '' }, 401],
    ['GET', `${users}/usr_none`, {}, 404],
    ['GET', '/projects/acme/nothing', {}, 404],
    ['PUT', users, {}, 405],
    ['GET', `${users}?limit=x`, {}, 400],
    ['GET', '/projects/%FF/users', {}, 400],
    ['OPTIONS', users, {}, 204],
    ['GET', `/@a${users}`, {}, 200],
  ])('lets a page read %s %s with %j', async (method, path, given, status) => {
    const { call } = start()
    const response = await call(path, method, given)
    expect([response.status, allowedOrigin(response)]).toEqual([status, shop])
  })

  it.each([
    [{ status: 503, headers: { 'Retry-After': '1' } }, 503],
    [{ rateLimit: { limit: 1, window: 1000 } }, 429],
    [{ corrupt: 'empty' }, 200],
    [{ delay: { milliseconds: 1 }, status: 500 }, 500],
  ] as const)('lets a page read the response of the fault %j', async (effect, status) => {
    const { mock, call } = start()
    await mock.faults.add({ effect })
    if ('rateLimit' in effect) await call(users)
    const response = await call(users)
    expect([response.status, allowedOrigin(response)]).toEqual([status, shop])
  })

  it('follows the base path', async () => {
    const { call, preflight } = start({ cors: [shop], basePath: '/v1' })
    expect(allowedOrigin(await call(`/v1${users}`))).toBe(shop)
    expect((await preflight(`/@a/v1${users}`)).status).toBe(204)
    expect((await preflight(users)).headers.has('access-control-allow-methods')).toBe(false)
  })

  const closed = '/__admin/state /@a/__admin/state /__admin/nothing /__admin/projects/acme /__admin/ / /docs'
  it.each(closed.split(' '))('does not open %s', async (path) => {
    const { url } = await listeningMock({ seed, cors: ['*'] })
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { origin: shop, 'access-control-request-method': 'GET' }
      expect(corsNames(await fetch(url + path, { method, headers }))).toEqual([])
    }
  })

  const texts = [
    'shop.example',
    'https://shop.example/',
    'https://shop.example/a',
    'https://*.shop.example',
    'null',
    '',
  ]
  it.each(texts)('rejects %j, which is no origin', (origin) => {
    const message = `cors[0] must be an origin such as 'https://shop.example', or '*' (got '${origin}').`
    expect(() => createMock({ cors: [origin] })).toThrow(message)
  })
})
