// The search: runs with no fault, then with one, then with two, and for each choice of faults the orders of the steps. It does
// not know how the code under test runs: in this process, or as programs.
import { createDraws } from '../../mock/extension.ts'
import {
  containsFailure,
  countFaults,
  createFaultSchedules,
  type Effects,
  type FailedRun,
  type FaultSchedule,
  listPhases,
  omitLarger,
} from './explored-faults.ts'
import { type OrderedRun, type Orders, type Plan, tryOrders } from './orders.ts'
import { catchEnd, Ended, getMessage, type SearchEnd } from './result.ts'
import type { SearchClock } from './search-clock.ts'
import { countChanges, type Decide, type GetExpected } from './steps.ts'

/** A run of the code under test. */
export interface SearchedRun extends OrderedRun {
  /** Why the run is a failure. Null if it is a success. */
  readonly error: unknown
}

interface SearchSettings {
  readonly effects: Effects
  /** The maximum number of faults in a run. */
  readonly faults: number
  readonly orders: Orders
  /** How many runs may be in progress at the same time. */
  readonly jobs: number
  readonly maxFailures: number
}

/** A way to run the code under test. */
export interface Runner<R extends SearchedRun> {
  /** Runs the code once. Resolves with undefined if the search was stopped. */
  readonly run: (decide: Decide, getExpected: GetExpected) => Promise<R | undefined>
  /** A run that the first one must repeat. */
  readonly origin?: R | undefined
  /** Is called after each complete run, with the number of faults that it should have. */
  readonly onRun: (run: R, faults: number) => void
  /** Is called with the number of runs of a level, before they start. */
  readonly onLevel: (plans: number) => void
  /** How often a run is repeated that took another path than the same run before. */
  readonly maxTries: number
  /** Is called if it took another path each time. Throws if the search cannot go on. */
  readonly onDifference: (difference: string, run: R, faults: FaultSchedule) => void
}

/** A schedule to follow. `check` throws if the run did not fit it. */
export interface Followed<R extends SearchedRun> {
  readonly decide: Decide
  readonly check: (run: R) => void
}

/** Runs a search, or only the given schedules. */
export const runSearch = async <R extends SearchedRun>(
  given: SearchSettings,
  clock: SearchClock,
  runner: Runner<R>,
  only: readonly Followed<R>[] | undefined,
) => {
  // A failure has its message, and its faults, or all its steps if their order varies.
  const failures: (FailedRun & { readonly run: R; readonly position: number })[] = []
  const run: Run<R> = async (decide, { faults, position, getExpected = nothingExpected }) => {
    if (failures.length >= given.maxFailures) throw new Ended('maxFailures')
    if (clock.getSpent() === 1) throw new Ended(clock.getStopReason())
    clock.countTry()
    const finished = await runner.run(decide, getExpected)
    if (finished === undefined) throw new Ended(clock.getStopReason())
    if (!finished.isComplete) return finished
    runner.onRun(finished, faults)
    // A fault whose call was not made changes nothing.
    if (finished.error !== null && countFaults(finished.steps) >= faults) {
      const steps = finished.steps.filter(({ fault }) => given.orders !== 'first' || fault !== undefined)
      const failure = { run: finished, message: getMessage(finished.error), steps, position }
      if (!failures.some((one) => containsFailure(failure, one))) failures.push(failure)
    }
    await clock.settle()
    return finished
  }
  const search = async (): Promise<SearchEnd> => {
    if (only === undefined) return (await tryFaults(given, runner, run, clock.getSpent)) ? 'complete' : 'maxRuns'
    for (const { decide, check } of only) check(await run(decide, { faults: 0, position: 0 }))
    return 'only'
  }
  const endedBy = await catchEnd(search())
  // A random run may have found a smaller failure later.
  const sorted = omitLarger(failures).toSorted(
    (a, b) =>
      countFaults(a.run.steps) - countFaults(b.run.steps) ||
      countChanges(a.run.steps) - countChanges(b.run.steps) ||
      a.position - b.position,
  )
  return { endedBy, failures: sorted.map((failure) => failure.run) }
}

/** Runs the code once. `position` is that of its plan among all. */
type Run<R> = (
  decide: Decide,
  plan: { readonly faults: number; readonly position: number; readonly getExpected?: GetExpected },
) => Promise<R>

const nothingExpected: GetExpected = () => undefined

/** Tries all faults and orders, or as many as the limits allow. Returns true if it tried all. */
const tryFaults = async <R extends SearchedRun>(
  given: SearchSettings,
  runner: Runner<R>,
  run: Run<R>,
  getSpent: () => number,
): Promise<boolean> => {
  // Depth-first alone would change only the ends of long runs: the other half of the limits is for random runs.
  const share = given.orders === 'first' ? 1 : 0.5
  const addFault = createFaultSchedules(given.effects)
  let plans: Plan<R>[] = [{ faults: new Map(), origin: runner.origin }]
  let isComplete = true
  let count = 0
  for (let faults = 0; faults <= given.faults; faults++) {
    if (faults > 0) runner.onLevel(plans.length)
    const next: Plan<R>[][] = plans.map(() => [])
    const levelEnd = (share * (faults + 1)) / (given.faults + 1)
    const tryPlan = async (plan: Plan<R>, index: number) => {
      const position = count + index
      const left = Math.max(0, levelEnd - getSpent())
      if (left === 0 && given.orders !== 'first') {
        isComplete = false
        return
      }
      // The remaining share is for this plan and the others.
      const until = levelEnd - left * (1 - 1 / (plans.length - index))
      const onRun = (finished: R) => {
        const { error, steps } = finished
        if (faults === given.faults || countFaults(steps) < faults) return
        // A fault that fails alone is not tried in pairs, unless another order of the same steps may succeed.
        if (error !== null && given.orders === 'first') return
        // One more fault is for a call after the last fault, or for any call if the order is not fixed.
        const last = given.orders === 'isolated' ? -1 : steps.findLastIndex(({ fault }) => fault !== undefined)
        for (const added of addFault(plan.faults, steps.slice(last + 1)))
          next[index]!.push({ faults: added, origin: finished })
      }
      const runPlan = (decide: Decide, getExpected: GetExpected) => run(decide, { faults, position, getExpected })
      const isDone = await tryOrders(given.orders, plan, { ...runner, run: runPlan, onRun }, () => getSpent() >= until)
      isComplete &&= isDone
    }
    await runSideBySide(plans, given.jobs, tryPlan)
    count += plans.length
    plans = next.flat()
  }
  if (isComplete) return true
  const draw = createDraws('interleave')
  for (;;) await run(drawChoices(given, draw), { faults: 0, position: count })
}

/** Creates a function that draws the choices and the faults of one run. */
const drawChoices = ({ effects, faults }: SearchSettings, draw: () => number): Decide => {
  const pick = <T>(values: readonly T[]): T => values[draw() % values.length]!
  const pairs = Object.entries(effects).flatMap(([effect, value]) =>
    listPhases(value).map((phase) => ({ phase, effect })),
  )
  return (ready, steps) => {
    const isFaulty = countFaults(steps) < faults && draw() % 8 === 0
    return { choice: pick(ready), fault: isFaulty ? pick(pairs) : undefined }
  }
}

/** Works on the items in their order, `jobs` at a time. After an error it starts no other, and rejects when all have ended. */
const runSideBySide = async <T>(
  items: readonly T[],
  jobs: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> => {
  const errors: unknown[] = []
  const queue = items.entries()
  const workOn = async () => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return
      await work(item, index).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, workOn))
  if (errors.length > 0) throw errors.find((error) => !(error instanceof Ended)) ?? errors[0]
}
