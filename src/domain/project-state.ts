import type { Behaviors } from '../schema/behavior.ts'
import type { ScheduledPayment } from '../schema/scheduled-payment.ts'
import type { Clock } from './clock.ts'
import { type Kind, type Prefix, type RecordKind, recordKinds } from './kinds.ts'

export type Collections = { [K in RecordKind]: Kind<K>['empty'] }

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
  readonly counters: Record<Prefix | 'draws', number>
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** Returns true if data has changed. Counters and clocks are not data. */
export const hasChanged = (before: ProjectState, after: ProjectState): boolean =>
  recordKinds.some((kind) => before[kind] !== after[kind]) ||
  before.preferredLocale !== after.preferredLocale ||
  before.invoices !== after.invoices ||
  before.scheduledPayments.length !== after.scheduledPayments.length
