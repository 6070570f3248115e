// A strategy: runs only the given schedules. A schedule is a list of faults in `explore`, and of steps in `interleave`.
import * as z from 'zod/mini'
import { errors } from '../../core/schema/error.ts'
import { checkOptions } from '../../core/schema/check-options.ts'
import { formatList, pluralize, quote } from '../../core/schema/problem.ts'
import { parseStrict } from '../../core/schema/unknown-fields.ts'
import type { Effects } from '../effects/effect.ts'
import { requireEffects } from '../effects/effect-names.ts'
import { hasPhase, canFaultApply } from '../fault-schedules.ts'
import type { ParsedSearch } from '../options.ts'
import type { ExploredRun } from '../in-process/run-actors.ts'
import {
  type CallFault,
  FaultPlace,
  formatOrder,
  formatPlaces,
  formatStep,
  getActor,
  parseOrder,
  parsePlaces,
  parseStep,
} from '../schedule-text.ts'
import type { RunResult } from './order-search.ts'
import { type ScheduleScript, type Runner, type Strategy, requestRun } from './strategy.ts'
import { isCall, type Step } from '../steps.ts'

export function* runGivenSchedules<R extends RunResult>(
  schedules: readonly ScheduleScript<R>[],
  runner: Runner<R>,
): Strategy<R> {
  for (const { decide, faults, check } of schedules) {
    const { run } = yield requestRun(runner, decide, faults)
    check(run)
  }
  return true
}

const scheduleHint =
  'Pass the arguments of the search that found the schedule, or delete the schedule if the code has changed since.'

const createMisfitError = (problem: string): Error => new Error(`The schedule does not fit: ${problem} ${scheduleHint}`)

export const getSchedule = ({ orders }: ParsedSearch, { steps }: ExploredRun) => {
  if (orders !== 'first') {
    const schedule = steps.map(formatStep)
    return { schedule, replay: formatOrder(schedule) }
  }
  const schedule = steps
    .filter(isCall)
    .flatMap(({ call, fault }, index) =>
      fault === undefined ? [] : [{ call: index + 1, operation: call?.getOperation() ?? '', ...fault }],
    )
  return { schedule, replay: formatPlaces(schedule) }
}

/** Parses a schedule from data or text. Throws `invalidOptions` if it is invalid or contains an unknown name. */
export const follow = (given: ParsedSearch, schedule: unknown): ScheduleScript<ExploredRun> => {
  const parseData = <S>(step: z.ZodMiniType<S>): S[] => {
    const schema = z.object({ schedule: z.array(step) })
    return checkOptions('replay', '{ schedule: [] }', (value) => parseStrict(schema, value), { schedule }).schedule
  }
  const isText = typeof schedule === 'string'
  return given.orders === 'first'
    ? followPlaces(given, isText ? parsePlaces(schedule) : parseData(FaultPlace))
    : scriptOrder(Object.keys(given.actors), given.effects, isText ? parseOrder(schedule) : parseData(z.string()))
}

/** A fault place. `operation` is missing if the schedule was given as text. */
type GivenPlace = Omit<FaultPlace, 'operation'> & Partial<FaultPlace>

const followPlaces = ({ effects }: ParsedSearch, places: readonly GivenPlace[]): ScheduleScript<ExploredRun> => {
  const effectNames = places.map(({ effect }) => effect)
  requireEffects('The schedule', effectNames, effects)
  return {
    decide: ([choice], steps) => {
      const call = steps.filter(isCall).length + 1
      return choice && { choice, fault: isCall(choice) ? places.find((place) => place.call === call) : undefined }
    },
    faults: places.length,
    check: ({ steps }) => {
      const calls = steps.filter(isCall)
      for (const place of places) {
        const step = calls[place.call - 1]
        if (step === undefined)
          throw createMisfitError(
            `the run makes ${pluralize(calls.length, 'call')}, so there is no call ${place.call}.`,
          )
        requireFault(effects, `call ${place.call}`, step, place)
      }
    },
  }
}

export const scriptOrder = (
  actors: readonly string[],
  effects: Effects,
  schedule: readonly string[],
): ScheduleScript<RunResult> => {
  const parsedSteps = schedule.map((step) => parseStep(step))
  const unknownActor = schedule.map(getActor).find((name) => !actors.includes(name))
  if (unknownActor !== undefined)
    throw errors.invalidOptions({
      message: `The schedule names ${quote(unknownActor)}, which is unknown. The names are ${formatList(actors)}.`,
    })
  const effectNames = parsedSteps.flatMap(({ fault }) => fault?.effect ?? [])
  requireEffects('The schedule', effectNames, effects)
  const cannotContinue = (index: number, text: string, why: string): Error =>
    createMisfitError(`at step ${index + 1}, ${quote(text)} cannot continue, ${why}.`)
  return {
    decide: (ready, { length }) => {
      const step = parsedSteps[length]
      if (step === undefined)
        throw new Error(`The schedule ends after step ${length}, but the run does not. ${scheduleHint}`)
      const choice = ready.find(({ text }) => text === step.text)
      if (choice !== undefined) return { choice, fault: step.fault }
      throw cannotContinue(length, step.text, `but ${formatList(ready.map(({ text }) => text))} can`)
    },
    faults: effectNames.length,
    check: ({ steps }) => {
      for (const [index, { text, fault }] of parsedSteps.entries()) {
        const step = steps[index]
        if (step === undefined) throw cannotContinue(index, text, 'because the run has ended')
        if (fault !== undefined) requireFault(effects, `step ${index + 1}`, step, fault)
      }
    },
  }
}

const requireFault = (
  effects: Effects,
  where: string,
  step: Step,
  { phase, effect, link, operation }: CallFault & Partial<FaultPlace>,
): void => {
  const actualOperation = step.call?.getOperation()
  if (actualOperation === undefined) throw createMisfitError(`${where} calls no operation, so it gets no fault.`)
  if (operation !== undefined && operation !== actualOperation)
    throw createMisfitError(`${where} is ${actualOperation}, not ${operation}.`)
  if (canFaultApply(effects, { phase, effect, link }, step.call)) return
  const problem = hasPhase(effects[effect]!, phase, actualOperation)
    ? `when the code has no active link ${link ?? 1}`
    : `where ${quote(effect)} is not tried ${phase} the operation`
  throw createMisfitError(`${where} is ${actualOperation}, ${problem}.`)
}
