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
import { createLookahead, type Work } from './lookahead.ts'
import {
  createOrderSearch,
  type OrderRunner,
  type Orders,
  type OrderSearch,
  type Plan,
  type SearchedRun,
  type TriedOrder,
} from './order-search.ts'
import { getMessage, type SearchEnd } from './result.ts'
import { Ended, type SearchClock } from './search-clock.ts'
import { countChanges, type Decide } from './steps.ts'

interface SearchSettings {
  readonly effects: Effects
  /** The maximum number of faults in a run. */
  readonly faults: number
  readonly orders: Orders
  /** How many runs may be in progress at the same time. */
  readonly jobs: number
  readonly maxFailures: number
}

export interface Runner<R extends SearchedRun> extends OrderRunner<R> {
  /** Is called after each run, with the number of faults that it should have. `isRepeated`: another run replaces it. */
  readonly onRun: (run: R, faults: number, isRepeated: boolean) => void
  /** Is called when more is known of the runs with a number of faults. `left` is how many follow, or at least, if it is not exact. */
  readonly onPlan: (faults: number, left: number, isExact: boolean) => void
  /** Is called if a run took another path each time. Throws if the search cannot go on. */
  readonly onDifference: (difference: string, run: R, faults: FaultSchedule) => void
}

/** A schedule to follow. `check` throws if the run did not fit it. */
export interface Followed<R extends SearchedRun> {
  readonly decide: Decide
  readonly check: (run: R) => void
}

/**
 * Runs a search, or only the schedules that `prepare` returns. Failures with the fewest faults and changes of actor come first.
 */
export const runSearch = async <R extends SearchedRun>(
  given: SearchSettings,
  clock: SearchClock,
  runner: Runner<R>,
  prepare: () => Promise<readonly Followed<R>[] | undefined>,
) => {
  const search = new FaultSearch(given, clock, runner)
  const run = async (): Promise<SearchEnd> => {
    const only = await prepare()
    return only === undefined ? search.tryAll() : search.follow(only)
  }
  const endedBy = await run().catch((error: unknown) => {
    if (error instanceof Ended) return error.by
    throw error
  })
  return { endedBy, failures: search.listFailures() }
}

/** The faults of the runs that are tried now. */
interface FaultLevel<R extends SearchedRun> {
  readonly faults: number
  /** A search over the orders of each plan. */
  readonly searches: readonly OrderSearch<R>[]
  /** Collects the plans of the next level. */
  readonly next: Plan<R>[]
}

class FaultSearch<R extends SearchedRun> {
  readonly #given: SearchSettings
  readonly #clock: SearchClock
  readonly #runner: Runner<R>
  // A failure has its message, and its faults, or all its steps if their order varies.
  readonly #failures: (FailedRun & { readonly run: R; readonly position: number })[] = []
  readonly #lookahead: ReturnType<typeof createLookahead<TriedOrder<R>>>
  readonly #addFault: ReturnType<typeof createFaultSchedules>
  /** The number of plans of the levels before. */
  #before = 0

  constructor(given: SearchSettings, clock: SearchClock, runner: Runner<R>) {
    this.#given = given
    this.#clock = clock
    this.#runner = runner
    // Each run may be needed: at the end, no other one starts.
    this.#lookahead = createLookahead(given.jobs, () => clock.countLeft())
    this.#addFault = createFaultSchedules(given.effects)
  }

  /** Runs only these schedules. */
  async follow(only: readonly Followed<R>[]): Promise<SearchEnd> {
    for (const { decide, check } of only) {
      this.#requireLimits()
      const run = await this.#runner.run(decide, () => undefined)
      await this.#note(run, 0, 0)
      check(run)
    }
    return 'only'
  }

  /** Tries everything. What the limits do not allow is tried at random, as long as they allow it. */
  async tryAll(): Promise<SearchEnd> {
    try {
      if (await this.#tryFaults()) return 'complete'
      const decide = drawChoices(this.#given, createDraws('interleave'))
      for (;;) {
        this.#requireLimits()
        await this.#note(await this.#runner.run(decide, () => undefined), 0, this.#before)
      }
    } finally {
      await this.#lookahead.close()
    }
  }

  listFailures(): R[] {
    // A random run may have found a smaller failure later.
    return omitLarger(this.#failures)
      .toSorted(
        (a, b) =>
          countFaults(a.run.steps) - countFaults(b.run.steps) ||
          countChanges(a.run.steps) - countChanges(b.run.steps) ||
          a.position - b.position,
      )
      .map(({ run }) => run)
  }

  #requireLimits(): void {
    if (this.#failures.length >= this.#given.maxFailures) throw new Ended('maxFailures')
    if (this.#clock.getSpent() === 1) throw new Ended(this.#clock.getStopReason())
  }

  /** Counts a run, and keeps it if it is a failure. `position` is that of its plan among all. */
  async #note(run: R, faults: number, position: number, isRepeated = false): Promise<void> {
    this.#clock.countTry()
    this.#runner.onRun(run, faults, isRepeated)
    if (!run.isComplete) return
    // A fault whose call was not made changes nothing.
    if (run.error !== null && countFaults(run.steps) >= faults) {
      const steps = run.steps.filter(({ fault }) => this.#given.orders !== 'first' || fault !== undefined)
      const failure = { run, message: getMessage(run.error), steps, position }
      if (!this.#failures.some((one) => containsFailure(failure, one))) this.#failures.push(failure)
    }
    await this.#clock.settle()
  }

  /** Tries all faults and orders, or as many as the limits allow. Returns true if it tried all. */
  async #tryFaults(): Promise<boolean> {
    const { orders, faults: maxFaults } = this.#given
    // Depth-first alone would change only the ends of long runs: the other half of the limits is for random runs.
    const share = orders === 'first' ? 1 : 0.5
    let plans: readonly Plan<R>[] = [{ faults: new Map(), origin: undefined }]
    let isComplete = true
    for (let faults = 0; faults <= maxFaults; faults++) {
      const searches = plans.map((plan) => createOrderSearch(orders, plan, this.#runner))
      const faultLevel: FaultLevel<R> = { faults, searches, next: [] }
      const end = (share * (faults + 1)) / (maxFaults + 1)
      isComplete = (await this.#tryLevel(faultLevel, end)) && isComplete
      this.#before += plans.length
      plans = faultLevel.next
    }
    return isComplete
  }

  /** Tries the plans of a level, until the spent part of the limits is `end`. Returns true if it tried all. */
  async #tryLevel(faultLevel: FaultLevel<R>, end: number): Promise<boolean> {
    const { searches } = faultLevel
    let isComplete = true
    this.#notePlan(faultLevel, searches.length)
    for (const [index, search] of searches.entries()) {
      const shareLeft = Math.max(0, end - this.#clock.getSpent())
      if (shareLeft === 0 && this.#given.orders !== 'first') return false
      // The remaining share is for this plan and the others.
      const until = end - shareLeft * (1 - 1 / (searches.length - index))
      isComplete = (await this.#tryPlan(faultLevel, search, index, until)) && isComplete
    }
    return isComplete
  }

  #notePlan({ faults }: FaultLevel<R>, left: number): void {
    this.#runner.onPlan(faults, left, this.#given.orders === 'first' && faults === this.#given.faults)
  }

  /** Tries the orders of a plan, until the spent part of the limits is `until`. Returns true if it tried all. */
  async #tryPlan(faultLevel: FaultLevel<R>, search: OrderSearch<R>, index: number, until: number): Promise<boolean> {
    const otherSearches = faultLevel.searches.slice(index + 1)
    const position = this.#before + index
    const nameWork = (at: number, { key, start }: Work<TriedOrder<R>>) => ({ key: `${at} ${key}`, start })
    const listNext = function* () {
      for (const trial of search.listNext()) yield nameWork(position, trial)
      for (const [after, other] of otherSearches.entries()) yield nameWork(position + 1 + after, other.getTrial())
    }
    for (;;) {
      if (search.hasRun() && this.#clock.getSpent() >= until) return false
      this.#requireLimits()
      const tried = await this.#lookahead.take(nameWork(position, search.getTrial()), listNext)
      for (const run of tried.repeated) {
        await this.#note(run, faultLevel.faults, position, true)
        this.#requireLimits()
      }
      await this.#note(tried.run, faultLevel.faults, position)
      this.#notePlan(faultLevel, search.listNext().length + otherSearches.length)
      if (tried.difference !== undefined) this.#runner.onDifference(tried.difference, tried.run, search.plan.faults)
      else if (tried.run.isComplete) this.#planNext(faultLevel, search.plan, tried.run)
      if (!search.goOn(tried)) return true
    }
  }

  /** Adds the plans with one more fault than a run. */
  #planNext({ faults, next }: FaultLevel<R>, plan: Plan<R>, run: R): void {
    const { orders } = this.#given
    if (faults === this.#given.faults || countFaults(run.steps) < faults) return
    // A fault that fails alone is not tried in pairs, unless another order of the same steps may succeed.
    if (run.error !== null && orders === 'first') return
    // One more fault is for a call after the last fault, or for any call if the order is not fixed.
    const last = orders === 'isolated' ? -1 : run.steps.findLastIndex(({ fault }) => fault !== undefined)
    for (const added of this.#addFault(plan.faults, run.steps.slice(last + 1)))
      next.push({ faults: added, origin: run })
  }
}

/** Creates a function that draws the choices and the faults of runs. */
const drawChoices = ({ effects, faults }: SearchSettings, draw: () => number): Decide => {
  const pickRandom = <T>(values: readonly T[]): T | undefined => values[draw() % values.length]
  const effectPhases = Object.entries(effects).flatMap(([effect, value]) =>
    listPhases(value).map((phase) => ({ phase, effect })),
  )
  return (ready, steps) => {
    const isFaulty = countFaults(steps) < faults && draw() % 8 === 0
    const choice = pickRandom(ready)
    return choice && { choice, fault: isFaulty ? pickRandom(effectPhases) : undefined }
  }
}
