import type { Tokens } from '../domain/tokens.ts'
import type { RowChange } from '../domain/work.ts'
import type { World } from '../domain/world.ts'
import { type Behave, type BehaviorKey, behaviorKeys, type Behaviors } from '../schema/behavior.ts'
import type { Refusal } from '../schema/error.ts'
import type { Violation } from '../schema/traffic.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { readText } from '../wire/body.ts'
import type { Connection, ConnectionEnv, Incoming, Line } from '../wire/connection.ts'
import { type Answer, errorAnswer, responseOf } from '../wire/respond.ts'
import type { Operation } from './operation.ts'

/** What the mocked API is built from. */
export interface ApiOptions {
  readonly world: World
  readonly tokens: Tokens
  readonly traffic: Traffic
  readonly operations: readonly Operation[]
  readonly provider: string
  /** What goes before the paths of the operations, `/v1`, or the empty text. */
  readonly basePath: string
  /** Bytes of a request body. */
  readonly bodyLimit: number
  /** The address of a project's payment pages, for a request that came in under `origin`. */
  readonly payUrl: (project: string, origin: string) => string
  /** Milliseconds since 1970, as the machine has them. */
  readonly systemNow: () => number
  /** Told of a project that sprang into being, so that a typing mistake shows. */
  readonly onProjectCreated: (project: string) => void
  /** Told of a failure that nobody foresaw. */
  readonly onError: (error: unknown) => void
}

/** A request as the transport hands it over. */
export interface Asked extends Incoming {
  readonly raw: Request
  readonly connection: Connection | undefined
  readonly line: Line
  readonly operation: Operation | undefined
  /** What the path has in place of the parameters of its route. */
  readonly params: Readonly<Record<string, string>>
}

/** One request: what is known of it from the start, and what comes to be known on its way. */
export interface Exchange extends Asked {
  readonly project: string | undefined
  readonly requestId: string
  /** Which state of the project the request was begun on, and which epoch of the journal. */
  readonly generation: number
  readonly epoch: number
  /** Milliseconds since 1970, by the clock of the project, and by that of the machine. */
  readonly receivedAt: number
  readonly startedAt: number
  readonly behaviors: Behaviors
  readonly behave: Behave
  /** The open points that have decided the answer so far, in the order of the registry. */
  readonly assumed: readonly BehaviorKey[]
  readonly violations: Violation[]
  /** The body as it is being read: once, whoever asks first. */
  reading: Promise<string> | undefined
  /** The body that was read. */
  text: string | undefined
  /** The rows that the operation has changed. */
  changes: readonly RowChange[]
  /** The fault that has struck. */
  fault: string | undefined
  /** What the client is answered; undefined where it is answered nothing. */
  answer: Answer | undefined
}

/** What comes with a request: the mock that it is for. Its routes are the same for every mock. */
export interface ApiEnv {
  Bindings: ConnectionEnv['Bindings'] & {
    readonly api: ApiOptions
    /** Is called with the exchange once it is opened. */
    readonly onExchange?: ((exchange: Exchange) => void) | undefined
  }
}

const unchanged: readonly RowChange[] = []

export const openExchange = ({ world, traffic, systemNow }: ApiOptions, asked: Asked): Exchange => {
  const { project } = asked.params
  const name = project ?? ''
  const behaviors = world.behaviorsOf(name)
  const assumed: BehaviorKey[] = []
  const behave: Behave = (key) => {
    if (!assumed.includes(key) && !dressing.has(key)) insert(assumed, key)
    return behaviors[key]
  }
  // Field by field, each one there from the start: an object that is put together from others costs several times that.
  return {
    raw: asked.raw,
    connection: asked.connection,
    line: asked.line,
    operation: asked.operation,
    params: asked.params,
    project,
    requestId: world.nextRequestId(name),
    generation: world.generationOf(name),
    epoch: traffic.journal.epochOf(project),
    receivedAt: world.timeOf(name),
    startedAt: systemNow(),
    behaviors,
    behave,
    assumed,
    violations: [],
    reading: undefined,
    text: undefined,
    changes: unchanged,
    fault: undefined,
    answer: undefined,
  }
}

// These two only dress an answer; every one would carry them.
const dressing = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision'])

const places = new Map(behaviorKeys.map((key, place) => [key, place]))

const insert = (keys: BehaviorKey[], key: BehaviorKey) => {
  const at = keys.findIndex((other) => places.get(other)! > places.get(key)!)
  keys.splice(at === -1 ? keys.length : at, 0, key)
}

/** The headers of every answer: the key of the request, and the open points that decided it. */
export const exchangeHeaders = (exchange: Exchange): Record<string, string> => {
  const { requestId, behaviors, assumed } = exchange
  if (assumed.length === 0) return { 'mock-request-id': requestId }
  return {
    'mock-request-id': requestId,
    'mock-assumed': assumed.map((key) => `${key}=${behaviors[key]}`).join(', '),
  }
}

/** The text of the body, read once. Refuses one that is too large, that broke off, or that is not UTF-8. */
export const readBody = (exchange: Exchange, limit: number): Promise<string> => {
  exchange.reading ??= readText(exchange.line, limit).then((text) => (exchange.text = text))
  return exchange.reading
}

/** Answers the exchange: what is answered is also what is written down. */
export const send = (exchange: Exchange, answer: Answer): Response => {
  exchange.answer = answer
  return responseOf(answer)
}

export const refuse = (refusal: Refusal, exchange: Exchange, headers: Record<string, string> = {}): Response =>
  send(exchange, errorAnswer(refusal, exchange.behaviors.errorFormat, { ...exchangeHeaders(exchange), ...headers }))
