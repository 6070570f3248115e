import type { Behaviors } from '../schema/behavior.ts'
import type { StoredPaymentLink } from '../schema/payment-link.ts'
import type { ScheduledPayment } from '../schema/scheduled-payment.ts'
import type { User } from '../schema/user.ts'
import type { Clock } from './clock.ts'
import { Collection } from './collection.ts'

/** The id prefix of each kind of record. Spec §2.1. */
export type Prefix = 'usr' | 'pml'

/** The kinds of records, named as in documents and paths. */
export interface StoredValue {
  readonly users: User
  readonly paymentLinks: StoredPaymentLink
}
export type RecordKind = keyof StoredValue

interface GroupNames {
  readonly users: 'email'
  readonly paymentLinks: 'status' | 'invoice'
}

export type Collections = { [K in RecordKind]: Collection<StoredValue[K], GroupNames[K]> }

/** The state of a project, in one immutable value. */
export interface ProjectState extends Readonly<Collections> {
  /** The text that its ids are derived from. */
  readonly idSeed: string
  readonly preferredLocale: string
  /** The invoices of the seed, for `invoiceIds=seeded`. */
  readonly invoices: ReadonlySet<string>
  /** Scheduled payments, in the order of their creation. */
  readonly scheduledPayments: readonly ScheduledPayment[]
  /** The numbers of created ids, and of random draws. */
  readonly counters: Readonly<Record<Prefix | 'draws', number>>
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** Emails are compared without case. */
export const foldEmail = (email: string): string => email.toLowerCase()

export const noUsers: Collections['users'] = Collection.create({ email: ({ email }) => foldEmail(email) })

// The links of an invoice are grouped by status, so that a list filtered by both costs only its records.
export const noPaymentLinks: Collections['paymentLinks'] = Collection.create({
  status: ({ status }) => status,
  invoice: ({ invoice, status }) => [invoice, status],
})

/** Returns true if data has changed. Counters and clocks are not data. */
export const hasChanged = (before: ProjectState, after: ProjectState): boolean =>
  before.users !== after.users ||
  before.paymentLinks !== after.paymentLinks ||
  before.preferredLocale !== after.preferredLocale ||
  before.invoices !== after.invoices ||
  before.scheduledPayments.length !== after.scheduledPayments.length
