import type { Page } from '../schema/list.ts'
import type { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from '../schema/payment-link.ts'
import type { User, UserPatch, UserSeed } from '../schema/user.ts'
import type { ScopedCall } from './call.ts'
import { createPayments, type Payments } from './payment-control.ts'

interface List<T> extends Page<T> {
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
  list(query?: Q): Promise<List<T>>
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

/** The payment links of a project (spec §2.3). */
export interface PaymentLinkRecords
  extends Records<PaymentLinkView, PaymentLinkSeed, PaymentLinkPatch, PaymentLinksQuery>, Payments {}

/** The records of a project. */
export interface RecordControl {
  /** The users of the project. */
  readonly users: UserRecords
  /** The payment links of the project. */
  readonly paymentLinks: PaymentLinkRecords
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
    ...createPayments(call),
  },
})
