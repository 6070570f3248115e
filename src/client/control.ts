import type { z } from 'zod'
import type { Page } from '../schema/list.ts'
import type { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from '../schema/payment-link.ts'
import type { ProjectSummary } from '../schema/project.ts'
import type { ProjectDocument, Seed } from '../schema/seed.ts'
import type { User, UserPatch, UserSeed } from '../schema/user.ts'
import type { AnswerOf, Send, Verbs } from '../schema/verbs.ts'

type List<T> = Page<T> & { readonly object: 'list' }
type QueryFor<V extends 'listUsers' | 'listPaymentLinks'> = Partial<
  Record<Exclude<keyof z.input<Verbs[V]['query']>, 'limit'>, string> & { readonly limit: number }
>

/** Rows of a project, read and written without a client's token, read-only fields included. */
export interface Rows<T, S, P, Q> {
  /** All rows, newest first, or those that the query names. */
  list(query?: Q): Promise<List<T>>
  create(row: S): Promise<T>
  get(id: string): Promise<T>
  /** Sets any field. Metadata is replaced as a whole. */
  patch(id: string, fields: P): Promise<T>
  /** Takes the row away and answers it as it was. */
  delete(id: string): Promise<T>
}

/** The state as a seed: what `get` answers, `put` accepts. */
export interface State<D, S> {
  get(): Promise<D>
  /** Replaces the state. Rejects with a `Refusal` that names every problem, and then nothing has changed. */
  put(document: D): Promise<S>
}

/** Steers one project. Everything rejects with a `Refusal` when the mock refuses. */
export interface ProjectControl {
  readonly id: string
  readonly users: Rows<User, z.input<typeof UserSeed>, z.input<typeof UserPatch>, QueryFor<'listUsers'>>
  readonly paymentLinks: Rows<
    PaymentLinkView,
    z.input<typeof PaymentLinkSeed>,
    z.input<typeof PaymentLinkPatch>,
    QueryFor<'listPaymentLinks'>
  > & {
    /** The link is used for a payment: active to completed. Spec §3. */
    pay(id: string): Promise<PaymentLinkView>
    /** Active to canceled. Spec §3. */
    cancel(id: string): Promise<PaymentLinkView>
  }
  readonly state: State<z.input<typeof ProjectDocument>, ProjectSummary>
  summary(): Promise<ProjectSummary>
  /** Back to the seed. */
  reset(): Promise<ProjectSummary>
}

/** Steers a mock: the same embedded and over HTTP. */
export interface Control {
  project(id: string): ProjectControl
  /** The projects that are there. */
  projects(): Promise<readonly ProjectSummary[]>
  readonly state: State<z.input<typeof Seed>, readonly ProjectSummary[]>
  /** All projects back to the seed. */
  reset(): Promise<readonly ProjectSummary[]>
}

/** The control interface over anything that carries its calls. */
export const createControl = (send: Send): Control => ({
  project: (id) => projectControl(send, id),
  projects: () => send('listProjects').then(items),
  state: {
    get: () => send('exportAll'),
    put: (body) => send('loadAll', { body }).then(items),
  },
  reset: () => send('resetAll').then(items),
})

const projectControl = (send: Send, project: string): ProjectControl => {
  const params = { project }
  return {
    id: project,
    users: {
      list: (query = {}) => send('listUsers', { params, query: queryOf(query) }),
      create: (body) => send('createUser', { params, body }),
      get: (user) => send('retrieveUser', { params: { project, user } }),
      patch: (user, body) => send('patchUser', { params: { project, user }, body }),
      delete: (user) => send('deleteUser', { params: { project, user } }),
    },
    paymentLinks: {
      list: (query = {}) => send('listPaymentLinks', { params, query: queryOf(query) }),
      create: (body) => send('createPaymentLink', { params, body }),
      get: (paymentLink) => send('retrievePaymentLink', { params: { project, paymentLink } }),
      patch: (paymentLink, body) => send('patchPaymentLink', { params: { project, paymentLink }, body }),
      delete: (paymentLink) => send('deletePaymentLink', { params: { project, paymentLink } }),
      pay: (paymentLink) => send('payPaymentLink', { params: { project, paymentLink } }),
      cancel: (paymentLink) => send('cancelPaymentLink', { params: { project, paymentLink } }),
    },
    state: {
      get: () => send('exportProject', { params }),
      put: (body) => send('loadProject', { params, body }),
    },
    summary: () => send('retrieveProject', { params }),
    reset: () => send('resetProject', { params }),
  }
}

const items = (list: AnswerOf<'listProjects'>) => list.items

/** A query is text, wherever it is sent to. */
const queryOf = (query: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
