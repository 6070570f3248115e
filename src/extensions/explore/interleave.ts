import { createDraws } from '../../domain/ids.ts'
import { quote } from '../../schema/problem.ts'
import { type Choose, type OrderOutcome, runActors } from './actors-run.ts'
import { getMessage } from './format-failure.ts'
import { type InterleaveOptions, type ParsedInterleave, parseInterleave } from './options.ts'
import { type Failure, keepState, requireSameCalls } from './run.ts'
import { type Search, startSearch } from './search.ts'

/** The result of `interleave`. */
export interface InterleaveResult {
  readonly runs: number
  /** Whether every order was tried. */
  readonly exhausted: boolean
  readonly failures: readonly Failure<string>[]
  /** Whether the search was stopped before its end. */
  readonly stopped: boolean
}

/**
 * Runs actors side by side, each time in another order of their calls, and checks an invariant after each run. Resolves also
 * if there are failures.
 *
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the actors make no call or do not repeat themselves, or if one throws in every order
 */
export const interleave = async (given: InterleaveOptions): Promise<InterleaveResult> => {
  const options = parseInterleave(given)
  using search = startSearch(options)
  const failures: Failure<string>[] = []
  let alwaysThrown: OrderOutcome['thrown'] | undefined
  const run = async (choose: Choose): Promise<OrderOutcome> => {
    const outcome = await runActors(options, choose, search)
    const { error, requests, schedule, thrown } = outcome
    alwaysThrown = alwaysThrown ? new Map([...alwaysThrown].filter(([name]) => thrown.has(name))) : thrown
    if (requests.length === 0)
      throwFirst(thrown, 'The actors made no call to the mock. Use the `fetch` passed to them.')
    if (error !== null) failures.push({ schedule, error, requests })
    return outcome
  }
  const end = await tryOrders(options, search, run)
  // An actor that never succeeds is a mistake in the test, which would hide what the actor should show.
  if (end !== 'stopped' && failures.length === 0 && alwaysThrown?.size)
    throwFirst(alwaysThrown, 'An actor always fails.')
  return { runs: search.progress.runs, exhausted: end === 'exhausted', failures, stopped: end === 'stopped' }
}

const throwFirst = (thrown: OrderOutcome['thrown'], message: string): never => {
  const [[name, cause] = []] = thrown
  throw new Error(name === undefined ? message : `${message} ${quote(name)} threw: ${getMessage(cause)}`, { cause })
}

type Run = (choose: Choose) => Promise<OrderOutcome>

const tryOrders = async (
  { maxRuns }: ParsedInterleave,
  search: Search,
  run: Run,
): Promise<'exhausted' | 'stopped' | 'maxRuns'> => {
  if (search.isStopped()) return 'stopped'
  let last = await run(([first]) => first!)
  for (;;) {
    if (!(await search.count(last))) return 'stopped'
    const next = nextPrefix(last)
    if (next === undefined) return 'exhausted'
    // Depth-first alone would change only the ends of long runs.
    if (search.progress.runs >= maxRuns / 2) break
    const previous = last
    last = await run(followSchedule(next))
    requireSameCalls(previous, last, previous.steps[next.length - 1]!.callsBefore)
    requireSchedule(next, last, keepState)
  }
  const draw = createDraws('interleave')
  while (search.progress.runs < maxRuns)
    if (!(await search.count(await run((choices) => choices[draw() % choices.length]!)))) return 'stopped'
  return 'maxRuns'
}

/** Returns the start of the next order: it changes the last choice that has an untried alternative. */
const nextPrefix = ({ steps, schedule }: OrderOutcome): string[] | undefined => {
  const last = steps.findLastIndex(({ choices, chosen }) => chosen !== choices.at(-1))
  if (last === -1) return undefined
  const { choices, chosen } = steps[last]!
  return [...schedule.slice(0, last), choices[choices.indexOf(chosen) + 1]!]
}

/** Creates a function that follows a schedule where possible, and else chooses the first actor. */
export const followSchedule =
  (schedule: readonly string[]): Choose =>
  (choices, step) =>
    choices.find((choice) => choice === schedule[step]) ?? choices[0]!

/** Throws unless a run followed the expected start of its schedule. */
export const requireSchedule = (expected: readonly string[], { schedule }: OrderOutcome, hint: string): void => {
  const index = expected.findIndex((name, step) => schedule[step] !== name)
  if (index === -1) return
  throw new Error(
    `The code does not repeat itself: at step ${index + 1}, ${quote(expected[index])} cannot continue. ${hint}`,
  )
}
