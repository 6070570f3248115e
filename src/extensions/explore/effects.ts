// The effects that a search tries: those with a name, and the phases in which each can make a difference.
import { errors } from '../../schema/error.ts'
import type { Effect } from '../../schema/effect.ts'
import { type OperationId, readOperations } from '../../schema/operation-routes.ts'
import { formatList, quote } from '../../schema/problem.ts'
import { findNearest } from '../../schema/text.ts'

/** Effects by name. */
export type Effects = Readonly<Record<string, Effect>>

const namedEffects = {
  reset: { connection: 'reset' },
  unavailable: { status: 503 },
  malformed: { corrupt: 'malformed' },
  rateLimited: { status: 429, headers: { 'retry-after': '1' } },
  stale: { stale: { changes: 1 } },
  duplicate: { duplicate: true },
  evolve: { evolve: true },
} satisfies Effects
export type EffectName = keyof typeof namedEffects

const defaultNames: readonly EffectName[] = ['reset', 'unavailable', 'malformed', 'rateLimited', 'stale']

/** Returns the built-in effects with these names. @throws MockError `invalidOptions` for an unknown name. `where` is for the message */
export const getNamedEffects = (where: string, names: readonly string[] = defaultNames): Effects => {
  requireEffects(where, names, namedEffects)
  return Object.fromEntries(names.map((name) => [name, namedEffects[name as EffectName]]))
}

/** Throws `invalidOptions` if a name is not that of an effect. `where` is for the message. */
export const requireEffects = (where: string, names: readonly string[], effects: Effects): void => {
  const known = Object.keys(effects)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const meant = findNearest(unknown, known)
  const hint = meant === undefined ? '' : ` Did you mean ${quote(meant)}?`
  const message = `${where} names the unknown effect ${quote(unknown)}. The effects are ${formatList(known)}.${hint}`
  throw errors.invalidOptions({ message })
}

/** Returns true if an effect is tried in this phase of an operation. Undefined: the call has no operation. */
export const hasPhase = (effect: Effect, phase: 'before' | 'after', operation: OperationId | undefined): boolean =>
  operation !== undefined && listPhases(effect, operation).includes(phase)

/** Returns the phases in which an effect is tried at an operation. In the other one it would be the same, or impossible. */
export const listPhases = (
  { status, connection, delay, corrupt, stale }: Effect,
  operation?: OperationId,
): readonly ('before' | 'after')[] => {
  if (stale !== undefined && operation !== undefined && !readOperations.includes(operation)) return []
  if (status !== undefined || connection !== undefined || delay !== undefined) return ['before', 'after']
  return corrupt === undefined ? ['before'] : ['after']
}
