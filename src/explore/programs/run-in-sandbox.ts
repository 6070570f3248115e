// The types of a run of programs that is in progress.
import type { Omissions } from '../omissions.ts'
import type { Run } from '../run.ts'
import type { GetExpected } from '../steps.ts'
import type { Program } from './program.ts'
import type { ProgramParts, RunNotes } from './program-types.ts'

/** The state that all runs of a search share. */
export interface SharedState {
  /** The runs in progress, by sandbox name. */
  readonly running: Map<string, RunInSandbox>
  readonly omissions: Omissions
  /** The concurrent programs: in some run, they sent a call before the response to another. */
  readonly concurrent: Set<string>
  /** The longest silence of each program in the serial runs, in milliseconds. */
  readonly silences: Map<string, number>
  /** The peak number of records in each group, over the runs without a fault. */
  readonly peaks: Map<string, number>
  /** The requests to the root instead of the sandbox of a run. */
  readonly rootCalls: string[]
}

export interface RunOptions extends ProgramParts, SharedState {
  readonly run: number
  readonly address: string
  /** Whether the output of the programs goes to the terminal. */
  readonly isShown: boolean
  /** Whether each call waits until every program has one (`interleave`), or passes at once (`explore`). */
  readonly isOrdered: boolean
  /** How long to hold the calls of each program, in milliseconds. Undefined if the run is not a probe. */
  readonly holds?: ReadonlyMap<string, readonly number[]> | undefined
  /** The order of a serial run without a fault. Undefined if the programs start together. */
  readonly order?: readonly string[] | undefined
  readonly getExpected: GetExpected
}

/** Follows the sandbox in the address of the check, so that its calls are not those of a program: `run-1.check`. */
export const checkSuffix = 'check'

/** A run in progress, for the server that receives its calls. */
export interface RunInSandbox {
  readonly run: Run
  readonly options: RunOptions
  readonly programs: Map<string, Program>
  readonly notes: RunNotes
  readonly ending: AbortController
}
