import type { Snapshots } from '../domain/snapshots.ts'
import type { Store } from '../domain/store.ts'
import type { Tokens } from '../domain/tokens.ts'
import type { ParsedCall, CommandResponse, Commands, CommandId } from '../schema/command.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import type { EventSubscription } from '../traffic/events.ts'
import type { OnEnd } from '../traffic/pending-delays.ts'
import type { Traffic } from '../traffic/traffic.ts'

/** The parts of a mock that commands read and change. */
export interface ControlOptions {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly tokens: Tokens
  readonly traffic: Traffic
  /** Returns the address of a project's payment pages, at the origin of the call. */
  readonly payUrl: (project: string, origin?: string) => string
  /** The maximum size of a record, which is that of a request body. */
  readonly bodyLimit: number
  readonly version: string
  /** Milliseconds since 1970. */
  readonly systemNow: () => number
  /** The sandboxes of the mock. Undefined in a sandbox. */
  readonly sandboxes: SandboxDirectory | undefined
  /** When the mock was created, in `systemNow` milliseconds. */
  readonly startedAt: number
}

interface SandboxDirectory {
  list(): SandboxSummary[]
  delete(name?: string): void
}

/** The caller of a command. */
export interface CallContext {
  /** The origin of an HTTP request. */
  readonly origin: string | undefined
  /** Calls a listener when the caller stops waiting. */
  readonly onEnd: OnEnd
  /** For `events`: the id of the last event that the caller received. */
  readonly lastEvent?: number | undefined
  /** For `events`: called when the reader is too slow and would miss events. */
  readonly onBehind?: (() => void) | undefined
}

/** What the handler of a command returns. */
export type HandlerResult<C extends CommandId> = C extends CommandId
  ? Commands[C] extends { readonly event: unknown }
    ? EventSubscription
    : Commands[C] extends { readonly response: unknown }
      ? CommandResponse<C, string | undefined> | Promise<CommandResponse<C, string | undefined>>
      : void
  : never

/** The functions that run commands. A call without a project is for all projects. */
export type Handlers<C extends CommandId> = {
  readonly [K in C]: (call: ParsedCall<K> & CallContext) => HandlerResult<K>
}
