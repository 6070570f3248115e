// The faults that a search tries: their effects, at which calls, and which failures another one makes superfluous.
import type { Effect } from '../../schema/fault.ts'
import { errors } from '../../schema/error.ts'
import { type OperationId, readOperations } from '../../schema/operation-routes.ts'
import { formatList, quote } from '../../schema/problem.ts'
import { findNearest } from '../../schema/text.ts'
import type { CallFault } from './schedule-text.ts'
import type { ActorCall, Step } from './steps.ts'

/** The actions of customers and others between two calls. */
export type CustomerEffect = 'paid' | 'canceled'

export const isCustomerEffect = (effect: ExploredEffect): effect is CustomerEffect =>
  effect === 'paid' || effect === 'canceled'

/** An effect at a call: a fault of the mock, the end of the code that sent it, or an action of a customer. */
export type ExploredEffect = Effect | 'crash' | CustomerEffect

export type Effects = Readonly<Record<string, ExploredEffect>>

export const namedEffects = {
  reset: { connection: 'reset' },
  close: { connection: 'close' },
  unavailable: { status: 503 },
  malformed: { corrupt: 'malformed' },
  rateLimited: { status: 429, headers: { 'retry-after': '1' } },
  stale: { stale: { changes: 1 } },
  duplicate: { duplicate: true },
  evolve: { evolve: true },
  crash: 'crash',
  paid: 'paid',
  canceled: 'canceled',
} satisfies Effects

/** The names of groups of effects. */
const effectGroups = {
  default: ['reset', 'close', 'unavailable', 'malformed', 'rateLimited', 'stale'],
  all: Object.keys(namedEffects),
}
export type EffectName = keyof typeof namedEffects | keyof typeof effectGroups

/**
 * Returns the built-in effects with these names, of which `default` and `all` mean several.
 *
 * @param effectSource the source of the names, for the message
 * @param known the allowed names; by default all, also of groups
 * @throws MockError `invalidOptions` for an unknown name
 */
export const getNamedEffects = (
  effectSource: string,
  names: readonly string[] = ['default'],
  known: Readonly<Record<string, unknown>> = { ...namedEffects, ...effectGroups },
): Effects => {
  requireEffects(effectSource, names, known)
  return Object.fromEntries(expandNames(names).map((name) => [name, namedEffects[name as keyof typeof namedEffects]]))
}

const expandNames = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (name === 'default' || name === 'all' ? effectGroups[name] : [name]))

/** Returns the names of effects that a list names. A group means those of its effects that are tried. */
export const selectEffects = (effectSource: string, names: readonly string[], effects: Effects): readonly string[] => {
  const singleEffects = names.filter((name) => !Object.hasOwn(effectGroups, name) || Object.hasOwn(effects, name))
  requireEffects(effectSource, singleEffects, { ...effects, ...effectGroups })
  const groupedEffects = expandNames(names.filter((name) => !singleEffects.includes(name)))
  return [...singleEffects, ...groupedEffects.filter((name) => Object.hasOwn(effects, name))]
}

/** Throws `invalidOptions` if a name is not that of an effect. `where` is for the message. */
export const requireEffects = (
  effectSource: string,
  names: readonly string[],
  effects: Readonly<Record<string, unknown>>,
): void => {
  const effectNames = Object.keys(effects)
  const unknownEffect = names.find((name) => !effectNames.includes(name))
  if (unknownEffect === undefined) return
  if (Object.hasOwn(namedEffects, unknownEffect)) {
    const list = effectSource.startsWith('--') ? '--effects' : 'effects'
    const message = `${effectSource} names the effect ${quote(unknownEffect)}, which is not tried: add it to ${list}.`
    throw errors.invalidOptions({ message })
  }
  const nearestEffect = findNearest(unknownEffect, effectNames)
  const hint = nearestEffect === undefined ? '' : ` Did you mean ${quote(nearestEffect)}?`
  const message = `${effectSource} names the unknown effect ${quote(unknownEffect)}. The effects are ${formatList(effectNames)}.${hint}`
  throw errors.invalidOptions({ message })
}

/** Returns true if an effect is tried in this phase of an operation. Undefined: the call has no operation. */
export const hasPhase = (
  effect: ExploredEffect,
  phase: 'before' | 'after',
  operation: OperationId | undefined,
): boolean => operation !== undefined && listPhases(effect, operation).includes(phase)

/** Returns the phases in which an effect is tried at an operation. In the other one it would be the same, or impossible. */
export const listPhases = (effect: ExploredEffect, operation?: OperationId): readonly ('before' | 'after')[] => {
  if (effect === 'crash') return ['before', 'after']
  // After the call would be before the next one.
  if (typeof effect === 'string') return ['before']
  const { status, connection, delay, corrupt, stale } = effect
  if (stale !== undefined && operation !== undefined && !readOperations.includes(operation)) return []
  if (status !== undefined || connection !== undefined || delay !== undefined) return ['before', 'after']
  return corrupt === undefined ? ['before'] : ['after']
}

/** Whether a call with a fault never ends: its connection hangs. */
export const isEndless = (effects: Effects, fault: CallFault | undefined): boolean => {
  const effect = effects[fault?.effect ?? '']
  return typeof effect === 'object' && effect.connection === 'hang'
}

/** Returns true if a fault was tried at a call: its effect has this phase there, and its link exists. */
export const isTried = (
  effects: Effects,
  { phase, effect, link = 1 }: CallFault,
  call: ActorCall | undefined,
): boolean => {
  const triedEffect = effects[effect]!
  const isPossible = !isCustomerEffect(triedEffect) || link <= (call?.links ?? 0)
  return isPossible && hasPhase(triedEffect, phase, call?.getOperation())
}

/** Returns the steps of a run without the faults that were not tried: another call may be at the place of a fault. */
export const omitUntried = (effects: Effects, steps: readonly Step[]): Step[] =>
  steps.map((step) => {
    const { fault, call } = step
    return fault === undefined || isTried(effects, fault, call) ? step : { ...step, fault: undefined }
  })

/** The faults of some calls, by the id of the call. */
export type FaultSchedule = ReadonlyMap<string, CallFault>

/** Creates a function that lists the schedules with one more fault: each effect and phase at each call. It lists none twice. */
export const createFaultSchedules = (effects: Effects) => {
  const knownSchedules = new Set<string>()
  const isPaid = ({ effect }: CallFault) => effects[effect] === 'paid'
  return (schedule: FaultSchedule, steps: readonly Step[]): FaultSchedule[] =>
    steps.flatMap(({ id, call }) =>
      listFaults(effects, call).flatMap((fault) => {
        // No program can prevent that a customer pays two links.
        if (schedule.has(id) || (isPaid(fault) && [...schedule.values()].some(isPaid))) return []
        const addedSchedule: FaultSchedule = new Map([...schedule, [id, fault]])
        const key = JSON.stringify([...addedSchedule].toSorted(([a], [b]) => (a < b ? -1 : 1)))
        if (knownSchedules.has(key)) return []
        knownSchedules.add(key)
        return [addedSchedule]
      }),
    )
}

const listFaults = (effects: Effects, call: ActorCall | undefined): CallFault[] =>
  (['before', 'after'] as const).flatMap((phase) =>
    Object.entries(effects).flatMap(([effect, value]): CallFault[] => {
      if (!hasPhase(value, phase, call?.getOperation())) return []
      if (!isCustomerEffect(value)) return [{ phase, effect }]
      const links = Array.from({ length: call?.links ?? 0 }, (_, index) => index + 1)
      return links.map((link) => (link === 1 ? { phase, effect } : { phase, effect, link }))
    }),
  )

/** A run that failed. Its steps are the calls with a fault, or all steps if their order matters. */
export interface FailedRun {
  readonly message: string
  readonly steps: readonly FailedStep[]
}
type FailedStep = Pick<Step, 'id' | 'fault'>

export const countFaults = (steps: readonly Pick<FailedStep, 'fault'>[]): number =>
  steps.filter(({ fault }) => fault !== undefined).length

const isSameFault = (a: CallFault, b: CallFault): boolean =>
  a.phase === b.phase && a.effect === b.effect && a.link === b.link

/** Returns true if a failure says nothing new: it has the message of one with fewer faults, and all of its steps. */
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

/** Returns the failures that contain no other one with fewer faults. */
export const omitLarger = <F extends FailedRun>(failures: readonly F[]): F[] =>
  failures.filter((failure) => {
    const count = countFaults(failure.steps)
    return !failures.some((other) => countFaults(other.steps) < count && containsFailure(failure, other))
  })
