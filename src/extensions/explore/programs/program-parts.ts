// The shapes of a run of programs.
import type { Access, Core } from '../../../mock/extension.ts'
import type { ProjectRecords } from '../customers.ts'
import type { Effects } from '../explored-faults.ts'
import type { ExploredEvent } from '../result.ts'
import type { GetExpected, Step } from '../steps.ts'
import type { RunServer } from './held-calls.ts'
import type { ProgramCall, ProgramFailure } from './program-result.ts'

/** How a program ended. */
export type ProgramEnd = Pick<ProgramFailure, 'exitCode' | 'signal' | 'output'> & {
  readonly isTimedOut: boolean
  /** The names of its processes that did not end with it: they were ended. After `kill`, only those that left its group. */
  readonly escaped: readonly string[]
}

/** A program that runs. */
export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>
  /** Ends all of its processes at once. */
  readonly kill: () => void
}

/** Starts a program. */
export type StartProgram = (start: {
  /** The address for its variables and arguments. */
  readonly url: string
  /** The number of the run. */
  readonly run: number
  /** How long it may run, in milliseconds. Then it is ended. */
  readonly timeout: number
  /** Ends it. */
  readonly signal: AbortSignal
  /** Whether its output goes to the terminal instead of the result. */
  readonly isShown: boolean
}) => RunningProgram

/** The common arguments of the runs of a search. */
export interface ProgramParts {
  /** By name. A single program has an empty one. */
  readonly programs: ReadonlyMap<string, StartProgram>
  readonly check: StartProgram | undefined
  readonly reset: StartProgram | undefined
  readonly effects: Effects
  readonly payAfterReads: number | undefined
  readonly signal: AbortSignal
  readonly maxCalls: number
  /** How long a run may take, in milliseconds. */
  readonly timeout: number
  /** How long a program may send no call before the others go on without it, in milliseconds. */
  readonly settle: number
}

/** A program that has ended. */
export interface EndedProgram extends ProgramEnd {
  readonly name: string
}

/** A run that came to its end. */
export interface ProgramRun {
  readonly ends: readonly EndedProgram[]
  /** Undefined without a check, and if a program had to be ended. */
  readonly check: ProgramEnd | undefined
  readonly steps: readonly Step[]
  readonly requests: readonly (ProgramCall & { readonly actor: string | null })[]
  readonly events: readonly ExploredEvent[]
  readonly firstRequest: string | undefined
  readonly hasTooManyCalls: boolean
  /** The records at the end. */
  readonly projects: ProjectRecords
  readonly isComplete: boolean
  /** Why the run was not the one that was wanted. Undefined: it was. */
  readonly notTried: string | undefined
  /** Whether a call came late. It may be in time if the run waits longer. */
  readonly isWorthRepeating: boolean
}

/** How one run differs from the others of its search. */
export interface RunOptions {
  /** Creates the mock of the run. `onAccess` notes the reads and writes of its requests. */
  readonly createCore: (onAccess: ((access: Access) => void) | undefined) => Core
  readonly run: number
  /** The address of the sandbox. */
  readonly url: string
  readonly isShown: boolean
  /** Whether calls wait until each program has one. Otherwise each call passes at once. */
  readonly isOrdered: boolean
  /** How long to wait for another call of a program at a new step, in milliseconds. */
  readonly getGrace: (program: string) => number
  readonly getExpected: GetExpected
  /** Is called with the records before each call and at the end. */
  readonly onRecords: ((projects: ProjectRecords) => void) | undefined
  /** Is called with a program that has several calls at the same time. `isLate`: a call came after the choice of another call. */
  readonly onConcurrent: (program: string, isLate: boolean) => void
  /** Makes the run known to the server. Returns what ends that. */
  readonly serve: (server: RunServer) => () => void
}

/** The program that prepares a run failed. */
export class ResetError extends Error {
  readonly end: ProgramEnd

  constructor(end: ProgramEnd) {
    super('The program of --reset failed.')
    this.end = end
  }
}
