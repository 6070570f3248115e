import type { Context } from 'hono'
import type { Tokens } from '../domain/tokens.ts'
import type { Store } from '../domain/store.ts'
import type { Behaviors } from '../schema/behavior.ts'
import type { RoutePrefixes } from '../schema/error-definition.ts'
import type { MockError } from '../schema/error.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { parseJson } from '../http/json.ts'
import type { ConnectionEnv } from '../http/transport.ts'
import { isDecodable } from '../openapi/route.ts'
import type { Operation } from './operation.ts'
import type { OnOutcome, StageResult } from './outcome.ts'

export interface ApiOptions {
  readonly store: Store
  readonly tokens: Tokens
  readonly traffic: Traffic
  readonly operations: readonly Operation[]
  readonly provider: string
  /** For example `/v1`, or an empty string. */
  readonly basePath: string
  /** The prefixes of paths in messages. */
  readonly prefixes: RoutePrefixes
  /** The maximum size of a request body, in bytes. */
  readonly bodyLimit: number
  /** By project. They are deleted when the state of the project is replaced. */
  readonly idempotencyKeys: Map<string, KeptRequests>
  /** Returns the address of the payment pages. @param origin the origin that the request was sent to */
  readonly payUrl: (project: string, origin: string) => string
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called when a request creates a project, so that a misspelled name is noticed. */
  readonly onProjectCreated: (project: string) => void
  readonly onError: (error: unknown) => void
}

/** By the hash of path and key, oldest first. */
export interface KeptRequests {
  readonly requests: Map<string, KeptRequest>
  /** The characters of all responses. */
  size: number
}

/** The first request with a key, without its body and its key, which may be large. */
export interface KeptRequest {
  readonly bodyHash: string
  /** The response without its other headers. Undefined if the key was ignored. */
  readonly response:
    (Pick<StageResult, 'status' | 'text' | 'error'> & { readonly type: string | undefined }) | undefined
  /** The behaviors that could have decided the response, with their values at that time. */
  readonly assumed: Partial<Behaviors>
}

/** The mock that a request is for. All mocks share the routes. */
export interface ApiEnv {
  Bindings: ConnectionEnv['Bindings'] & {
    readonly api: ApiOptions
    readonly onArrival?: ((request: ApiRequest) => OnOutcome | undefined) | undefined
    /** Why the path leads to no sandbox: its name is invalid, or there are too many. */
    readonly sandboxError?: MockError | undefined
  }
}

export type ApiContext = Context<ApiEnv>

/** The body of a request. Both fields are undefined without a body. */
interface RequestBody {
  readonly text: string | undefined
  /** The error of a body that could not be read. It is thrown when the body is parsed. */
  readonly error: MockError | undefined
  /** The parsed text. It is absent until `parseBody`. */
  json?: unknown
}

/** The generation, epoch, behaviors and times are those at the arrival of the request. */
export interface ApiRequest {
  readonly c: ApiContext
  /** The request of Hono. Its `path` is decoded. */
  readonly req: ApiContext['req']
  readonly options: ApiOptions
  /** Undefined for an undecodable path, which names no project either. */
  readonly operation: Operation | undefined
  readonly params: Readonly<Record<string, string>>
  /** Empty if the path names no project. */
  readonly project: string
  /** The `Idempotency-Key`, for an operation that has one. */
  readonly idempotencyKey: string | undefined
  readonly body: RequestBody
  readonly id: string
  readonly behaviors: Behaviors
  readonly generation: number
  readonly epoch: number
  /** Milliseconds since 1970, by the clock of the project and by that of the machine. */
  readonly receivedAt: number
  readonly startedAt: number
}

/** Counts the request. Its body is not read yet. */
export const receiveRequest = (c: ApiContext, operation: Operation | undefined): ApiRequest => {
  const { req, env } = c
  const { store, traffic, systemNow } = env.api
  const isReadable = isDecodable(req.url)
  const params: Readonly<Record<string, string>> = isReadable ? req.param() : {}
  const { project = '' } = params
  return {
    c,
    req,
    options: env.api,
    operation: isReadable ? operation : undefined,
    params,
    project,
    idempotencyKey: operation?.isKeyed ? req.header('idempotency-key') : undefined,
    body: { text: undefined, error: undefined },
    id: store.requests.nextId(project),
    behaviors: store.behaviors.get(project),
    generation: store.states.getGeneration(project),
    epoch: traffic.journal.getEpoch(project),
    receivedAt: store.clock.getTime(project),
    startedAt: systemNow(),
  }
}

/** Parses the body once. An unneeded body must still be JSON. Returns undefined if no body is needed and none was sent. */
export const parseBody = ({ body, operation }: ApiRequest): unknown => {
  if (body.error !== undefined) throw body.error
  if (operation?.body === undefined && body.text === undefined) return undefined
  return (body.json ??= parseJson(body.text ?? ''))
}

/** Returns true if the state of the project was not replaced since the request arrived. */
export const isCurrentState = ({ options, project, generation }: ApiRequest): boolean =>
  options.store.states.getGeneration(project) === generation
