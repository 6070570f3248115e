// The search: makes the runs that its strategies ask for, counts them, and keeps the failures. It does not know how the code under
// test runs: in this process, or as programs.
import { containsFailure, countFaults, type FailedRun, keepMinimal } from './fault-schedules.ts'
import { Ended, type SearchClock } from './search-clock.ts'
import { createLookahead } from './parallel-runs.ts'
import { getMessage, type SearchEnd } from './result.ts'
import { countChanges } from './steps.ts'
import { tryFaultLevels } from './strategies/fault-levels.ts'
import { tryGivenSchedules } from './strategies/given-schedules.ts'
import type { SearchedRun, TriedOrder } from './strategies/orders-depth-first.ts'
import { tryRandomChoices } from './strategies/random-choices.ts'
import type { Prepared, Runner, SearchSettings, Strategy, WantedRun } from './strategies/strategy.ts'

/**
 * Runs a search, or only the schedules that `prepare` returns. What the limits leave untried is tried at random until they
 * end the search. Failures with the fewest faults and changes of actor come first.
 */
export const runSearch = async <R extends SearchedRun>(
  given: SearchSettings,
  clock: SearchClock,
  runner: Runner<R>,
  prepare: () => Promise<Prepared<R>>,
) => {
  // A failure has its message, and its faults, or all its steps if their order varies.
  const failures: KeptFailure<R>[] = []

  const requireLimits = (): void => {
    if (failures.length >= given.maxFailures) throw new Ended('maxFailures')
    clock.requireLimits()
  }

  /** Counts a run, and keeps it if it is a failure. */
  const note = (run: R, { faults, position }: WantedRun<R>, isRepeated = false): void => {
    clock.countTry()
    runner.onRun(run, faults, isRepeated)
    if (!run.isComplete) return
    // A fault whose call was not made changes nothing.
    if (run.error !== null && countFaults(run.steps) >= faults) {
      const steps = run.steps.filter(({ fault }) => given.orders !== 'first' || fault !== undefined)
      const failure = { run, message: getMessage(run.error), steps, position }
      if (!failures.some((one) => containsFailure(failure, one))) failures.push(failure)
    }
  }

  /** Makes the runs of a strategy. Returns true if it has tried everything. */
  const tryAll = async (strategy: Strategy<R>): Promise<boolean> => {
    // Each run may be needed: at the end, no other one starts.
    const lookahead = createLookahead<TriedOrder<R>>(given.jobs, () => clock.countLeft())
    try {
      let next = strategy.next()
      while (!next.done) {
        const wanted = next.value
        requireLimits()
        const tried = await lookahead.take(wanted.work, wanted.listNext)
        for (const run of tried.repeated) {
          note(run, wanted, true)
          requireLimits()
        }
        note(tried.run, wanted)
        next = strategy.next(tried)
      }
      return next.value
    } finally {
      await lookahead.close()
    }
  }

  const search = async (): Promise<SearchEnd> => {
    const { only, undisturbed } = await prepare()
    if (only === undefined) {
      if (!(await tryAll(tryFaultLevels(given, clock, runner, undisturbed))))
        await tryAll(tryRandomChoices(given, runner))
      return 'complete'
    }
    await tryAll(tryGivenSchedules(only, runner))
    return 'only'
  }

  const endedBy = await search().catch((error: unknown) => {
    if (error instanceof Ended) return error.by
    throw error
  })
  return { endedBy, failures: sortFailures(failures) }
}

interface KeptFailure<R> extends FailedRun {
  readonly run: R
  readonly position: number
}

const sortFailures = <R extends SearchedRun>(failures: readonly KeptFailure<R>[]): R[] =>
  // A random run may have found a smaller failure later.
  keepMinimal(failures)
    .toSorted(
      (a, b) =>
        countFaults(a.run.steps) - countFaults(b.run.steps) ||
        countChanges(a.run.steps) - countChanges(b.run.steps) ||
        a.position - b.position,
    )
    .map(({ run }) => run)
