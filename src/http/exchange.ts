import type { World } from '../domain/world.ts'
import type { Tokens } from '../domain/tokens.ts'
import { type Behave, type BehaviorKey, behaviorKeys, type Behaviors } from '../schema/behavior.ts'
import type { Refusal } from '../schema/error.ts'
import type { ConnectionEnv } from '../wire/connection.ts'
import { errorResponse } from '../wire/respond.ts'
import type { Operation } from './operation.ts'

/** What the mocked API is built from. */
export interface ApiOptions {
  readonly world: World
  readonly tokens: Tokens
  readonly operations: readonly Operation[]
  readonly provider: string
  /** What goes before the paths of the operations, `/v1`, or the empty text. */
  readonly basePath: string
  /** Bytes of a request body. */
  readonly bodyLimit: number
  /** The address that payment pages are shown under, for a request that came in under `origin`. */
  readonly paymentUrl: (project: string, paymentLink: string, origin: string) => string
  /** Told of a project that sprang into being, so that a typing mistake shows. */
  readonly onProjectCreated: (project: string) => void
  /** Told of a failure that nobody foresaw. */
  readonly onError: (error: unknown) => void
}

/** One request and what is known of it so far. */
export interface Exchange {
  readonly project: string | undefined
  readonly requestId: string
  /** Which state of the project the request was begun on. */
  readonly generation: number
  readonly behaviors: Behaviors
  readonly behave: Behave
  /** The behaviors that the answer has relied on. */
  readonly assumed: ReadonlySet<BehaviorKey>
}

/** What one guard leaves for the next: the exchange, and the parsed body. */
export interface ApiEnv extends ConnectionEnv {
  Variables: { exchange: Exchange; body: unknown }
}

export const openExchange = (world: World, project: string | undefined): Exchange => {
  const behaviors = world.behaviorsOf(project ?? '')
  const assumed = new Set<BehaviorKey>()
  const behave: Behave = (key) => {
    assumed.add(key)
    return behaviors[key]
  }
  const name = project ?? ''
  return {
    project,
    requestId: world.nextRequestId(name),
    generation: world.generationOf(name),
    behaviors,
    behave,
    assumed,
  }
}

// These two only dress an answer; every one would carry them.
const dressing = new Set<BehaviorKey>(['errorFormat', 'timestampPrecision'])

/** The headers of every answer: the key of the request, and the open points that decided it. */
export const exchangeHeaders = ({ requestId, assumed, behaviors }: Exchange): Record<string, string> => {
  const keys = behaviorKeys.filter((key) => assumed.has(key) && !dressing.has(key))
  return {
    'mock-request-id': requestId,
    ...(keys.length > 0 && { 'mock-assumed': keys.map((key) => `${key}=${behaviors[key]}`).join(', ') }),
  }
}

export const refuse = (refusal: Refusal, exchange: Exchange, headers: Record<string, string> = {}): Response => {
  return errorResponse(refusal, exchange.behaviors.errorFormat, { ...exchangeHeaders(exchange), ...headers })
}
