// The common part of the searches of programs: the mock that they call, their runs, and the counts.
import type { Access, Core } from '../../../mock/extension.ts'
import type { ProjectRecords } from '../customers.ts'
import { getNamedEffects, selectEffects } from '../explored-faults.ts'
import { Ended } from '../result.ts'
import { startClock } from '../search-clock.ts'
import type { Decide } from '../steps.ts'
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
  readonly failures: number
}

/** A run and its verdict. */
export interface JudgedProgramRun extends ProgramRun, ReturnType<typeof judgeRun> {}

/** Creates the parts of a search. `effectNames` are those of a schedule; undefined: those to try. */
export const createProgramSearch = async (given: ProgramSearch, effectNames: readonly string[] | undefined) => {
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
  const clock = startClock({ signal: given.signal, budget: null, maxRuns: given.maxRuns, onProgress: undefined })
  const isOrdered = given.programs.size > 1
  const peaks: RecordPeaks = new Map()
  const states: ProjectRecords[] = []
  /** How long to wait for another call of a program at a new step, in milliseconds. */
  const graces = new Map<string, number>()
  const notTried: NotTried[] = []
  const counts = { runs: 0, calls: 0, planned: 0, failures: 0 }
  let started = 0

  /** Runs the programs once, without a verdict. */
  const runOnce = async (
    decide: Decide,
    { isShown = false, isBaseline = false, getExpected = () => undefined }: OnceOptions = {},
  ): Promise<ProgramRun | undefined> => {
    if (given.signal.aborted) throw new Ended('signal')
    if (started >= given.maxRuns) throw new Ended('maxRuns')
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
    if (finished === undefined) return undefined
    counts.runs++
    counts.calls += finished.steps.length
    return finished
  }
  const report = () => given.onProgress({ ...counts, planned: Math.min(counts.planned, given.maxRuns) })
  const baseline: Baseline = { states, peaks }
  return {
    effects,
    options,
    clock,
    counts,
    notTried,
    report,
    /** Runs the programs without a fault. Its records are what other runs are compared with. */
    runBaseline: async (decide: Decide): Promise<ProgramRun> => {
      let finished = await runOnce(decide, { isBaseline: true })
      for (let tries = 1; finished?.isWorthRepeating && tries < maxTries; tries++)
        finished = await runOnce(decide, { isBaseline: true })
      if (finished === undefined) throw new Ended('signal')
      if (finished.ends.every(({ exitCode }) => exitCode === 0)) states.push(finished.projects)
      report()
      return finished
    },
    /** Runs the programs once. */
    run: async (decide: Decide, once: OnceOptions = {}): Promise<JudgedProgramRun | undefined> => {
      const finished = await runOnce(decide, once)
      return finished && { ...finished, ...judgeRun(finished, baseline, options) }
    },
    /** Returns the first part of a report, which all searches have. */
    summarize: (endedBy: SearchSummary['endedBy']): SearchSummary => ({
      runs: counts.runs,
      calls: counts.calls,
      exhausted: endedBy === 'complete' && notTried.length === 0,
      endedBy,
      notTried,
    }),
    close: () => {
      clock[Symbol.dispose]()
      root.stop()
    },
  }
}

/** How often a run is tried that takes another path than planned. */
export const maxTries = 3

interface OnceOptions extends Partial<Pick<RunOptions, 'isShown' | 'getExpected'>> {
  /** Whether other runs are compared with it. */
  readonly isBaseline?: boolean
}

/** How long to wait at first for another call of a program that sends several at the same time, in milliseconds. */
const minGrace = 50
