import type { Snapshots } from '../domain/snapshots.ts'
import type { Tokens } from '../domain/tokens.ts'
import type { Store } from '../domain/store.ts'
import type { CommandId, Commands, ParsedCall, ResponseOf } from '../schema/commands.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import type { EventSubscription } from '../traffic/events.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { OnEnd } from '../traffic/pending-delays.ts'
import type { Route } from '../wire/route.ts'

/** The parts of a mock that commands read and change. */
export interface ControlOptions {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly tokens: Tokens
  readonly traffic: Traffic
  /** The address of a project's payment pages, below the origin of the call. */
  readonly payUrl: (project: string, origin?: string) => string
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

/** Where a call comes from, and when its caller stops waiting. */
export interface CallContext {
  /** The origin of an HTTP call. */
  readonly origin: string | undefined
  readonly onEnd: OnEnd
  /** For `events`: the id of the last event that the caller received. */
  readonly lastEvent?: number | undefined
  /** For `events`: called when the reader is too slow and would miss events. */
  readonly onBehind?: (() => void) | undefined
}

type Result<C extends CommandId> = Commands[C] extends { readonly event: unknown }
  ? EventSubscription
  : Commands[C] extends { readonly response: unknown }
    ? ResponseOf<C, string | undefined> | Promise<ResponseOf<C, string | undefined>>
    : void

/** One function for each command. A call without a project is for all projects. */
export type Handlers<C extends CommandId> = {
  readonly [K in C]: (call: ParsedCall<K> & CallContext) => Result<K>
}

/** The route of a command, for all projects or for one. */
export interface ControlRoute extends Route {
  readonly command: CommandId
  readonly isPublic?: true
}
