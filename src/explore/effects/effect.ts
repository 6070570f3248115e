// An effect is a disturbance, such as a fault or a crash, that a search applies to a call of the code under test.
import type { Effect, FaultRule } from '../../core/schema/fault.ts'
import { type OperationId, readOperations } from '../../core/schema/operation-routes.ts'

export type Phase = 'before' | 'after'

export interface ExploredEffect {
  /** When to apply the effect. A phase is omitted if it is impossible or redundant. */
  readonly phases: readonly Phase[]
  /** Whether the client cannot tell if the operation ran. For a pure read, `after` then equals `before` and is not tried. */
  readonly hidesResult?: boolean
  /** The shorter effect that this effect repeats at later calls of the operation. Without such calls, they are equivalent. */
  readonly prolongs?: string
  /** The operations to which the effect is applied. @default all */
  readonly operations?: readonly OperationId[]
  /** Whether the call never gets a response. */
  readonly isEndless?: boolean
  /** Whether the effect pays or cancels a payment link. The search tries it with each active link that the client knows. */
  readonly actsOnLink?: boolean
  readonly isOnce?: boolean
  readonly act: (call: EffectContext) => Promise<Response>
}

/** Effects by name. The search tries them in this order. */
export type Effects = Readonly<Record<string, ExploredEffect>>

/** A built-in effect, with its texts for the effects table in the docs. */
export interface NamedEffect extends ExploredEffect {
  readonly isDefault?: boolean
  readonly summary: string
  /** What a correct client does under this effect, as a verb phrase. */
  readonly remedy: string
}

/** The call that an effect disturbs, and the actions available to the effect. */
export interface EffectContext {
  readonly phase: Phase
  readonly operation: OperationId | undefined
  /** Sends the call to the mock, optionally with a fault that applies only to this call. */
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
