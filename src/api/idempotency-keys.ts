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
const maxSize = 16 * 1024 * 1024
/** Assumed: the same limit as for the values of metadata. */
export const maxKeyLength = 255

/**
 * Returns the first response to the `Idempotency-Key` of the request, if the behavior `idempotencyKey` is `replay`.
 * Undefined for a request without a key, and for a new key.
 */
export const replayResponse = (context: RequestContext): ResponseData | undefined => {
  const key = context.idempotencyKey
  if (key === undefined) return undefined
  const kept = isCurrent(context) ? findKept(context, key) : undefined
  if (kept === undefined && isValid(key)) return undefined
  if (context.getBehavior('idempotencyKey') === 'ignore') {
    const message = 'Idempotency-Key is ignored: the specification does not define it.'
    if (kept !== undefined) noteViolation(context, { path: 'headers.idempotency-key', message }, '§5')
    return undefined
  }
  if (kept === undefined) throw errors.idempotencyKeyInvalid(maxKeyLength, key.length)
  // The key was ignored when it was sent first.
  if (kept.response === undefined) return undefined
  if (hashBody(context) !== kept.bodyHash) throw errors.idempotencyKeyReused(key)
  for (const key of behaviorKeys) if (key in kept.assumed) context.getBehavior(key)
  context.behaviors = { ...context.behaviors, ...kept.assumed }
  const { status, headers, text } = kept.response
  return { status, headers: { 'content-type': headers['content-type'] ?? '', ...getContextHeaders(context) }, text }
}

/** Keeps the response of an operation under its key: a success or a conflict. After other errors the key can be reused. */
export const keepResponse = (context: RequestContext, response: ResponseData): void => {
  const key = context.idempotencyKey
  if (key === undefined || !isValid(key) || !isCurrent(context)) return
  if (response.status >= 300 && response.status !== 409) return
  if (findKept(context, key)?.response !== undefined) return
  const { options, project, assumed, behaviors } = context
  const own = options.idempotencyKeys.get(project) ?? { requests: new Map<string, KeptRequest>(), size: 0 }
  options.idempotencyKeys.set(project, own)
  const kept = behaviors.idempotencyKey === 'replay' ? response : undefined
  const address = hashAddress(context, key)
  // The newest key is the last one.
  remove(own, address)
  const values = Object.fromEntries(assumed.map((key) => [key, behaviors[key]]))
  own.requests.set(address, { bodyHash: hashBody(context), response: kept, assumed: values })
  own.size += kept?.text?.length ?? 0
  for (const oldest of own.requests.keys()) {
    if (own.requests.size <= maxKeys && own.size <= maxSize) break
    remove(own, oldest)
  }
}

const remove = (own: KeptRequests, address: string) => {
  own.size -= own.requests.get(address)?.response?.text?.length ?? 0
  own.requests.delete(address)
}

const findKept = (context: RequestContext, key: string): KeptRequest | undefined =>
  context.options.idempotencyKeys.get(context.project)?.requests.get(hashAddress(context, key))

const hashAddress = ({ req }: RequestContext, key: string): string => hashText(`${req.method} ${req.path} ${key}`)

const isValid = (key: string): boolean => key.length > 0 && key.length <= maxKeyLength

/** Returns true if the state was not replaced since the request arrived. Keys belong to one state. */
const isCurrent = ({ options, project, generation }: RequestContext): boolean =>
  options.store.states.getGeneration(project) === generation

/** Returns the same hash for bodies that are equal as JSON. */
const hashBody = ({ text = '', bodyError, operation }: RequestContext): string => {
  if (bodyError !== undefined) throw bodyError
  const isOptional = operation?.body === undefined
  const body = isOptional && text === '' ? undefined : parseJson(text)
  return hashText(toSortedJson(body) ?? '')
}
