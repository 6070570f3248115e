// The functions of the library: a search with one actor, one with several, and the repetition of their runs.
import * as z from 'zod/mini'
import { MockError } from '../../schema/error.ts'
import { isRecord } from '../../schema/is-record.ts'
import { parseOptions } from '../../schema/options.ts'
import { formatList, quote } from '../../schema/problem.ts'
import { type Failure, getMessage } from './format.ts'
import {
  type ExploreOptions,
  type InterleaveOptions,
  listPhases,
  type ParsedSearch,
  parseExplore,
  parseInterleave,
  requireEffects,
} from './options.ts'
import { type ExploredRun, formatTaken, type Outcome } from './outcome.ts'
import { runActors } from './run.ts'
import {
  type CallFault,
  FaultPlace,
  formatOrder,
  formatPlaces,
  getActor,
  parseOrder,
  parsePlaces,
  parseStep,
} from './schedule.ts'
import { startClock } from './search-clock.ts'
import { type Followed, runSearch, type SearchEnd, throwFirst } from './search.ts'

/** The result of a search. `S` is a fault place, or a step of an actor. */
export interface SearchResult<S> {
  readonly runs: number
  /** The calls of all runs. */
  readonly calls: number
  /** Whether everything was tried, or something that cannot differ from it. */
  readonly exhausted: boolean
  /** Whether the signal, `budget`, `maxFailures` or `maxCalls` ended the search. */
  readonly stopped: boolean
  /** Why the search ended. */
  readonly endedBy: SearchEnd
  /** The failures: those with the fewest faults, and then with the fewest changes of actor, come first. */
  readonly failures: readonly Failure<S>[]
}
export type ExploreResult = SearchResult<FaultPlace>
export interface InterleaveResult extends SearchResult<string> {
  readonly isolated: boolean
}

/**
 * Runs client code again and again, each time with a fault at another call, and checks an invariant after each run. Resolves
 * also if there are failures.
 *
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the flow makes no call, fails without a fault, does not repeat itself, or does not fit `only`
 */
export const explore = async (given: ExploreOptions): Promise<ExploreResult> => {
  const options = parseExplore(given)
  const only = options.only?.map((text) => followPlaces(options, parsePlaces(text)))
  const found = await runSearch(options, only, requireUndisturbed)
  return toResult(found, (run) => {
    const schedule = listPlaces(run)
    return { schedule, replay: formatPlaces(schedule) }
  })
}

/**
 * Runs actors side by side, each time in another order of their calls, and checks an invariant after each run. Resolves also
 * if there are failures.
 *
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the actors make no call, do not repeat themselves or do not fit `only`, or if one throws in every order
 */
export const interleave = async (given: InterleaveOptions): Promise<InterleaveResult> => {
  const options = parseInterleave(given)
  const only = options.only?.map((text) => followOrder(options, parseOrder(text)))
  const found = await runSearch(options, only, ({ requests, thrown }) => {
    if (requests.length === 0)
      throwFirst(thrown, 'The actors made no call to the mock. Use the `fetch` passed to them.')
  })
  const result = toResult(found, ({ steps }) => {
    const schedule = steps.map(formatTaken)
    return { schedule, replay: formatOrder(schedule) }
  })
  return { ...result, isolated: options.orders === 'isolated' }
}

/**
 * Runs one schedule again. The error is null if the invariant holds.
 *
 * @param given The arguments of the search that found the schedule.
 * @param schedule The `schedule` or the `replay` of a failure.
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the schedule does not fit the flow or the actors
 */
export function replay(given: ExploreOptions, schedule: string | readonly FaultPlace[]): Promise<Outcome>
export function replay(given: InterleaveOptions, schedule: string | readonly string[]): Promise<Outcome>
export async function replay(given: ExploreOptions | InterleaveOptions, schedule: unknown): Promise<Outcome> {
  const isOrder = isRecord(given) && 'actors' in given
  const parsed = isOrder ? parseInterleave(given as InterleaveOptions) : parseExplore(given as ExploreOptions)
  const options = { ...parsed, signal: undefined, budget: null }
  const followed = isOrder
    ? followOrder(options, typeof schedule === 'string' ? parseOrder(schedule) : parseSchedule(z.string(), schedule))
    : followPlaces(options, typeof schedule === 'string' ? parsePlaces(schedule) : parseSchedule(FaultPlace, schedule))
  using clock = startClock(options)
  const run = (await runActors(options, followed.decide, clock))!
  followed.check(run)
  const { error, requests, sleeps } = run
  return { error, requests, sleeps }
}

const toResult = <S>(
  { failures, ...found }: Awaited<ReturnType<typeof runSearch>>,
  describe: (run: ExploredRun) => Pick<Failure<S>, 'schedule' | 'replay'>,
): SearchResult<S> => ({
  ...found,
  exhausted: found.endedBy === 'complete',
  stopped: !['complete', 'only', 'maxRuns'].includes(found.endedBy),
  failures: failures.map((run) => {
    const { error, requests, sleeps } = run
    return { ...describe(run), error, requests, sleeps }
  }),
})

/** Lists the faults of a run with the numbers of their calls. */
const listPlaces = ({ steps }: ExploredRun): FaultPlace[] =>
  steps
    .filter(({ isSleep }) => !isSleep)
    .flatMap(({ call, fault }, index) =>
      fault === undefined ? [] : [{ call: index + 1, operation: call?.getOperation() ?? '', ...fault }],
    )

const parseSchedule = <S extends z.ZodMiniType>(step: S, schedule: unknown) =>
  parseOptions('replay', '{ schedule: [] }', z.object({ schedule: z.array(step) }), { schedule }).schedule

const hint =
  'Pass the arguments of the search that found the schedule, or delete the schedule if the code has changed since.'

const requireUndisturbed = ({ requests, thrown, error }: ExploredRun): void => {
  const cause = thrown.has('flow') ? thrown.get('flow') : error
  const message = getMessage(cause)
  if (requests.length === 0) {
    const threw = cause === null ? '' : ` Without a call, it ended with: ${message}`
    throw new Error(`The flow made no call to the mock. Use the \`fetch\` passed to the flow.${threw}`, { cause })
  }
  if (cause !== null)
    throw new Error(`The ${thrown.has('flow') ? 'flow' : 'invariant'} fails without a fault: ${message}`, { cause })
}

/** Follows the first choice of each step, with faults at some calls. */
const followPlaces = (
  options: ParsedSearch,
  places: readonly (Omit<FaultPlace, 'operation'> & Partial<FaultPlace>)[],
): Followed => {
  requireFaults(options, places)
  return {
    decide: ([choice], steps) => {
      const call = steps.filter(({ isSleep }) => !isSleep).length + 1
      return { choice: choice!, fault: choice!.isSleep ? undefined : places.find((place) => place.call === call) }
    },
    check: ({ steps }) => {
      const calls = steps.filter(({ isSleep }) => !isSleep)
      for (const { call, operation = 'an operation' } of places) {
        const found = calls[call - 1]?.call?.read().operation ?? 'missing'
        const fits =
          operation === 'an operation' ? calls[call - 1]?.call?.getOperation() !== undefined : found === operation
        if (!fits) throw new Error(`The schedule does not fit: call ${call} is ${found}, not ${operation}. ${hint}`)
      }
    },
  }
}

/** Follows the steps of actors, and no others. */
const followOrder = ({ actors, ...options }: ParsedSearch, schedule: readonly string[]): Followed => {
  const parsed = schedule.map((step) => parseStep(step))
  const unknown = schedule.map(getActor).find((name) => !Object.hasOwn(actors, name))
  if (unknown !== undefined)
    throw new MockError(
      'invalidOptions',
      `The schedule names the unknown actor ${quote(unknown)}. The actors are ${formatList(Object.keys(actors))}.`,
    )
  requireFaults(
    options,
    parsed.flatMap(({ fault }) => fault ?? []),
  )
  return {
    decide: (ready, steps) => {
      const index = steps.length
      const step = parsed[index]
      if (step === undefined) throw new Error(`The schedule ends after step ${index}, but the run does not. ${hint}`)
      const choice = ready.find(({ text }) => text === step.choice)
      if (choice !== undefined) return { choice, fault: step.fault }
      const found = formatList(ready.map(({ text }) => text))
      throw new Error(
        `The schedule does not fit: at step ${index + 1}, ${quote(step.choice)} cannot continue, but ${found} can. ${hint}`,
      )
    },
    check: ({ steps }) => {
      const step = parsed[steps.length]
      if (step !== undefined)
        throw new Error(
          `The schedule does not fit: at step ${steps.length + 1}, ${quote(step.choice)} cannot continue, because the run has ended. ${hint}`,
        )
      for (const [index, { call, fault }] of steps.entries())
        if (fault !== undefined && call?.getOperation() === undefined)
          throw new Error(`The schedule does not fit: step ${index + 1} is no call to an operation. ${hint}`)
    },
  }
}

const requireFaults = ({ effects }: Pick<ParsedSearch, 'effects'>, faults: readonly CallFault[]): void => {
  requireEffects(
    'The schedule',
    faults.map(({ effect }) => effect),
    effects,
  )
  for (const { effect, phase } of faults)
    if (!listPhases(effects[effect]!).includes(phase))
      throw new MockError('invalidOptions', `The effect ${quote(effect)} is not tried ${phase} the operation.`)
}
