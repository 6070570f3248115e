import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ListenOptions, MockOptions } from '../../src/node/index.ts'
import { requestText } from '../cli/support/request.ts'
import { inlineMarkdown } from '../../src/core/pages/html.ts'
import { readText } from '../support/read.ts'
import { listeningMock } from '../support/mock.ts'

const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

const start = async ({ adminToken, ...options }: MockOptions & ListenOptions = {}) => {
  const { mock, url } = await listeningMock({ seed: demo, ...options }, { adminToken })
  const get = async (path = '/') => (await readText(fetch(url + path))).replace(/\s+/g, ' ')
  return { mock, url, get }
}

/** The text of the page, without tags. */
const textOf = (page: string) => page.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')

it('shows projects with their counts, the clock and the id seed', async () => {
  const { mock, get } = await start({ clock: '2025-01-01T00:00:00.000Z' })
  const { users, paymentLinks } = await mock.project('acme').summary()
  const text = textOf(await get())
  expect(text).toContain(`Project acme: ${users} users, ${paymentLinks} payment links`)
  expect(text).toContain('Clock: frozen at 2025-01-01T00:00:00.000Z')
  expect(text).toContain('Id seed: demo')
})

it('says so if no project exists', async () => {
  const { get } = await start({ seed: {} })
  expect(textOf(await get())).toContain('No projects yet.')
})

it('shows ten projects and the number of the others', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `project-${10 + index}`)
  const { get } = await start({ seed: { projects: Object.fromEntries(names.map((name) => [name, {}])) } })
  const text = textOf(await get())
  expect(text).toContain('Project project-19')
  expect(text).not.toContain('project-20')
  expect(text).toContain('2 more projects')
})

it('shows no project where the control API requires a token', async () => {
  const { get } = await start({ adminToken: 'tok_admin', tokens: ['tok_acme'] })
  expect(textOf(await get())).toContain('It needs the admin token.')
  expect(await get()).not.toMatch(/usr_|pml_|\?project=acme/)
  const hidden = await start({ seed: { projects: { big: {} } }, adminToken: 'tok_admin', tokens: ['tok_big'] })
  for (const path of ['/', '/docs']) {
    const page = await hidden.get(path)
    expect(textOf(page)).toContain('Replace PROJECT with the name of a project.')
    expect(page).not.toMatch(/projects\/(?:acme|big)/)
  }
})

it('links only to pages that exist', async () => {
  const { mock, get } = await start()
  const targets = [...(await get()).matchAll(/<a href="([^"]+)"/g)].map(([, target]) => target!)
  expect(targets).toEqual(expect.arrayContaining(['__admin/', 'docs', 'openapi.json', '__admin/openapi.json']))
  for (const target of targets)
    expect((await mock.fetch(new URL(target, 'http://mock/').href)).status, target).toBe(200)
})

it('stays with the link that the address names, also when it is paid', async () => {
  const { mock, get } = await start()
  const address = '/?project=acme&paymentLink=pml_open'
  expect(textOf(await get(address))).toContain('The payment link pml_open is active.')
  await mock.project('acme').paymentLinks.pay('pml_open')
  const paid = textOf(await get(address))
  expect(paid).toContain('The payment link pml_open is completed. Show an active link')
  expect(paid).not.toContain('Pay it on')
  expect(textOf(await get())).not.toContain('pml_open is')
})

it('shows a link without a redirect for an unknown one, and creates nothing', async () => {
  const { mock, get } = await start()
  const other = { id: 'pml_other', invoice: 'inv_other', createdAt: '2020-01-01T00:00:00Z' }
  await mock.project('acme').paymentLinks.create(other)
  expect(textOf(await get('/?project=acme&paymentLink=pml_other'))).toContain('The payment link pml_other is active.')
  for (const query of [
    'project=acme&paymentLink=pml_nobody',
    'project=nowhere&paymentLink=pml_open',
    // Not the link that the page shows by itself.
    'project=nowhere&paymentLink=pml_other',
    'project=&paymentLink=pml_other',
    'paymentLink=pml_other',
  ])
    expect(textOf(await get(`/?${query}`)), query).toContain('The payment link pml_open is active.')
  expect((await mock.projects()).map(({ id }) => id)).toEqual(['acme'])
})

it('shows only the list of links if no link is active', async () => {
  const { get } = await start({ seed: { projects: { acme: {} } } })
  const page = await get()
  expect(page.match(/<code><span>curl</g)).toHaveLength(1)
  expect(page).not.toContain('id="status"')
})

it('shows code and strong words of a text, and leaves the rest', async () => {
  const markup = await inlineMarkdown('Use `a*b` for *one* and **two** & 2 * 3')
  expect(markup.toString()).toBe('Use <code>a*b</code> for <strong>one</strong> and <strong>two</strong> &amp; 2 * 3')
})

// The Accept header of Chromium for a URL that a person opens.
const fromBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' }

const startNotFound = async (options: MockOptions = {}) => {
  const { mock, url } = await listeningMock(options)
  const get = (path: string, headers: Record<string, string> = fromBrowser, method = 'GET') =>
    requestText(url + path, { method, headers })
  return { mock, url, get }
}

it('returns a page with status 404 to a browser, with links to the other pages, for any unknown path', async () => {
  const { mock, url, get } = await startNotFound()
  for (const path of '/nowhere /nowhere/ /pay/acme /docs/nowhere //nowhere /%2e%2e/a%2Fb /users?x=1'.split(' ')) {
    const { status, headers, text } = await get(path)
    expect([path, status]).toEqual([path, 404])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=UTF-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
    const links = [...text.matchAll(/(?:<a|<link rel="stylesheet") href="([^"]+)"/g)].map(([, link]) => link!)
    const paths = links.map((link) => new URL(link, url + path).href.slice(url.length))
    expect([path, ...paths]).toEqual([path, '/docs/style.css', '/', '/__admin/', '/docs'])
  }
  expect(await get('/nowhere', fromBrowser, 'HEAD')).toMatchObject({ status: 404, text: '' })
  expect((await mock.requests.list()).items).toEqual([])
})

it('shows the path of an unknown page as text, and cuts it', async () => {
  const { get } = await startNotFound()
  const { text } = await get(`/<b>${'x'.repeat(2000)}`)
  expect(text).toContain('<code>/&lt;b&gt;xxx')
  expect(text.length).toBeLessThan(2500)
})

it('returns JSON for an unknown path to a client that is no browser, or sends no GET', async () => {
  const { get } = await startNotFound()
  const jsonFor = async (headers: Record<string, string>, method = 'GET') => {
    const { status, text } = await get('/nowhere', headers, method)
    expect([status, JSON.parse(text).code, headers, method]).toEqual([404, 'routeNotFound', headers, method])
  }
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'image/png', ''])
    await jsonFor({ accept })
  await jsonFor(fromBrowser, 'POST')
})

it.each<[string, number, string, MockOptions?]>([
  ['/projects', 401, 'tokenMissing'],
  ['/projects/acme/nowhere', 401, 'tokenMissing'],
  ['/projects/acme/users', 401, 'tokenMissing'],
  ['/__admin/nowhere', 404, 'routeNotFound'],
  ['/__admin/projects/acme/nowhere', 404, 'routeNotFound'],
  ['/__admin/dashboard/nowhere', 404, 'routeNotFound'],
  ['/__admin/projects/acme/users/usr_1', 404, 'userNotFound'],
  ['/v1/projects/acme/nowhere', 401, 'tokenMissing', { basePath: '/v1' }],
])('returns JSON to a browser for %s, which is an API', async (path, expected, code, options) => {
  const { get } = await startNotFound(options)
  const { status, text } = await get(path)
  expect([status, JSON.parse(text).code]).toEqual([expected, code])
})

it('returns its documents to a browser, and no icon, and records no request for them', async () => {
  const { mock, get } = await startNotFound()
  for (const path of ['/openapi.json', '/__admin/openapi.json']) {
    const { status, text } = await get(path)
    expect([status, JSON.parse(text).openapi]).toEqual([200, '3.1.0'])
  }
  expect(await get('/favicon.ico', { accept: 'image/avif,image/webp,*/*' })).toMatchObject({ status: 204, text: '' })
  expect((await mock.requests.list()).items).toEqual([])
})
