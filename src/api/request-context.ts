import type { Context } from 'hono'
import type { Tokens } from '../domain/tokens.ts'
import type { Past, RecordChange } from '../domain/history.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Store } from '../domain/store.ts'
import { type BehaviorLookup, type BehaviorKey, behaviorKeys, type Behaviors } from '../schema/behavior.ts'
import type { Effect } from '../schema/fault.ts'
import type { RoutePrefixes } from '../schema/error-definition.ts'
import type { ErrorCode, MockError } from '../schema/error.ts'
import type { Violation } from '../schema/recorded-request.ts'
import type { RateLimitState } from '../traffic/faults.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { ConnectionEnv } from '../http/transport.ts'
import type { ResponseData } from '../http/respond.ts'
import { isDecodable } from '../openapi/route.ts'
import type { Operation } from './operations.ts'

/** The parts and options that requests to the mocked API use. */
export interface ApiOptions {
  readonly store: Store
  readonly tokens: Tokens
  readonly traffic: Traffic
  readonly operations: readonly Operation[]
  readonly provider: string
  /** The prefix of the paths of the operations, such as `/v1`, or an empty string. */
  readonly basePath: string
  /** The prefixes of paths in messages. */
  readonly prefixes: RoutePrefixes
  /** The maximum size of a request body, in bytes. */
  readonly bodyLimit: number
  /** By project. They are deleted when the state of the project is replaced. */
  readonly idempotencyKeys: Map<string, KeptRequests>
  /** The address of a project's payment pages, for a request that was sent to `origin`. */
  readonly payUrl: (project: string, origin: string) => string
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  /** Is called when a request creates a project, so that a misspelled name is noticed. */
  readonly onProjectCreated: (project: string) => void
  readonly onError: (error: unknown) => void
}

/** The first requests of a project with their keys, by the hash of path and key, oldest first. */
export interface KeptRequests {
  readonly requests: Map<string, KeptRequest>
  /** The characters of all responses. */
  size: number
}

/** The first request with a key, without its body and its key, which may be large. */
export interface KeptRequest {
  readonly bodyHash: string
  /** Undefined if the key was ignored. */
  readonly response: ResponseData | undefined
  /** The behaviors that decided the response, with their values at that time. */
  readonly assumed: Partial<Behaviors>
}

/** The mock that a request is for. All mocks share the routes. */
export interface ApiEnv {
  Bindings: ConnectionEnv['Bindings'] & {
    readonly api: ApiOptions
    /** Is called with the context of each request to the mocked API. */
    readonly onArrival?: ((context: RequestContext) => void) | undefined
    /** Why the path leads to no sandbox: its name is invalid, or there are too many. */
    readonly sandboxError?: MockError | undefined
  }
}

export type ApiContext = Context<ApiEnv>

/** One request to the mocked API, which is counted. Its stages fill in the mutable fields. */
export class RequestContext {
  readonly options: ApiOptions
  readonly c: ApiContext
  /** The request. Its `path` is decoded. */
  readonly req: ApiContext['req']
  /** Undefined for an undecodable path, which names no project either. */
  readonly operation: Operation | undefined
  readonly params: Readonly<Record<string, string>>
  /** Empty if the path names no project. */
  readonly project: string
  /** The `Idempotency-Key`, for an operation that has one. */
  readonly idempotencyKey: string | undefined
  /** The id of the request. A fault that delivers the request again draws another. */
  requestId: string
  /** The generation of the project's state when the request arrived, and the epoch of the journal. */
  readonly generation: number
  readonly epoch: number
  /** Milliseconds since 1970, by the clock of the project and by that of the machine. */
  readonly receivedAt: number
  readonly startedAt: number
  /** The behaviors of the project. A replayed response depends on those of the first request. */
  behaviors: Behaviors
  readonly getBehavior: BehaviorLookup
  /** The behaviors that have decided the response so far, in the order of the registry. */
  readonly assumed: BehaviorKey[] = []
  readonly violations: Violation[] = []
  /** The text of the body. Undefined without a body, or if it could not be read. */
  text: string | undefined = undefined
  /** The error of a body that could not be read. It is thrown when the body is validated. */
  bodyError: MockError | undefined = undefined
  /** The records that the operation has changed. */
  changes: readonly RecordChange[] = noChanges
  /** Whether an earlier delivery of the same request has changed records. */
  hasChangedBefore = false
  /** The result of the operation, and its query. Undefined if the operation failed or has not run. */
  result: unknown = undefined
  query: unknown = undefined
  /** The error that the operation or a stage before it has thrown. */
  error: ErrorCode | undefined = undefined
  /** The id and the effect of the fault that applies. */
  fault: string | undefined = undefined
  effect: Effect | undefined = undefined
  /** Whether the fault has delayed the response for so long that clients should have a timeout. */
  isLate = false
  /** The earlier state that a fault or a behavior shows. Undefined: the current state. */
  past: Past | undefined = undefined
  /** The rate limit of a fault that matches. */
  rateLimit: RateLimitState | undefined = undefined
  /** The response to the client. Undefined if it receives nothing. */
  response: ResponseData | undefined = undefined

  constructor(c: ApiContext, operation: Operation | undefined) {
    const { req, env } = c
    const { store, traffic, systemNow } = env.api
    const isReadable = isDecodable(req.url)
    const params: Readonly<Record<string, string>> = isReadable ? req.param() : {}
    const { project = '' } = params
    const behaviors = store.behaviors.get(project)
    const { assumed } = this
    this.options = env.api
    this.c = c
    this.req = req
    this.operation = isReadable ? operation : undefined
    this.params = params
    this.project = project
    this.idempotencyKey = operation?.isKeyed ? req.header('idempotency-key') : undefined
    this.requestId = store.requests.nextId(project)
    this.generation = store.states.getGeneration(project)
    this.epoch = traffic.journal.getEpoch(project)
    this.receivedAt = store.clock.getTime(project)
    this.startedAt = systemNow()
    this.behaviors = behaviors
    this.getBehavior = (key) => {
      if (assumed.includes(key) || presentationOnly.has(key)) return behaviors[key]
      const registryIndex = behaviorKeys.indexOf(key)
      const insertIndex = assumed.findIndex((laterKey) => behaviorKeys.indexOf(laterKey) > registryIndex)
      assumed.splice(insertIndex === -1 ? assumed.length : insertIndex, 0, key)
      return behaviors[key]
    }
  }
}

const noChanges: readonly RecordChange[] = []

/** Reads the state that the client sees. */
export const readState = <R>(
  { options: { store }, project, past, getBehavior }: RequestContext,
  operation: (tx: Transaction) => R,
): R =>
  past === undefined
    ? store.read(project, operation, getBehavior)
    : store.readPast(project, past, operation, getBehavior)

// These two change only the form of a response, and every response would list them.
const presentationOnly = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision'])
