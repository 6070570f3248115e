import { z } from 'zod'
import { Advance, ClockDocument, ClockReading } from './clock.ts'
import { Health } from './health.ts'
import { listOf, PaymentLinkRowsQuery, UserRowsQuery } from './list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from './payment-link.ts'
import { Payment, Plan } from './plan.ts'
import { ProjectChange, ProjectSummary } from './project.ts'
import { ProjectDocument, ProjectPatch, Seed, SeedPatch } from './seed.ts'
import { Snapshot, SnapshotName } from './snapshot.ts'
import { Tokens, TokensChange } from './token.ts'
import { User, UserPatch, UserSeed } from './user.ts'

/**
 * What the control plane can do, as a value: HTTP, the embedded control and the client read the same row.
 * A verb for `both` exists twice with the same sub-path: for all projects, and for one.
 */
export interface Verb {
  readonly scope: 'mock' | 'project' | 'both'
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/__admin`, or below `/__admin/projects/{project}`. */
  readonly path: string
  readonly summary: string
  /** @default 200, or 204 without a response */
  readonly status?: number
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The body for all projects, where it is another. */
  readonly bodyForAll?: z.ZodType
  readonly response?: z.ZodType
  /** The answer for all projects, where it is another. */
  readonly responseForAll?: z.ZodType
}

const items = <S extends z.ZodType>(item: S) => z.object({ object: z.literal('list'), items: z.array(item) })
const Summaries = items(ProjectSummary)
const user = '/users/{user}'
const paymentLink = '/paymentLinks/{paymentLink}'
const summaryOfEach = { response: ProjectSummary, responseForAll: Summaries }

/** The contract of the control plane. */
export const verbs = {
  health: { scope: 'mock', method: 'GET', path: '/health', summary: 'Tell that the mock is up', response: Health },
  listProjects: { scope: 'mock', method: 'GET', path: '/projects', summary: 'List the projects', response: Summaries },
  retrieveProject: {
    scope: 'project',
    method: 'GET',
    path: '',
    summary: 'See a project at a glance',
    response: ProjectSummary,
  },
  changeProject: {
    scope: 'project',
    method: 'PATCH',
    path: '',
    summary: 'Set the preferred locale',
    body: ProjectChange,
    response: ProjectSummary,
  },
  deleteProject: { scope: 'project', method: 'DELETE', path: '', summary: 'Take a project away' },

  reset: { scope: 'both', method: 'POST', path: '/reset', summary: 'Go back to the seed', ...summaryOfEach },
  exportState: {
    scope: 'both',
    method: 'GET',
    path: '/state',
    summary: 'Export the state as a seed',
    response: ProjectDocument,
    responseForAll: Seed,
  },
  loadState: {
    scope: 'both',
    method: 'PUT',
    path: '/state',
    summary: 'Replace the state',
    body: ProjectDocument,
    bodyForAll: Seed,
    ...summaryOfEach,
  },
  patchState: {
    scope: 'both',
    method: 'PATCH',
    path: '/state',
    summary: 'Add or overwrite rows',
    body: ProjectPatch,
    bodyForAll: SeedPatch,
    ...summaryOfEach,
  },

  saveSnapshot: {
    scope: 'both',
    method: 'POST',
    path: '/snapshots',
    summary: 'Save the state under a name',
    status: 201,
    body: SnapshotName,
    response: Snapshot,
  },
  listSnapshots: {
    scope: 'both',
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots',
    response: items(Snapshot),
  },
  restoreSnapshot: {
    scope: 'both',
    method: 'POST',
    path: '/snapshots/{name}/restore',
    summary: 'Go back to a snapshot',
    ...summaryOfEach,
  },
  deleteSnapshot: { scope: 'both', method: 'DELETE', path: '/snapshots/{name}', summary: 'Forget a snapshot' },

  readClock: { scope: 'both', method: 'GET', path: '/clock', summary: 'Read the clock', response: ClockReading },
  setClock: {
    scope: 'both',
    method: 'PUT',
    path: '/clock',
    summary: 'Set the clock',
    body: ClockDocument,
    response: ClockReading,
  },
  advanceClock: {
    scope: 'both',
    method: 'POST',
    path: '/clock/advance',
    summary: 'Advance the clock; due plans come true',
    body: Advance,
    response: ClockReading,
  },

  readTokens: { scope: 'both', method: 'GET', path: '/tokens', summary: 'List the tokens, redacted', response: Tokens },
  replaceTokens: {
    scope: 'both',
    method: 'PUT',
    path: '/tokens',
    summary: 'Replace the tokens',
    body: TokensChange,
    response: Tokens,
  },

  listUsers: {
    scope: 'project',
    method: 'GET',
    path: '/users',
    summary: 'List users',
    query: UserRowsQuery,
    response: listOf(User),
  },
  createUser: {
    scope: 'project',
    method: 'POST',
    path: '/users',
    summary: 'Add a user',
    status: 201,
    body: UserSeed,
    response: User,
  },
  retrieveUser: { scope: 'project', method: 'GET', path: user, summary: 'Read a user', response: User },
  patchUser: {
    scope: 'project',
    method: 'PATCH',
    path: user,
    summary: 'Set any field of a user',
    body: UserPatch,
    response: User,
  },
  deleteUser: { scope: 'project', method: 'DELETE', path: user, summary: 'Take a user away', response: User },

  listPaymentLinks: {
    scope: 'project',
    method: 'GET',
    path: '/paymentLinks',
    summary: 'List payment links',
    query: PaymentLinkRowsQuery,
    response: listOf(PaymentLinkView),
  },
  createPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: '/paymentLinks',
    summary: 'Add a payment link',
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
  },
  retrievePaymentLink: {
    scope: 'project',
    method: 'GET',
    path: paymentLink,
    summary: 'Read a payment link',
    response: PaymentLinkView,
  },
  patchPaymentLink: {
    scope: 'project',
    method: 'PATCH',
    path: paymentLink,
    summary: 'Set any field of a payment link',
    body: PaymentLinkPatch,
    response: PaymentLinkView,
  },
  deletePaymentLink: {
    scope: 'project',
    method: 'DELETE',
    path: paymentLink,
    summary: 'Take a payment link away',
    response: PaymentLinkView,
  },
  payPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/pay`,
    summary: 'Pay a payment link now, or plan it (202)',
    body: Payment.optional(),
    response: z.union([PaymentLinkView, Plan]),
  },
  cancelPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/cancel`,
    summary: 'Cancel a payment link',
    response: PaymentLinkView,
  },

  listPlans: { scope: 'both', method: 'GET', path: '/plans', summary: 'List planned payments', response: items(Plan) },
  dropPlans: { scope: 'both', method: 'DELETE', path: '/plans', summary: 'Take all planned payments back' },
  dropPlansOf: {
    scope: 'both',
    method: 'DELETE',
    path: '/plans/{paymentLink}',
    summary: 'Take the planned payments of a link back',
  },
} as const satisfies Record<string, Verb>

export type Verbs = typeof verbs
export type VerbId = keyof Verbs
type Parsed<V extends VerbId, K extends keyof Verb> = Verbs[V] extends { readonly [P in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

/** What a verb answers for one project; undefined where it answers nothing. */
export type AnswerOf<V extends VerbId> = Parsed<V, 'response'>
/** What a verb answers for all projects. */
export type AnswerForAll<V extends VerbId> = Verbs[V] extends { responseForAll: infer S extends z.ZodType }
  ? z.output<S>
  : AnswerOf<V>
/** What a verb is given for one project, and for all. */
export type BodyOf<V extends VerbId> = Parsed<V, 'body'>
export type BodyForAll<V extends VerbId> = Verbs[V] extends { bodyForAll: infer S extends z.ZodType }
  ? z.output<S>
  : BodyOf<V>
export type QueryOf<V extends VerbId> = Parsed<V, 'query'>

/** A call of a verb, as one writes it: the params of its path, and a body before it is parsed. Without `project` it is for all. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Carries calls to a mock: embedded, or over HTTP. Refusals reject with a `Refusal`. */
export interface Send {
  /** For one project, or for what has no project. */
  one<V extends VerbId>(verb: V, call?: Call): Promise<AnswerOf<V>>
  /** For all projects. */
  all<V extends VerbId>(verb: V, call?: Call): Promise<AnswerForAll<V>>
}
