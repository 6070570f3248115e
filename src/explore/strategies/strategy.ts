// A strategy decides which runs a search makes, and which choice is made at each step of a run.
import type { Effects } from '../effects/effect.ts'
import type { FaultSchedule } from '../fault-schedules.ts'
import type { Omissions } from '../omissions.ts'
import type { Work } from '../parallel-runs.ts'
import type { Decide } from '../steps.ts'
import type { OrderRunner, Orders, SearchedRun, TriedOrder } from './orders-depth-first.ts'

/** Whether a number is exact, a minimum or a maximum. */
export type Bound = 'exact' | 'least' | 'most'

export interface SearchSettings {
  readonly effects: Effects
  /** The effects under which nothing may fail. */
  readonly mustSucceed: readonly string[]
  /** The maximum number of faults in a run. */
  readonly faults: number
  readonly orders: Orders
  /** Also tries every order without a fault that has at most this many switches. @default none */
  readonly switches?: number | undefined
  /** How many runs may be in progress at the same time. */
  readonly jobs: number
  readonly maxFailures: number
}

export interface Runner<R extends SearchedRun> extends OrderRunner<R> {
  /** Collects what the search leaves out. */
  readonly omissions: Omissions
  /** Is called if there are orders with more switches. */
  readonly onMoreSwitches?: () => void
  /** Is called if orders were tried in which no effect is tried. */
  readonly onFewerOrders?: () => void
  /** Is called after each run, with the number of faults that it should have. `isRepeated`: another run replaces it. */
  readonly onRun: (run: R, faults: number, isRepeated: boolean) => void
  /** Is called when more is known of the runs with a number of faults. `left` is how many follow, exactly, at least or at most. */
  readonly onPlan: (faults: number, left: number, bound: Bound) => void
  /** Is called if a run took another path each time. Throws if the search cannot go on. */
  readonly onDifference: (difference: string, run: R, faults: FaultSchedule) => void
}

/** Which runs a search makes: yields each, and gets its result. Returns true if it has tried everything. */
export type Strategy<R extends SearchedRun> = Generator<WantedRun<R>, boolean, TriedOrder<R>>

export interface WantedRun<R extends SearchedRun> {
  readonly work: Work<TriedOrder<R>>
  /** Lists the runs that probably follow, which may start early. */
  readonly listNext: () => Iterable<Work<TriedOrder<R>>>
  /** The number of faults that it should have. */
  readonly faults: number
  /** The position of its plan among all. */
  readonly position: number
}

/** The preparation of a search. */
export interface Prepared<R extends SearchedRun> {
  /** The schedules to run instead of a search. */
  readonly only?: readonly Followed<R>[] | undefined
  /** A run without a fault. The search begins with it. */
  readonly undisturbed?: R
}

/** Returns a run that is made once, whatever it does. */
export const wantRun = <R extends SearchedRun>(runner: Runner<R>, decide: Decide): WantedRun<R> => {
  const start = async () => {
    const run = await runner.run(decide, () => undefined)
    return { run, repeated: [], added: [], difference: undefined }
  }
  return { work: { key: '', start }, listNext: () => [], faults: 0, position: Number.MAX_SAFE_INTEGER }
}

/** A schedule to follow. `check` throws if the run did not fit it. */
export interface Followed<R extends SearchedRun> {
  readonly decide: Decide
  readonly check: (run: R) => void
}
