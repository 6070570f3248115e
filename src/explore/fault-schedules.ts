// Decides which faults a search tries at which calls, and which failures are redundant.
import { type OperationId, operationIds, readOperations } from '../core/schema/operation-routes.ts'
import type { Effects, ExploredEffect, Phase } from './effects/effect.ts'
import type { CallFault } from './schedule-text.ts'
import type { ActorCall, Step } from './steps.ts'

/** Whether the search tries the effect in this phase, before or after the operation. False if the call has no operation. */
export const hasPhase = (
  { phases, operations = operationIds, hidesResult }: ExploredEffect,
  phase: Phase,
  operation: OperationId | undefined,
): boolean => {
  if (operation === undefined || !phases.includes(phase) || !operations.includes(operation)) return false
  return phase === 'before' || hidesResult !== true || !pureReads.has(operation)
}

/** Reads that never change state. Excludes `retrievePaymentLink`, which may pay the link if `payAfterReads` is set. */
const pureReads = new Set<OperationId>(readOperations.filter((operation) => operation !== 'retrievePaymentLink'))

/** Whether the fault can apply to the call. If it pays or cancels the nth active link, the actor must know n active links. */
export const canFaultApply = (
  effects: Effects,
  { phase, effect, link = 1 }: CallFault,
  call: ActorCall | undefined,
): boolean => {
  const triedEffect = effects[effect]!
  const isPossible = !triedEffect.actsOnLink || link <= (call?.links ?? 0)
  return isPossible && hasPhase(triedEffect, phase, call?.getOperation())
}

/** Removes the planned faults that could not apply to the calls that the run actually made. */
export const removeUnappliedFaults = (effects: Effects, steps: readonly Step[]): Step[] =>
  steps.map((step) => {
    const { fault, call } = step
    return fault === undefined || canFaultApply(effects, fault, call) ? step : { ...step, fault: undefined }
  })

/** The planned faults of a run, by call id. */
export type FaultSchedule = ReadonlyMap<string, CallFault>

/** Returns a function that lists the ways to add one fault to a schedule. It never lists the same schedule twice. */
export const createFaultSchedules = (effects: Effects) => {
  const knownSchedules = new Set<string>()
  const isExcluded = ({ effect }: CallFault, schedule: FaultSchedule) =>
    effects[effect]!.isOnce && [...schedule.values()].some((other) => other.effect === effect)
  return (schedule: FaultSchedule, steps: readonly Step[]): FaultSchedule[] =>
    steps.flatMap(({ id, call }) =>
      listFaults(effects, call).flatMap((fault) => {
        if (schedule.has(id) || isExcluded(fault, schedule)) return []
        const addedSchedule: FaultSchedule = new Map([...schedule, [id, fault]])
        const key = formatSchedule(addedSchedule)
        if (knownSchedules.has(key)) return []
        knownSchedules.add(key)
        return [addedSchedule]
      }),
    )
}

/** Returns the same string for the same faults, regardless of the order in which they were added. */
export const formatSchedule = (schedule: FaultSchedule): string =>
  JSON.stringify([...schedule].toSorted(([a], [b]) => (a < b ? -1 : 1)))

const listFaults = (effects: Effects, call: ActorCall | undefined): CallFault[] =>
  (['before', 'after'] as const).flatMap((phase) =>
    Object.entries(effects).flatMap(([effect, value]): CallFault[] => {
      if (!hasPhase(value, phase, call?.getOperation())) return []
      if (!value.actsOnLink) return [{ phase, effect }]
      const links = Array.from({ length: call?.links ?? 0 }, (_, index) => index + 1)
      return links.map((link) => (link === 1 ? { phase, effect } : { phase, effect, link }))
    }),
  )

export interface FailedRun {
  readonly message: string
  /** All steps if the search varies their order, otherwise only the steps with a fault. */
  readonly steps: readonly FailedStep[]
}
type FailedStep = Pick<Step, 'id' | 'fault'>

export const countFaults = (steps: readonly Pick<FailedStep, 'fault'>[]): number =>
  steps.filter(({ fault }) => fault !== undefined).length

const isSameFault = (a: CallFault, b: CallFault): boolean =>
  a.phase === b.phase && a.effect === b.effect && a.link === b.link

/** Whether `failure` is redundant: it has the same message as `smaller`, and includes all steps of `smaller` in order. */
export const containsFailure = (failure: FailedRun, smaller: FailedRun): boolean => {
  const hasFewer = countFaults(smaller.steps) < countFaults(failure.steps)
  if (failure.message !== smaller.message || (!hasFewer && smaller.steps.length !== failure.steps.length)) return false
  let nextStep = 0
  return smaller.steps.every(({ id, fault }) => {
    const isSame = (other: FailedStep) =>
      other.id === id && (fault === undefined || (other.fault !== undefined && isSameFault(other.fault, fault)))
    nextStep = failure.steps.findIndex((other, index) => index >= nextStep && isSame(other)) + 1
    return nextStep > 0
  })
}

export const keepMinimal = <F extends FailedRun>(failures: readonly F[]): F[] =>
  failures.filter((failure) => {
    const count = countFaults(failure.steps)
    return !failures.some((other) => countFaults(other.steps) < count && containsFailure(failure, other))
  })
