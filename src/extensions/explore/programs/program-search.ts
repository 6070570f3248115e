// The search over programs: the mock that they call, their runs without a fault, and the counts. The rest is in `search.ts`.
import type { Access, Core } from '../../../mock/extension.ts'
import type { ProjectRecords } from '../customers.ts'
import { countFaults, type FaultSchedule, getNamedEffects, selectEffects } from '../explored-faults.ts'
import { catchEnd, Ended } from '../result.ts'
import { startClock } from '../search-clock.ts'
import { type Followed, type Planned, runSearch } from '../search.ts'
import type { Decide, Step } from '../steps.ts'
import { holdCalls, type RunServer } from './held-calls.ts'
import type { NotTried, SearchSummary } from './program-result.ts'
import { type ProgramParts, type ProgramRun, ResetError, type RunOptions } from './program-parts.ts'
import { runPrograms } from './program-run.ts'
import {
  type Baseline,
  judgeRun,
  ProgramError,
  raisePeaks,
  type RecordPeaks,
  type VerdictOptions,
} from './program-verdict.ts'

/** The arguments of a search. */
export interface ProgramSearch extends Omit<ProgramParts, 'effects'>, Omit<VerdictOptions, 'effects'> {
  /** The names of effects. @default those of `explore` */
  readonly effects: readonly string[] | undefined
  /** The maximum number of faults in a run. */
  readonly faults: 0 | 1 | 2
  /** The schedule that runs instead of a search. */
  readonly only: string | undefined
  /** How many runs may be in progress at the same time. */
  readonly jobs: number
  readonly maxRuns: number
  /** Is called once, after the runs without a fault. */
  readonly onPlan: (plan: Pick<ProgramProgress, 'planned' | 'isExact'>) => void
  readonly onProgress: (progress: ProgramProgress) => void
  /** Returns the command line that repeats a failure. */
  readonly formatCommand: (replay: string) => string
  /** Creates a mock. */
  readonly createCore: (onAccess: ((access: Access) => void) | undefined) => Core
  /** Opens a socket for a mock, and returns its address. */
  readonly listen: (core: Core) => Promise<string>
}

/** How far a search is. */
export interface ProgramProgress {
  readonly runs: number
  /** The number of runs that are known to be needed. */
  readonly planned: number
  /** Whether no others can be needed. */
  readonly isExact: boolean
  readonly failures: number
}

/** A run and its verdict. */
export interface JudgedProgramRun extends ProgramRun, ReturnType<typeof judgeRun> {}

/** The runs of a search that come first. */
export interface FirstRuns {
  readonly effects: VerdictOptions['effects']
  readonly options: VerdictOptions
  /** Runs the programs without a fault. Its records are what other runs are compared with. */
  readonly runBaseline: (decide: Decide) => Promise<ProgramRun>
  /** Runs the programs to learn their calls. */
  readonly runOnce: (decide: Decide) => Promise<ProgramRun>
}

/** The differences between the search over one program and the search over several. */
export interface SearchKind {
  readonly orders: 'first' | 'isolated'
  /** The effects of `only`. */
  readonly effectNames: readonly string[] | undefined
  /** Runs the programs without a fault. Returns the run that others repeat, and the run of `only`. */
  readonly prepare: (first: FirstRuns) => Promise<{
    readonly origin?: JudgedProgramRun
    readonly only: Followed<JudgedProgramRun> | undefined
  }>
  /** Returns the text of the schedule of a run. `faults` are the planned ones, if no call got them. */
  readonly describe: (steps: readonly Step[], faults?: FaultSchedule) => string
  readonly onRun?: (run: JudgedProgramRun, faults: number) => void
  /** Explains why a run counts as not tried if it took another path each time. */
  readonly explain: (difference: string, run: JudgedProgramRun, faults: FaultSchedule) => string
}

/**
 * Runs programs again and again.
 *
 * @throws ProgramError if the programs cannot be searched, or do not fit `only`
 * @throws MockError `invalidOptions` for an unknown effect, and for a schedule that cannot be read
 */
export const searchPrograms = async (
  given: ProgramSearch,
  { orders, effectNames, prepare, describe, onRun = () => {}, explain }: SearchKind,
): Promise<SearchSummary & { readonly failed: readonly JudgedProgramRun[] }> => {
  const effects =
    effectNames === undefined
      ? getNamedEffects('--effects', given.effects)
      : getNamedEffects('--only', [...new Set(effectNames)])
  const mustSucceed =
    effectNames === undefined ? selectEffects('--must-succeed', given.mustSucceed, effects) : given.mustSucceed
  const options: VerdictOptions = { ...given, effects, mustSucceed }
  const servers = new Map<string, RunServer>()
  let rootCall: string | undefined
  const root = given.createCore(undefined)
  const respond = holdCalls(
    root,
    (name) => servers.get(name),
    (call) => void (rootCall ??= call),
  )
  const address = await given.listen({ ...root, respond })
  using clock = startClock({ signal: given.signal, budget: null, maxRuns: given.maxRuns, onProgress: undefined })
  const isOrdered = orders === 'isolated'
  const peaks: RecordPeaks = new Map()
  const states: ProjectRecords[] = []
  const baseline: Baseline = { states, peaks }
  /** How long to wait for another call of a program at a new step, in milliseconds. */
  const graces = new Map<string, number>()
  const notTried: NotTried[] = []
  const counts = { runs: 0, calls: 0, failures: 0 }
  let started = 0
  let isPlanned = false

  /** Starts the programs. Resolves with undefined if the search was stopped. */
  const start = async (
    decide: Decide,
    { isShown = false, isBaseline = false, getExpected = () => undefined }: StartOptions,
  ): Promise<ProgramRun | undefined> => {
    if (given.signal.aborted) return undefined
    const run = ++started
    const finished = await runPrograms(
      { ...given, effects },
      {
        createCore: given.createCore,
        run,
        url: `${address}/@run-${run}`,
        isShown,
        isOrdered,
        // A program with calls at the same time may send another one a moment later.
        getGrace: (program) => graces.get(program) ?? (isOrdered && isBaseline ? minGrace : 0),
        getExpected,
        onRecords: isBaseline ? (records) => raisePeaks(peaks, records) : undefined,
        onConcurrent: (program, isLate) => {
          const grace = graces.get(program) ?? minGrace
          graces.set(program, isLate ? Math.min(4 * grace, given.settle) : grace)
        },
        serve: (server) => {
          servers.set(`run-${run}`, server)
          return () => servers.delete(`run-${run}`)
        },
      },
      decide,
    ).catch((error: unknown) => {
      if (!(error instanceof ResetError)) throw error
      const { exitCode, signal, output } = error.end
      throw new ProgramError(
        `The program of --reset ${exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`}.`,
        output,
      )
    })
    if (rootCall !== undefined)
      throw new ProgramError(
        `The program calls the root of the mock, ${rootCall}, instead of its sandbox ${address}/@run-1. It must append its paths ` +
          `to ${given.variables[0]}: a URL that is resolved against it loses the path of the sandbox.`,
      )
    return finished
  }

  const report = (planned: number, isExact: boolean) =>
    given.onProgress({ ...counts, planned: Math.min(planned, given.maxRuns), isExact })

  const count = ({ steps }: ProgramRun): void => {
    counts.runs++
    counts.calls += steps.length
  }

  const runOnce = async (decide: Decide, isBaseline = false): Promise<ProgramRun> => {
    for (let tries = 1; ; tries++) {
      if (clock.getSpent() === 1) throw new Ended(clock.getStopReason())
      clock.countTry()
      const finished = await start(decide, { isBaseline })
      if (finished === undefined) throw new Ended('signal')
      count(finished)
      if (!isBaseline || !finished.isWorthRepeating || tries === maxTries) return finished
    }
  }

  const runBaseline = async (decide: Decide): Promise<ProgramRun> => {
    const finished = await runOnce(decide, true)
    if (finished.ends.every(({ exitCode }) => exitCode === 0)) states.push(finished.projects)
    report(counts.runs + 1, false)
    return finished
  }

  const noteNotTried = (replay: string, why: string): void => {
    if (!notTried.some((one) => one.replay === replay)) notTried.push({ replay, why })
  }

  const failed: JudgedProgramRun[] = []
  const search = async (): Promise<SearchSummary['endedBy']> => {
    const { origin, only } = await prepare({ effects, options, runBaseline, runOnce })
    const settings = { ...given, effects, orders, maxFailures: Infinity }
    const runner = {
      origin,
      maxTries,
      run: async (decide: Decide, getExpected: RunOptions['getExpected']): Promise<JudgedProgramRun | undefined> => {
        const finished = await start(decide, { getExpected, isShown: only !== undefined })
        return finished && { ...finished, ...judgeRun(finished, baseline, options) }
      },
      onRun: (run: JudgedProgramRun, faults: number, isRepeated: boolean): void => {
        count(run)
        if (!run.isComplete) return
        onRun(run, faults)
        if (countFaults(run.steps) < faults) return
        if (run.error !== null) counts.failures++
        if (run.notTried !== undefined && !isRepeated) noteNotTried(describe(run.steps), run.notTried)
      },
      onPlan: ({ faults, runs, isExact }: Planned): void => {
        const planned = counts.runs + runs
        // The number of calls of one program is known after its second run.
        if (!isPlanned && (isOrdered || faults > 0)) {
          isPlanned = true
          given.onPlan({ planned, isExact })
        }
        report(planned, isExact)
      },
      onDifference: (difference: string, run: JudgedProgramRun, faults: FaultSchedule): void =>
        noteNotTried(describe(run.steps, faults), explain(difference, run, faults)),
    }
    const found = await runSearch(settings, clock, runner, only && [only])
    failed.push(...found.failures)
    return found.endedBy as SearchSummary['endedBy']
  }

  try {
    const endedBy = await catchEnd(search())
    const { runs, calls } = counts
    return { runs, calls, exhausted: endedBy === 'complete' && notTried.length === 0, endedBy, notTried, failed }
  } finally {
    root.stop()
  }
}

/** How often a run is tried that takes another path than planned. */
const maxTries = 3

interface StartOptions extends Partial<Pick<RunOptions, 'isShown' | 'getExpected'>> {
  /** Whether other runs are compared with it. */
  readonly isBaseline?: boolean
}

/** How long to wait at first for another call of a program that sends several at the same time, in milliseconds. */
const minGrace = 50
