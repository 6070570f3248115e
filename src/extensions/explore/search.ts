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
import { createLookahead } from './lookahead.ts'
import {
  createFirstTrial,
  type OrderedRun,
  type Orders,
  type Plan,
  type Trial,
  type Tried,
  tryOrders,
} from './orders.ts'
import { getMessage, type SearchEnd } from './result.ts'
import { catchEnd, Ended, type SearchClock } from './search-clock.ts'
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
  /** Is called after each run, with the number of faults that it should have. `isRepeated`: another run replaces it. */
  readonly onRun: (run: R, faults: number, isRepeated: boolean) => void
  /** Is called when more is known of the runs that follow. */
  readonly onPlan: (plan: Planned) => void
  /** How often a run is repeated that took another path than the same run before. */
  readonly maxTries: number
  /** Is called if it took another path each time. Throws if the search cannot go on. */
  readonly onDifference: (difference: string, run: R, faults: FaultSchedule) => void
}

/** The runs that follow in a search. */
export interface Planned {
  /** The number of faults of the runs. */
  readonly faults: number
  /** How many runs follow, as far as they are known. */
  readonly runs: number
  /** Whether `runs` is exact. If not, more may follow. */
  readonly isExact: boolean
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
  const requireLimits = () => {
    if (failures.length >= given.maxFailures) throw new Ended('maxFailures')
    if (clock.getSpent() === 1) throw new Ended(clock.getStopReason())
  }
  const start = async (decide: Decide, getExpected: GetExpected = () => undefined): Promise<R> => {
    const finished = await runner.run(decide, getExpected)
    if (finished === undefined) throw new Ended(clock.getStopReason())
    return finished
  }
  /** Counts a run, and keeps it if it is a failure. `position` is that of its plan among all. */
  const note: Note<R> = async (finished, { faults, position, isRepeated = false }) => {
    clock.countTry()
    runner.onRun(finished, faults, isRepeated)
    if (!finished.isComplete) return
    // A fault whose call was not made changes nothing.
    if (finished.error !== null && countFaults(finished.steps) >= faults) {
      const steps = finished.steps.filter(({ fault }) => given.orders !== 'first' || fault !== undefined)
      const failure = { run: finished, message: getMessage(finished.error), steps, position }
      if (!failures.some((one) => containsFailure(failure, one))) failures.push(failure)
    }
    await clock.settle()
  }
  const search = async (): Promise<SearchEnd> => {
    if (only !== undefined) {
      for (const { decide, check } of only) {
        requireLimits()
        const finished = await start(decide)
        await note(finished, { faults: 0, position: 0 })
        check(finished)
      }
      return 'only'
    }
    // Each run may be needed: at the end, no other one starts.
    const lookahead = createLookahead<Tried<R>>(given.jobs, () => clock.countLeft())
    try {
      const plans = await tryFaults(given, runner, { start, note, requireLimits, lookahead }, clock.getSpent)
      if (plans === 'complete') return 'complete'
      const draw = createDraws('interleave')
      for (;;) {
        requireLimits()
        await note(await start(drawChoices(given, draw)), { faults: 0, position: plans })
      }
    } finally {
      await lookahead.close()
    }
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

type Note<R> = (
  run: R,
  plan: { readonly faults: number; readonly position: number; readonly isRepeated?: boolean },
) => Promise<void>

/** The parts of a search that tries faults. */
interface FaultParts<R> {
  readonly start: (decide: Decide, getExpected: GetExpected) => Promise<R>
  readonly note: Note<R>
  /** Throws if a limit is reached. */
  readonly requireLimits: () => void
  readonly lookahead: ReturnType<typeof createLookahead<Tried<R>>>
}

/** Tries all faults and orders, or as many as the limits allow. Returns the number of its plans if it did not try all. */
const tryFaults = async <R extends SearchedRun>(
  given: SearchSettings,
  { origin, maxTries, onPlan, onDifference }: Runner<R>,
  { start, note, requireLimits, lookahead }: FaultParts<R>,
  getSpent: () => number,
): Promise<'complete' | number> => {
  const { orders } = given
  // Depth-first alone would change only the ends of long runs: the other half of the limits is for random runs.
  const share = orders === 'first' ? 1 : 0.5
  const addFault = createFaultSchedules(given.effects)
  let plans: Plan<R>[] = [{ faults: new Map(), origin }]
  let isComplete = true
  let count = 0
  for (let faults = 0; faults <= given.faults; faults++) {
    const next: Plan<R>[] = []
    const levelEnd = (share * (faults + 1)) / (given.faults + 1)
    const notePlan = (runs: number) => onPlan({ faults, runs, isExact: orders === 'first' && faults === given.faults })
    notePlan(plans.length)
    for (const [index, plan] of plans.entries()) {
      const position = count + index
      const left = Math.max(0, levelEnd - getSpent())
      if (left === 0 && orders !== 'first') {
        isComplete = false
        break
      }
      // The remaining share is for this plan and the others.
      const until = levelEnd - left * (1 - 1 / (plans.length - index))
      const onRun = (finished: R) => {
        const { error, steps } = finished
        if (faults === given.faults || countFaults(steps) < faults) return
        // A fault that fails alone is not tried in pairs, unless another order of the same steps may succeed.
        if (error !== null && orders === 'first') return
        // One more fault is for a call after the last fault, or for any call if the order is not fixed.
        const last = orders === 'isolated' ? -1 : steps.findLastIndex(({ fault }) => fault !== undefined)
        for (const added of addFault(plan.faults, steps.slice(last + 1))) next.push({ faults: added, origin: finished })
      }
      const runner = { run: start, maxTries }
      const perform = async (trial: Trial<R>, listNext: () => Trial<R>[]): Promise<Tried<R>> => {
        requireLimits()
        const name = (at: number, { key, start: startTrial }: Trial<R>) => ({ key: `${at} ${key}`, start: startTrial })
        const listAll = function* () {
          for (const one of listNext()) yield name(position, one)
          for (const [after, other] of plans.slice(index + 1).entries())
            yield name(position + 1 + after, createFirstTrial(orders, other, runner))
        }
        const tried = await lookahead.take(name(position, trial), listAll)
        for (const [number, run] of tried.runs.entries()) {
          if (number > 0) requireLimits()
          await note(run, { faults, position, isRepeated: number < tried.runs.length - 1 })
        }
        notePlan(listNext().length + plans.length - index - 1)
        return tried
      }
      const isDone = await tryOrders(
        orders,
        plan,
        { ...runner, perform, onRun, onDifference },
        () => getSpent() >= until,
      )
      isComplete &&= isDone
    }
    count += plans.length
    plans = next
  }
  return isComplete ? 'complete' : count
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
