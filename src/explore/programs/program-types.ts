import type { Core, createCore } from '../../core/mock/extension.ts'
import type { ProgramEnd, RunningProgram } from '../../command-line/running-program.ts'
import type { RecordsByProject } from '../customers.ts'
import type { Effects } from '../effects/effect.ts'
import type { ExploredEvent, ExploredRequest } from '../result.ts'
import type { Step } from '../steps.ts'

/** How a program ended. Its name is empty in `explore`. */
export interface ProgramExit extends ProgramEnd {
  readonly name: string
}

export interface StartOptions {
  /** The URL of the mock, which replaces `{url}` in the arguments and environment variables. */
  readonly url: string
  readonly run: number
  /** In milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal
  /** Whether the program's output goes to the terminal instead of the report. */
  readonly isShown: boolean
  /** The port that the service must listen on, if the program has a service. */
  readonly port?: number | undefined
  readonly serviceUrl?: string | undefined
}

export type ProgramStarter = (start: StartOptions) => RunningProgram

/** A service that a program calls, such as a web server. */
export interface ServiceOptions {
  readonly start: ProgramStarter
  readonly openAddress: () => Promise<ServiceAddress>
}

/** The address that a program uses to call its service. New connections wait until the service is ready. */
export interface ServiceAddress {
  readonly url: string
  /** Returns the port that the service must listen on. */
  readonly getPort: () => number
  /** Waits until the service accepts requests, then forwards connections to it. Resolves to false if the signal aborts. */
  readonly waitUntilReady: (signal: AbortSignal) => Promise<boolean>
  /** Returns why the service is not ready, such as `nothing accepts connections at port 20000`. */
  readonly describeUnready: () => string
  /** Chooses a new port for the next start of the service. New connections wait until it is ready again. */
  readonly renew: () => Promise<void>
  readonly close: () => void
}

export interface VerdictOptions {
  readonly reset: ProgramStarter | undefined
  readonly services: ReadonlyMap<string, ServiceOptions>
  readonly effects: Effects
  readonly mustSucceed: readonly string[]
  readonly payAfterReads: number | undefined
  /** Whether a paid invoice may still have a link for the remaining amount. */
  readonly allowRest: boolean
  /** The part of the API's paths before `/projects`, or an empty string. */
  readonly basePath: string
  /** The names of the environment variables that contain the URL of the mock. */
  readonly variables: readonly string[]
  readonly maxCalls: number
  /** The maximum duration of a run, in milliseconds. */
  readonly timeout: number
}

/** The options that all runs of a search share. */
export interface SharedOptions extends VerdictOptions {
  /** The programs by name. The name is empty in `explore`. */
  readonly programs: ReadonlyMap<string, ProgramStarter>
  readonly check: ProgramStarter | undefined
  /** Whether the mock has a fixed port. A service that is already running then calls it at the same address in all runs. */
  readonly hasFixedAddress: boolean
  readonly signal: AbortSignal
  /** How long a program may be silent before the other programs continue without it, in milliseconds. */
  readonly settle: number
  /** The search also tries orders with up to this many switches between programs. Null in `explore` and with `--isolated`. */
  readonly switches: number | 'all' | null
  /** Called during the first run, with a possible reason why the run does not end. */
  readonly onHint: (text: string) => void
  /** Creates the mock for one run, or the root mock for requests that belong to no run. */
  readonly createCore: (options: Parameters<typeof createCore>[1]) => Core
}

export interface RunNotes {
  /** By program name, the first request of the program or its service. Used in error messages. */
  readonly firstRequests: Map<string, string>
  hasTooManyCalls: boolean
  /** Whether an idle program listened on a port in the first run. Undefined if none was idle or the system cannot tell. */
  isListening?: boolean | undefined
  /** The first service exit that `crash` did not cause, as text such as `the service exits with 1, and starts again`. */
  serviceRestart?: string | undefined
  /** The first call that a service sent after its program had ended with exit code 0. */
  unawaitedCall?: string | undefined
  /** The first reason why the run did not go as planned. Undefined if it did. */
  notTried?: string | undefined
}

export interface ProgramRun extends Readonly<RunNotes> {
  readonly steps: readonly Step[]
  readonly events: readonly ExploredEvent[]
  /** By program name, the arrival times of its calls, from `performance.now()`. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>
  readonly ends: readonly ProgramExit[]
  /** How the check ended. Undefined without a check, or if the run was stopped or reached a limit. */
  readonly check: ProgramEnd | undefined
  readonly requests: readonly ExploredRequest[]
  /** The keys of the invoices and users whose links a third party paid or canceled, from `getSubjectKey`. */
  readonly touched: ReadonlySet<string>
  readonly projects: RecordsByProject
  readonly isComplete: boolean
}

/** Thrown if programs cannot be searched, for example because they fail with no faults or are not deterministic. */
export class ProgramError extends Error {
  /** The last lines of the program's output. */
  readonly output: readonly string[]
  /** The calls of the failed run, and the schedule that repeats it. */
  readonly run: { readonly calls: readonly string[]; readonly replay?: string | undefined } | undefined

  constructor(message: string, output: readonly string[] = [], run?: ProgramError['run']) {
    super(message)
    this.output = output
    this.run = run
  }
}
