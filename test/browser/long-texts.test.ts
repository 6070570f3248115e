import { describe, expect, it } from 'vitest'
import type { Mock, SeedInput } from '../../src/index.ts'
import { noon } from '../support/api.ts'
import { closingMock } from '../support/mock.ts'

/** White space that a page must shorten, longer than any page. */
const long = `a${' \n'.repeat(128 * 1024)}a`

// The largest page without the text has about 30 KB.
const maxPage = 150 * 1024

const start = (seed: SeedInput = {}): Mock => {
  const mock = closingMock({ clock: noon, seed, bodyLimit: 8 * 1024 * 1024 })
  return mock
}

const expectPage = async (mock: Mock, path: string) => {
  const response = await mock.fetch(path)
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
  expect(text.length).toBeLessThan(maxPage)
  return text
}

const view = (name: string) => `/__admin/dashboard/${name}`
const authorized = { authorization: 'Bearer any', accept: 'application/json' }

describe('a page stays small with 256 KiB of white space', () => {
  it.each([
    [
      'of a user',
      { users: [{ id: 'usr_1', email: 'ada@example.com', fullName: long, metadata: { key: long, [long]: 1 } }] },
      [view('users?project=acme'), view('user?project=acme&id=usr_1')],
    ],
    [
      'of a payment link',
      { paymentLinks: [{ id: 'pml_1', invoice: long, payer: { fullName: long, email: long, taxNumber: long } }] },
      [view('payment-links?project=acme'), view('payment-link?project=acme&id=pml_1'), '/pay/acme/pml_1', '/docs', '/'],
    ],
  ])('in each field %s', async (_, acme, paths) => {
    const mock = start({ projects: { acme } })
    for (const path of paths) await expectPage(mock, path)
  })

  it('in each field of a fault', async () => {
    const mock = start({ projects: { acme: {} } })
    const effect = { status: 503, body: { key: long }, headers: { 'x-key': ' '.repeat(long.length) } }
    await mock.project('acme').faults.add({ match: { body: { key: long } }, effect })
    for (const name of ['faults', 'faults?project=acme']) await expectPage(mock, view(name))
  })

  it.each<[string, string, RequestInit]>([
    ['query', `?key=${encodeURIComponent(long)}`, {}],
    ['headers', '', { headers: { ...authorized, 'x-key': `a${' '.repeat(long.length)}a` } }],
    ['body', '', { method: 'POST', body: long }],
    ['changes', '', { method: 'POST', body: JSON.stringify({ email: 'a@b.c', fullName: long }) }],
    ['path', `/${encodeURIComponent(long)}`, {}],
  ])('in the %s of a request', async (_, tail, init) => {
    const mock = start()
    await mock.fetch(`/projects/acme/users${tail}`, { headers: authorized, ...init })
    const [entry] = (await mock.requests.list()).items
    for (const name of [`request?id=${entry!.id}`, 'journal', 'diagnostics']) await expectPage(mock, view(name))
  })

  it('in the body of a response', async () => {
    const mock = start()
    await mock.faults.add({ effect: { status: 503, body: long, headers: { 'content-type': 'text/plain' } } })
    await mock.fetch('/projects/acme/users', { headers: authorized })
    const [entry] = (await mock.requests.list()).items
    await expectPage(mock, view(`request?id=${entry!.id}`))
  })

  it('in the name of a project', async () => {
    const mock = start({ projects: { [long]: {}, acme: {} } })
    for (const path of [view('projects'), view('bar'), '/docs', '/']) await expectPage(mock, path)
  })
})

it('a page keeps the white space of a displayed text', async () => {
  const fullName = 'Ada\n    <b>\n   Lovelace'
  const mock = start({ projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com', fullName }] } } })
  const shown = 'Ada\n    &lt;b&gt;\n   Lovelace'
  expect(await expectPage(mock, view('users?project=acme'))).toContain(`<bdi>${shown}</bdi>`)
  expect(await expectPage(mock, view('user?project=acme&id=usr_1'))).toContain(`value="${shown}"`)
})
