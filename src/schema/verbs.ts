import { z } from 'zod'
import { Health } from './health.ts'
import { listOf, PaymentLinkRowsQuery, UserRowsQuery } from './list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from './payment-link.ts'
import { ProjectSummary } from './project.ts'
import { ProjectDocument, Seed } from './seed.ts'
import { User, UserPatch, UserSeed } from './user.ts'

/** What the control plane can do, as a value: HTTP, the embedded control and the client read the same row. */
export interface Verb {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/__admin`, and with `{project}` for one project. */
  readonly path: string
  readonly summary: string
  readonly status?: number
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: z.ZodType
}

const project = '/projects/{project}'
const users = `${project}/users`
const paymentLinks = `${project}/paymentLinks`

const Summaries = z.object({ object: z.literal('list'), items: z.array(ProjectSummary) })

/** The contract of the control plane. */
export const verbs = {
  health: { method: 'GET', path: '/health', summary: 'Tell that the mock is up', response: Health },
  listProjects: { method: 'GET', path: '/projects', summary: 'List the projects that are there', response: Summaries },
  retrieveProject: { method: 'GET', path: project, summary: 'See a project at a glance', response: ProjectSummary },

  resetAll: { method: 'POST', path: '/reset', summary: 'Take all projects back to the seed', response: Summaries },
  resetProject: {
    method: 'POST',
    path: `${project}/reset`,
    summary: 'Take a project back to the seed',
    response: ProjectSummary,
  },

  exportAll: { method: 'GET', path: '/state', summary: 'Export everything as a seed', response: Seed },
  loadAll: { method: 'PUT', path: '/state', summary: 'Replace everything', body: Seed, response: Summaries },
  exportProject: {
    method: 'GET',
    path: `${project}/state`,
    summary: 'Export a project as its part of a seed',
    response: ProjectDocument,
  },
  loadProject: {
    method: 'PUT',
    path: `${project}/state`,
    summary: 'Replace a project',
    body: ProjectDocument,
    response: ProjectSummary,
  },

  listUsers: { method: 'GET', path: users, summary: 'List users', query: UserRowsQuery, response: listOf(User) },
  createUser: { method: 'POST', path: users, summary: 'Add a user', status: 201, body: UserSeed, response: User },
  retrieveUser: { method: 'GET', path: `${users}/{user}`, summary: 'Read a user', response: User },
  patchUser: {
    method: 'PATCH',
    path: `${users}/{user}`,
    summary: 'Set any field of a user',
    body: UserPatch,
    response: User,
  },
  deleteUser: { method: 'DELETE', path: `${users}/{user}`, summary: 'Take a user away', response: User },

  listPaymentLinks: {
    method: 'GET',
    path: paymentLinks,
    summary: 'List payment links',
    query: PaymentLinkRowsQuery,
    response: listOf(PaymentLinkView),
  },
  createPaymentLink: {
    method: 'POST',
    path: paymentLinks,
    summary: 'Add a payment link',
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
  },
  retrievePaymentLink: {
    method: 'GET',
    path: `${paymentLinks}/{paymentLink}`,
    summary: 'Read a payment link',
    response: PaymentLinkView,
  },
  patchPaymentLink: {
    method: 'PATCH',
    path: `${paymentLinks}/{paymentLink}`,
    summary: 'Set any field of a payment link',
    body: PaymentLinkPatch,
    response: PaymentLinkView,
  },
  deletePaymentLink: {
    method: 'DELETE',
    path: `${paymentLinks}/{paymentLink}`,
    summary: 'Take a payment link away',
    response: PaymentLinkView,
  },
  payPaymentLink: {
    method: 'POST',
    path: `${paymentLinks}/{paymentLink}/pay`,
    summary: 'Pay a payment link: active to completed',
    body: z.object({}).optional(),
    response: PaymentLinkView,
  },
  cancelPaymentLink: {
    method: 'POST',
    path: `${paymentLinks}/{paymentLink}/cancel`,
    summary: 'Cancel a payment link: active to canceled',
    response: PaymentLinkView,
  },
} as const satisfies Record<string, Verb>

export type Verbs = typeof verbs
export type VerbId = keyof Verbs

/** What a verb answers. */
export type AnswerOf<V extends VerbId> = z.output<Verbs[V]['response']>
/** What a verb is given, parsed. */
export type BodyOf<V extends VerbId> = Verbs[V] extends { body: infer B extends z.ZodType } ? z.output<B> : undefined
export type QueryOf<V extends VerbId> = Verbs[V] extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined

/** A call of a verb, as one writes it: params of the path, and a body before it is parsed. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Carries calls to a mock: embedded, or over HTTP. Refusals reject with a `Refusal`. */
export type Send = <V extends VerbId>(verb: V, call?: Call) => Promise<AnswerOf<V>>
