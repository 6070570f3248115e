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
 * Reads and writes the records of a project without a client token, including read-only fields. Calls reject with a
 * `Refusal`: `userNotFound` or `paymentLinkNotFound` for an unknown id, `invalidBody` for an invalid record.
 *
 * @typeParam T the record
 * @typeParam S the fields to create one from
 * @typeParam P the fields that can be changed
 * @typeParam Q the query of a list
 */
export interface Rows<T, S, P, Q> {
  /** Lists the records that match the query, ordered by the behaviors of the project. The query has at most one cursor. */
  list(query?: Q): Promise<List<T>>
  /** Creates a record with defaults for missing fields. Rejects with `idTaken` for a duplicate id. */
  create(row: S): Promise<T>
  get(id: string): Promise<T>
  /** Changes any fields. Replaces the metadata as a whole. */
  patch(id: string, fields: P): Promise<T>
  /** Deletes the record and returns it. */
  delete(id: string): Promise<T>
}

/** The users of a project (spec §2.2). */
export type UserRows = Rows<User, z.input<typeof UserSeed>, z.input<typeof UserPatch>, QueryFor<'listUsers'>>

type ScheduledPayment = z.input<typeof Payment> & Required<Pick<z.input<typeof Payment>, 'when'>>

/** The payment links of a project (spec §2.3). `pay` and `cancel` reject with `paymentLinkNotActive` unless the link is active. */
export interface PaymentLinkRows extends Rows<
  PaymentLinkView,
  z.input<typeof PaymentLinkSeed>,
  z.input<typeof PaymentLinkPatch>,
  QueryFor<'listPaymentLinks'>
> {
  /** Pays the link: active to completed (spec §3). A failed attempt leaves it active. */
  pay(id: string, payment?: { readonly outcome?: Payment['outcome'] }): Promise<PaymentLinkView>
  /** Schedules the payment: with the n-th retrieve from now, at a time, or after milliseconds of the mock clock. */
  pay(id: string, payment: ScheduledPayment): Promise<Plan>
  /** Cancels the link: active to canceled (spec §3). */
  cancel(id: string): Promise<PaymentLinkView>
}

/** Creates the records of a project, which are read and written with `send`. */
export const createRecords = (
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
      // The overloads say whether it returns the link or a plan.
      pay: ((paymentLink: string, body: object = {}) =>
        send.one('payPaymentLink', { params: { project, paymentLink }, body })) as PaymentLinkRows['pay'],
      cancel: (paymentLink) => send.one('cancelPaymentLink', { params: { project, paymentLink } }),
    },
  }
}
