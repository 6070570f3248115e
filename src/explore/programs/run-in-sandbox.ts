import type { Omissions } from '../omissions.ts'
import type { Run } from '../run.ts'
import type { GetExpected } from '../steps.ts'
import type { Program } from './program.ts'
import type { ProgramParts, RunNotes } from './program-types.ts'

/** The state that all runs of a search share. */
export interface SharedState {
  /** By sandbox name. */
  readonly running: Map<string, RunInSandbox>
  readonly omissions: Omissions
  /** The programs that sent a call, in any run, before they had the response to an earlier call. */
  readonly concurrent: Set<string>
  /** The longest idle time of each program in the serial runs, in milliseconds. */
  readonly idleTimes: Map<string, number>
  /** The highest number of records, such as the payment links of one invoice, at any time in an undisturbed run. */
  readonly peaks: Map<string, number>
  /** The requests that went to the root instead of the sandbox of a run. */
  readonly rootCalls: string[]
}

export interface RunOptions extends ProgramParts, SharedState {
  readonly run: number
  readonly address: string
  readonly isShown: boolean
  /** Whether each call waits until every program has a waiting call (`interleave`), or passes at once (`explore`). */
  readonly isOrdered: boolean
  /** How long to hold the calls of each program, in milliseconds. Undefined if the run is not a probe. */
  readonly holds?: ReadonlyMap<string, readonly number[]> | undefined
  /** The order of an undisturbed serial run. Undefined if the programs start together. */
  readonly order?: readonly string[] | undefined
  readonly getExpected: GetExpected
}

/** The check calls the mock at an address such as `run-1.check`, so its calls do not count as calls of a program. */
export const checkSuffix = 'check'

export interface RunInSandbox {
  readonly run: Run
  readonly options: RunOptions
  readonly programs: Map<string, Program>
  readonly notes: RunNotes
  readonly ending: AbortController
}
