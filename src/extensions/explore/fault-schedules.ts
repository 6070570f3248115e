// Which faults to try at which calls, and which failures another one makes superfluous.
import type { OperationId } from '../../schema/operation-routes.ts'
import { type Effects, hasPhase } from './effects.ts'
import type { CallFault } from './schedule-text.ts'

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
  return (schedule, calls) =>
    calls
      .filter(({ id }) => !schedule.has(id))
      .flatMap(({ id, operation }) =>
        listFaults(effects, operation).map((fault) => new Map([...schedule, [id, fault]])),
      )
      .filter((added) => {
        const key = JSON.stringify([...added].toSorted(([a], [b]) => (a < b ? -1 : 1)))
        const isNew = !known.has(key)
        known.add(key)
        return isNew
      })
}

const listFaults = (effects: Effects, operation: OperationId | undefined): CallFault[] =>
  (['before', 'after'] as const).flatMap((phase) =>
    Object.entries(effects)
      .filter(([, effect]) => hasPhase(effect, phase, operation))
      .map(([effect]) => ({ phase, effect })),
  )

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
export const omitLarger = <F>(failures: readonly F[], toRun: (failure: F) => FailedRun): F[] =>
  failures.filter((failure) => {
    const run = toRun(failure)
    const count = countFaults(run.steps)
    return !failures.map(toRun).some((other) => countFaults(other.steps) < count && containsFailure(run, other))
  })
