// Proves: Reset is a new process, Round trip, Rejected means unchanged.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { noon, commonTransports } from '../support/api.ts'
import { anyRequest, initOf, linkIds, userIds } from '../properties/requests.ts'
import { startClient } from './traffic/support/client.ts'

const seed = {
  idSeed: 'properties',
  clock: { mode: 'stepping' as const, now: noon, step: 7 },
  template: { users: [{ email: 'template@example.com' }], paymentLinks: [{ invoice: 'inv_0' }] },
  projects: { a: { users: [{ id: 'usr_pinned', email: 'pinned@example.com' }], generate: { users: 3 } } },
}

const rules = [
  { effect: { status: 503 } },
  { times: 3, probability: 0.5, effect: { status: 500 } },
  { skip: 1, phase: 'after' as const, effect: { corrupt: 'malformed' as const } },
  { effect: { rateLimit: { limit: 1, window: 20 } } },
  { times: null, probability: 0.2, effect: { status: 429 } },
  { times: 2, effect: { corrupt: 'empty' as const } },
]
const behaviorChoices = [
  { createStatus: 200 },
  { paymentLinkOrder: 'oldestFirst' },
  { emailVerifiedOnCreate: false },
  { timestampPrecision: 'seconds' },
  { searchMatch: 'contains' },
  { unknownFields: 'reject' },
] as const

/** What a step acts on: its records by list position, so that every step is possible. */
const findTargets = async (mock: Mock, project: string, nth: number) => {
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' }
    const sending = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
    const response = await mock.fetch(`/projects/${project}${path}`, sending)
    return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`
  }
  const control = mock.project(project)
  const user = (await control.users.list()).items[nth]?.id ?? 'usr_none'
  const link = (await control.paymentLinks.list()).items[nth]?.id ?? 'pml_none'
  return { mock, project, nth, send, control, user, link }
}
type Targets = Awaited<ReturnType<typeof findTargets>>

const searches = { operation: 'searchUsers' } as const
const actions = {
  create: ({ send, nth }) => send('POST', '/users', { email: `user${nth}@example.com`, metadata: { nth } }),
  update: ({ send, nth, user }) =>
    send('PATCH', `/users/${user}`, { fullName: `Name ${nth}`, metadata: { more: nth } }),
  delete: ({ send, user }) => send('DELETE', `/users/${user}`),
  link: ({ send, nth }) =>
    send('POST', '/paymentLinks', { invoice: `inv_${nth}`, type: 'partner', partner: { user: {} } }),
  cancel: ({ send, link }) => send('POST', `/paymentLinks/${link}/cancel`),
  pay: ({ control, link }) => control.paymentLinks.pay(link),
  schedule: ({ control, link, nth }) =>
    control.paymentLinks.pay(link, { when: nth % 2 ? { reads: nth } : { in: nth * 10 } }),
  read: ({ send, link }) => send('GET', `/paymentLinks/${link}`),
  advance: ({ control, nth }) => control.clock.advance(nth * 5),
  search: ({ send, user }) => send('POST', `/users/search?limit=2&after=${user}`, { email: 'USER1@example.com' }),
  move: ({ control, user, nth }) =>
    control.users.patch(user, { createdAt: new Date(Date.parse(noon) - nth).toISOString() }),
  pin: ({ control, nth }) => control.users.create({ id: `usr_pin${nth}`, email: 'pin@example.com' }),
  reopen: ({ control, link }) => control.paymentLinks.patch(link, { status: 'active' }),
  rejected: ({ send, nth }) => send('GET', `/users?limit=${nth}x`),
  fault: ({ control, nth }) => control.faults.add({ ...rules[nth]!, match: searches }),
  faultForAll: ({ mock, nth, project }) => mock.faults.add({ ...rules[nth]!, match: { ...searches, project } }),
  behavior: async ({ control, nth }) => (await control.behaviors.set(behaviorChoices[nth]!)).values,
  snapshot: ({ control, nth }) => control.snapshots.save(`snapshot ${nth}`),
} satisfies Record<string, (targets: Targets) => Promise<unknown>>

const step = fc.record({
  project: fc.constantFrom('a', 'b', '__proto__'),
  nth: fc.nat(5),
  action: fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[])),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const toText = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result))

const take = async (mock: Mock, { project, nth, action }: Step): Promise<string> =>
  actions[action](await findTargets(mock, project, nth)).then(toText, JSON.stringify)

const takeAll = async (mock: Mock, steps: readonly Step[]): Promise<string[]> => {
  const responses: string[] = []
  for (const one of steps) responses.push(await take(mock, one))
  return [...responses, JSON.stringify(await mock.state.get())]
}

/** Everything readable besides the state, without durations. */
const toldBy = async (mock: Mock): Promise<unknown> => ({
  requests: (await mock.requests.list()).items.map((entry) => ({ ...entry, durationMilliseconds: 0 })),
  faults: await mock.faults.list(),
  scheduledPayments: await mock.scheduledPayments.list(),
  violations: await mock.violations.list(),
  assumptions: await mock.assumptions(),
})

// HISTORY_RUNS=2000 for a longer run.
const numRuns = Number(process.env.HISTORY_RUNS ?? 3)
const history = fc.array(step, { maxLength: 20 })

it('a reset after any history equals a fresh start', async () => {
  const property = fc.asyncProperty(history, history, async (before, after) => {
    const used = createMock({ seed })
    await takeAll(used, before)
    await used.reset()
    const fresh = createMock({ seed })
    expect(await takeAll(used, after)).toEqual(await takeAll(fresh, after))
    expect(await toldBy(used)).toEqual(await toldBy(fresh))
  })
  await fc.assert(property, { numRuns })
})

// Not part of the state: ids of requests and faults, whose sequence continues, and earlier states, which a delayed list would show.
const withoutHistory = (responses: readonly string[]) =>
  responses.map((text) =>
    text
      .replace(/(req|flt)_[\w-]{28}/g, '$1')
      .replace(/\["mock-assumed","listFreshness=immediate"\],|, listFreshness=immediate|listFreshness=immediate, /, ''),
  )

it('a mock continues after the import of an export as if never interrupted', async () => {
  const property = fc.asyncProperty(history, history, history, async (before, between, after) => {
    const mock = createMock({ seed })
    await takeAll(mock, before)
    const exported = await mock.state.get()
    const snapshot = await mock.snapshots.save('here')
    const loaded = createMock({ seed: exported })
    expect(JSON.stringify(await loaded.state.get())).toBe(JSON.stringify(exported))
    const uninterrupted = createMock({ seed })
    await takeAll(uninterrupted, before)
    await uninterrupted.faults.remove()
    const expected = withoutHistory(await takeAll(uninterrupted, after))
    expect(withoutHistory(await takeAll(loaded, after))).toEqual(expected)
    await takeAll(mock, between)
    await mock.faults.remove()
    await mock.state.put(exported)
    expect(JSON.stringify(await mock.state.get())).toBe(JSON.stringify(exported))
    expect(withoutHistory(await takeAll(mock, after))).toEqual(expected)
    await mock.faults.remove()
    await mock.snapshots.restore(snapshot.name)
    expect(withoutHistory(await takeAll(mock, after))).toEqual(expected)
  })
  await fc.assert(property, { numRuns })
})

it('an export of one project continues in another mock, whatever its id seed', async () => {
  const property = fc.asyncProperty(history, history, async (before, after) => {
    const [mock, copy] = [createMock({ seed }), createMock({ seed: { idSeed: 'another' } })]
    await takeAll(mock, before)
    await mock.faults.remove()
    const exported = await mock.project('a').state.get()
    await copy.project('a').state.put(exported)
    expect(await copy.project('a').state.get()).toEqual(exported)
    const ofOne = after.map((one) => ({ ...one, project: 'a' as const }))
    const responses = [await takeAll(mock, ofOne), await takeAll(copy, ofOne)].map((all) =>
      withoutHistory(all.slice(0, -1)),
    )
    expect(responses[1]).toEqual(responses[0])
    expect(await copy.project('a').state.get()).toEqual(await mock.project('a').state.get())
  })
  await fc.assert(property, { numRuns })
})

// REFUSED_RUNS=2000 for a longer run.
const runsOfRejected = Number(process.env.REFUSED_RUNS ?? 2)

const records = {
  users: userIds.map((id) => ({ id, email: `${id}@example.com` })),
  paymentLinks: linkIds.map((id) => ({ id, invoice: 'inv_1' })),
}

it.each(commonTransports)(`a rejected request changes no byte, in ${runsOfRejected} runs, %s`, async (transport) => {
  const { mock, call } = await startClient(transport, { seed: { template: records, projects: { acme: records } } })
  // Every byte of the state, and the revisions.
  const readAll = async () => JSON.stringify([await mock.state.get(), await mock.projects()])
  let rejections = 0
  const property = fc.asyncProperty(fc.array(anyRequest, { minLength: 8, maxLength: 8 }), async (requests) => {
    for (const request of requests) {
      const before = await readAll()
      const headers = Object.fromEntries(initOf(request).headers as Headers)
      const raw = request.body as Uint8Array<ArrayBuffer> | null
      const { status } = await call(request.path, { method: request.method, headers, ...(raw !== null && { raw }) })
      if (status < 400) continue
      rejections++
      expect(await readAll(), `${status} for ${request.method} ${request.path}`).toBe(before)
    }
  })
  await fc.assert(property, { numRuns: runsOfRejected })
  expect(rejections).toBeGreaterThan(runsOfRejected / 2)
})
