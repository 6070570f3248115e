import type { Behaviors } from '../schema/behavior.ts'
import type { StoredPaymentLink } from '../schema/payment-link.ts'
import type { OnProgress } from './progress.ts'
import type { ScheduledPayment } from '../schema/scheduled-payment.ts'
import type { User } from '../schema/user.ts'
import type { Clock } from './clock.ts'
import { Collection } from './collection.ts'
import type { Tombstone } from './record-order.ts'

/** The prefix of each kind of row. Spec §2.1. */
export type Prefix = 'usr' | 'pml'

export type Users = Collection<User, 'email'>
export type PaymentLinks = Collection<StoredPaymentLink, 'status' | 'invoice'>

/** Everything a project is, in one value. It is replaced, never edited. */
export interface ProjectState {
  /** The seed of its ids. */
  readonly idSeed: string
  readonly preferredLocale: string
  /** The invoices a seed lists, for `invoiceIds=seeded`. */
  readonly invoices: ReadonlySet<string>
  readonly users: Users
  readonly paymentLinks: PaymentLinks
  /** Scheduled payments, in the order of their creation. */
  readonly scheduledPayments: readonly ScheduledPayment[]
  /** How many ids have been made, and how many draws of chance. */
  readonly counters: Readonly<Record<Prefix | 'draws', number>>
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** Emails are compared without case. */
export const foldEmail = (email: string): string => email.toLowerCase()

export const usersOf = (values?: readonly User[], gone?: readonly Tombstone[], onProgress?: OnProgress): Users =>
  Collection.of(
    { groupings: { email: [({ folded }) => folded] }, foldedKey: ({ email = '' }) => foldEmail(email) },
    values,
    gone,
    onProgress,
  )

// The links of an invoice are grouped by status, so that a list filtered by both costs only its records.
export const paymentLinksOf = (
  values?: readonly StoredPaymentLink[],
  gone?: readonly Tombstone[],
  onProgress?: OnProgress,
): PaymentLinks =>
  Collection.of(
    {
      groupings: {
        status: [({ value }) => value.status],
        invoice: [({ value }) => value.invoice, ({ value }) => value.status],
      },
    },
    values,
    gone,
    onProgress,
  )

/** Whether data has changed. Counters and clocks are not data. */
export const hasChanged = (before: ProjectState, after: ProjectState): boolean =>
  before.users !== after.users ||
  before.paymentLinks !== after.paymentLinks ||
  before.preferredLocale !== after.preferredLocale ||
  before.invoices !== after.invoices ||
  before.scheduledPayments.length !== after.scheduledPayments.length
