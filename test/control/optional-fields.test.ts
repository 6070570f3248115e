/** Each optional field alone, each pair, and none: a field has its effect whatever else is given. */
import { describe, expect, it } from 'vitest'
import { createMock, type Mock, type MockOptions } from '../../src/node/index.ts'
import { FaultRule } from '../../src/schema/fault.ts'
import { PaymentLinkRecordsQuery, JournalQuery, UserRecordsQuery } from '../../src/schema/list.ts'
import { MockOptions as MockOptionsSchema } from '../../src/schema/mock-options.ts'
import type { PaymentLinkSeed } from '../../src/schema/payment-link.ts'
import { PaymentLinkView, StoredPaymentLink } from '../../src/schema/payment-link.ts'
import { User, type UserSeed } from '../../src/schema/user.ts'
import { Matcher } from '../../src/schema/matcher.ts'
import { noon } from '../support/api.ts'
import { closeSearched } from '../support/canary.ts'
import { ask } from '../support/control.ts'
import { pick, subsetsOf } from '../support/subsets.ts'
import { readResponse } from '../support/read.ts'
import { sampleNullable } from '../properties/model/nullable-fields.ts'

const start = async () => {
  const mock = createMock({ clock: noon })
  closeSearched(mock)
  return { mock, control: mock }
}

const user = {
  object: 'user',
  id: 'usr_own',
  metadata: { a: 1 },
  ...sampleNullable(),
  createdAt: '2020-02-02T02:02:02.222Z',
  emailVerified: false,
  preferredLocale: 'de',
} as const satisfies Partial<UserSeed>

const link = {
  object: 'paymentLink',
  id: 'pml_own',
  canceledAt: null,
  completedAt: '2021-01-01T00:00:00.000Z',
  createdAt: '2020-02-02T02:02:02.222Z',
  partner: { redirectUrl: 'https://shop.example/' },
  status: 'completed',
  type: 'partner',
  payer: { email: 'p@example.com' },
} as const satisfies Partial<PaymentLinkSeed>

describe('the fields of a record', () => {
  it('of a new user have the given value, or their default', async () => {
    const { control } = await start()
    const { users } = control.project('acme')
    const base = { ...(await users.create({ email: 'ada@example.com' })), id: expect.any(String) }
    for (const names of subsetsOf(User.shape, user, ['email'])) {
      const given = pick(user, names)
      const created = await users.create({ email: 'ada@example.com', ...given })
      expect(created, names.join()).toEqual({ ...base, ...given })
      await users.delete(created.id)
    }
  })

  it('of a changed user have the given value, or the one before', async () => {
    const { control } = await start()
    const { users } = control.project('acme')
    const { object: _object, id: _id, ...fields } = user
    const values = { ...fields, email: 'other@example.com' }
    for (const names of subsetsOf(User.shape, values, ['object', 'id'])) {
      const before = await users.create({ email: 'ada@example.com', fullName: 'Eve', metadata: { b: 2 } })
      const given = pick(values, names)
      expect(await users.patch(before.id, given), names.join()).toEqual({ ...before, ...given })
    }
  })

  it('of a new payment link have the given value, or their default', async () => {
    const { control } = await start()
    const { paymentLinks } = control.project('acme')
    const base = await paymentLinks.create({ invoice: 'inv_1' })
    for (const names of subsetsOf(StoredPaymentLink.shape, link, ['invoice'])) {
      const given = pick(link, names)
      const call = paymentLinks.create({ invoice: 'inv_1', ...given })
      // Only a completed link has the time of its completion. Without one, it is the time of its creation or now.
      if (names.includes('completedAt') && !names.includes('status')) {
        await expect(call, names.join()).rejects.toMatchObject({ code: 'invalidBody' })
        continue
      }
      const created = await call
      const isDefaultTime = names.includes('status') && !names.includes('completedAt')
      expect(created, names.join()).toEqual({
        ...base,
        ...given,
        id: names.includes('id') ? link.id : expect.stringMatching(/^pml_/),
        paymentUrl: expect.stringContaining(created.id),
        ...(isDefaultTime && { completedAt: expect.any(String) }),
        // A completed link was not created after its completion.
        ...(names.includes('completedAt') && !names.includes('createdAt') && { createdAt: link.completedAt }),
      })
      await paymentLinks.delete(created.id)
    }
    expect(Object.keys(base).toSorted()).toEqual(Object.keys(PaymentLinkView.shape).toSorted())
  })
})

/** The ids of the items that a query selects. */
type Select = (query: object) => Promise<string[]>

/** Expects two filters together to select what both select, and a limit to keep the given end of it. */
const expectFilters = async (select: Select, shape: object, values: object, fromEnd: boolean) => {
  const all = await select({})
  for (const names of subsetsOf(shape, values)) {
    const lists = await Promise.all(
      names.filter((name) => name !== 'limit').map((name) => select(pick(values, [name]))),
    )
    const wanted = all.filter((id) => lists.every((list) => list.includes(id)))
    const limit = names.includes('limit') ? Number(Reflect.get(values, 'limit')) : wanted.length
    const kept = fromEnd ? wanted.slice(Math.max(0, wanted.length - limit)) : wanted.slice(0, limit)
    expect(await select(pick(values, names)), names.join()).toEqual(kept)
    // A filter that selects everything or nothing would show nothing.
    if (names.length === 1) expect([0, all.length], names.join()).not.toContain(kept.length)
  }
}

describe('the filters of a list', () => {
  const listIds = (list: { readonly items: readonly { readonly id: string }[] }) => list.items.map(({ id }) => id)

  it('of users and payment links select what both select', async () => {
    const { control } = await start()
    const { users, paymentLinks } = control.project('acme')
    for (const id of [1, 2, 3, 4, 5, 6]) {
      await users.create({ id: `usr_${id}`, email: `${id % 2 === 0 ? 'even' : 'odd'}@example.com` })
      const status = id % 3 === 0 ? 'canceled' : 'active'
      await paymentLinks.create({ id: `pml_${id}`, invoice: `inv_${id % 2}`, status })
    }
    const { before: _users, ...userQuery } = UserRecordsQuery.shape
    const { before: _links, ...linkQuery } = PaymentLinkRecordsQuery.shape
    const byEmail = { email: 'odd@example.com', after: 'usr_5', limit: 2 }
    await expectFilters(async (query) => listIds(await users.list(query)), userQuery, byEmail, false)
    const byInvoice = { invoice: 'inv_1', status: 'active', after: 'pml_5', limit: 2 }
    await expectFilters(async (query) => listIds(await paymentLinks.list(query)), linkQuery, byInvoice, false)
    // The items before a cursor end next to it.
    expect(listIds(await users.list({ before: 'usr_2', email: 'odd@example.com', limit: 1 }))).toEqual(['usr_3'])
    await expect(users.list({ before: 'usr_2', after: 'usr_5' })).rejects.toMatchObject({ code: 'invalidQuery' })
  })

  it('of recorded requests select what both select', async () => {
    const { mock, control } = await start()
    for (const project of ['acme', 'b & c']) {
      const at = `/projects/${encodeURIComponent(project)}/users`
      for (const path of [at, `${at}/usr_none`, `${at}?limit=x`]) await ask(mock, path)
      await ask(mock, at, 'POST', { email: 'ada@example.com' })
      await ask(mock, at, 'POST', { email: 'x' })
    }
    const ids = listIds(await control.requests.list())
    const values = {
      operation: 'listUsers',
      method: 'GET',
      path: '/projects/b%20%26%20c/users',
      project: 'b & c',
      status: '200',
      since: ids[5]!,
      limit: '2',
    }
    await expectFilters(async (query) => listIds(await control.requests.list(query)), JournalQuery.shape, values, true)
  })

  it('of a matcher select what both select', async () => {
    const { mock, control } = await start()
    const send = (project: string, method: string, query: string, email: string, agent: string) =>
      mock.fetch(`/projects/${encodeURIComponent(project)}/users${query}`, {
        method,
        headers: { authorization: 'Bearer t', 'content-type': 'application/json', 'user-agent': agent },
        ...(method === 'POST' && { body: JSON.stringify({ email }) }),
      })
    for (const project of ['acme', 'b & c'])
      for (const method of ['GET', 'POST'])
        for (const query of ['', '?a=1'])
          for (const email of ['ada@example.com', 'x'])
            for (const agent of ['one', 'two']) await send(project, method, query, email, agent)
    const values = {
      operation: 'createUser',
      method: 'POST',
      path: '/projects/b%20%26%20c/users',
      project: 'b & c',
      status: 201,
      headers: { 'User-Agent': 'one' },
      query: { a: '1' },
      body: { email: 'ada@example.com' },
    }
    const { items } = await control.requests.list()
    const isMatch: Record<keyof typeof values, (item: (typeof items)[number]) => boolean> = {
      operation: (item) => item.operation === 'createUser',
      method: (item) => item.method === 'POST',
      path: (item) => item.path === values.path,
      project: (item) => item.project === 'b & c',
      status: (item) => item.status === 201,
      headers: ({ request }) => request.headers['user-agent'] === 'one',
      query: ({ query }) => query.a === '1',
      body: ({ request }) => (request.body as { email?: string } | null)?.email === 'ada@example.com',
    }
    for (const names of subsetsOf(Matcher.shape, values)) {
      const wanted = items.filter((item) => names.every((name) => isMatch[name as keyof typeof values](item))).length
      const match = pick(values, names)
      const { actual } = await control.requests.verify({ match, times: { exactly: wanted } })
      expect(actual, names.join()).toBe(wanted)
    }
  })
})

describe('the fields of a fault', () => {
  // The clock starts at noon, and advances by a minute with each of ten requests.
  const minute = (count: number) => new Date(Date.parse(noon) + count * 60_000).toISOString()
  const values = {
    match: { operation: 'listUsers' },
    skip: 2,
    times: 3,
    from: minute(4),
    until: minute(7),
    probability: 1,
    phase: 'after',
  } as const satisfies Partial<FaultRule>

  it('decide together which requests it applies to', async () => {
    const { mock, control } = await start()
    for (const [index, names] of subsetsOf(FaultRule.shape, values, ['effect']).entries()) {
      const acme = control.project(`acme-${index}`)
      const given = pick(values, names) as Partial<typeof values>
      const fault = await acme.faults.add({ effect: { status: 503 }, ...given })
      expect(fault, names.join()).toMatchObject(given)
      let { skip = 0, times = given.from || given.until ? Infinity : 1 } = given as { skip?: number; times?: number }
      const wanted: number[] = []
      const actual: number[] = []
      for (let count = 0; count < 10; count++) {
        const path = count % 2 === 0 ? 'users' : 'paymentLinks'
        const isMatch = given.match === undefined || path === 'users'
        const isOpen = (!given.from || count >= 4) && (!given.until || count < 7)
        if (isMatch && isOpen && times > 0 && skip-- <= 0) {
          times--
          wanted.push(count)
        }
        if ((await ask(mock, `/projects/${acme.id}/${path}`)).status === 503) actual.push(count)
        await acme.clock.advance(60_000)
      }
      expect(actual, names.join()).toEqual(wanted)
      expect((await fault.refresh()).hits, names.join()).toBe(wanted.length)
    }
  })

  it('skip and times count down together', async () => {
    const { mock, control } = await start()
    const acme = control.project('acme')
    await acme.faults.add({ skip: 1, times: 1, probability: 0, effect: { status: 503 } })
    expect((await ask(mock, '/projects/acme/users')).status).toBe(200)
    expect((await acme.faults.list())[0]).toMatchObject({ hits: 0, remaining: 1 })
  })
})

describe('two payments of one link', () => {
  it('that wait for reads run with their own read', async () => {
    const { mock, control } = await start()
    const { paymentLinks, scheduledPayments } = control.project('acme')
    const { id } = await paymentLinks.create({ invoice: 'inv_1' })
    await paymentLinks.pay(id, { when: { reads: 3 } })
    await paymentLinks.pay(id, { outcome: 'failed', when: { reads: 1 } })
    const read = async () => (await ask(mock, `/projects/acme/paymentLinks/${id}`)).body.status as string
    const waiting = async () => (await scheduledPayments.list()).map(({ when }) => when)
    expect([await read(), await waiting()]).toEqual(['active', [{ reads: 2 }]])
    expect([await read(), await waiting()]).toEqual(['active', [{ reads: 1 }]])
    expect([await read(), await waiting()]).toEqual(['completed', []])
  })
})

/** Reads what an option decides. */
type Observe = (mock: Mock) => Promise<unknown>

const headers = { authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' }
const fetchJson = async (mock: Mock, path: string, init: RequestInit = {}) => {
  const response = await mock.fetch(path, { headers, ...init })
  return { headers: response.headers, ...(await readResponse(response)) }
}
/** Calls the mocked API, with the base path of the options if the mock has one. */
const callApi = async (mock: Mock, path: string, init: RequestInit = {}) => {
  const response = await fetchJson(mock, `/v1${path}`, init)
  return response.body.code === 'routeNotFound' ? fetchJson(mock, path, init) : response
}
const openApi = async (mock: Mock) => (await fetchJson(mock, '/openapi.json')).body

/** A value of each option, and what it decides. */
const options: { readonly [K in keyof MockOptions]-?: readonly [value: MockOptions[K], observe: Observe] } = {
  seed: [{ projects: { seeded: {} } }, async (mock) => (await mock.projects()).map(({ id }) => id)],
  clock: [{ mode: 'stepping', step: 7, now: noon }, async (mock) => (await mock.clock.get()).mode],
  idSeed: ['other', async (mock) => (await mock.state.get()).idSeed],
  profile: ['strict', async (mock) => (await mock.behaviors.get()).values.requestHeaders],
  behaviors: [{ createStatus: 200 }, async (mock) => (await mock.behaviors.get()).values.createStatus],
  tokens: [['any'], async (mock) => (await mock.tokens.get()).length],
  basePath: ['/v1', async (mock) => (await fetchJson(mock, '/v1/projects/acme/users')).status],
  provider: ['acmepay', async (mock) => JSON.stringify(await openApi(mock)).includes('"acmepay"')],
  publicUrl: [
    'https://pay.example',
    async (mock) => (await mock.project('url').paymentLinks.create({ invoice: 'inv_1' })).paymentUrl.slice(0, 19),
  ],
  cors: [
    ['https://shop.example'],
    async (mock) => {
      const init = { headers: { ...headers, origin: 'https://shop.example' } }
      return (await callApi(mock, '/projects/acme/users', init)).headers.get('access-control-allow-origin')
    },
  ],
  bodyLimit: [
    50,
    async (mock) => {
      const body = JSON.stringify({ email: 'ada@example.com', fullName: 'x'.repeat(60) })
      return (await callApi(mock, '/projects/limit/users', { method: 'POST', body })).status === 413
    },
  ],
  journalSize: [
    1,
    async (mock) => {
      for (let i = 0; i < 2; i++) await callApi(mock, '/projects/size/users')
      return (await mock.project('size').requests.list()).items.length
    },
  ],
  maxSandboxes: [
    0,
    async (mock) =>
      mock
        .sandbox('own')
        .state.get()
        .then(Boolean, () => false),
  ],
  now: [
    () => Date.parse('2033-03-03T00:00:00Z'),
    async (mock) => (await mock.project('real').clock.set({ mode: 'real' })).now,
  ],
  log: [() => {}, async () => null],
}

describe('the options of createMock', () => {
  // `quality slow` tries the pairs.
  it('decide the same alone, in pairs, and without another', async () => {
    const observeAll = async (names: readonly string[]) => {
      await using mock = createMock({
        ...(names.includes('now') ? {} : { now: () => Date.parse(noon) }),
        ...(pick(Object.fromEntries(Object.entries(options).map(([name, [value]]) => [name, value])), names) as object),
      })
      // The strict profile creates no project on first use.
      for (const id of ['acme', 'limit', 'size', 'url']) await mock.project(id).patch({ preferredLocale: 'de' })
      const seen: Record<string, unknown> = {}
      for (const [name, [, observe]] of Object.entries(options)) seen[name] = await observe(mock)
      return seen
    }
    const none = await observeAll([])
    const alone: Record<string, Record<string, unknown>> = {}
    for (const names of subsetsOf(MockOptionsSchema.shape, options)) {
      if (names.length > 1 && !process.env.SLOW_TESTS) continue

      const seen = await observeAll(names)
      if (names.length === 1) {
        const [name = ''] = names
        alone[name] = seen
        // A value that changes nothing would show nothing. What is logged has its own tests.
        if (name !== 'log') expect(seen[name], name).not.toEqual(none[name])
      }
      const wanted = Object.fromEntries(
        Object.keys(options).map((name) => [name, names.includes(name) ? alone[name]![name] : none[name]]),
      )
      expect(seen, names.join()).toEqual(wanted)
    }
  })
})
