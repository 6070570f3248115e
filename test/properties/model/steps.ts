/** Sequences of calls of clients, mixed with what a test does to control the mock. */
import * as fc from 'fast-check'
import { fields, one, oneOf, weighted } from '../requests.ts'
import type { Call, Command } from './model.ts'

/** The nth record of a kind in its project, modulo their number; without records, an id that never existed. */
export interface Reference {
  readonly kind: 'users' | 'paymentLinks'
  readonly isDeleted: boolean
  readonly nth: number
}

/** A call whose ids are references. */
export interface Step extends Omit<Call, 'id' | 'query'> {
  readonly id: string | Reference
  readonly query: Readonly<Record<string, string | Reference>>
  /** Milliseconds by which the clock of the machine moves first. It can also be set back. */
  readonly tick: number
}

/** The second one needs encoding in a path, and the third one is a property of every object. */
export const projects = ['acme', 'zoë & co', '__proto__'] as const

const start = Date.UTC(2025, 0, 1)
const offsets = [-86_400_000, -1, 0, 1, 999, 1000, 5000, 60_000]
const instants = oneOf(...offsets.map((at) => new Date(start + at).toISOString()))
const spans = oneOf(0, 1, 999, 1000, 5000, 86_400_000)
const emails = oneOf('ada@example.com', 'Ada@Example.COM', 'bob@example.com')
const invoices = oneOf('inv_1', 'inv_2')
const metadata = oneOf({ plan: 'gold' }, { tier: 1 }, {})

const ofOne = weighted<string | null>([12, one(projects[0])], [3, one(projects[1])], [1, one(projects[2])])
const ofOneOrAll = weighted<string | null>([3, ofOne], [1, one(null)])
const record = (kind: Reference['kind']): fc.Arbitrary<string | Reference> =>
  weighted<string | Reference>(
    [14, fc.record({ kind: one(kind), nth: fc.nat({ max: 9 }), isDeleted: one(false) })],
    [3, fc.record({ kind: one(kind), nth: fc.nat({ max: 9 }), isDeleted: one(true) })],
    [1, one(kind === 'users' ? 'usr_never' : 'pml_never')],
  )
const [user, link] = [record('users'), record('paymentLinks')]

type Parts = { readonly [K in 'project' | 'id' | 'query' | 'body']?: fc.Arbitrary<any> }

const ticks = weighted([15, one(0)], [1, oneOf(1, 999, 1000, 86_400_000, -1, -5000)])

const call = (command: Command, { project = ofOne, id = one(''), query = one({}), body = one({}) }: Parts = {}) =>
  fc.record<Step>({ command: one(command), project, id, query, body, tick: ticks })

const page = (cursor: fc.Arbitrary<string | Reference>, filters: Record<string, fc.Arbitrary<unknown>> = {}) => {
  const from = fc.tuple(oneOf('after', 'before'), cursor).map((pair) => Object.fromEntries([pair]) as object)
  const others = fields({ limit: fc.integer({ min: 0, max: 5 }).map(String), ...filters })
  const parts = fc.tuple(weighted([2, one({})], [3, from]), others)
  return parts.map((each) => Object.assign({}, ...each) as Step['query'])
}
const statuses = oneOf('active', 'canceled', 'completed')

const newLink = fc.record({ invoice: invoices, type: one('partner'), partner: one({ user: {} }) })
const filters = { invoice: invoices, status: oneOf('active', 'canceled,completed', 'active,completed') }

const operations = weighted<Step>(
  [12, call('createUser', { body: fields({ email: emails, fullName: oneOf('Ada', null), metadata }, ['email']) })],
  [16, call('listUsers', { query: page(user) })],
  [8, call('searchUsers', { query: page(user), body: fc.record({ email: oneOf(null, 'ADA@example.com') }) })],
  [4, call('retrieveUser', { id: user })],
  [8, call('updateUser', { id: user, body: fields({ email: emails, fullName: oneOf('Ada', null), metadata }) })],
  [7, call('deleteUser', { id: user })],
  [12, call('createPaymentLink', { body: newLink })],
  [22, call('listPaymentLinks', { query: page(link, filters) })],
  [6, call('retrievePaymentLink', { id: link })],
  [8, call('cancelPaymentLink', { id: link })],
)

const linkFields = { id: oneOf('pml_pinned'), invoice: invoices, createdAt: instants, status: statuses }

/** An explicit id is rejected for a second record, and free again once the first one is deleted. */
const records = weighted<Step>(
  [3, call('insertUser', { body: fields({ id: oneOf('usr_pinned'), email: emails, createdAt: instants }, ['email']) })],
  [3, call('patchUser', { id: user, body: fields({ createdAt: instants, email: emails }) })],
  [3, call('insertPaymentLink', { body: fields(linkFields, ['invoice']) })],
  [3, call('patchPaymentLink', { id: link, body: fc.record({ status: statuses }) })],
  [2, call('removePaymentLink', { id: link })],
)

const outcome = weighted([4, one('succeeded')], [1, one('failed')])
const when = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((reads): object => ({ reads })),
  spans.map((span) => ({ in: span })),
)
const payments = weighted<Step>(
  [2, call('pay', { id: link, body: fields({ outcome }) })],
  [6, call('pay', { id: link, body: fields({ outcome, when }, ['when']) })],
  [2, call('listScheduledPayments', { project: ofOneOrAll })],
  [1, call('cancelScheduledPayments', { project: ofOneOrAll, id: link })],
)
const clocks = fc.oneof(
  fields({ mode: one('real'), offset: oneOf(0, 5000, -1000) }, ['mode']),
  fields({ mode: one('frozen'), now: instants }, ['mode']),
  fields({ mode: one('stepping'), now: instants, step: oneOf(0, 1, 700) }, ['mode']),
)
const time = weighted<Step>(
  [3, call('setClock', { project: ofOneOrAll, body: clocks })],
  [5, call('advanceClock', { project: ofOneOrAll, body: fc.record({ milliseconds: spans }) })],
)
const names = oneOf('one', 'two')
const state = weighted<Step>(
  [4, call('saveSnapshot', { project: ofOneOrAll, body: fc.record({ name: names }) })],
  [5, call('restoreSnapshot', { project: ofOneOrAll, id: names })],
  [1, call('listSnapshots', { project: ofOneOrAll })],
  [2, call('reset', { project: ofOneOrAll })],
  [1, call('deleteProject')],
)
const deletedCursor = oneOf('reject', 'resume', 'empty')
const paymentLinkOrder = oneOf('newestFirst', 'oldestFirst')
const behaviors = call('setBehaviors', { project: ofOneOrAll, body: fields({ deletedCursor, paymentLinkOrder }) })
const anyStep = weighted<Step>([100, operations], [9, records], [14, payments], [8, time], [10, state], [5, behaviors])

/** Saves the state of one project or of all, changes it, and restores it. */
const changing = weighted<Step>([2, anyStep], [1, fc.oneof(time, payments, records)])
const andBack = fc
  .tuple(ofOneOrAll, fc.array(changing, { minLength: 1, maxLength: 5 }))
  .map(([project, between]): readonly Step[] => {
    const step = { project, id: '', query: {}, body: {}, tick: 0 }
    const save: Step = { ...step, command: 'saveSnapshot', body: { name: 'back' } }
    return [save, ...between, { ...step, command: 'restoreSnapshot', id: 'back' }]
  })

/** A new link with two scheduled payments of one kind, which compete, and what may complete them. */
const twoPayments = fc
  .oneof(
    oneOf(1, 2).map((reads): object => ({ reads })),
    oneOf(1, 1000, 5000).map((span): object => ({ in: span })),
  )
  .chain((of) => {
    const [acme, id] = [one(projects[0]), one('pml_pinned')]
    const pay = call('pay', { project: acme, id, body: fields({ outcome, when: one(of) }, ['when']) })
    const retrieve = call('retrievePaymentLink', { project: acme, id })
    const list = call('listScheduledPayments', { project: acme })
    return fc.tuple(
      call('removePaymentLink', { project: acme, id }),
      call('insertPaymentLink', { project: acme, body: one({ id: 'pml_pinned', invoice: 'inv_1' }) }),
      pay,
      pay,
      ...Array.from({ length: 3 }, () => fc.oneof(retrieve, retrieve, list, time)),
    )
  })

const first = weighted<Step>(
  [1, call('createUser', { project: one(projects[0]), body: fc.record({ email: emails }) })],
  [1, call('insertPaymentLink', { project: one(projects[0]), body: fc.record({ invoice: invoices }) })],
)
const episode = weighted<readonly Step[]>([80, anyStep.map((step) => [step])], [3, andBack], [3, twoPayments])

const beginnings = fc.array(first, { maxLength: 12, size: 'max' })
const episodes = fc.array(episode, { minLength: 1, maxLength: 24, size: 'max' })

/** Without bias: the weights say what is rare, and sequences shorter than need be find little. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.noBias(
  fc.tuple(beginnings, episodes).map(([records, rest]) => [...records, ...rest.flat()]),
)
