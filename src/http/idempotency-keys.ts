import { hashText } from '../domain/tokens.ts'
import type { BehaviorKey } from '../schema/behavior.ts'
import { type ErrorCode, MockError } from '../schema/error.ts'
import { isRecord } from '../schema/is-record.ts'
import type { OperationId } from '../schema/operation.ts'
import { parseJson } from '../wire/json.ts'
import type { ResponseData } from '../wire/respond.ts'
import type { RequestContext } from './request-context.ts'
import { getContextHeaders } from './serialize.ts'
import { noteViolation } from './violations.ts'

/** The first request with a key, without its body and its key, which may be large. */
interface KeptRequest {
  readonly bodyHash: string
  /** Undefined if the key was ignored. */
  readonly response: ResponseData | undefined
  /** The behaviors that decided the response. */
  readonly assumed: readonly BehaviorKey[]
  /** The approximate size in characters. */
  readonly size: number
}

/** The first requests of a project by the hash of their path and key, oldest first. */
interface ProjectKeys {
  readonly requests: Map<string, KeptRequest>
  size: number
}

/** The keys of each project. They are deleted when the state of the project is replaced. */
export type IdempotencyKeys = Map<string, ProjectKeys>

/** Deletes the keys of a project, or of all projects. */
export const deleteKeys = (keys: IdempotencyKeys, project: string | undefined): void => {
  if (project === undefined) keys.clear()
  else keys.delete(project)
}

/** The errors of the operations with keys. */
export const keyErrors = ['idempotencyKeyInvalid', 'idempotencyKeyReused'] as const satisfies readonly ErrorCode[]

/** The operations for which a second request has another effect than the first. */
export const keyedOperations: ReadonlySet<OperationId | undefined> = new Set([
  'createUser',
  'createPaymentLink',
  'cancelPaymentLink',
])

const maxKeys = 1000
/** The maximum size of the kept responses of a project, in characters. */
const maxSize = 16 * 1024 * 1024
/** Assumed: the same limit as for the values of metadata. */
export const maxKeyLength = 255

/**
 * Returns the first response to the `Idempotency-Key` of the request, if the behavior `idempotencyKey` is `replay`.
 * Undefined for a request without a key, and for a new key.
 */
export const replayResponse = (context: RequestContext): ResponseData | undefined => {
  const key = getKey(context)
  if (key === undefined) return undefined
  const kept = isCurrent(context)
    ? context.options.idempotencyKeys.get(context.project)?.requests.get(hashAddress(context, key))
    : undefined
  if (kept === undefined && isValid(key)) return undefined
  if (context.getBehavior('idempotencyKey') === 'ignore') {
    const message = 'Idempotency-Key is ignored: the specification does not define it.'
    if (kept !== undefined) noteViolation(context, '§5', { path: 'headers.idempotency-key', message })
    return undefined
  }
  if (kept === undefined)
    throw new MockError(
      'idempotencyKeyInvalid',
      `The Idempotency-Key header must have 1 to ${maxKeyLength} characters (got ${key.length}).`,
    )
  // The key was ignored when it was sent first.
  if (kept.response === undefined) return undefined
  if (hashBody(context) !== kept.bodyHash)
    throw new MockError('idempotencyKeyReused', `The Idempotency-Key '${key}' was sent before, with another body.`, {
      hint: 'Send a new key with each new request.',
    })
  kept.assumed.forEach(context.getBehavior)
  const { status, headers, text } = kept.response
  return { status, headers: { 'content-type': headers['content-type'] ?? '', ...getContextHeaders(context) }, text }
}

/** Stores the response of an operation under its key: a success or a conflict. After other errors the key can be reused. */
export const keepResponse = (context: RequestContext, response: ResponseData): void => {
  const key = getKey(context)
  if (key === undefined || !isValid(key) || !isCurrent(context)) return
  if (response.status >= 300 && response.status !== 409) return
  const { options, project, assumed, behaviors } = context
  const keys = options.idempotencyKeys.get(project) ?? { requests: new Map<string, KeptRequest>(), size: 0 }
  const address = hashAddress(context, key)
  if (keys.requests.get(address)?.response !== undefined) return
  const kept = behaviors.idempotencyKey === 'replay' ? response : undefined
  const size = kept?.text?.length ?? 0
  remove(keys, address)
  keys.requests.set(address, { bodyHash: hashBody(context), response: kept, assumed, size })
  keys.size += size
  for (const oldest of keys.requests.keys()) {
    if (keys.requests.size <= maxKeys && keys.size <= maxSize) break
    remove(keys, oldest)
  }
  options.idempotencyKeys.set(project, keys)
}

const remove = (keys: ProjectKeys, address: string) => {
  keys.size -= keys.requests.get(address)?.size ?? 0
  keys.requests.delete(address)
}

const getKey = ({ operation, req }: RequestContext): string | undefined =>
  keyedOperations.has(operation?.id) ? req.header('idempotency-key') : undefined

const isValid = (key: string): boolean => key.length > 0 && key.length <= maxKeyLength

/** Returns true if the state was not replaced since the request arrived. Keys belong to one state. */
const isCurrent = ({ options, project, generation }: RequestContext): boolean =>
  options.store.getGeneration(project) === generation

const hashAddress = ({ req }: RequestContext, key: string): string => hashText(`${req.method} ${req.path} ${key}`)

/** Returns the same hash for bodies that are equal as JSON. */
const hashBody = (context: RequestContext): string => hashText(canonicalize(parseBody(context)) ?? '')

const parseBody = ({ text = '', bodyError }: RequestContext): unknown => {
  if (bodyError !== undefined) throw bodyError
  return text === '' ? undefined : parseJson(text)
}

/** Returns the same text for bodies that are equal as JSON. */
const canonicalize = (body: unknown): string | undefined =>
  JSON.stringify(body, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
