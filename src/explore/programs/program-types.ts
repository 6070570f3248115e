// The programs of a search, its arguments, and its runs.
import type { Core, createCore } from '../../core/mock/extension.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import type { RecordsByProject } from '../customers.ts'
import type { Effects } from '../effects/effect.ts'
import type { ExploredEvent, ExploredRequest } from '../result.ts'
import type { Step } from '../steps.ts'

/** A program that has ended. A single program has an empty name. */
export interface EndedProgram extends ProgramEnd {
  readonly name: string
}

export interface StartOptions {
  /** The address for its variables and arguments. */
  readonly url: string
  readonly run: number
  /** How long it may run, in milliseconds. Then it is ended. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Whether its output goes to the terminal instead of the result. */
  readonly isShown: boolean
  /** The port of its service. Undefined without one. */
  readonly port?: number | undefined
  /** The address of its service. */
  readonly serviceUrl?: string | undefined
}

export type StartProgram = (start: StartOptions) => RunningProgram

/** The service of a program, such as a web server to which the program sends requests. */
export interface ServiceParts {
  readonly start: StartProgram
  readonly openAddress: () => Promise<ServiceAddress>
}

/** Where a program sends requests to its service. New connections wait until the service is ready. */
export interface ServiceAddress {
  readonly url: string
  /** Returns the port that the service must listen on. */
  readonly getPort: () => number
  /** Waits until the service accepts requests, and passes connections on to it. Resolves with false if the signal comes first. */
  readonly waitUntilReady: (signal: AbortSignal) => Promise<boolean>
  /** Returns a sentence without its subject: `nothing accepts connections at port 20000. ...`. */
  readonly describeUnready: () => string
  /** Chooses another port, for a service that starts again. */
  readonly renew: () => Promise<void>
  readonly close: () => void
}

/** The arguments of a search that the verdict about a run needs. */
export interface VerdictOptions {
  readonly reset: StartProgram | undefined
  /** By the name of the program. */
  readonly services: ReadonlyMap<string, ServiceParts>
  readonly effects: Effects
  readonly mustSucceed: readonly string[]
  readonly payAfterReads: number | undefined
  /** Whether a paid invoice may have a link for the rest. */
  readonly allowRest: boolean
  /** The path of the mock before `/projects`. */
  readonly basePath: string
  /** The variables that have the address of the sandbox. */
  readonly variables: readonly string[]
  readonly maxCalls: number
  /** How long a run may take, in milliseconds. */
  readonly timeout: number
}

/** The arguments of a search that a run needs. */
export interface ProgramParts extends VerdictOptions {
  /** By name. A single program has an empty one. */
  readonly programs: ReadonlyMap<string, StartProgram>
  readonly check: StartProgram | undefined
  /** Whether the program calls the address of the mock itself, which is that of each run, because it runs already. */
  readonly hasFixedAddress: boolean
  readonly signal: AbortSignal
  /** How long a program may send no call before the others go on without it, in milliseconds. */
  readonly settle: number
  /** Receives a possible reason why the first run does not end, while it runs. */
  readonly onHint: (text: string) => void
  /** Creates the mock of a run, or one that only listens. */
  readonly createCore: (options: Parameters<typeof createCore>[1]) => Core
}

/** Facts about a run besides its steps. */
export interface RunNotes {
  /** The first request of a program, for a message. */
  firstRequest?: string | undefined
  hasTooManyCalls: boolean
  /** Whether a program listened on a port when it was idle in the first run. Undefined: it was not idle, or that is unknown. */
  isListening?: boolean | undefined
  /** How a service exited and was restarted. */
  serviceRestart?: string | undefined
  /** The first call of a service whose program had ended with exit code 0. */
  unawaitedCall?: string | undefined
  /** Why the run differs from the planned one. Undefined: it does not. */
  notTried?: string | undefined
}

/** A run that came to its end. */
export interface ProgramRun extends Readonly<RunNotes> {
  readonly steps: readonly Step[]
  readonly events: readonly ExploredEvent[]
  /** When the calls of each program came, by the clock of the machine. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>
  readonly ends: readonly EndedProgram[]
  /** Undefined without a check, and if a program had to be ended. */
  readonly check: ProgramEnd | undefined
  readonly requests: readonly ExploredRequest[]
  /** The invoices and users that a customer touched. */
  readonly touched: ReadonlySet<string>
  /** The records at the end. */
  readonly projects: RecordsByProject
  readonly isComplete: boolean
}

/** A program that cannot be searched: it fails undisturbed, calls nothing or does not repeat itself. */
export class ProgramError extends Error {
  /** The last lines of the program's output. */
  readonly output: readonly string[]
  /** The calls of the run, and the schedule that repeats it, if they help to understand the message. */
  readonly run: { readonly calls: readonly string[]; readonly replay?: string | undefined } | undefined

  constructor(message: string, output: readonly string[] = [], run?: ProgramError['run']) {
    super(message)
    this.output = output
    this.run = run
  }
}
