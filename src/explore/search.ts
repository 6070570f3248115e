// Makes and counts the runs that a strategy requests, and collects the failures.
import { containsFailure, countFaults, type FailedRun, keepMinimal } from './fault-schedules.ts'
import { Ended, type SearchClock } from './search-clock.ts'
import { createLookahead } from './parallel-runs.ts'
import { getMessage, type SearchEnd } from './result.ts'
import { countChanges } from './steps.ts'
import { tryFaultLevels } from './strategies/fault-levels.ts'
import { runGivenSchedules } from './strategies/given-schedules.ts'
import type { RunResult, Trial } from './strategies/order-search.ts'
import { tryRandomChoices } from './strategies/random-choices.ts'
import type { SearchStart, Runner, SearchSettings, Strategy, RunRequest } from './strategies/strategy.ts'

/**
 * Runs only the schedules that `prepare` returns, if any. Otherwise tries the fault levels and, if these do not finish within
 * their share of the limits, random choices. Sorts the failures by number of faults, then by how often the actor changes.
 */
export const runSearch = async <R extends RunResult>(
  settings: SearchSettings,
  clock: SearchClock,
  runner: Runner<R>,
  prepare: () => Promise<SearchStart<R>>,
) => {
  const failures: KeptFailure<R>[] = []

  const throwIfLimitReached = (): void => {
    if (failures.length >= settings.maxFailures) throw new Ended('maxFailures')
    clock.throwIfLimitReached()
  }

  const noteRun = (run: R, { faults, position }: RunRequest<R>, isRepeated = false): void => {
    clock.countTry()
    runner.onRun(run, faults, isRepeated)
    if (!run.isComplete) return
    // If a planned fault did not apply, the run equals a run with fewer faults, so its failure is already known.
    if (run.error !== null && countFaults(run.steps) >= faults) {
      const steps = run.steps.filter(({ fault }) => settings.orders !== 'first' || fault !== undefined)
      const failure = { run, message: getMessage(run.error), steps, position }
      if (!failures.some((one) => containsFailure(failure, one))) failures.push(failure)
    }
  }

  const tryAll = async (strategy: Strategy<R>): Promise<boolean> => {
    const lookahead = createLookahead<Trial<R>>(settings.jobs, () => clock.countLeft())
    try {
      let next = strategy.next()
      while (!next.done) {
        const wanted = next.value
        throwIfLimitReached()
        const tried = await lookahead.take(wanted.work, wanted.listNext)
        for (const run of tried.repeated) {
          noteRun(run, wanted, true)
          throwIfLimitReached()
        }
        noteRun(tried.run, wanted)
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
      if (!(await tryAll(tryFaultLevels(settings, clock, runner, undisturbed))))
        await tryAll(tryRandomChoices(settings, runner))
      return 'complete'
    }
    await tryAll(runGivenSchedules(only, runner))
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

const sortFailures = <R extends RunResult>(failures: readonly KeptFailure<R>[]): R[] =>
  // A random run may find a smaller failure after a larger one.
  keepMinimal(failures)
    .toSorted(
      (a, b) =>
        countFaults(a.run.steps) - countFaults(b.run.steps) ||
        countChanges(a.run.steps) - countChanges(b.run.steps) ||
        a.position - b.position,
    )
    .map(({ run }) => run)
