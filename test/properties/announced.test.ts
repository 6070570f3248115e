// Proves: Model agreement.
/** A behavior that changed a response is in its `Mock-Assumed` header. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type BehaviorChoices, type BehaviorKey, createMock, type Mock, type SeedInput } from '../../src/node/index.ts'
import { behaviorKeys, behaviorRegistry } from '../../src/core/schema/behavior.ts'
import type { WireRequest } from './requests.ts'
import {
  anyRequest,
  emails,
  initOf,
  linkIds,
  one,
  oneOf,
  storedInvoices,
  storedMetadata,
  userIds,
  weighted,
} from './requests.ts'

// ANNOUNCED_RUNS=20000 for a longer run.
const runs = Number(process.env.ANNOUNCED_RUNS ?? 1)

interface ReceivedResponse {
  readonly status: number
  readonly body: string
  readonly assumed: ReadonlyMap<string, string>
}

// They only change the format, and would be in every response.
const presentationOnly: readonly BehaviorKey[] = ['errorFormat', 'timestampPrecision']

// --- States and behaviors

/** A state and its requests, which are sent with one behavior value after the other. */
interface Scenario {
  /** The records in `deleted` are deleted before the first request. */
  readonly seed: SeedInput
  readonly deleted: readonly string[]
  /** Whether records are created, changed and deleted at the same instant as each request. */
  readonly hasRecentChanges: boolean
  readonly behaviors: BehaviorChoices
  /** Whether each request has an empty Idempotency-Key, which `idempotencyKey=replay` rejects. */
  readonly hasEmptyKey: boolean
  readonly requests: readonly WireRequest[]
}

// Mostly the default of each key, so that requests get far enough for the others

const behaviorsOf = behaviorKeys.map((key) => {
  const [first, ...rest] = behaviorRegistry[key].values
  return weighted<unknown>([2, one(first)], [1, oneOf<unknown[]>(...rest)]).map((value) => [key, value] as const)
})
const behaviors = fc.tuple(...behaviorsOf).map((chosen) => Object.fromEntries(chosen) as BehaviorChoices)

/** The other values of a key. */
const othersOf = (key: BehaviorKey, value: unknown): readonly unknown[] =>
  (behaviorRegistry[key].values as readonly unknown[]).filter((other) => other !== value)

const project = (prefix: string) =>
  fc
    .tuple(
      fc.array(fc.record({ email: emails, emailVerified: oneOf(true, true, false), metadata: storedMetadata }), {
        minLength: 2,
        maxLength: 5,
        size: 'max',
      }),
      fc.array(fc.record({ invoice: storedInvoices, status: oneOf('active', 'canceled', 'completed') }), {
        minLength: 1,
        maxLength: 6,
        size: 'max',
      }),
      fc.subarray(['inv_1', '42', 'inv_9']),
    )
    .map(([users, paymentLinks, ours]) => ({
      invoices: ours,
      users: users.map((user, nth) => ({ id: `usr_${prefix}${nth}`, ...user })),
      paymentLinks: paymentLinks.map((link, nth) => ({ id: `pml_${prefix}${nth}`, ...link })),
    }))

const limited = [
  { token: 'good', projects: ['beta'] },
  { token: 'old', expiresAt: '2020-01-01T00:00:00.000Z' },
]
const tokens = weighted<SeedInput['tokens']>([24, one([])], [1, one([{ token: 'good' }])], [2, one(limited)])
const seed = fc
  .record({ acme: project(''), beta: project('b'), tokens })
  .map(({ acme, beta, tokens: given }): SeedInput => ({ tokens: given, projects: { acme, beta } }))

const scenarios: fc.Arbitrary<Scenario> = fc.noBias(
  fc.record({
    seed,
    deleted: fc.subarray([...userIds, ...linkIds], { minLength: 2, maxLength: 5 }),
    hasRecentChanges: fc.boolean(),
    behaviors,
    hasEmptyKey: weighted([9, one(false)], [1, one(true)]),
    requests: fc.array(anyRequest, { minLength: 1, maxLength: 12, size: 'max' }),
  }),
)

// --- The property

it(`every effect of another behavior value is announced, over ${runs} states`, async () => {
  await fc.assert(fc.asyncProperty(scenarios, announces), { numRuns: runs })
})

/** Sends each request with the behavior values of the scenario, and with each other value of one key. */
const announces = async (scenario: Scenario): Promise<void> => {
  const mock = createMock({ seed: await stateOf(scenario) })
  for (const request of scenario.requests) {
    const base = await getResponse(mock, scenario, scenario.behaviors, request)
    for (const key of behaviorKeys) {
      for (const value of othersOf(key, scenario.behaviors[key]))
        compare(key, base, await getResponse(mock, scenario, { ...scenario.behaviors, [key]: value }, request))
    }
  }
}

const compare = (key: BehaviorKey, base: ReceivedResponse, other: ReceivedResponse): void => {
  if (presentationOnly.includes(key)) {
    expect(withoutPresentation(other), `except for its form, the response with another ${key}`).toEqual(
      withoutPresentation(base),
    )
    expect(other.assumed, `what is announced under another ${key}`).toEqual(base.assumed)
    return
  }
  if (base.status === other.status && base.body === other.body) return
  for (const { assumed } of [base, other])
    expect([...assumed.keys()], `the announced keys, for ${key} differs`).toContain(key)
}

/** The response of a reset mock. It announces only current values, and none that only change the format. */
const getResponse = async (
  mock: Mock,
  { hasEmptyKey, hasRecentChanges }: Scenario,
  behaviors: BehaviorChoices,
  request: WireRequest,
): Promise<ReceivedResponse> => {
  await mock.reset()
  if (hasRecentChanges) await changeRecords(mock)
  await mock.behaviors.set(behaviors)
  const init = initOf(request)
  const headers = new Headers(init.headers)
  if (hasEmptyKey) headers.set('idempotency-key', '')
  const response = await mock.fetch(request.path, { ...init, headers })
  const announced = (response.headers.get('mock-assumed') ?? '').split(', ').filter((entry) => entry !== '')
  const assumed = new Map(announced.map((entry) => entry.split('=') as [BehaviorKey, string]))
  for (const [key, value] of assumed) {
    expect(value, `the announced value of ${key}`).toBe(String(behaviors[key]))
    expect(presentationOnly).not.toContain(key)
  }
  return { status: response.status, body: await response.text(), assumed }
}

/** Creates a user and a link, and changes and deletes the oldest of the others. */
const changeRecords = async (mock: Mock): Promise<void> => {
  const { users, paymentLinks } = mock.project('acme')
  const [oldUsers, oldLinks] = [(await users.list()).items.toReversed(), (await paymentLinks.list()).items.toReversed()]
  await users.create({ id: 'usr_new', email: 'ada@example.com' })
  await paymentLinks.create({ id: 'pml_new', invoice: 'inv_1' })
  const [user, otherUser] = oldUsers
  const [link, otherLink] = oldLinks
  if (user !== undefined) await users.patch(user.id, { email: 'new@example.com' })
  if (otherUser !== undefined) await users.delete(otherUser.id)
  if (link !== undefined) await paymentLinks.patch(link.id, { invoice: 'inv_2' })
  if (otherLink !== undefined) await paymentLinks.delete(otherLink.id)
}

/** The state of the scenario as a document, after its deletions. */
const stateOf = async ({ seed, deleted }: Scenario): Promise<SeedInput> => {
  const mock = createMock({ seed, clock: '2025-06-01T12:00:00.000Z' })
  const acme = mock.project('acme')
  const there = new Set(
    (await Promise.all([acme.users.list(), acme.paymentLinks.list()])).flatMap(({ items }) =>
      items.map(({ id }) => id),
    ),
  )
  const gone = deleted.filter((id) => there.has(id))
  await Promise.all(gone.map((id) => (id.startsWith('usr_') ? acme.users : acme.paymentLinks).delete(id)))
  const { behaviors: _, ...state } = await mock.state.get()
  return { ...state, tokens: seed.tokens }
}

/** The content of a response without the format of its errors and times. */
const withoutPresentation = ({ status, body }: ReceivedResponse): unknown => {
  const value: unknown = body === '' ? null : JSON.parse(body.replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z"/g, '$1Z"'))
  if (status < 400 || value === null) return [status, value]
  const { message, detail = message, code, hint, details } = value as Readonly<Record<string, unknown>>
  return [status, { detail, code, hint, details }]
}
