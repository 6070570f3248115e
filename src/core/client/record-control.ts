import type { Page } from '../schema/list.ts'
import type {
  Payment,
  PaymentLinkPatch,
  PaymentLinkSeed,
  PaymentLinkView,
  ScheduledPayment,
} from '../schema/payment-link.ts'
import type { User, UserPatch, UserSeed } from '../schema/user.ts'
import { createForAllOrOne, getItems, type ScopedCall } from './call.ts'

interface RecordList<T> extends Page<T> {
  /** Always `list`. */
  readonly object: 'list'
}

/** A page of a list: at most `limit` records after or before the record with an id. */
interface RecordsQuery {
  /** The id of the record before the page. */
  readonly after?: string | undefined
  /** The id of the record after the page. */
  readonly before?: string | undefined
  /** The maximum number of records. @default all */
  readonly limit?: number | undefined
}

/** The behavior `searchMatch` decides how `email` is compared. */
export interface UsersQuery extends RecordsQuery {
  /** Only users with this email. */
  readonly email?: string | undefined
}

/** `status` is one status, or several separated by commas. */
export interface PaymentLinksQuery extends RecordsQuery {
  /** Only links for this invoice. */
  readonly invoice?: string | undefined
  /** Only links with one of these statuses, separated by commas. */
  readonly status?: string | undefined
}

/**
 * Reads and writes the records of a project without a client token, including read-only fields. Calls reject with a
 * `MockError`: `userNotFound` or `paymentLinkNotFound` for an unknown id, `invalidBody` for an invalid record.
 *
 * @typeParam T the record
 * @typeParam S the fields of a new record
 * @typeParam P the fields that can be changed
 * @typeParam Q the query of a list
 */
export interface Records<T, S, P, Q> {
  /** Lists the records that match the query, ordered by the behaviors of the project. The query has at most one cursor. */
  list(query?: Q): Promise<RecordList<T>>
  /** Creates a record with defaults for missing fields. Rejects with `idTaken` for a duplicate id. */
  create(record: S): Promise<T>
  /** Returns the record with an id. */
  get(id: string): Promise<T>
  /** Changes any fields. Replaces the metadata as a whole. */
  patch(id: string, fields: P): Promise<T>
  /** Deletes the record and returns it. */
  delete(id: string): Promise<T>
}

/** The users of a project (spec §2.2). */
export type UserRecords = Records<User, UserSeed, UserPatch, UsersQuery>

type LaterPayment = Payment & Required<Pick<Payment, 'when'>>

/** The payment links of a project (spec §2.3). */
export interface PaymentLinkRecords extends Records<
  PaymentLinkView,
  PaymentLinkSeed,
  PaymentLinkPatch,
  PaymentLinksQuery
> {
  /**
   * Pays the link: active to completed (spec §3). A failed attempt leaves it active.
   *
   * @throws MockError `paymentLinkNotActive`
   */
  pay(id: string, payment?: { readonly outcome?: Payment['outcome'] }): Promise<PaymentLinkView>
  /**
   * Schedules the payment: with the n-th retrieve from now, at a time, or after milliseconds of the mock clock.
   *
   * @throws MockError `paymentLinkNotActive`
   * @example
   * const link = await acme.paymentLinks.create({ invoice: 'inv_1' })
   * await acme.paymentLinks.pay(link.id, { when: { reads: 3 } })
   */
  pay(id: string, payment: LaterPayment): Promise<ScheduledPayment>
  /** Cancels the link: active to canceled (spec §3). @throws MockError `paymentLinkNotActive` */
  cancel(id: string): Promise<PaymentLinkView>
}

/** The records of a project. */
export interface RecordControl {
  /** The users of the project. */
  readonly users: UserRecords
  /** The payment links of the project. */
  readonly paymentLinks: PaymentLinkRecords
}

/** The scheduled payments of one project or of all. */
export interface PaymentControl {
  /** Scheduled payments. */
  readonly scheduledPayments: {
    /** Lists the scheduled payments. */
    list(): Promise<readonly ScheduledPayment[]>
    /** Cancels the scheduled payments of a link. @default all links @throws MockError `scheduledPaymentNotFound` */
    cancel(paymentLink?: string): Promise<void>
  }
}

export const createRecordControl = (call: ScopedCall): RecordControl => ({
  users: {
    list: (query = {}) => call('listUsers', { query }),
    create: (body) => call('createUser', { body }),
    get: (user) => call('retrieveUser', { params: { user } }),
    patch: (user, body) => call('patchUser', { params: { user }, body }),
    delete: (user) => call('deleteUser', { params: { user } }),
  },
  paymentLinks: {
    list: (query = {}) => call('listPaymentLinks', { query }),
    create: (body) => call('createPaymentLink', { body }),
    get: (paymentLink) => call('retrievePaymentLink', { params: { paymentLink } }),
    patch: (paymentLink, body) => call('patchPaymentLink', { params: { paymentLink }, body }),
    delete: (paymentLink) => call('deletePaymentLink', { params: { paymentLink } }),
    // The type of the result depends on `when`, as the overloads declare.
    pay: ((paymentLink: string, body: object = {}) =>
      call('payPaymentLink', { params: { paymentLink }, body })) as PaymentLinkRecords['pay'],
    cancel: (paymentLink) => call('cancelPaymentLink', { params: { paymentLink } }),
  },
})

export const createPaymentControl = (call: ScopedCall): PaymentControl => ({
  scheduledPayments: {
    list: () => call('listScheduledPayments').then(getItems),
    cancel: createForAllOrOne(call, 'cancelScheduledPayments', 'cancelScheduledPaymentsOf', 'paymentLink'),
  },
})
