// An effect: what a search can do to a call of the code under test.
import type { Effect, FaultRule } from '../../core/schema/fault.ts'
import { type OperationId, readOperations } from '../../core/schema/operation-routes.ts'

/** Before the operation or after it. */
export type Phase = 'before' | 'after'

export interface ExploredEffect {
  /** The phases in which it is tried. In the other one it would be the same, or impossible. */
  readonly phases: readonly Phase[]
  /** Whether the client learns nothing of the operation. At a pure read both phases are the same, and only `before` is tried. */
  readonly hidesResult?: boolean
  /** The effect that it repeats at the next calls of the operation. Without such a call, both are the same. */
  readonly prolongs?: string
  /** The operations at which it is tried. @default all */
  readonly operations?: readonly OperationId[]
  /** Whether the call never ends. */
  readonly isEndless?: boolean
  /** Whether somebody acts on a link of the code: it is tried for each active one. */
  readonly actsOnLink?: boolean
  /** Whether a run has it at most once. */
  readonly isOnce?: boolean
  /** Sends a call with this effect. */
  readonly act: (call: DisturbedCall) => Promise<Response>
}

/** Effects by name, in the order in which they are tried. */
export type Effects = Readonly<Record<string, ExploredEffect>>

/** An effect of the search, with its row in the table of effects. */
export interface NamedEffect extends ExploredEffect {
  readonly isDefault?: boolean
  /** What happens. */
  readonly summary: string
  /** How a client survives it. */
  readonly remedy: string
}

/** A call at which an effect is tried, with the actions of an effect. */
export interface DisturbedCall {
  readonly phase: Phase
  readonly operation: OperationId | undefined
  /** Sends the call to the mock, with a fault that applies to this call only. */
  readonly send: (fault?: Effect) => Promise<Response>
  /** Adds a fault that also applies to other calls. */
  readonly addFault: (fault: Pick<FaultRule, 'match' | 'times' | 'effect'>) => Promise<void>
  /** Kills the code that sent the call, and starts it again. */
  readonly kill: () => Promise<void>
  /** Pays or cancels the link of the effect. */
  readonly actOnLink: (action: 'pay' | 'cancel') => Promise<void>
}

/** Turns a fault of the mock into an effect that applies to one call. */
export const createFaultEffect = (fault: Effect): ExploredEffect => {
  const { status, connection, delay, corrupt, stale } = fault
  const isEither = status !== undefined || connection !== undefined || delay !== undefined
  return {
    phases: isEither ? ['before', 'after'] : corrupt === undefined ? ['before'] : ['after'],
    hidesResult: status !== undefined || connection !== undefined,
    ...(stale !== undefined && { operations: readOperations }),
    isEndless: connection === 'hang',
    act: ({ send }) => send(fault),
  }
}
