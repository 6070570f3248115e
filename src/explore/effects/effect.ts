// An effect: a disturbance that a search applies to one call of the code under test.
import type { Effect, FaultRule } from '../../core/schema/fault.ts'
import { type OperationId, readOperations } from '../../core/schema/operation-routes.ts'

export type Phase = 'before' | 'after'

export interface ExploredEffect {
  /** The phases to try. An omitted phase is impossible, or has the same result as the other phase. */
  readonly phases: readonly Phase[]
  /** Whether the client cannot tell if the operation ran. For a pure read, `after` then equals `before`, and is not tried. */
  readonly hidesResult?: boolean
  /** The shorter effect that this effect repeats at later calls of the operation. Without such a call, both do the same. */
  readonly prolongs?: string
  /** The operations at which the effect is tried. @default all */
  readonly operations?: readonly OperationId[]
  /** Whether the call never gets a response. */
  readonly isEndless?: boolean
  /** Whether a third party pays or cancels a link of the client. The search tries the effect once for each active link. */
  readonly actsOnLink?: boolean
  readonly isOnce?: boolean
  readonly act: (call: EffectContext) => Promise<Response>
}

/** Effects by name. The search tries them in this order. */
export type Effects = Readonly<Record<string, ExploredEffect>>

/** A built-in effect, with texts for the table of effects in the docs. */
export interface NamedEffect extends ExploredEffect {
  readonly isDefault?: boolean
  readonly summary: string
  /** How a correct client handles the effect, as a verb phrase. */
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
