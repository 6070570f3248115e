import { hashText } from '../domain/tokens.ts'
import { behaviorKeys } from '../schema/behavior.ts'
import { errors } from '../schema/error.ts'
import { toSortedJson } from '../schema/json-value.ts'
import { parseJson } from '../http/json.ts'
import type { ResponseData } from '../http/respond.ts'
import type { KeptRequest, KeptRequests, RequestContext } from './request-context.ts'
import { getContextHeaders } from './response-headers.ts'
import { noteViolation } from './violations.ts'

const maxKeys = 1000
/** The maximum size of the kept responses of a project, in characters. */
const maxKeptSize = 16 * 1024 * 1024
/** Assumed: the same limit as for the values of metadata. */
export const maxKeyLength = 255

/**
 * Returns the first response to the `Idempotency-Key` of the request, if the behavior `idempotencyKey` is `replay`.
 * Undefined for a request without a key, and for a new key.
 */
export const replayResponse = (context: RequestContext): ResponseData | undefined => {
  const key = context.idempotencyKey
  if (key === undefined) return undefined
  const keptRequest = isCurrentState(context) ? findKeptRequest(context, key) : undefined
  if (keptRequest === undefined && isValidKey(key)) return undefined
  if (context.getBehavior('idempotencyKey') === 'ignore') {
    const message = 'Idempotency-Key is ignored: the specification does not define it.'
    if (keptRequest !== undefined) noteViolation(context, { path: 'headers.idempotency-key', message }, '§5')
    return undefined
  }
  if (keptRequest === undefined) throw errors.idempotencyKeyInvalid(maxKeyLength, key.length)
  // The key was ignored when it was sent first.
  if (keptRequest.response === undefined) return undefined
  if (hashBody(context) !== keptRequest.bodyHash) throw errors.idempotencyKeyReused(key)
  for (const behaviorKey of behaviorKeys) if (behaviorKey in keptRequest.assumed) context.getBehavior(behaviorKey)
  context.behaviors = { ...context.behaviors, ...keptRequest.assumed }
  const { status, headers, text } = keptRequest.response
  return { status, headers: { 'content-type': headers['content-type'] ?? '', ...getContextHeaders(context) }, text }
}

/** Keeps the response of an operation under its key: a success or a conflict. After other errors the key can be reused. */
export const keepResponse = (context: RequestContext, response: ResponseData): void => {
  const key = context.idempotencyKey
  if (key === undefined || !isValidKey(key) || !isCurrentState(context)) return
  if (response.status >= 300 && response.status !== 409) return
  if (findKeptRequest(context, key)?.response !== undefined) return
  const { options, project, assumed, behaviors } = context
  const keptRequests = options.idempotencyKeys.get(project) ?? { requests: new Map<string, KeptRequest>(), size: 0 }
  options.idempotencyKeys.set(project, keptRequests)
  const keptResponse = behaviors.idempotencyKey === 'replay' ? response : undefined
  const keyHash = hashKey(context, key)
  // The newest key is the last one.
  removeKey(keptRequests, keyHash)
  const assumedBehaviors = Object.fromEntries(assumed.map((behaviorKey) => [behaviorKey, behaviors[behaviorKey]]))
  keptRequests.requests.set(keyHash, { bodyHash: hashBody(context), response: keptResponse, assumed: assumedBehaviors })
  keptRequests.size += keptResponse?.text?.length ?? 0
  for (const oldestKeyHash of keptRequests.requests.keys()) {
    if (keptRequests.requests.size <= maxKeys && keptRequests.size <= maxKeptSize) break
    removeKey(keptRequests, oldestKeyHash)
  }
}

const removeKey = (keptRequests: KeptRequests, keyHash: string) => {
  keptRequests.size -= keptRequests.requests.get(keyHash)?.response?.text?.length ?? 0
  keptRequests.requests.delete(keyHash)
}

const findKeptRequest = (context: RequestContext, key: string): KeptRequest | undefined =>
  context.options.idempotencyKeys.get(context.project)?.requests.get(hashKey(context, key))

const hashKey = ({ req }: RequestContext, key: string): string => hashText(`${req.method} ${req.path} ${key}`)

const isValidKey = (key: string): boolean => key.length > 0 && key.length <= maxKeyLength

/** Returns true if the state was not replaced since the request arrived. Keys belong to one state. */
const isCurrentState = ({ options, project, generation }: RequestContext): boolean =>
  options.store.states.getGeneration(project) === generation

/** Returns the same hash for bodies that are equal as JSON. */
const hashBody = ({ text = '', bodyError, operation }: RequestContext): string => {
  if (bodyError !== undefined) throw bodyError
  const isOptional = operation?.body === undefined
  const body = isOptional && text === '' ? undefined : parseJson(text)
  return hashText(toSortedJson(body) ?? '')
}
