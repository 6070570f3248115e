import type { z } from 'zod/mini'
import type { Snapshots } from '../domain/snapshots.ts'
import type { Store } from '../domain/store.ts'
import type { Tokens } from '../domain/tokens.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import type { EventSubscription, FollowOptions } from '../traffic/events.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { ControlAddress } from '../openapi/curl.ts'
import type { Examples, PathParams, Route } from '../openapi/route.ts'

export interface CommandContext {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly tokens: Tokens
  readonly traffic: Traffic
  /** Returns the address of a project's payment pages, at the origin of the call. */
  readonly payUrl: (project: string, origin?: string) => string
  readonly basePath: string
  /** The maximum size of a record, which is that of a request body. */
  readonly bodyLimit: number
  /** The sandboxes of the mock. Undefined in a sandbox. */
  readonly sandboxes: { list(): SandboxSummary[]; delete(name?: string): void } | undefined
  /** The name of the seed file. Undefined without a file. */
  readonly seedName?: string | undefined
  /** Returns the milliseconds since the mock was created. */
  readonly getUptime: () => number
}

export interface Caller extends Pick<FollowOptions, 'onEnd' | 'onBehind'> {
  /** The origin of an HTTP request. */
  readonly origin: string | undefined
  /** For an HTTP request, or for shell commands that call the control API in the same way. */
  readonly address?: ControlAddress | undefined
  /** For `events`: the id of the last event that the caller received. */
  readonly lastEvent?: number | undefined
}

export interface CommandDetails extends Pick<
  Route,
  'query' | 'body' | 'response' | 'text' | 'accepted' | 'event' | 'errors'
> {
  /** @default the summary */
  readonly description?: string
  /** The command needs no token and ignores the query. */
  readonly isPublic?: true
  /** @default 200, or 204 without a response */
  readonly status?: number
  /** The command for all projects may differ in its body, response and examples. */
  readonly bodyForAll?: z.ZodMiniType
  readonly responseForAll?: z.ZodMiniType
  readonly examples?: Examples
  readonly examplesForAll?: Examples
}

/** A parsed call of any command. Its params do not include the project. */
interface ParsedCall extends Caller {
  /** Undefined: the call is for all projects. */
  readonly project?: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

/** A command of the control API. HTTP, the embedded mock, the client, the documents and the dashboard read it. */
export interface Command extends CommandDetails, Pick<Route, 'method' | 'summary'> {
  /** The command applies to the mock, to one project, or to either all projects or one. */
  readonly scope: 'mock' | 'project' | 'both'
  /** The path below `/__admin`, or below `/__admin/projects/{project}`. */
  readonly path: string
  // Declared as a method, whose parameters are bivariant, so that one table can contain all commands.
  handle(mock: CommandContext, call: ParsedCall): unknown
}

/** `Otherwise` is the type for a command without the schema. */
type ParsedSchema<D, Name extends keyof CommandDetails, Otherwise = undefined> = D extends {
  readonly [K in Name]: infer S extends z.ZodMiniType
}
  ? z.output<S>
  : Otherwise

interface CallTarget<D> {
  readonly mock: { readonly project?: undefined; readonly body: ParsedSchema<D, 'bodyForAll', ParsedSchema<D, 'body'>> }
  readonly project: { readonly project: string; readonly body: ParsedSchema<D, 'body'> }
  readonly both: CallTarget<D>['mock'] | CallTarget<D>['project']
}

type CommandCall<S extends Command['scope'], P extends string, D> = CallTarget<D>[S] &
  Caller & { readonly params: PathParams<P>; readonly query: ParsedSchema<D, 'query'> }

type ResponseOf<D> =
  | ParsedSchema<D, 'response', void>
  | ParsedSchema<D, 'responseForAll', never>
  | ParsedSchema<D, 'accepted', never>
  | ParsedSchema<D, 'text', never>

type HandlerResponse<D> = D extends { readonly event: unknown }
  ? EventSubscription
  : ResponseOf<D> | Promise<ResponseOf<D>>

/** The path and the schemas determine the types of the handler. */
export const defineCommand = <const S extends Command['scope'], const P extends string, const D extends CommandDetails>(
  scope: S,
  method: Command['method'],
  path: P,
  summary: string,
  details?: D,
) => ({
  handle: (handle: (mock: CommandContext, call: CommandCall<S, P, D>) => HandlerResponse<D>) => ({
    scope,
    method,
    path,
    summary,
    ...(details as D),
    handle,
  }),
})

/** Returns the path below `/__admin`, with its placeholders. Without a project it is for all projects. */
export const getCommandPath = (
  { scope, path }: Pick<Command, 'scope' | 'path'>,
  project: string | undefined,
): string => (scope === 'mock' || project === undefined ? path : `/projects/{project}${path}`)

/** By the path segment before the id. Projects have no code, because a call creates an unknown project. */
export const notFoundCodes: Readonly<Record<string, ErrorCode>> = {
  users: 'userNotFound',
  paymentLinks: 'paymentLinkNotFound',
  scheduledPayments: 'scheduledPaymentNotFound',
  snapshots: 'snapshotNotFound',
  requests: 'requestNotFound',
  faults: 'faultNotFound',
  sandboxes: 'sandboxNotFound',
}
