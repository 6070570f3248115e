import { expect, it, onTestFinished } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { requestText } from '../cli/support/request.ts'

// The Accept header of Chromium for a URL that a person opens.
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' }

const start = async (options: MockOptions = {}) => {
  const mock = createMock(options)
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const get = (path: string, headers: Record<string, string> = browser, method = 'GET') =>
    requestText(url + path, { method, headers })
  return { mock, url, get }
}

it.each(['/nowhere', '/nowhere/', '/pay/acme', '/docs/nowhere', '//nowhere', '/%2e%2e/a%2Fb', '/users?x=1'])(
  'returns a page with status 404 to a browser that opens %s',
  async (path) => {
    const { mock, url, get } = await start()
    const { status, headers, text } = await get(path)
    expect(status).toBe(404)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    const links = [...text.matchAll(/(?:<a|<link rel="stylesheet") href="([^"]+)"/g)].map(([, link]) => link!)
    const paths = links.map((link) => new URL(link, url + path).href.slice(url.length))
    expect(paths).toEqual(['/docs/style.css', '/', '/__admin/', '/docs'])
    expect((await mock.requests.list()).items).toEqual([])
  },
)

it('shows the path of an unknown page as text, and cuts it', async () => {
  const { get } = await start()
  const { text } = await get(`/<b>${'x'.repeat(2000)}`)
  expect(text).toContain('<code>/&lt;b&gt;xxx')
  expect(text.length).toBeLessThan(2500)
})

it('returns no body to a HEAD request of a browser for an unknown page', async () => {
  const { get } = await start()
  expect(await get('/nowhere', browser, 'HEAD')).toMatchObject({ status: 404, text: '' })
})

it.each(['*/*', 'application/json', 'application/json, text/html;q=0.5', 'image/png', ''])(
  'returns JSON for an unknown path with Accept: %s',
  async (accept) => {
    const { get } = await start()
    const { status, text } = await get('/nowhere', { accept })
    expect([status, JSON.parse(text).code]).toEqual([404, 'routeNotFound'])
  },
)

it('returns JSON for a POST to an unknown path with Accept: text/html', async () => {
  const { get } = await start()
  const { status, text } = await get('/nowhere', browser, 'POST')
  expect([status, JSON.parse(text).code]).toEqual([404, 'routeNotFound'])
})

it.each([
  ['/projects', 401, 'tokenMissing'],
  ['/projects/acme', 401, 'tokenMissing'],
  ['/projects/acme/nowhere', 401, 'tokenMissing'],
  ['/projects/acme/users', 401, 'tokenMissing'],
  ['/__admin/nowhere', 404, 'routeNotFound'],
  ['/__admin/projects/acme/nowhere', 404, 'routeNotFound'],
  ['/__admin/dashboard/nowhere', 404, 'routeNotFound'],
  ['/__admin/projects/acme/users/usr_1', 404, 'userNotFound'],
])('returns JSON to a browser for %s, which is an API', async (path, expected, code) => {
  const { get } = await start()
  const { status, text } = await get(path)
  expect([status, JSON.parse(text).code]).toEqual([expected, code])
})

it('returns JSON to a browser for an unknown path below the base path', async () => {
  const { get } = await start({ basePath: '/v1' })
  expect(JSON.parse((await get('/v1/projects/acme/nowhere')).text).code).toBe('tokenMissing')
})

it.each(['/openapi.json', '/__admin/openapi.json'])('returns JSON to a browser for %s', async (path) => {
  const { get } = await start()
  const { status, text } = await get(path)
  expect([status, JSON.parse(text).openapi]).toEqual([200, '3.1.0'])
})

it('has no icon, and records no request for it', async () => {
  const { mock, get } = await start()
  for (const accept of ['image/avif,image/webp,*/*', browser.accept])
    expect(await get('/favicon.ico', { accept })).toMatchObject({ status: 204, text: '' })
  expect((await mock.requests.list()).items).toEqual([])
})
