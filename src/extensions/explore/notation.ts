// The two ways to write a schedule, and the runs that follow it: the faults of the only actor, or the steps of several.
import * as z from 'zod/mini'
import { errors } from '../../schema/error.ts'
import { formatList, quote } from '../../schema/problem.ts'
import { type Effects, hasPhase, requireEffects } from './explored-faults.ts'
import type { ParsedSearch } from './options.ts'
import type { Failure } from './result.ts'
import type { ExploredRun } from './run.ts'
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
} from './schedule-text.ts'
import type { Followed } from './search.ts'
import type { Choice, Step } from './turns.ts'

/** A way to write schedules. `S` is a fault place, or a step of an actor, and `P` what a text says of it. */
export interface Notation<S extends P, P = S> {
  readonly step: z.ZodMiniType<S>
  readonly parse: (text: string) => readonly P[]
  readonly describe: (run: ExploredRun) => Pick<Failure<S>, 'schedule' | 'replay'>
  /** Returns the run of a schedule. Throws for unknown names. */
  readonly follow: (given: ParsedSearch, schedule: readonly P[]) => Followed
}

const hint =
  'Pass the arguments of the search that found the schedule, or delete the schedule if the code has changed since.'

const doesNotFit = (what: string): Error => new Error(`The schedule does not fit: ${what} ${hint}`)

const isCall = ({ isSleep }: Choice): boolean => !isSleep

/** The faults of a flow: `1.after.reset`. The run makes the first choice of each step. */
export const placeNotation: Notation<FaultPlace, Omit<FaultPlace, 'operation'> & Partial<FaultPlace>> = {
  step: FaultPlace,
  parse: parsePlaces,
  describe: ({ steps }) => {
    const schedule = steps
      .filter(isCall)
      .flatMap(({ call, fault }, index) =>
        fault === undefined ? [] : [{ call: index + 1, operation: call?.getOperation() ?? '', ...fault }],
      )
    return { schedule, replay: formatPlaces(schedule) }
  },
  follow: ({ effects }, places) => {
    requireEffects(
      'The schedule',
      places.map(({ effect }) => effect),
      effects,
    )
    return {
      decide: ([choice], steps) => {
        const call = steps.filter(isCall).length + 1
        return { choice: choice!, fault: isCall(choice!) ? places.find((place) => place.call === call) : undefined }
      },
      check: ({ steps }) => {
        const calls = steps.filter(isCall)
        for (const place of places) requireFault(effects, `call ${place.call}`, calls[place.call - 1], place)
      },
    }
  },
}

/** The steps of actors: `first,second*2`. The run makes these choices, and no others. */
export const orderNotation: Notation<string> = {
  step: z.string(),
  parse: parseOrder,
  describe: ({ steps }) => {
    const schedule = steps.map(formatStep)
    return { schedule, replay: formatOrder(schedule) }
  },
  follow: ({ actors, effects }, schedule) => {
    const parsed = schedule.map((step) => parseStep(step))
    const unknown = schedule.map(getActor).find((name) => !Object.hasOwn(actors, name))
    if (unknown !== undefined)
      throw errors.invalidOptions({
        message: `The schedule names the unknown actor ${quote(unknown)}. The actors are ${formatList(Object.keys(actors))}.`,
      })
    requireEffects(
      'The schedule',
      parsed.flatMap(({ fault }) => fault?.effect ?? []),
      effects,
    )
    return {
      decide: (ready, { length }) => {
        const step = parsed[length]
        if (step === undefined) throw new Error(`The schedule ends after step ${length}, but the run does not. ${hint}`)
        const choice = ready.find(({ text }) => text === step.text)
        if (choice !== undefined) return { choice, fault: step.fault }
        const found = formatList(ready.map(({ text }) => text))
        throw doesNotFit(`at step ${length + 1}, ${quote(step.text)} cannot continue, but ${found} can.`)
      },
      check: ({ steps }) => {
        const step = parsed[steps.length]
        if (step !== undefined)
          throw doesNotFit(
            `at step ${steps.length + 1}, ${quote(step.text)} cannot continue, because the run has ended.`,
          )
        for (const [index, { fault }] of parsed.entries())
          if (fault !== undefined) requireFault(effects, `step ${index + 1}`, steps[index], fault)
      },
    }
  },
}

/** Throws unless a step is a call at which the search tries this fault. */
const requireFault = (
  effects: Effects,
  where: string,
  step: Step | undefined,
  { phase, effect, operation }: CallFault & Partial<FaultPlace>,
): void => {
  const found = step?.call?.getOperation()
  if (step === undefined || (operation !== undefined && operation !== found))
    throw doesNotFit(`${where} is ${found ?? 'missing'}, not ${operation ?? 'an operation'}.`)
  if (found === undefined) throw doesNotFit(`${where} is no call to an operation.`)
  if (!hasPhase(effects[effect]!, phase, found))
    throw doesNotFit(`${where} is ${found}, where ${quote(effect)} is not tried ${phase} the operation.`)
}
