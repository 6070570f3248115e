import type { z } from 'zod'
import type { Page } from '../schema/list.ts'
import type { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from '../schema/payment-link.ts'
import type { Payment, Plan } from '../schema/plan.ts'
import type { User, UserPatch, UserSeed } from '../schema/user.ts'
import type { Send, Commands } from '../schema/commands.ts'

type List<T> = Page<T> & { readonly object: 'list' }
type QueryFor<V extends 'listUsers' | 'listPaymentLinks'> = Partial<
  Record<Exclude<keyof z.input<Commands[V]['query']>, 'limit'>, string> & { readonly limit: number }
>

/**
 * Rows of a project, read and written without a client's token, read-only fields included. `T` is a row, `S` what one is made
 * from, `P` a change of one, and `Q` what a list is asked for. Rejects with a `Refusal`: `userNotFound` or
 * `paymentLinkNotFound` for an id that is not there, `invalidBody` for what cannot be.
 */
export interface Rows<T, S, P, Q> {
  /** All rows, or those that the query names: ordered and compared by the readings of the project. Takes one cursor. */
  list(query?: Q): Promise<List<T>>
  /** Adds a row, and fills in what is left out. Refuses (`idTaken`) the id of another one. */
  create(row: S): Promise<T>
  get(id: string): Promise<T>
  /** Sets any field. Metadata is replaced as a whole. */
  patch(id: string, fields: P): Promise<T>
  /** Takes the row away and answers it as it was. */
  delete(id: string): Promise<T>
}

/** The users of a project (spec §2.2). */
export type UserRows = Rows<User, z.input<typeof UserSeed>, z.input<typeof UserPatch>, QueryFor<'listUsers'>>

type PlannedPayment = z.input<typeof Payment> & Required<Pick<z.input<typeof Payment>, 'when'>>

/** The payment links of a project (spec §2.3). `pay` and `cancel` refuse (`paymentLinkNotActive`) one that is over. */
export interface PaymentLinkRows extends Rows<
  PaymentLinkView,
  z.input<typeof PaymentLinkSeed>,
  z.input<typeof PaymentLinkPatch>,
  QueryFor<'listPaymentLinks'>
> {
  /** The link is used for a payment: active to completed (spec §3). A failed attempt leaves it active. */
  pay(id: string, payment?: { readonly outcome?: Payment['outcome'] }): Promise<PaymentLinkView>
  /** Plans the payment: with the n-th retrieve from now, at an instant, or in so many milliseconds of the mock clock. */
  pay(id: string, payment: PlannedPayment): Promise<Plan>
  /** Active to canceled (spec §3). */
  cancel(id: string): Promise<PaymentLinkView>
}

/** The rows of a project, over anything that carries calls. */
export const createRows = (
  send: Send,
  project: string,
): { readonly users: UserRows; readonly paymentLinks: PaymentLinkRows } => {
  const params = { project }
  return {
    users: {
      list: (query = {}) => send.one('listUsers', { params, query }),
      create: (body) => send.one('createUser', { params, body }),
      get: (user) => send.one('retrieveUser', { params: { project, user } }),
      patch: (user, body) => send.one('patchUser', { params: { project, user }, body }),
      delete: (user) => send.one('deleteUser', { params: { project, user } }),
    },
    paymentLinks: {
      list: (query = {}) => send.one('listPaymentLinks', { params, query }),
      create: (body) => send.one('createPaymentLink', { params, body }),
      get: (paymentLink) => send.one('retrievePaymentLink', { params: { project, paymentLink } }),
      patch: (paymentLink, body) => send.one('patchPaymentLink', { params: { project, paymentLink }, body }),
      delete: (paymentLink) => send.one('deletePaymentLink', { params: { project, paymentLink } }),
      // Whether it is the link or a plan that comes back follows from `when`, as the overloads say.
      pay: ((paymentLink: string, body: object = {}) =>
        send.one('payPaymentLink', { params: { project, paymentLink }, body })) as PaymentLinkRows['pay'],
      cancel: (paymentLink) => send.one('cancelPaymentLink', { params: { project, paymentLink } }),
    },
  }
}
