// A strategy: only the schedules that the user gives. With one actor, a schedule lists its faults; with several, their steps.
import * as z from 'zod/mini'
import { errors } from '../../core/schema/error.ts'
import { checkOptions } from '../../core/schema/check-options.ts'
import { formatList, pluralize, quote } from '../../core/schema/problem.ts'
import { parseStrict } from '../../core/schema/unknown-fields.ts'
import type { Effects } from '../effects/effect.ts'
import { requireEffects } from '../effects/effect-names.ts'
import { hasPhase, isTried } from '../fault-schedules.ts'
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
import type { SearchedRun } from './orders-depth-first.ts'
import { type Followed, type Runner, type Strategy, wantRun } from './strategy.ts'
import { isCall, type Step } from '../steps.ts'

export function* tryGivenSchedules<R extends SearchedRun>(
  schedules: readonly Followed<R>[],
  runner: Runner<R>,
): Strategy<R> {
  for (const { decide, check } of schedules) {
    const { run } = yield wantRun(runner, decide)
    check(run)
  }
  return true
}

const scheduleHint =
  'Pass the arguments of the search that found the schedule, or delete the schedule if the code has changed since.'

const createMisfitError = (what: string): Error => new Error(`The schedule does not fit: ${what} ${scheduleHint}`)

/** Returns the schedule of a run, as data and as text. */
export const describeSchedule = ({ orders }: ParsedSearch, { steps }: ExploredRun) => {
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

/** Returns the run of a schedule, given as data or as text. Throws `invalidOptions` if it is invalid, or has unknown names. */
export const follow = (given: ParsedSearch, schedule: unknown): Followed<ExploredRun> => {
  const parseData = <S>(step: z.ZodMiniType<S>): S[] => {
    const schema = z.object({ schedule: z.array(step) })
    return checkOptions('replay', '{ schedule: [] }', (value) => parseStrict(schema, value), { schedule }).schedule
  }
  const isText = typeof schedule === 'string'
  return given.orders === 'first'
    ? followPlaces(given, isText ? parsePlaces(schedule) : parseData(FaultPlace))
    : followOrder(Object.keys(given.actors), given.effects, isText ? parseOrder(schedule) : parseData(z.string()))
}

/** The text of a place does not name its operation. */
type GivenPlace = Omit<FaultPlace, 'operation'> & Partial<FaultPlace>

/** Makes the first choice of each step, with these faults. */
const followPlaces = ({ effects }: ParsedSearch, places: readonly GivenPlace[]): Followed<ExploredRun> => {
  const effectNames = places.map(({ effect }) => effect)
  requireEffects('The schedule', effectNames, effects)
  return {
    decide: ([choice], steps) => {
      const call = steps.filter(isCall).length + 1
      return choice && { choice, fault: isCall(choice) ? places.find((place) => place.call === call) : undefined }
    },
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

/** Makes these choices, and no others. */
export const followOrder = (
  actors: readonly string[],
  effects: Effects,
  schedule: readonly string[],
): Followed<SearchedRun> => {
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
    check: ({ steps }) => {
      for (const [index, { text, fault }] of parsedSteps.entries()) {
        const step = steps[index]
        if (step === undefined) throw cannotContinue(index, text, 'because the run has ended')
        if (fault !== undefined) requireFault(effects, `step ${index + 1}`, step, fault)
      }
    },
  }
}

/** Throws unless a step is a call at which the search tries this fault. */
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
  if (isTried(effects, { phase, effect, link }, step.call)) return
  if (hasPhase(effects[effect]!, phase, actualOperation))
    throw createMisfitError(`${where} is ${actualOperation}, when the code has no active link ${link ?? 1}.`)
  else
    throw createMisfitError(
      `${where} is ${actualOperation}, where ${quote(effect)} is not tried ${phase} the operation.`,
    )
}
