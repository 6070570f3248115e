import type { History } from './history.ts'
import type { Projects } from './projects.ts'
import type { StoreState } from './seeding.ts'
import type { OnAccess, Transaction } from './transaction.ts'

/** Why a state was replaced. */
export type ReplacementReason = 'reset' | 'loaded' | 'restored' | 'deleted'

export interface StoreOptions {
  readonly initial: StoreState
  /** The time of a real clock, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called after each transaction with what it changed. */
  readonly onCommit?: ((project: string, transaction: Transaction) => void) | undefined
  /** Is called for each part of a project that a request or a command reads or writes. */
  readonly onAccess?: OnAccess | undefined
  /** Is called when the state of a project was replaced, or that of all projects. */
  readonly onReplaced?: ((reason: ReplacementReason, project?: string) => void) | undefined
}

/** What the parts of a store share. */
export interface StoreParts {
  readonly options: StoreOptions
  readonly projects: Projects
  readonly history: History
  /** The number of changes of each project. It outlives the state: a deleted project keeps its revision. */
  readonly revisions: Map<string, number>
  /** The number of requests of each project. */
  readonly requests: Map<string, number>
}

/** Increases the count of a project, and returns it. */
export const increment = (counts: Map<string, number>, id: string): number => {
  const next = (counts.get(id) ?? 0) + 1
  counts.set(id, next)
  return next
}
