import type { Behaviors } from '../schema/behavior.ts'
import type { ScheduledPayment } from '../schema/payment-link.ts'
import type { Template } from '../schema/seed.ts'
import type { Clock } from './clock.ts'
import type { Collections, Prefix } from './kinds.ts'

/** Also the settings of projects that do not exist yet. */
export interface ProjectSettings {
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** A write replaces this value, but changes its collections in place. */
export interface ProjectState extends ProjectSettings, Readonly<Collections> {
  readonly preferredLocale: string
  /** The invoices of the seed, for `invoiceIds=seeded`. */
  readonly invoices: ReadonlySet<string>
  /** In the order of their creation. */
  readonly scheduledPayments: readonly ScheduledPayment[]
  /** The numbers of created ids, and of random draws. */
  readonly counters: Record<Prefix | 'draws', number>
}

/** The state of all projects in one value, which reset, load and restore replace as a whole. */
export interface StoreState extends ProjectSettings {
  /** The initial content of a project that no document lists. */
  readonly template: Template
  readonly projects: ReadonlyMap<string, ProjectState>
  /** The number of random draws of each project that does not exist yet. */
  readonly draws: ReadonlyMap<string, number>
}
