import type { Core, createCore } from '../../core/mock/extension.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import type { RecordsByProject } from '../customers.ts'
import type { Effects } from '../effects/effect.ts'
import type { ExploredEvent, ExploredRequest } from '../result.ts'
import type { Step } from '../steps.ts'

/** The name is empty in `explore`. */
export interface ProgramExit extends ProgramEnd {
  readonly name: string
}

export interface StartOptions {
  /** The address of the mock, for the variables and arguments of the program. */
  readonly url: string
  readonly run: number
  /** In milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Whether the program's output goes to the terminal instead of the result. */
  readonly isShown: boolean
  /** The port of the service, if there is one. */
  readonly port?: number | undefined
  readonly serviceUrl?: string | undefined
}

export type ProgramStarter = (start: StartOptions) => RunningProgram

/** The service of a program, such as a web server that the program calls. */
export interface ServiceOptions {
  readonly start: ProgramStarter
  readonly openAddress: () => Promise<ServiceAddress>
}

/** The address at which a program calls its service. New connections wait until the service is ready. */
export interface ServiceAddress {
  readonly url: string
  /** Returns the port that the service must listen on. */
  readonly getPort: () => number
  /** Waits until the service accepts requests, then forwards connections to it. Resolves with false if the signal aborts. */
  readonly waitUntilReady: (signal: AbortSignal) => Promise<boolean>
  /** Returns why the service is not ready: `nothing accepts connections at port 20000. ...`. */
  readonly describeUnready: () => string
  /** Chooses a new port for a restart of the service. */
  readonly renew: () => Promise<void>
  readonly close: () => void
}

export interface VerdictOptions {
  readonly reset: ProgramStarter | undefined
  readonly services: ReadonlyMap<string, ServiceOptions>
  readonly effects: Effects
  readonly mustSucceed: readonly string[]
  readonly payAfterReads: number | undefined
  /** Whether a paid invoice may have a link for the remaining amount. */
  readonly allowRest: boolean
  /** The part of the mock's path before `/projects`. */
  readonly basePath: string
  /** The environment variables that contain the address of the sandbox. */
  readonly variables: readonly string[]
  readonly maxCalls: number
  /** How long a run may take, in milliseconds. */
  readonly timeout: number
}

/** The options that all runs of a search share. */
export interface ProgramParts extends VerdictOptions {
  /** By name. The name is empty in `explore`. */
  readonly programs: ReadonlyMap<string, ProgramStarter>
  readonly check: ProgramStarter | undefined
  /** Whether the mock has a fixed port, for a service that runs already. All runs then have the same address. */
  readonly hasFixedAddress: boolean
  readonly signal: AbortSignal
  /** How long a program may be silent before the others continue without it, in milliseconds. */
  readonly settle: number
  /** The search also tries every order with at most this many switches. Null for one program, and with `--isolated`. */
  readonly switches: number | 'all' | null
  /** Called during the first run with a possible reason why this run does not end. */
  readonly onHint: (text: string) => void
  /** Creates the mock of a run, or the root mock, which owns the address. */
  readonly createCore: (options: Parameters<typeof createCore>[1]) => Core
}

export interface RunNotes {
  /** The first request of each program, for error messages. */
  readonly firstRequests: Map<string, string>
  hasTooManyCalls: boolean
  /** Whether an idle program listened on a port in the first run. Undefined if none was idle, or if that is unknown. */
  isListening?: boolean | undefined
  /** The first exit of a service without a crash, such as `the service exits with 1, and starts again`. */
  serviceRestart?: string | undefined
  /** The first call that a service sent after its program had ended with exit code 0. */
  unawaitedCall?: string | undefined
  /** Why the run differs from its plan. Undefined if it does not. */
  notTried?: string | undefined
}

export interface ProgramRun extends Readonly<RunNotes> {
  readonly steps: readonly Step[]
  readonly events: readonly ExploredEvent[]
  /** When the calls of each program arrived, in milliseconds of real time. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>
  readonly ends: readonly ProgramExit[]
  /** How the check ended. Undefined without a check, or if the run did not end by itself. */
  readonly check: ProgramEnd | undefined
  readonly requests: readonly ExploredRequest[]
  /** The invoices and users that a third party affected. */
  readonly touched: ReadonlySet<string>
  readonly projects: RecordsByProject
  readonly isComplete: boolean
}

/** Thrown if a program cannot be searched: it fails with no faults, makes no call, or is not deterministic. */
export class ProgramError extends Error {
  /** The last lines of the program's output. */
  readonly output: readonly string[]
  /** The calls and the schedule of the run, if they help to understand the message. */
  readonly run: { readonly calls: readonly string[]; readonly replay?: string | undefined } | undefined

  constructor(message: string, output: readonly string[] = [], run?: ProgramError['run']) {
    super(message)
    this.output = output
    this.run = run
  }
}
