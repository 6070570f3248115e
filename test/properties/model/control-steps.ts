/** Arbitrary calls of the control API. */
import * as fc from 'fast-check'
import { one, oneOf, weighted } from './arbitraries.ts'
import type { Json } from './formats.ts'
import { choices } from './behaviors.ts'
import { emails, projects, type Reference, record, strangeRecord } from './requests.ts'
import type { Command } from './control-commands.ts'

/** A call without ids. `project` is null in a call for all projects. */
export interface ControlStep {
  readonly do: 'control'
  readonly command: Command
  readonly project: string | null
  /** The record in the path, the index of a fault, or a name. */
  readonly target: Reference | number | string
  readonly body: Json
}

interface Shape {
  readonly scope?: fc.Arbitrary<string | null>
  readonly target?: fc.Arbitrary<Reference | number | string>
  readonly body?: fc.Arbitrary<Json>
}

const ofOne = weighted<string>([12, one(projects[0])], [3, one(projects[1])], [1, one(projects[2])])
const ofOneOrAll = weighted<string | null>([3, ofOne], [1, one(null)])

const call = (command: Command, { scope = ofOne, target = one(''), body = one(null) }: Shape = {}) =>
  fc.record<ControlStep>({ do: one('control'), command: one(command), project: scope, target, body })

/** An object without its undefined members. */
const fields = (members: Record<string, fc.Arbitrary<Json | undefined>>): fc.Arbitrary<Json> =>
  fc
    .record(members)
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Json)

const maybeOneOf = (...values: readonly Json[]) => oneOf<(Json | undefined)[]>(undefined, undefined, ...values)

const start = Date.UTC(2025, 0, 1)
const toInstant = (milliseconds: number) => new Date(start + milliseconds).toISOString()
const instants = oneOf(...[-86_400_000, -1, 0, 1, 999, 1000, 5000, 60_000].map(toInstant))
const maybeInstant = weighted<string | undefined>([2, one(undefined)], [1, instants])
const spans = oneOf(0, 1, 999, 1000, 5000, 86_400_000)

// --- Records

const anyUser = weighted<Reference>([12, record('user')], [1, record('goneUser')], [1, strangeRecord])
const anyLink = weighted<Reference>([20, record('paymentLink')], [1, record('gonePaymentLink')], [1, strangeRecord])
const metadata = maybeOneOf({ plan: 'gold' }, { tier: 1, gone: null }, {})

const newUser = fields({
  // An explicit id is rejected for a second user, and free again once the first one is deleted.
  id: weighted<string | undefined>([3, one(undefined)], [1, oneOf('usr_pinned', 'usr_other')]),
  email: emails,
  createdAt: maybeInstant,
  emailVerified: maybeOneOf(true, false),
  fullName: maybeOneOf('Ada Lovelace', null),
  preferredLocale: maybeOneOf('de-DE'),
  metadata,
})
const userPatch = fields({
  createdAt: maybeInstant,
  email: weighted<string | undefined>([1, emails], [1, one(undefined)]),
  emailVerified: maybeOneOf(true, false),
  birthday: maybeOneOf('1990-05-17', null),
  metadata,
})
const newLink = fields({
  id: weighted<string | undefined>([3, one(undefined)], [1, oneOf('pml_pinned', 'pml_other')]),
  invoice: oneOf('inv_1', 'inv_2'),
  createdAt: maybeInstant,
  status: maybeOneOf('active', 'canceled', 'completed'),
  payer: maybeOneOf({ fullName: 'Ada Lovelace' }),
})
const linkPatch = fields({
  invoice: maybeOneOf('inv_1', 'inv_2'),
  createdAt: maybeInstant,
  status: maybeOneOf('active', 'canceled', 'completed'),
  // Impossible, more often than not.
  canceledAt: weighted<string | undefined>([8, one(undefined)], [1, instants]),
  completedAt: weighted<string | null | undefined>([8, one(undefined)], [1, instants], [1, one(null)]),
})

const records = weighted<ControlStep>(
  [3, call('createUser', { body: newUser })],
  [3, call('patchUser', { target: anyUser, body: userPatch })],
  [2, call('deleteUser', { target: anyUser })],
  [3, call('createPaymentLink', { body: newLink })],
  [3, call('patchPaymentLink', { target: anyLink, body: linkPatch })],
  [2, call('deletePaymentLink', { target: anyLink })],
)

// --- Payments and the clock

const outcome = weighted<string | undefined>([6, one(undefined)], [1, one('succeeded')], [2, one('failed')])
const whens: fc.Arbitrary<Json> = fc.oneof(
  fields({ reads: fc.integer({ min: 1, max: 3 }) }),
  fields({ in: spans }),
  fields({ at: instants }),
)
const payments = weighted<ControlStep>(
  [4, call('pay', { target: anyLink, body: fields({ outcome }) })],
  [9, call('pay', { target: anyLink, body: fields({ outcome, when: whens }) })],
  [2, call('cancel', { target: anyLink })],
  [2, call('listScheduledPayments', { scope: ofOneOrAll })],
  [1, call('cancelScheduledPayments', { scope: ofOneOrAll })],
  [1, call('cancelScheduledPaymentsOf', { scope: ofOneOrAll, target: anyLink })],
)

const clocks = fc.oneof(
  fields({ mode: one('real'), offset: maybeOneOf(0, 5000, -1000) }),
  fields({ mode: one('frozen'), now: maybeInstant }),
  fields({ mode: one('stepping'), now: maybeInstant, step: maybeOneOf(0, 1, 700) }),
)
const time = weighted<ControlStep>(
  [3, call('setClock', { scope: ofOneOrAll, body: clocks })],
  [5, call('advanceClock', { scope: ofOneOrAll, body: fields({ milliseconds: spans }) })],
  [1, call('readClock', { scope: ofOneOrAll })],
)

// --- The state as a whole

const names = oneOf('one', 'two')
const wrongState = oneOf<Json[]>(
  { users: [{ email: 'ada@example.com' }, { email: 'nobody' }] },
  {
    users: [{ email: 'ada@example.com' }],
    paymentLinks: [{ invoice: 'inv_1', canceledAt: '2025-01-01T00:00:00.000Z' }],
  },
  { users: [{ email: 'ada@example.com', unknown: 1 }] },
  { clock: { mode: 'frozen', now: 'noon' }, users: [{ email: 'ada@example.com' }] },
)
const state = weighted<ControlStep>(
  [4, call('saveSnapshot', { scope: ofOneOrAll, body: fields({ name: names }) })],
  [5, call('restoreSnapshot', { scope: ofOneOrAll, target: names })],
  [1, call('deleteSnapshot', { scope: ofOneOrAll, target: names })],
  [1, call('listSnapshots', { scope: ofOneOrAll })],
  [3, call('exportState', { scope: ofOneOrAll })],
  [3, call('loadState', { scope: ofOneOrAll })],
  [1, call('loadWrong', { body: wrongState })],
  [2, call('reset', { scope: ofOneOrAll })],
  [1, call('deleteProject')],
  [1, call('setLocale', { body: fields({ preferredLocale: oneOf('de-DE', 'en-US') }) })],
  [1, call('readSummary')],
)

// --- Faults and behaviors

const matches = fields({
  operation: maybeOneOf(
    'createUser',
    'listPaymentLinks',
    'createPaymentLink',
    'cancelPaymentLink',
    'retrievePaymentLink',
  ),
  project: weighted<string | undefined>([6, one(undefined)], [1, one(projects[0])]),
  body: weighted<Json | undefined>(
    [8, one(undefined)],
    [1, oneOf<Json[]>({ invoice: 'inv_1' }, { email: 'ada@example.com' })],
  ),
})
const effects: fc.Arbitrary<Json> = weighted(
  [
    4,
    fields({
      status: oneOf(503, 500, 404, 409, 429, 200),
      body: weighted<Json | undefined>([2, one(undefined)], [1, one({ oops: true })]),
      corrupt: weighted<string | undefined>([5, one(undefined)], [1, oneOf('malformed', 'empty', 'truncated')]),
    }),
  ],
  [1, one<Json>({ status: 204 })],
  [2, fields({ corrupt: oneOf('truncated', 'malformed', 'empty') })],
  [1, fields({ connection: oneOf('reset', 'close') })],
  [1, fields({ delay: fields({ milliseconds: oneOf(0, 1) }), status: maybeOneOf(503) })],
)
/** Each start is earlier than each end, so that both may be set, one of them, or none. */
const starts = [-1000, 0, 1, 1000].map(toInstant)
const ends = [1001, 5000].map(toInstant)
const maybeWindow = {
  from: weighted<string | undefined>([8, one(undefined)], [1, oneOf(...starts)]),
  until: weighted<string | undefined>([8, one(undefined)], [1, oneOf(...ends)]),
}
const counted = {
  match: matches,
  skip: maybeOneOf(0, 1, 2),
  probability: weighted<number | undefined>([6, one(undefined)], [1, one(0)], [1, one(1)]),
  ...maybeWindow,
}
const staleness = fc.oneof(
  fields({ changes: fc.integer({ min: 1, max: 6 }) }),
  fields({ milliseconds: oneOf(1, 999, 1000, 1001, 5000, 3_600_000) }),
)
const brokenOrSpoiled = {
  corrupt: weighted<string | undefined>([8, one(undefined)], [1, oneOf('truncated', 'malformed', 'empty')]),
  delay: weighted<Json | undefined>([8, one(undefined)], [1, one<Json>({ milliseconds: 1 })]),
}
const timesOfLate = weighted<number | null | undefined>([2, one(undefined)], [2, oneOf(2, 3)], [3, one(null)])
const readMatch = maybeOneOf('listUsers', 'searchUsers', 'retrieveUser', 'listPaymentLinks', 'retrievePaymentLink')
/** An effect on the operation itself: an earlier state, or a second delivery. */
const lateOrTwice = weighted<Json>(
  [
    3,
    fields({
      ...counted,
      match: fields({ operation: readMatch }),
      times: timesOfLate,
      effect: fields({ stale: staleness, ...brokenOrSpoiled }),
    }),
  ],
  [
    2,
    fields({
      ...counted,
      times: timesOfLate,
      effect: weighted(
        [5, fields({ duplicate: one(true), ...brokenOrSpoiled })],
        [1, fields({ duplicate: one(true), connection: oneOf('reset', 'close') })],
      ),
    }),
  ],
)
const rules = weighted<Json>(
  [8, lateOrTwice],
  [
    8,
    fields({
      ...counted,
      times: weighted<number | null | undefined>([6, one(undefined)], [2, oneOf(2, 3)], [1, one(null)]),
      phase: maybeOneOf('before', 'after', 'after'),
      effect: effects,
    }),
  ],
  [
    3,
    fields({
      ...counted,
      effect: fields({ rateLimit: fields({ limit: oneOf(0, 1, 2), window: oneOf(1000, 5000) }) }),
    }),
  ],
)
/** A fault of one project with a match for another would never apply, and is rejected. */
const withoutForeign = (step: ControlStep): ControlStep => {
  const body = step.body as { readonly match: { readonly project?: string } }
  if (body.match.project === undefined || [null, body.match.project].includes(step.project)) return step
  const { project, ...match } = body.match
  return { ...step, body: { ...body, match } }
}
const faults = weighted<ControlStep>(
  [9, call('addFault', { scope: ofOneOrAll, body: rules }).map(withoutForeign)],
  [2, call('removeFault', { scope: ofOneOrAll, target: fc.nat({ max: 4 }) })],
  [1, call('removeFaults', { scope: ofOneOrAll })],
  [1, call('listFaults', { scope: ofOneOrAll })],
)

/** Mostly the tokens of the requests: after other tokens, all requests are rejected. */
const tokenLists = weighted<Json>(
  [4, one<Json>([])],
  [2, oneOf<Json[]>([{ token: 'token' }], [{ token: 'other' }, { token: 'token', projects: [...projects] }])],
  [3, oneOf<Json[]>([{ token: 'token', projects: [projects[0]] }], [{ token: 'token', projects: [projects[1]] }])],
  [2, instants.map((expiresAt) => [{ token: 'token', expiresAt }])],
  [1, one<Json>([{ token: 'other' }])],
)
const tokens = call('setTokens', { scope: ofOneOrAll, body: fields({ tokens: tokenLists }) })

const oneReading = oneOf(...(choices as readonly Json[]))
/** Behaviors that reject the same body, or change the same response. */
const readingsTogether = oneOf<Json[]>(
  { payerFields: 'required', invoiceIds: 'prefix', duplicateEmail: 'conflict', metadataLimits: 'strings' },
  { unknownFields: 'reject', metadataLimits: 'strings', invalidBodyStatus: 400, duplicateEmail: 'conflict' },
  { requestHeaders: 'required', unknownProject: 'notFound', invoiceIds: 'seeded', payerFields: 'required' },
  { paymentLinkOrder: 'oldestFirst', deletedCursor: 'resume', searchMatch: 'contains', metadataUpdate: 'replace' },
)
const setBehaviors = call('setBehaviors', {
  scope: ofOneOrAll,
  body: weighted([3, oneReading], [1, readingsTogether]),
})

/** Saves the state of one project or of all, changes it, and restores it. */
export const andBack = <T>(other: fc.Arbitrary<T>): fc.Arbitrary<readonly (T | ControlStep)[]> =>
  fc
    .record({
      project: ofOneOrAll,
      there: oneOf<Command[]>('saveSnapshot', 'exportState'),
      between: fc.array(other, { minLength: 1, maxLength: 4, size: 'max' }),
      controlCall: fc.array(fc.oneof(time, payments, records), { minLength: 1, maxLength: 2 }),
    })
    .map(({ project, there, between, controlCall: calls }) => {
      const step = { do: 'control', project, target: '', body: null } as const
      const back = there === 'saveSnapshot' ? 'restoreSnapshot' : 'loadState'
      const body = there === 'saveSnapshot' ? { name: 'back' } : null
      return [{ ...step, command: there, body }, ...calls, ...between, { ...step, command: back, target: 'back' }]
    })

// --- Combinations that single calls seldom reach

/** A fault with a start or an end, a clock near it, and requests to which it may apply. */
export const windowedFault = <T>(request: fc.Arbitrary<T>): fc.Arbitrary<readonly (T | ControlStep)[]> =>
  fc
    .tuple(
      call('removeFaults', { scope: one(null) }),
      call('addFault', {
        scope: ofOneOrAll,
        body: fields({
          from: maybeOneOf(...starts),
          until: maybeOneOf(...ends),
          times: maybeOneOf(2),
          effect: fields({ status: one(503) }),
        }),
      }),
      call('setClock', {
        scope: ofOneOrAll,
        body: fields({
          mode: one('frozen'),
          now: oneOf(...[-1001, -1, 0, 999, 1000, 1001, 4999, 5000].map(toInstant)),
        }),
      }),
      fc.array(request, { minLength: 1, maxLength: 3 }),
    )
    .map(([clear, fault, clock, requests]) => [clear, fault, clock, ...requests])

/** A new link with two scheduled payments, and what may complete them. */
export const twoPayments = <T>(retrieve: fc.Arbitrary<T>): fc.Arbitrary<readonly (T | ControlStep)[]> => {
  const id = 'pml_pinned'
  const ofLink = (command: Command, body: fc.Arbitrary<Json> = one(null)) =>
    call(command, { scope: one(projects[0]), target: one(id), body })
  const create = call('createPaymentLink', { scope: one(projects[0]), body: one<Json>({ id, invoice: 'inv_1' }) })
  const list = call('listScheduledPayments', { scope: one(projects[0]) })
  const advance = call('advanceClock', { scope: ofOneOrAll, body: fields({ milliseconds: oneOf(1000, 86_400_000) }) })
  const rest = fc.array(fc.oneof(retrieve, retrieve, list, advance), { minLength: 2, maxLength: 4, size: 'max' })
  // Two of the same kind compete more often than two of any kind.
  const kinds = [fields({ reads: oneOf(1, 2) }), fields({ in: oneOf(1, 1000, 5000) }), whens]
  const payments = fc.oneof(
    ...kinds.map((when) => {
      const pay = ofLink('pay', fields({ outcome: maybeOneOf('failed'), when }))
      return fc.tuple(pay, pay)
    }),
  )
  return fc
    .tuple(ofLink('deletePaymentLink'), create, payments, rest)
    .map(([clear, created, pays, others]) => [clear, created, ...pays, ...others])
}

/** Any call, mostly a valid one. */
export const controlCall = weighted<ControlStep>(
  [16, records],
  [20, payments],
  [11, time],
  [15, state],
  [12, faults],
  [10, setBehaviors],
  [3, tokens],
)
