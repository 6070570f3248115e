import type { Omissions } from '../omissions.ts'
import type { Run } from '../run.ts'
import type { GetExpected } from '../steps.ts'
import type { Program } from './program.ts'
import type { SharedOptions, RunNotes } from './program-types.ts'

/** The state that all runs of a search share. */
export interface SharedState {
  /** The runs in progress, by sandbox name. */
  readonly running: Map<string, RunInSandbox>
  readonly omissions: Omissions
  /** The names of the programs that, in any run, sent a call before they received the response to an earlier call. */
  readonly concurrent: Set<string>
  /** The longest idle time of each program in the serial runs, in milliseconds. */
  readonly idleTimes: Map<string, number>
  /** By group, such as the payment links of one invoice, the maximum number of records at any time in an undisturbed run. */
  readonly peaks: Map<string, number>
  /** The requests that went to the root of the mock instead of the sandbox of a run. */
  readonly rootCalls: string[]
}

export interface RunOptions extends SharedOptions, SharedState {
  readonly run: number
  readonly address: string
  readonly isShown: boolean
  /** Whether the search varies the order of calls, as in `interleave`. In `explore`, calls proceed in order of arrival. */
  readonly isOrdered: boolean
  /** By program name, how long to hold each of its calls, in milliseconds. Undefined if the run is not a probe. */
  readonly holds?: ReadonlyMap<string, readonly number[]> | undefined
  /** The order in which the programs run one after another. Undefined if they start together. */
  readonly order?: readonly string[] | undefined
  readonly getExpected: GetExpected
}

/** The check gets a URL with a sandbox name such as `run-1.check`, so its calls do not count as calls of a program. */
export const checkSuffix = 'check'

export interface RunInSandbox {
  readonly run: Run
  readonly options: RunOptions
  readonly programs: Map<string, Program>
  readonly notes: RunNotes
  readonly ending: AbortController
}
