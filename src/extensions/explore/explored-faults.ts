// The faults that a search tries: their effects, at which calls, and which failures another one makes superfluous.
import type { Effect } from '../../schema/fault.ts'
import { errors } from '../../schema/error.ts'
import { type OperationId, readOperations } from '../../schema/operation-routes.ts'
import { formatList, quote } from '../../schema/problem.ts'
import { findNearest } from '../../schema/text.ts'
import type { CallFault } from './schedule-text.ts'

/** Effects by name. */
export type Effects = Readonly<Record<string, Effect>>

const namedEffects = {
  reset: { connection: 'reset' },
  close: { connection: 'close' },
  unavailable: { status: 503 },
  malformed: { corrupt: 'malformed' },
  rateLimited: { status: 429, headers: { 'retry-after': '1' } },
  stale: { stale: { changes: 1 } },
  duplicate: { duplicate: true },
  evolve: { evolve: true },
} satisfies Effects
export type EffectName = keyof typeof namedEffects

const defaultNames: readonly EffectName[] = ['reset', 'close', 'unavailable', 'malformed', 'rateLimited', 'stale']

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

/** The faults of some calls, by the id of the call. */
export type FaultSchedule = ReadonlyMap<string, CallFault>

/** A call of a run that a fault may be added to. Its id is the same in each run, such as its actor and number. */
export interface FaultableCall {
  readonly id: string
  /** Undefined: no operation of the mocked API, so it gets no fault. */
  readonly operation: OperationId | undefined
}

/** Creates a function that lists the schedules with one more fault: each effect and phase at each call. It lists none twice. */
export const createFaultSchedules = (
  effects: Effects,
): ((schedule: FaultSchedule, calls: readonly FaultableCall[]) => FaultSchedule[]) => {
  const known = new Set<string>()
  const listNew = (schedule: FaultSchedule, { id, operation }: FaultableCall, phase: CallFault['phase']) =>
    Object.entries(effects).flatMap(([effect, value]) => {
      if (schedule.has(id) || !hasPhase(value, phase, operation)) return []
      const added: FaultSchedule = new Map([...schedule, [id, { phase, effect }]])
      const key = JSON.stringify([...added].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (known.has(key)) return []
      known.add(key)
      return [added]
    })
  return (schedule, calls) =>
    calls.flatMap((call) => [...listNew(schedule, call, 'before'), ...listNew(schedule, call, 'after')])
}

/** A run that failed. Its steps are the calls with a fault, or all steps if their order matters. */
export interface FailedRun {
  readonly message: string
  readonly steps: readonly FailedStep[]
}
interface FailedStep {
  readonly id: string
  readonly fault: CallFault | undefined
}

export const countFaults = (steps: readonly Pick<FailedStep, 'fault'>[]): number =>
  steps.filter(({ fault }) => fault !== undefined).length

/** Returns true if a failure says nothing new: it has the message of one with fewer faults, and all of its steps. */
export const containsFailure = (failure: FailedRun, smaller: FailedRun): boolean => {
  const hasFewer = countFaults(smaller.steps) < countFaults(failure.steps)
  if (failure.message !== smaller.message || (!hasFewer && smaller.steps.length !== failure.steps.length)) return false
  let next = 0
  return smaller.steps.every(({ id, fault }) => {
    const isSame = (other: FailedStep) =>
      other.id === id &&
      (fault === undefined || (other.fault?.phase === fault.phase && other.fault.effect === fault.effect))
    next = failure.steps.findIndex((other, index) => index >= next && isSame(other)) + 1
    return next > 0
  })
}

/** Returns the failures that contain no other one with fewer faults. */
export const omitLarger = <F extends FailedRun>(failures: readonly F[]): F[] =>
  failures.filter((failure) => {
    const count = countFaults(failure.steps)
    return !failures.some((other) => countFaults(other.steps) < count && containsFailure(failure, other))
  })
