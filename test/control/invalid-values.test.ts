import { expect, it } from 'vitest'
import type { ProjectControl } from '../../src/core/client/index.ts'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { describeControl, startAdmin } from '../support/control.ts'
import type { ServerControl } from '../../src/core/client/control.ts'
import { errorResponse, startApi, commonTransports } from '../support/api.ts'
import { readResponse, toMockError } from '../support/read.ts'

const seed = {
  projects: {
    acme: { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
    empty: {},
  },
}

/** Every call that has an id, and the name of the id in its error. */
const callsWithId: readonly [
  called: string,
  name: 'user' | 'paymentLink' | 'name' | 'request' | 'fault',
  call: (project: ProjectControl, id: string) => Promise<unknown>,
][] = [
  ['users.get', 'user', ({ users }, id) => users.get(id)],
  ['users.patch', 'user', ({ users }, id) => users.patch(id, { fullName: 'Eve' })],
  ['users.delete', 'user', ({ users }, id) => users.delete(id)],
  ['paymentLinks.get', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.get(id)],
  ['paymentLinks.patch', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.patch(id, { invoice: 'inv_2' })],
  ['paymentLinks.delete', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.delete(id)],
  ['paymentLinks.pay', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.pay(id)],
  ['paymentLinks.cancel', 'paymentLink', ({ paymentLinks }, id) => paymentLinks.cancel(id)],
  ['snapshots.restore', 'name', ({ snapshots }, id) => snapshots.restore(id)],
  ['snapshots.delete', 'name', ({ snapshots }, id) => snapshots.delete(id)],
  ['requests.get', 'request', ({ requests }, id) => requests.get(id)],
  ['scheduledPayments.cancel', 'paymentLink', ({ scheduledPayments }, id) => scheduledPayments.cancel(id)],
  ['faults.remove', 'fault', ({ faults }, id) => faults.remove(id)],
]

const codes = {
  user: 'userNotFound',
  paymentLink: 'paymentLinkNotFound',
  name: 'snapshotNotFound',
  request: 'requestNotFound',
  fault: 'faultNotFound',
} as const

describeControl('a call', (start) => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [5, '5'],
    [{ id: 'usr_1' }, 'an object'],
    [['usr_1'], 'an array'],
  ])('with the id %j is rejected with a message that shows it, and changes nothing', async (id, shown) => {
    const { control, acme } = await start({ seed })
    await acme.faults.add({ effect: { status: 503 }, match: { operation: 'createUser' } })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 50 } })
    const readAll = () => Promise.all([control.state.get(), control.faults.list(), control.scheduledPayments.list()])
    const before = await readAll()
    for (const [called, name, call] of callsWithId) {
      const error = { name: 'MockError', code: 'invalidOptions', message: `${name} must be a string (got ${shown}).` }
      for (const project of [acme, control.project('empty')])
        await expect(call(project, id as never), called).rejects.toMatchObject(error)
    }
    expect(await readAll()).toEqual(before)
    expect(before).toMatchObject([{}, { length: 1 }, { length: 1 }])
  })

  it.each(['', '.', '..', '\ud800'])('with the id %j, which cannot appear in a URL, finds nothing', async (id) => {
    const { control } = await start({ seed })
    for (const [called, name, call] of callsWithId)
      await expect(call(control.project('acme'), id), called).rejects.toMatchObject({
        status: 404,
        code: called === 'scheduledPayments.cancel' ? 'scheduledPaymentNotFound' : codes[name],
      })
    await expect(control.project(id).users.list()).rejects.toMatchObject({ status: 404, code: 'projectNotFound' })
  })

  it('with a project name that is not a string is rejected', async () => {
    const { control } = await start({ seed })
    for (const id of [undefined, null, 5]) {
      const { code, message } = toMockError(() => control.project(id as never))
      expect([code, message]).toEqual(['invalidOptions', `project must be a string (got ${id}).`])
    }
  })

  it('of a list without a valid query is rejected', async () => {
    const { users, paymentLinks, requests } = (await start({ seed })).acme
    const error = { code: 'invalidQuery', status: 422, message: 'The query must be an object (got null).' }
    for (const lists of [users, paymentLinks, requests])
      await expect(lists.list(null as never)).rejects.toMatchObject(error)
  })

  it('with an unknown parameter is rejected with the known ones', async () => {
    const { users } = (await start({ seed })).acme
    const message = 'foo is not a parameter here; the parameters are after, before, limit, email.'
    await expect(users.list({ foo: '1' } as never)).rejects.toMatchObject({ message })
  })
})

describeControl('events', (start) => {
  it('reject invalid options', async () => {
    const { control } = await start({ seed })
    const messageOf = (options: unknown) => toMockError(() => control.events(options as never)).message
    expect(messageOf({ aftr: 1 })).toBe("aftr is not a field here; did you mean 'after'?")
    expect(messageOf(null)).toBe('The options of events must be an object, such as { after: 0 } (got null).')
    for (const [after, got] of [
      ['x', "'x'"],
      ['a\nb', "'a\nb'"],
      ['', "''"],
      ['1', "'1'"],
      [-1, '-1'],
      [1.5, '1.5'],
      [Number.NaN, 'NaN'],
      [1e15, '1000000000000000'],
      [10n, '10'],
      [null, 'null'],
    ] as const)
      expect(messageOf({ after })).toBe(`after must be the id of an event, an integer from 0 (got ${got}).`)
  })
})

type Call = (control: ServerControl, value: number) => Promise<unknown>

const effect = { status: 503 }
const inAcme = (control: ServerControl) => control.project('acme')
const pay = async (control: ServerControl, when: { reads: number } | { in: number }) => {
  const { id } = await inAcme(control).paymentLinks.create({ invoice: 'inv_1' })
  return inAcme(control).paymentLinks.pay(id, { when })
}

const ada = { email: 'ada@example.com' }

/** Numbers in calls of the library: JSON would turn an infinite one into null, which often has a meaning of its own. */
const callsWithNumber: readonly [path: string, call: Call][] = [
  ['effect.delay', ({ faults }, value) => faults.add({ effect: { delay: value as never } })],
  ['effect.body.a[1]', ({ faults }, value) => faults.add({ effect: { ...effect, body: { a: [0, value] } } })],
  ['held', async ({ faults }, held) => (await faults.add({ effect: { hold: true } })).waitForHeld(held)],
  ['milliseconds', (control, value) => inAcme(control).clock.advance(value)],
  ['when.reads', (control, reads) => pay(control, { reads })],
  ['times.atMost', ({ requests }, atMost) => requests.verify({ match: {}, times: { atMost } })],
  ['match.body.a', ({ requests }, a) => requests.verify({ match: { body: { a } }, times: 0 })],
  ['users[0].metadata.a', (control, a) => inAcme(control).state.patch({ users: [{ ...ada, metadata: { a } }] })],
  [
    'projects.acme.users[1].metadata.a',
    ({ state }, a) => state.put({ projects: { acme: { users: [ada, { ...ada, metadata: { a } }] } } }),
  ],
]

describeControl('a number that JSON does not have', (start) => {
  it.each(callsWithNumber)('is rejected, and changes nothing: %s', async (path, call) => {
    const { control } = await start()
    for (const value of [Infinity, -Infinity, Number.NaN]) {
      const message = `${path} must be a finite number (got ${value}).`
      const error = { code: 'invalidBody', status: 422, message, details: [{ path, message }] }
      await expect(call(control, value)).rejects.toMatchObject(error)
    }
    expect((await inAcme(control).summary()).users).toBe(0)
    expect((await control.faults.list()).filter((fault) => fault.effect.hold === undefined)).toEqual([])
  })

  it('is reported together with others', async () => {
    const { control } = await start()
    const adding = control.faults.add({ effect, skip: Infinity, probability: Number.NaN })
    await expect(adding).rejects.toMatchObject({ details: [{ path: 'skip' }, { path: 'probability' }] })
  })

  it('is reported once in a part that two fields share', async () => {
    const { control } = await start()
    const part = { n: Number.NaN }
    const creating = inAcme(control).users.create({ ...ada, metadata: { a: part, b: part } })
    await expect(creating).rejects.toMatchObject({ details: [{ path: 'metadata.a.n' }] })
  })

  it('is allowed in an object that converts itself', async () => {
    const { control } = await start()
    const when = { n: Number.NaN, toJSON: () => 'noon' }
    const { metadata } = await inAcme(control).users.create({ ...ada, metadata: { when } })
    expect(metadata).toEqual({ when: 'noon' })
  })
})

class Point {
  readonly x = 1
}
const knot: Record<string, unknown> = {}
knot.inner = [{ knot }]
const asymmetric =
  'must be JSON: asymmetric matchers such as expect.any() cannot be matched; name only the fields that must be equal.'

/** Values that JSON drops, changes or cannot have, and the end of their message. */
const notJson: readonly [value: unknown, message: string][] = [
  [() => true, 'must be JSON (got a function).'],
  [Symbol('s'), 'must be JSON (got a symbol).'],
  [1n, 'must be JSON (got a bigint).'],
  [/a/, 'must be JSON (got a RegExp).'],
  [new Map([['a', 1]]), 'must be JSON (got a Map).'],
  [new Set([1]), 'must be JSON (got a Set).'],
  [new Error('a'), 'must be JSON (got an Error).'],
  [Promise.resolve({}), 'must be JSON (got a Promise: await it).'],
  [expect.any(String), asymmetric],
  [expect.objectContaining({}), asymmetric],
  // In Bun these convert themselves.
  ...[new Headers({ a: '1' }), new URLSearchParams('a=1')]
    .filter((value) => !('toJSON' in value))
    .map((value): [unknown, string] => [value, `must be JSON (got a ${value.constructor.name}).`]),
]

describeControl('a value that is not JSON', (start) => {
  it.each(notJson)('is rejected in a body, case %#', async (value, message) => {
    const { control, acme } = await start({ seed })
    const calls: readonly [path: string, call: () => Promise<unknown>][] = [
      ['match', () => control.requests.verify({ match: value as never, times: 0 })],
      ['match.body', () => control.requests.verify({ match: { body: value }, times: 0 })],
      ['match.headers', () => acme.requests.verify({ match: { headers: value as never }, times: 0 })],
      ['sequence[1].body.a[0]', () => acme.requests.verify({ sequence: [{}, { body: { a: [value] } }] })],
      ['match', () => control.faults.add({ match: value as never, effect })],
      ['The value', () => control.faults.add(value as never)],
      ['effect.body', () => control.faults.add({ effect: { ...effect, body: value } })],
      ['metadata.a', () => acme.users.create({ ...ada, metadata: { a: value } })],
      ['users', () => acme.state.patch({ users: value as never })],
      ['tokens', () => control.tokens.replace(value as never)],
    ]
    for (const [path, call] of calls)
      await expect(call(), path).rejects.toMatchObject({ code: 'invalidBody', message: `${path} ${message}` })
    expect([await control.faults.list(), (await acme.users.list()).items.length]).toEqual([[], 1])
  })

  it('is rejected if it contains itself', async () => {
    const { control } = await start()
    const error = { code: 'invalidBody', message: 'match.body.inner[0].knot must not contain itself.' }
    await expect(control.requests.verify({ match: { body: knot } })).rejects.toMatchObject(error)
  })

  it('is not an instance with fields, an object without a prototype, a shared part or an undefined field', async () => {
    const { control } = await start()
    const shared = { point: new Point(), bare: Object.create(null) as object, none: undefined }
    const metadata = { a: shared, b: [shared], at: new Date(0) }
    const user = await control.project('acme').users.create({ ...ada, metadata })
    const stored = { point: { x: 1 }, bare: {} }
    expect(user.metadata).toStrictEqual({ a: stored, b: [stored], at: '1970-01-01T00:00:00.000Z' })
  })

  const notInQueries: [value: unknown, message: string][] = [
    ...notJson.slice(3),
    [null, '(got null)'],
    [{}, '(got an object)'],
    [['a'], '(got an array)'],
  ]
  it.each(notInQueries)('is rejected in a query, case %#', async (value, message) => {
    const { users, paymentLinks, requests } = (await start({ seed })).acme
    const got = /\((got an? \w+|got null)/.exec(message)?.[1] ?? 'got an? \\w+'
    const calls: readonly [requirement: string, call: () => Promise<unknown>][] = [
      ['email must be a string', () => users.list({ email: value as never })],
      ['invoice must be a string', () => paymentLinks.list({ invoice: value as never })],
      ['status must be a number', () => requests.list({ status: value as never })],
    ]
    for (const [requirement, call] of calls)
      await expect(call(), requirement).rejects.toMatchObject({
        code: 'invalidQuery',
        message: expect.stringMatching(new RegExp(`^${requirement} \\(${got}\\)\\.$`)) as string,
      })
    if (value instanceof Map || value instanceof Promise) await expect(users.list(value as never)).rejects.toThrow(got)
  })

  it('is rejected in a query: a number where a text is expected', async () => {
    const { control } = await start()
    const message = 'project must be a string (got 123).'
    await expect(control.requests.list({ project: 123 as never })).rejects.toMatchObject({ message })
    expect((await control.requests.list({ status: 200, limit: 5 })).items).toEqual([])
  })
})

it.each(notJson)('an option that is not JSON is rejected, case %#', (value, message) => {
  const messageOf = (options: unknown) => toMockError(() => createMock(options as MockOptions)).message
  expect(messageOf({ seed: value })).toBe(`seed ${message}`)
  expect(messageOf({ behaviors: value })).toBe(`behaviors ${message}`)
  expect(messageOf({ seed: { projects: { acme: { users: value } } } })).toBe(`seed.projects.acme.users ${message}`)
})

it.each([new Map(), Promise.resolve({})])('options without fields of their own are rejected: %s', (options) => {
  const { code, message } = toMockError(() => createMock(options as MockOptions))
  const must = "The options of createMock must be an object, such as { clock: 'frozen' }"
  expect([code, message]).toEqual(['invalidOptions', `${must} (got a ${options.constructor.name}).`])
})

const long = 'x'.repeat(16 * 1024)
const tooLong = `${long}x`
const nameOf = (of: string) => `${of}.${'x'.repeat(100)}...`

it.each([
  [{ path: `/${long}` }, ['path']],
  [{ headers: { 'x-long': tooLong } }, ['headers.x-long']],
  [{ headers: { [tooLong]: 'x' } }, ['headers']],
  [{ query: { long: tooLong } }, ['query.long']],
  [{ query: { long: ['x', tooLong] } }, ['query.long[1]']],
  [{ query: { [tooLong]: 'x' } }, [nameOf('query')]],
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
  ['/faults', '{"effect":{"status":503,"body":{"a":[-1e999]}}}', 'effect.body'],
  ['/requests/verify', '{"sequence":[{},{"body":[1e999]}]}', 'sequence[1].body'],
  ['/projects/acme/users', '{"email":"a@b.c","metadata":{"a":1e999}}', 'metadata'],
])('rejects a number that is too large for JSON: POST %s %s', async (path, raw, at) => {
  const { url, mock } = await startAdmin()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/__admin${path}`, { method: 'POST', headers, body: raw })
  expect(await readResponse(response)).toMatchObject(errorResponse(422, 'invalidBody', [at]))
  expect(await mock.faults.list()).toEqual([])
})

const large = 'x'.repeat(7000)
const acme = { users: [{ ...ada, id: 'usr_1', fullName: large }], paymentLinks: [{ id: 'pml_1', invoice: large }] }
const limited: MockOptions = { bodyLimit: 10_000, seed: { projects: { acme } } }
const tooLarge = 'is too long: a record has at most 10000 characters, like a body.'
const largeUser = { email: 'a@b.c', fullName: `${large}${large}` }
const largeLink = { invoice: 'inv_1', payer: { fullName: `${large}${large}` } }
const acmePath = '/projects/acme'

it.each([
  ['POST', `${acmePath}/users`, { email: 'a@b.c', metadata: { [`${large}${large}`]: 1 } }, 'metadata'],
  ['PATCH', `${acmePath}/users/usr_1`, { metadata: { a: [large] } }, 'metadata'],
  ['POST', `${acmePath}/paymentLinks`, largeLink, 'payer'],
  ['PATCH', `${acmePath}/paymentLinks/pml_1`, { payer: { taxNumber: large } }, 'payer'],
  ['PUT', `${acmePath}/state`, { users: [{ email: 'a@b.c' }, largeUser] }, 'users[1].fullName'],
  ['PATCH', `${acmePath}/state`, { preferredLocale: 'pt-BR', paymentLinks: [largeLink] }, 'paymentLinks[0].payer'],
  ['PATCH', '/state', { template: { paymentLinks: [largeLink] } }, 'template.paymentLinks[0].payer'],
] as const)('a record is at most as large as a body: %s %s, case %#', async (method, path, body, at) => {
  const { call, mock } = await startAdmin(limited)
  const before = await mock.state.get()
  const error = { code: 'invalidBody', details: [{ path: at, message: `${at} ${tooLarge}` }] }
  expect(await call(method, path, body)).toMatchObject({ status: 422, body: error })
  expect(await mock.state.get()).toEqual(before)
})

it('a seed with a record that is larger than a body is rejected', () => {
  const seedOfLarge = { projects: { acme: { users: [largeUser] } } }
  const { code, message } = toMockError(() => createMock({ bodyLimit: 10_000, seed: seedOfLarge }))
  expect([code, message]).toEqual(['invalidOptions', `projects.acme.users[0].fullName ${tooLarge}`])
})

it.each(commonTransports)('updates do not add up to a record that is larger than a body, %s', async (transport) => {
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
const ids = Array.from({ length: 20 }, (_, index) => `usr_${index}`)

const cursors = process.env.SLOW_TESTS ? ['after', 'before'] : ['before']
it.each(cursors)('a page has at most 16 MiB, and %s leads to the other records', async (cursor) => {
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
  expect(lengths).toEqual(cursor === 'after' ? [13, 7] : [13, 6])
  expect(found).toEqual(cursor === 'after' ? ids.toReversed() : ids.toReversed().slice(0, -1))
})
