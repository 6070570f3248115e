import { expect, it } from 'vitest'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { errorResponse, startApi, transports } from '../support/api.ts'
import { startAdmin } from '../support/start-admin.ts'
import { readResponse } from '../support/read.ts'

const long = 'x'.repeat(16 * 1024)
const tooLong = `${long}x`
/** The path of a field whose name is too long. */
const name = (of: string) => `${of}.${'x'.repeat(100)}...`

it.each([
  [{ path: `/${long}` }, ['path']],
  [{ headers: { 'x-long': tooLong } }, ['headers.x-long']],
  [{ headers: { [tooLong]: 'x' } }, ['headers']],
  [{ query: { long: tooLong } }, ['query.long']],
  [{ query: { long: ['x', tooLong] } }, ['query.long[1]']],
  [{ query: { [tooLong]: 'x' } }, [name('query')]],
] as const)('a matcher has texts of at most 16 KiB, case %#', async (match, paths) => {
  const { call } = await startAdmin()
  for (const [path, body, at] of [
    ['/requests/verify', { match }, 'match'],
    ['/requests/verify', { sequence: [match] }, 'sequence[0]'],
    ['/faults', { match, effect: { status: 503 } }, 'match'],
  ] as const)
    expect(await call('POST', path, body)).toMatchObject({
      status: 422,
      body: { code: 'invalidBody', details: paths.map((part) => ({ path: `${at}.${part}` })) },
    })
})

it('a matcher can have texts of 16 KiB', async () => {
  const { call } = await startAdmin()
  const match = { path: `/${long.slice(1)}`, headers: { 'x-long': long }, query: { [long]: [long] }, body: tooLong }
  const { status, body } = await call('POST', '/requests/verify', { match, times: 0 })
  expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } })
})

it.each([
  ['/faults', '{"effect":{"status":503,"body":1e999}}', 'effect.body'],
  ['/faults', '{"effect":{"status":503,"body":{"a":[-1e999]}}}', 'effect.body'],
  ['/faults', '{"effect":{"status":503},"match":{"body":1e999}}', 'match.body'],
  ['/requests/verify', '{"match":{"body":{"a":{"b":1e999}}}}', 'match.body'],
  ['/requests/verify', '{"sequence":[{},{"body":[1e999]}]}', 'sequence[1].body'],
  ['/projects/acme/users', '{"email":"a@b.c","metadata":{"a":1e999}}', 'metadata'],
])('rejects a number that is too large for JSON: POST %s %s', async (path, raw, at) => {
  const { url, mock } = await startAdmin()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/__admin${path}`, { method: 'POST', headers, body: raw })
  expect(await readResponse(response)).toMatchObject({
    status: 422,
    body: { code: 'invalidBody', details: [{ path: at }] },
  })
  expect(await mock.faults.list()).toEqual([])
})

const large = 'x'.repeat(7000)
const limited: MockOptions = {
  bodyLimit: 10_000,
  seed: {
    projects: {
      acme: {
        users: [{ id: 'usr_1', email: 'ada@example.com', fullName: large }],
        paymentLinks: [{ id: 'pml_1', invoice: large }],
      },
    },
  },
}
const user = { email: 'a@b.c', fullName: `${large}${large}` }
const link = { invoice: 'inv_1', payer: { fullName: `${large}${large}` } }
const acme = '/projects/acme'

it.each([
  ['POST', `${acme}/users`, user, 'fullName'],
  ['POST', `${acme}/users`, { email: 'a@b.c', metadata: { [`${large}${large}`]: 1 } }, 'metadata'],
  ['PATCH', `${acme}/users/usr_1`, { metadata: { a: [large] } }, 'metadata'],
  ['POST', `${acme}/paymentLinks`, link, 'payer'],
  ['PATCH', `${acme}/paymentLinks/pml_1`, { payer: { taxNumber: large } }, 'payer'],
  ['PUT', `${acme}/state`, { users: [{ email: 'a@b.c' }, user] }, 'users[1].fullName'],
  ['PATCH', `${acme}/state`, { preferredLocale: 'pt-BR', paymentLinks: [link] }, 'paymentLinks[0].payer'],
  ['PUT', '/state', { template: { users: [user] } }, 'template.users[0].fullName'],
  ['PUT', '/state', { projects: { acme: { users: [user] } } }, 'projects.acme.users[0].fullName'],
  ['PATCH', '/state', { projects: { acme: { users: [user] } } }, 'projects.acme.users[0].fullName'],
  ['PATCH', '/state', { template: { paymentLinks: [link] } }, 'template.paymentLinks[0].payer'],
] as const)('a record is at most as large as a body: %s %s, case %#', async (method, path, body, at) => {
  const { call, mock } = await startAdmin(limited)
  const before = await mock.state.get()
  expect(await call(method, path, body)).toMatchObject({
    status: 422,
    body: {
      code: 'invalidBody',
      details: [{ path: at, message: `${at} is too long: a record has at most 10000 characters, like a body.` }],
    },
  })
  expect(await mock.state.get()).toEqual(before)
})

it('a state with several large records has a problem for each', async () => {
  const { call } = await startAdmin(limited)
  const { body } = await call('PUT', '/state', {
    template: { users: [user, user] },
    projects: { a: { users: [user] } },
  })
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
    'template.users[0].fullName',
    'template.users[1].fullName',
    'projects.a.users[0].fullName',
  ])
})

it('a seed with a record that is larger than a body is rejected', () => {
  expect(() => createMock({ bodyLimit: 10_000, seed: { projects: { acme: { users: [user] } } } })).toThrow(
    expect.objectContaining({
      code: 'invalidOptions',
      message: 'projects.acme.users[0].fullName is too long: a record has at most 10000 characters, like a body.',
    }),
  )
})

it.each(transports)('updates do not add up to a record that is larger than a body, %s', async (transport) => {
  const { patch, get } = await startApi(transport, limited)
  const path = '/projects/acme/users/usr_1'
  const { body: before } = await get(path)
  expect(await patch(path, { metadata: { a: large } })).toMatchObject(errorResponse(422, 'invalidBody', ['metadata']))
  expect((await get(path)).body).toEqual(before)
  expect(await patch(path, { fullName: null })).toMatchObject({ status: 200 })
  expect(await patch(path, { metadata: { a: large } })).toMatchObject({ status: 200 })
  expect(await patch(path, { metadata: { b: large } })).toMatchObject(errorResponse(422, 'invalidBody', ['metadata']))
})

it('every body that is accepted by its size can become a record', async () => {
  const { mock } = await startAdmin({ bodyLimit: 200 })
  const frame = JSON.stringify({ email: 'a@b.c', fullName: '' })
  const body = JSON.stringify({ email: 'a@b.c', fullName: 'x'.repeat(200 - frame.length) })
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
  expect((await mock.fetch('/projects/acme/users', { method: 'POST', headers, body })).status).toBe(201)
})

const megabyte = 'x'.repeat(1_000_000)
const ids = Array.from({ length: 40 }, (_, index) => `usr_${index}`)

it.each(['after', 'before'])('a page has at most 16 MiB, and %s leads to the other records', async (cursor) => {
  const users = ids.map((id) => ({ id, email: 'a@b.c', fullName: megabyte }))
  const mock = createMock({ seed: { projects: { acme: { users } } } })
  const found: string[] = []
  const lengths: number[] = []
  let at: string | null = cursor === 'after' ? null : 'usr_0'
  do {
    const query: string = at === null ? '' : `&${cursor}=${at}`
    const response = await mock.fetch(`/projects/acme/users?limit=200${query}`, {
      headers: { authorization: 'Bearer any', accept: 'application/json' },
    })
    const text = await response.text()
    expect(text.length).toBeLessThan(16 * 1024 * 1024)
    const { items, moreItemsAfter, moreItemsBefore } = JSON.parse(text)
    lengths.push(items.length)
    const page = items.map(({ id }: { id: string }) => id)
    if (cursor === 'after') found.push(...page)
    else found.unshift(...page)
    at = cursor === 'after' ? moreItemsAfter : moreItemsBefore
  } while (at !== null)
  // 200 is halved until the page fits: 100, 50, 25, 13.
  expect(lengths).toEqual(cursor === 'after' ? [13, 13, 14] : [13, 13, 13])
  expect(found).toEqual(cursor === 'after' ? ids.toReversed() : ids.toReversed().slice(0, -1))
})
