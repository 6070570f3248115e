import { runForCaller } from '../core/client/call.ts'
import { isRecord } from '../core/schema/json-value.ts'
import { quote } from '../core/schema/problem.ts'
import { getSchedule, follow } from './strategies/given-schedules.ts'
import {
  type ExploreOptions,
  type InterleaveOptions,
  type ParsedSearch,
  parseExplore,
  parseInterleave,
} from './options.ts'
import {
  type ExploreResult,
  getMessage,
  type InterleaveResult,
  type Outcome,
  RunError,
  type SearchResult,
} from './result.ts'
import { createWorkWaits } from './in-process/real-time-work.ts'
import { type ExploredRun, runActors } from './in-process/run-actors.ts'
import { planHolds } from './holds.ts'
import { waitForWake } from './run.ts'
import type { FaultPlace } from './schedule-text.ts'
import { startClock } from './search-clock.ts'
import { takeFirst } from './steps.ts'
import { type Runner } from './strategies/strategy.ts'
import { Omissions } from './omissions.ts'
import { runSearch } from './search.ts'

export { paidOnce } from './double-payments.ts'
export type { Client, ExploreOptions, FinishedRun, Flow, InterleaveOptions, Progress } from './options.ts'
export {
  type ExploredEvent,
  type ExploredRequest,
  type ExploredSleep,
  type ExploreResult,
  type Failure,
  formatFailure,
  formatResult,
  type InterleaveResult,
  type NotTried,
  type Outcome,
  RunError,
  type SearchEnd,
  type SearchResult,
} from './result.ts'
export type { FaultPlace } from './schedule-text.ts'

/**
 * Runs client code repeatedly, each time with a different fault, and checks an invariant after each run. Returns failures
 * instead of rejecting.
 *
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the flow makes no call, fails without a fault, is not deterministic, or does not match `only`
 */
export const explore = (given: ExploreOptions): Promise<ExploreResult> =>
  runForCaller(explore, async () => {
    const options = parseExplore(given)
    return (await search(options, (run) => requireUndisturbed(run, options))) as ExploreResult
  })

/**
 * Runs actors concurrently and repeatedly, with their calls in a different order each time, and checks an invariant after each
 * run. Returns failures instead of rejecting.
 *
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if actors make no call, are not deterministic or do not match `only`, or if one always throws without faults
 */
export const interleave = (given: InterleaveOptions): Promise<InterleaveResult> =>
  runForCaller(interleave, async () => {
    const options = parseInterleave(given)
    const result = await search(options, ({ requests, thrown }) => {
      if (requests.length === 0)
        throwFirst(thrown, 'The actors made no call to the mock. Use the `fetch` passed to them.')
    })
    return { ...(result as SearchResult<string>), isolated: options.orders === 'isolated' }
  })

/**
 * Runs one schedule again. The `error` of the outcome is null if the run does not fail.
 *
 * @param given the options of the search that found the schedule
 * @param schedule the `schedule` or `replay` of a failure
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the schedule does not match the flow or the actors
 */
export function replay(given: ExploreOptions, schedule: string | readonly FaultPlace[]): Promise<Outcome>
export function replay(given: InterleaveOptions, schedule: string | readonly string[]): Promise<Outcome>
export function replay(given: ExploreOptions | InterleaveOptions, schedule: unknown): Promise<Outcome> {
  return runForCaller(replay, async () => {
    const hasActors = isRecord(given) && 'actors' in given
    const options = hasActors ? parseInterleave(given as InterleaveOptions) : parseExplore(given as ExploreOptions)
    const unlimited: ParsedSearch = { ...options, signal: undefined, budget: null }
    const { decide, check } = follow(unlimited, schedule)
    using clock = startClock(unlimited)
    const run = await runActors(unlimited, decide, clock)
    check(run)
    return toOutcome(run)
  })
}

const keepState =
  'Keep all state inside the code under test, or reset it at its start, and use `now` and `sleep` for time.'

const search = async (
  options: ParsedSearch,
  onFirst: (run: ExploredRun) => void,
): Promise<SearchResult<FaultPlace | string>> => {
  const only = options.only?.map((text) => follow(options, text))
  using clock = startClock(options)
  const omissions = new Omissions()
  const workWaits = createWorkWaits()
  let alwaysThrown: ReadonlyMap<string, unknown> | undefined
  const runner: Runner<ExploredRun> = {
    run: (decide) =>
      runActors(options, decide, clock, { workWaits, onLateCaveat: (caveat) => omissions.addCaveat(caveat) }),
    onRun: (run, faults) => {
      // The search stops a run that repeats an earlier run or leaves its planned path. Such a run does not count.
      if (!run.isComplete) return
      if (alwaysThrown === undefined && only === undefined) onFirst(run)
      const { thrown, requests, error } = run
      if (error instanceof RunError && (error.code === 'maxCalls' || error.code === 'timeout'))
        omissions.addNotTried(getSchedule(options, run).replay, `${error.code} ended the run.`)
      for (const caveat of run.caveats) omissions.addCaveat(caveat)
      if (faults === 0) alwaysThrown = new Map([...(alwaysThrown ?? thrown)].filter(([name]) => thrown.has(name)))
      clock.countRun(requests.length)
    },
    maxTries: 1,
    onDifference: (difference) => {
      throw new Error(`The code does not repeat itself: ${difference}. ${keepState}`)
    },
  }
  /** If the flow waited in real time, runs it again and delays each call, to see whether it sends other calls meanwhile. */
  const probe = async (undisturbed: ExploredRun): Promise<void> => {
    const { starts, hasWaited } = undisturbed.turns
    if (!hasWaited) return
    const holds = planHolds(new Map([['flow', starts]]), options.timeout, minFlowHold).get('flow')
    clock.throwIfLimitReached()
    const probed = await runActors(options, takeFirst, clock, { holds, workWaits })
    if (listCalls(probed) === listCalls(undisturbed)) for (const caveat of probed.caveats) omissions.addCaveat(caveat)
    else omissions.addCaveat(actsDifferently)
  }
  const prepare = async () => {
    if (only !== undefined || options.orders !== 'first') return { only }
    clock.throwIfLimitReached()
    const undisturbed = await runner.run(takeFirst, () => undefined)
    clock.countTry()
    runner.onRun(undisturbed, 0, false)
    await probe(undisturbed)
    return { undisturbed }
  }
  const { failures, endedBy } = await runSearch({ ...options, jobs: 1 }, clock, runner, prepare)
  // Code that awaits a real timer or WebCrypto may make a call after the last run. Wait for such calls: they become caveats.
  if (endedBy === 'complete') await waitForWake(() => {}, 10)
  // If an actor fails in every run without faults, the test is probably wrong, and would hide real failures.
  if (endedBy === 'complete' && failures.length === 0 && alwaysThrown?.size)
    throwFirst(alwaysThrown, 'An actor always fails.')
  return {
    ...clock.progress,
    ...omissions.getClaim(endedBy),
    stopped: ['signal', 'budget', 'maxFailures'].includes(endedBy),
    failures: failures.map((run) => ({ ...getSchedule(options, run), ...toOutcome(run) })),
  }
}

/** The minimum delay of a call when the search probes a flow, in milliseconds. */
const minFlowHold = 5

const actsDifferently =
  'The flow sends calls at the same time, or acts differently if its calls take longer, as with a timeout of its own. Other orders ' +
  'were not tried.'

const listCalls = ({ requests }: ExploredRun): string =>
  JSON.stringify(requests.map(({ method, path, body }) => [method, path, body].join(' ')).toSorted())

const throwFirst = (thrown: ReadonlyMap<string, unknown>, message: string): never => {
  const [[name, cause] = []] = thrown
  throw new Error(name === undefined ? message : `${message} ${quote(name)} threw: ${getMessage(cause)}`, { cause })
}

const toOutcome = ({ error, requests, sleeps, events }: ExploredRun): Outcome => ({ error, requests, sleeps, events })

const requireUndisturbed = ({ requests, thrown, error }: ExploredRun, { payAfterReads }: ParsedSearch): void => {
  const cause = thrown.has('flow') ? thrown.get('flow') : error
  const message = getMessage(cause)
  const [first] = requests
  if (first === undefined) {
    const threw = cause === null ? '' : ` Without a call, it ended with: ${message}`
    throw new Error(`The flow made no call to the mock. Use the \`fetch\` passed to the flow.${threw}`, { cause })
  }
  if (requests.every(({ operation, status }) => operation === null && status === 404))
    throw new Error(
      `The flow calls no operation: its first request is ${first.method} ${first.path}, which no route matches.`,
      { cause },
    )
  if (requests.every(({ status, fault }) => status === 401 && fault === null))
    throw new Error('The mock rejects each call with 401: send a token that `options` or the seed lists.', { cause })
  if (cause === null) return
  const hint = payAfterReads === undefined ? '\nIf it waits for a payment, use payAfterReads.' : ''
  if (cause instanceof RunError) throw new Error(`The flow does not end without a fault. ${message}${hint}`, { cause })
  if (thrown.has('flow')) throw new Error(`The flow fails without a fault: ${message}${hint}`, { cause })
  throw new Error(`The invariant fails without a fault: ${message}`, { cause })
}
