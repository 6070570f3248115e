import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { createMock, type ListenOptions, type MockOptions } from '../../src/node/index.ts'
import { requestText } from '../cli/support/request.ts'
import { inlineMarkdown } from '../../src/pages/html.ts'
import { readText } from '../support/read.ts'

const demo = JSON.parse(readFileSync(new URL('../../fixtures/demo.json', import.meta.url), 'utf8'))

const start = async ({ adminToken, ...options }: MockOptions & ListenOptions = {}) => {
  const mock = createMock({ seed: demo, ...options })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen({ adminToken })
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
  expect(text).toContain('the id seed demo')
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

it('shows no project where the control API requires a token, or under a host that could be public', async () => {
  const { get } = await start({ adminToken: 'tok_admin', tokens: ['tok_acme'] })
  expect(textOf(await get())).toContain('It needs the admin token.')
  expect(await get()).not.toMatch(/usr_|pml_|\?project=acme/)
  const { url } = await start()
  const { text } = await requestText(`${url}/`, { headers: { host: 'evil.example' } })
  expect(text).not.toMatch(/usr_|pml_|\?project=acme/)
})

it('links only to pages that exist', async () => {
  const { mock, get } = await start()
  const targets = [...(await get()).matchAll(/<a href="([^"]+)"/g)].map(([, target]) => target!)
  expect(targets).toEqual(
    expect.arrayContaining(['__admin/', 'docs', 'openapi.json', '__admin/openapi.json', 'llms.txt']),
  )
  for (const target of targets)
    expect((await mock.fetch(new URL(target, 'http://mock/').href)).status, target).toBe(200)
})

it('stays with the link that the address names, also when it is paid', async () => {
  const { mock, get } = await start()
  const address = '/?project=acme&paymentLink=pml_open'
  expect(textOf(await get(address))).toContain('The payment link pml_open is active.')
  await mock.project('acme').paymentLinks.pay('pml_open')
  expect(textOf(await get(address))).toContain('The payment link pml_open is completed. Show an active link')
  expect(textOf(await get())).not.toContain('pml_open is')
})

it.each([
  '?project=acme&paymentLink=pml_nobody',
  '?project=nowhere&paymentLink=pml_open',
  // Not the link that the page shows by itself.
  '?project=nowhere&paymentLink=pml_other',
  '?paymentLink=pml_other&project=',
  '?paymentLink=pml_other',
])('shows its own link for the unknown one of %s, and creates nothing', async (query) => {
  const { mock, get } = await start()
  await mock
    .project('acme')
    .paymentLinks.create({ id: 'pml_other', invoice: 'inv_other', createdAt: '2020-01-01T00:00:00Z' })
  expect(textOf(await get('/?project=acme&paymentLink=pml_other'))).toContain('The payment link pml_other is active.')
  expect(textOf(await get(`/${query}`))).toContain('The payment link pml_open is active.')
  expect((await mock.projects()).map(({ id }) => id)).toEqual(['acme'])
})

it('prefers a link without a redirect, so that a browser that pays it stays here', async () => {
  const { get } = await start()
  expect(textOf(await get())).toContain('The payment link pml_open is active.')
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

it('has one name for /docs on all pages', async () => {
  const { mock, url, get } = await start()
  const [link] = (await mock.project('acme').paymentLinks.list({ status: 'completed', limit: 1 })).items
  const pages = await Promise.all([get(), get('/__admin/')])
  // These have the statuses 404 and 410.
  for (const address of [`${url}/nowhere`, link!.paymentUrl])
    pages.push(await (await fetch(address, { headers: { accept: 'text/html' } })).text())
  const names = pages.flatMap((page) =>
    [...page.matchAll(/<a href="[^"]*\/?docs">([^<]*)<\/a>/g)].map(([, name]) => name),
  )
  expect(names.length).toBeGreaterThan(3)
  expect([...new Set(names)]).toEqual(['API description'])
})

it('sends a person who pays a demo link to a page of the mock', () => {
  const links: { partner?: { redirectUrl: string } }[] = demo.projects.acme.paymentLinks
  const redirects = links.flatMap(({ partner }) => partner?.redirectUrl ?? [])
  expect(redirects).toEqual(['http://127.0.0.1:4600/'])
})
