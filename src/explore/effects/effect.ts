// An effect: a disturbance that a search applies to one call of the code under test.
import type { Effect, FaultRule } from '../../core/schema/fault.ts'
import { type OperationId, readOperations } from '../../core/schema/operation-routes.ts'

export type Phase = 'before' | 'after'

export interface ExploredEffect {
  /** The phases to try. An omitted phase is impossible, or has the same result as the other phase. */
  readonly phases: readonly Phase[]
  /** Whether the client cannot tell if the operation ran. At a pure read both phases look the same, so only `before` is tried. */
  readonly hidesResult?: boolean
  /** The shorter effect that this one repeats at later calls of the operation. With no later call, both are equivalent. */
  readonly prolongs?: string
  /** The operations to try it at. @default all */
  readonly operations?: readonly OperationId[]
  /** Whether the call never gets a response. */
  readonly isEndless?: boolean
  /** Whether a third party pays or cancels one of the client's links. Tried once per active link. */
  readonly actsOnLink?: boolean
  readonly isOnce?: boolean
  readonly act: (call: EffectContext) => Promise<Response>
}

/** Effects by name. The search tries them in this order. */
export type Effects = Readonly<Record<string, ExploredEffect>>

/** A built-in effect, with its texts for the table in the docs. */
export interface NamedEffect extends ExploredEffect {
  readonly isDefault?: boolean
  readonly summary: string
  /** How a correct client handles it. */
  readonly remedy: string
}

/** The call that an effect disturbs, and the actions that the effect can take. */
export interface EffectContext {
  readonly phase: Phase
  readonly operation: OperationId | undefined
  /** Sends the call to the mock, optionally with a fault that applies to this call only. */
  readonly send: (fault?: Effect) => Promise<Response>
  /** Adds a fault that can also apply to later calls. */
  readonly addFault: (fault: Pick<FaultRule, 'match' | 'times' | 'effect'>) => Promise<void>
  /** Kills and restarts the code that sent the call. */
  readonly kill: () => Promise<void>
  readonly actOnLink: (action: 'pay' | 'cancel') => Promise<void>
}

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
