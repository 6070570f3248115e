import type { BehaviorKey, Behaviors } from '../schema/behavior.ts'
import type { Exchange } from './exchange.ts'
import type { ProbeContext } from './probe-context.ts'

/** Records and responses that probes share, so that fewer are created. */
export type Shared = 'user' | 'link' | 'refusal'

/** How a client can observe one behavior. */
export interface Probe<V = Behaviors[BehaviorKey]> {
  /** The shared records and responses that it looks at. */
  readonly uses?: readonly Shared[]
  /** The further requests that it sends, relative to the project unless they name another. */
  readonly requests?: readonly string[]
  /** The maximum number of users that it creates. They are deleted. */
  readonly users?: number
  /** How many payment links may exist more than before. A later probe reuses those of an earlier one. */
  readonly links?: number
  /** Other records that may remain. */
  readonly leaves?: string
  /** Rejects with an `InconclusiveError` if the service does not show the behavior. */
  readonly run: (context: ProbeContext) => Promise<Verdict<V>>
}

export type Probes = { readonly [K in BehaviorKey]?: Probe<Behaviors[K]> }

/** The result of a probe and the exchanges that prove it. */
export type Verdict<V = Behaviors[BehaviorKey]> = { readonly exchanges: readonly Exchange[] } & (
  { readonly outcome: 'observed'; readonly value: V } | { readonly outcome: 'unknown'; readonly what: string }
)

/** The service has this behavior value. */
export const observed = <V>(value: V, ...exchanges: readonly Exchange[]): Verdict<V> => ({
  outcome: 'observed',
  value,
  exchanges,
})

/** The service does something that matches no value that the mock knows. */
export const unknown = (what: string, ...exchanges: readonly Exchange[]): Verdict<never> => ({
  outcome: 'unknown',
  what,
  exchanges,
})
