// Proves: Same on every transport.
import { describe, expect, it } from 'vitest'
import { shorten } from '../../src/core/schema/text.ts'
import { createMock as createNeutralMock } from '../../src/index.ts'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { readJson, toMockError } from '../support/read.ts'
import { request } from '../cli/support/request.ts'
import { closeSearched, token } from '../support/canary.ts'
import { listeningMock } from '../support/mock.ts'

const headers = { authorization: 'Bearer t' }

it('accepts a path, a URL and a Request', async () => {
  const mock = createMock()
  for (const input of ['/projects/a/users', new URL('http://api.example/projects/a/users')])
    expect((await mock.fetch(input, { headers })).status).toBe(200)
  expect((await mock.fetch(new Request('http://api.example/projects/a/users', { headers }))).status).toBe(200)
})

it('works the same in the runtime-neutral entry, where listen rejects', async () => {
  const mock = createNeutralMock({ clock: '2025-01-01T00:00:00Z' })
  const user = await mock.project('a').users.create({ email: 'a@b.c' })
  expect(user.createdAt).toBe('2025-01-01T00:00:00.000Z')
  const message = 'Failed to listen: this runtime has no sockets. Call mock.fetch, or listen under Node, Bun or Deno.'
  await expect(mock.listen({ port: 0 })).rejects.toThrow(message)
  await mock.close()
})

it('returns copies that cannot change the state', async () => {
  const mock = createMock()
  const { users } = mock.project('a')
  const passed = { email: 'a@b.c', metadata: { list: [1] } }
  const user = await users.create(passed)
  passed.metadata.list.push(2)
  ;(user.metadata as { list?: number[] }).list?.push(3)
  expect((await users.get(user.id)).metadata).toEqual({ list: [1] })
})

it('builds the payment URL from the listening server for a path, which has no origin, or from the public URL', async () => {
  await using mock = createMock()
  const { id } = await mock.project('a').paymentLinks.create({ invoice: 'inv_1' })
  const { url } = await mock.listen()
  const asked = await mock.fetch(`/projects/a/paymentLinks/${id}`, { headers })
  expect(await readJson(asked)).toMatchObject({ paymentUrl: `${url}/pay/a/${id}` })
  await using published = createMock({ publicUrl: 'https://mock.example/base/' })
  const link = await published.project('a b').paymentLinks.create({ invoice: 'inv_1' })
  expect(link.paymentUrl).toBe(`https://mock.example/base/pay/a%20b/${link.id}`)
})

const clock = "clock must be 'real', 'frozen', 'stepping' or a time to freeze at such as '2025-01-01T00:00:00.000Z'"
const publicUrl =
  "publicUrl must be an http or https address such as 'https://mock.example', without a password or a query"
const ofProjects = 'is not a field here; put it into template or projects.acme.'

it.each<[unknown, string]>([
  [{ tokens: [5] }, "tokens[0] must be a token, or an object such as { token: 'secret', projects: ['acme'] }."],
  [{ clock: { mode: 'froze' } }, "clock.mode must be 'real', 'frozen' or 'stepping' (got 'froze')."],
  [{ clock: 5 }, `${clock} (got 5).`],
  [{ clock: '2025-01-01' }, `${clock} (got '2025-01-01').`],
  [{ clock: new Date(0) }, `${clock} (got '${shorten(String(new Date(0)), 40)}').`],
  [{ clock: new Date(NaN) }, `${clock} (got 'Invalid Date').`],
  [{ publicUrl: new URL('https://mock.example') }, `${publicUrl} (got a URL).`],
  [{ publicUrl: 5 }, `${publicUrl} (got 5).`],
  [{ now: () => new Date(0) }, 'now must return milliseconds since 1970, like Date.now (got a Date).'],
  [{ now: () => Number.NaN }, 'now must return milliseconds since 1970, like Date.now (got NaN).'],
  [{ now: () => 1e20 }, 'now must return milliseconds since 1970, like Date.now (got 100000000000000000000).'],
  [{ seed: 'empty' }, "seed must be an object such as { projects: {} } (got 'empty')."],
  [{ seed: { users: [] } }, `seed.users ${ofProjects}`],
  [{ seed: { preferredLocale: 'pt-BR' } }, `seed.preferredLocale ${ofProjects}`],
  [null, "The options of createMock must be an object, such as { clock: 'frozen' } (got null)."],
])('rejects %j with a message', (options, message) => {
  const error = toMockError(() => createMock(options as MockOptions))
  expect([error.code, error.message]).toEqual(['invalidOptions', message])
})

it('rejects an invalid time whenever `now` returns it', async () => {
  let time: unknown = 0
  const mock = createMock({ now: () => time as number })
  time = new Date(0)
  const message = 'now must return milliseconds since 1970, like Date.now (got a Date).'
  await expect(mock.clock.get()).rejects.toMatchObject({ code: 'invalidOptions', message })
})

it.each([
  () => {
    throw new Error('from log')
  },
  () => Promise.reject(new Error('from log')),
])('ignores an error of `log`: %s', async (log) => {
  const { mock, url } = await listeningMock({ log, maxSandboxes: 1 })
  const sent = { ...headers, 'content-type': 'application/json' }
  const init = { method: 'POST', headers: sent, body: '{"email":"a@b.c"}' }
  expect((await fetch(`${url}/projects/a/users`, init)).status).toBe(201)
  expect((await mock.fetch('/projects/b/users', init)).status).toBe(201)
  for (const name of ['one', 'two']) expect((await mock.sandbox(name).projects()).length).toBe(0)
  await mock.project('a').faults.add({ effect: { connection: 'close' } })
  await expect(mock.fetch('/projects/a/users', { headers })).rejects.toThrow(TypeError)
})

describe('fetch', () => {
  const create = { method: 'POST', headers: { authorization: 'Bearer t', 'content-type': 'application/json' } }

  it('rejects with the reason if the signal is already aborted, and sends nothing', async () => {
    await using mock = createMock()
    const init = { ...create, body: '{"email":"a@b.c"}', signal: AbortSignal.abort() }
    await expect(mock.fetch('/projects/acme/users', init)).rejects.toThrow(DOMException)
    expect((await mock.requests.list()).items).toEqual([])
  })

  it('rejects with the reason if the signal is aborted while the body arrives', async () => {
    await using mock = createMock()
    const ending = new AbortController()
    const body = new ReadableStream({ pull: () => ending.abort(new Error('enough')) })
    const init = { ...create, body, duplex: 'half', signal: ending.signal } as RequestInit
    await expect(mock.fetch('/projects/acme/users', init)).rejects.toThrow('enough')
    expect((await mock.project('acme').summary()).users).toBe(0)
  })

  it('rejects a request whose body was read already', async () => {
    await using mock = createMock()
    const request = new Request('http://mock/projects/acme/users', { ...create, body: '{"email":"a@b.c"}' })
    await request.text()
    await expect(mock.fetch(request)).rejects.toThrow(TypeError)
  })
})

// Caches are separate for each mock, project, origin and behaviors.

const createdAt = '2025-01-01T00:00:00.123Z'
const content = {
  users: [{ id: 'usr_1', email: 'ada@example.com', createdAt }],
  paymentLinks: [{ id: 'pml_1', invoice: 'inv_0', createdAt }],
}
// All mocks share this object, which none may change.
const seed = { projects: { a: content, b: content } }

// Neighbors differ in one option, so that a cached value of one is wrong for the next.
const setups: readonly MockOptions[] = [
  {},
  { provider: 'acmepay' },
  { provider: 'acmepay', basePath: '/v2' },
  { basePath: '/v2' },
  { basePath: '/v1' },
  { publicUrl: 'https://pay.example/here' },
  { publicUrl: 'https://pay.example', behaviors: { timestampPrecision: 'seconds' } },
  { idSeed: 'another' },
]

it('several mocks from one seed have the responses of each alone, also after changes and going back', async () => {
  const all = setups.map((options) => ({ options, mock: createMock({ seed, clock: createdAt, ...options }) }))
  for (const { mock } of all) closeSearched(mock)
  const expectInvoices = async (invoices: readonly string[]) => {
    for (const project of ['a', 'b'])
      for (const [index, { mock, options }] of all.entries()) {
        const { provider = 'partner', basePath = '', publicUrl = 'http://one', behaviors } = options
        const at = `http://one${basePath}/projects/${project}/paymentLinks`
        const link = await readJson(mock.fetch(`${at}/pml_1`, { headers }))
        expect(link).toMatchObject({
          invoice: project === 'a' ? invoices[index % 2] : 'inv_0',
          paymentUrl: `${publicUrl}/pay/${project}/pml_1`,
          createdAt: behaviors === undefined ? createdAt : '2025-01-01T00:00:00Z',
          [provider]: { redirectUrl: null },
          type: provider,
        })
        expect(Object.keys(link)).toHaveLength(10)
        expect((await readJson(mock.fetch(at, { headers }))).items).toEqual([link])
        expect((await mock.fetch(`http://one/v3/projects/${project}/users`, { headers })).status).toBe(404)
      }
  }
  await expectInvoices(['inv_0', 'inv_0'])
  for (const [index, { mock }] of all.entries())
    if (index % 2 === 0) await mock.project('a').paymentLinks.patch('pml_1', { invoice: 'inv_1' })
  await expectInvoices(['inv_1', 'inv_0'])
  for (const { mock } of all) await mock.project('a').reset()
  await expectInvoices(['inv_0', 'inv_0'])
})

it('one link has a paymentUrl for the Host of each request, over HTTP', async () => {
  await using mock = createMock({ seed })
  const urls = [(await mock.listen()).url, (await mock.listen()).url]
  const hosts = [...urls.map((url) => url.slice('http://'.length)), 'localhost:8080', 'my-app:8080', '[::1]:9']
  for (const host of [...hosts, ...hosts.toReversed()])
    for (const path of ['/projects/a/paymentLinks/pml_1', '/__admin/projects/a/paymentLinks/pml_1']) {
      const headers = { host, authorization: `Bearer ${token}` }
      const { body } = await request(`${urls[0]}${path}`, { headers })
      expect(body.paymentUrl).toBe(`http://${host}/pay/a/pml_1`)
    }
})
