import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock, type Mock, type SeedInput } from '../../src/index.ts'
import { noon } from '../support/api.ts'

/** White space that a page must shorten, longer than any page. */
const long = `a${' \n'.repeat(128 * 1024)}a`

// The largest page without the text has about 30 KB.
const maxPage = 150 * 1024

const start = (seed: SeedInput = {}): Mock => {
  const mock = createMock({ clock: noon, seed, bodyLimit: 8 * 1024 * 1024 })
  onTestFinished(() => mock.close())
  return mock
}

const expectPage = async (mock: Mock, path: string) => {
  const response = await mock.fetch(path)
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(text.length).toBeLessThan(maxPage)
  return text
}

const view = (name: string) => `/__admin/dashboard/${name}`

describe('a page stays small with 256 KiB of white space as', () => {
  it.each([
    ['the full name of a user', { fullName: long }],
    ['a metadata value', { metadata: { key: long } }],
    ['a metadata key', { metadata: { [long]: 1 } }],
  ])('%s', async (_, fields) => {
    const mock = start({ projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com', ...fields }] } } })
    for (const name of ['users?project=acme', 'user?project=acme&id=usr_1']) await expectPage(mock, view(name))
  })

  it.each([
    ['the invoice of a payment link', { invoice: long }],
    ['the full name of a payer', { payer: { fullName: long } }],
    ['the email of a payer', { payer: { email: long } }],
    ['the tax number of a payer', { payer: { taxNumber: long } }],
  ])('%s', async (_, fields) => {
    const mock = start({ projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1', ...fields }] } } })
    const views = ['payment-links?project=acme', 'payment-link?project=acme&id=pml_1'].map(view)
    for (const path of [...views, '/pay/acme/pml_1', '/docs', '/']) await expectPage(mock, path)
  })

  it.each([
    ['the matched body of a fault', { match: { body: { key: long } }, effect: { status: 503 } }],
    ['the body of a fault', { effect: { status: 503, body: { key: long } } }],
    ['a header of a fault', { effect: { status: 503, headers: { 'x-key': ' '.repeat(long.length) } } }],
  ])('%s', async (_, fault) => {
    const mock = start({ projects: { acme: {} } })
    await mock.project('acme').faults.add(fault)
    for (const name of ['faults', 'faults?project=acme']) await expectPage(mock, view(name))
  })

  const authorized = { authorization: 'Bearer any', accept: 'application/json' }
  it.each<[string, string, RequestInit]>([
    ['a query parameter of a request', `?key=${encodeURIComponent(long)}`, {}],
    ['a header of a request', '', { headers: { ...authorized, 'x-key': `a${' '.repeat(long.length)}a` } }],
    ['the body of a request', '', { method: 'POST', body: long }],
    ['what a request changes', '', { method: 'POST', body: JSON.stringify({ email: 'a@b.c', fullName: long }) }],
  ])('%s', async (_, query, init) => {
    const mock = start()
    await mock.fetch(`/projects/acme/users${query}`, { headers: authorized, ...init })
    const [entry] = (await mock.requests.list()).items
    for (const name of [`request?id=${entry!.id}`, 'journal', 'diagnostics']) await expectPage(mock, view(name))
  })

  it('the body of a response', async () => {
    const mock = start()
    const headers = { 'content-type': 'text/plain' }
    await mock.faults.add({ effect: { status: 503, body: long, headers } })
    await mock.fetch('/projects/acme/users', { headers: authorized })
    const [entry] = (await mock.requests.list()).items
    await expectPage(mock, view(`request?id=${entry!.id}`))
  })

  it('the name of a project', async () => {
    const mock = start({ projects: { [long]: {}, acme: {} } })
    for (const path of [view('projects'), view('bar'), '/docs', '/']) await expectPage(mock, path)
  })

  it('the path of a request', async () => {
    const mock = start()
    await mock.fetch(`/projects/acme/users/${encodeURIComponent(long)}`, { headers: authorized })
    const [entry] = (await mock.requests.list()).items
    for (const name of [`request?id=${entry!.id}`, 'journal', 'diagnostics']) await expectPage(mock, view(name))
  })
})

it('a page keeps the white space of a displayed text', async () => {
  const fullName = 'Ada\n    <b>\n   Lovelace'
  const mock = start({ projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com', fullName }] } } })
  const shown = 'Ada\n    &lt;b&gt;\n   Lovelace'
  expect(await expectPage(mock, view('users?project=acme'))).toContain(`<bdi>${shown}</bdi>`)
  expect(await expectPage(mock, view('user?project=acme&id=usr_1'))).toContain(`value="${shown}"`)
})
