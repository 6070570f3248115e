import { hashText } from '../domain/tokens.ts'
import { errors } from '../schema/error.ts'
import { isRecord } from '../schema/json-value.ts'
import { parseJson } from '../wire/json.ts'
import type { ResponseData } from '../wire/respond.ts'
import { findKept, keepRequest, maxKeyLength } from './idempotency-keys.ts'
import type { RequestContext } from './request-context.ts'
import { getContextHeaders } from './response-headers.ts'
import { noteViolation } from './violations.ts'

/**
 * Returns the first response to the `Idempotency-Key` of the request, if the behavior `idempotencyKey` is `replay`.
 * Undefined for a request without a key, and for a new key.
 */
export const replayResponse = (context: RequestContext): ResponseData | undefined => {
  const key = context.idempotencyKey
  if (key === undefined) return undefined
  const kept = isCurrent(context)
    ? findKept(context.options.idempotencyKeys, context.project, hashAddress(context, key))
    : undefined
  if (kept === undefined && isValid(key)) return undefined
  if (context.getBehavior('idempotencyKey') === 'ignore') {
    const message = 'Idempotency-Key is ignored: the specification does not define it.'
    if (kept !== undefined) noteViolation(context, '§5', { path: 'headers.idempotency-key', message })
    return undefined
  }
  if (kept === undefined) throw errors.idempotencyKeyInvalid(maxKeyLength, key.length)
  // The key was ignored when it was sent first.
  if (kept.response === undefined) return undefined
  if (hashBody(context) !== kept.bodyHash) throw errors.idempotencyKeyReused(key)
  kept.assumed.forEach(context.getBehavior)
  const { status, headers, text } = kept.response
  return { status, headers: { 'content-type': headers['content-type'] ?? '', ...getContextHeaders(context) }, text }
}

/** Stores the response of an operation under its key: a success or a conflict. After other errors the key can be reused. */
export const keepResponse = (context: RequestContext, response: ResponseData): void => {
  const key = context.idempotencyKey
  if (key === undefined || !isValid(key) || !isCurrent(context)) return
  if (response.status >= 300 && response.status !== 409) return
  const { options, project, assumed, behaviors } = context
  const address = hashAddress(context, key)
  if (findKept(options.idempotencyKeys, project, address)?.response !== undefined) return
  const kept = behaviors.idempotencyKey === 'replay' ? response : undefined
  const size = kept?.text?.length ?? 0
  keepRequest(options.idempotencyKeys, project, address, { bodyHash: hashBody(context), response: kept, assumed, size })
}

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
