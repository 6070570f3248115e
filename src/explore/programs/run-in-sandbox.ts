// The types of a run of programs that is in progress.
import type { Omissions } from '../omissions.ts'
import type { Run } from '../run.ts'
import type { GetExpected } from '../steps.ts'
import type { Program } from './program.ts'
import type { ProgramParts, RunNotes } from './program-types.ts'

export interface RunOptions extends ProgramParts {
  readonly run: number
  readonly address: string
  /** The runs in progress, by sandbox name. */
  readonly runs: Map<string, RunInSandbox>
  /** Whether the output of the programs goes to the terminal. */
  readonly isShown: boolean
  /** Whether each call waits until every program has one (`interleave`), or passes at once (`explore`). */
  readonly isOrdered: boolean
  /** The longest silence of each program in the serial runs, in milliseconds. */
  readonly silences: Map<string, number>
  /** The concurrent programs: in some run, they sent a call before the response to another. */
  readonly concurrent: Set<string>
  readonly omissions: Omissions
  /** How long to hold the calls of each program, in milliseconds. Undefined if the run is not a probe. */
  readonly holds?: ReadonlyMap<string, readonly number[]> | undefined
  /** The order of a serial run without a fault. Undefined if the programs start together. */
  readonly order?: readonly string[] | undefined
  /** The peak number of records in each group, over the runs without a fault. */
  readonly peaks: Map<string, number>
  readonly getExpected: GetExpected
}

/** Follows the sandbox in the address of the check, so that its calls are not those of a program: `run-1.check`. */
export const checkSuffix = 'check'

/** A run in progress, for the server that receives its calls. */
export interface RunInSandbox {
  readonly run: Run
  readonly options: RunOptions
  readonly programs: ReadonlyMap<string, Program>
  readonly notes: RunNotes
  /** Aborts to end the programs. */
  readonly ending: AbortController
  readonly markNotTried: (why: string) => void
}
