// A strategy decides which runs a search makes, and which choice to make at each step.
import type { Effects } from '../effects/effect.ts'
import type { FaultSchedule } from '../fault-schedules.ts'
import type { Work } from '../parallel-runs.ts'
import type { Decide } from '../steps.ts'
import type { OrderRunner, Orders, RunResult, Trial } from './order-search.ts'

/** Whether an estimate is exact, a minimum or a maximum. */
export type Bound = 'exact' | 'least' | 'most'

export interface SearchSettings {
  readonly effects: Effects
  /** The names of effects under which the code under test must succeed. */
  readonly mustSucceed: readonly string[]
  readonly faults: number
  readonly orders: Orders
  /** If set, an additional search without faults tries all orders with at most this many switches. */
  readonly switches?: number | undefined
  readonly jobs: number
  readonly maxFailures: number
}

export interface Runner<R extends RunResult> extends OrderRunner<R> {
  /** Called if the search skips orders with more switches than allowed. */
  readonly onOrdersSkipped?: () => void
  /** Called if the search tries some orders only without faults. */
  readonly onFaultsSkipped?: () => void
  /** Called after each run. `faults` is the planned number of faults. `isRepeated` is true if another attempt follows. */
  readonly onRun: (run: R, faults: number, isRepeated: boolean) => void
  /** Called with a new estimate of how many runs with this number of faults are left. */
  readonly onPlan?: (faults: number, left: number, bound: Bound) => void
  /** Called if a run left its planned path in every attempt. May throw to end the search. */
  readonly onDifference: (difference: string, run: R, faults: FaultSchedule) => void
}

/** Yields requests for runs, and receives their results. Returns true if it tried everything. */
export type Strategy<R extends RunResult> = Generator<RunRequest<R>, boolean, Trial<R>>

export interface RunRequest<R extends RunResult> {
  readonly work: Work<Trial<R>>
  /** Lists runs that will probably be requested next, so that they can start early. */
  readonly listNext: () => Iterable<Work<Trial<R>>>
  readonly faults: number
  /** The position of the run's plan among all plans, for sorting failures. */
  readonly position: number
}

export interface SearchStart<R extends RunResult> {
  /** The schedules to run instead of searching. */
  readonly only?: readonly ScheduleScript<R>[] | undefined
  /** An earlier run without faults, if the search need not make any itself. */
  readonly undisturbed?: R
}

/** Requests a run that is never repeated. Its failure counts only if at least `faults` faults apply. */
export const requestRun = <R extends RunResult>(runner: Runner<R>, decide: Decide, faults = 0): RunRequest<R> => {
  const start = async () => {
    const run = await runner.run(decide, () => undefined)
    return { run, repeated: [], added: [], difference: undefined }
  }
  return { work: { key: '', start }, listNext: () => [], faults, position: Number.MAX_SAFE_INTEGER }
}

/** A schedule to follow. `check` throws if the run does not match the schedule. */
export interface ScheduleScript<R extends RunResult> {
  readonly decide: Decide
  readonly faults: number
  readonly check: (run: R) => void
}
