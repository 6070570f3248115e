import type { BehaviorKey } from '../schema/behavior.ts'
import { type ErrorCode, MockError } from '../schema/error.ts'
import { isRecord } from '../schema/is-record.ts'
import type { OperationId } from '../schema/operation.ts'
import { parseJson } from '../wire/json.ts'
import type { ResponseData } from '../wire/respond.ts'
import type { RequestContext } from './request-context.ts'
import { contextHeaders } from './serialize.ts'
import { note } from './violations.ts'

/** The first response to a key. */
interface KeptResponse {
  readonly response: ResponseData
  readonly requestBody: unknown
  /** The behaviors that decided the response. */
  readonly assumed: readonly BehaviorKey[]
}

/** The kept responses of each project, oldest first. A reset, a load and a restore delete those of a project. */
export type IdempotencyKeys = Map<string, Map<string, KeptResponse>>

/** Forgets the keys of a project, or of all projects. */
export const forgetKeys = (keys: IdempotencyKeys, project: string | undefined): void => {
  if (project === undefined) keys.clear()
  else keys.delete(project)
}

/** The errors of the operations with keys. */
export const keyErrors = ['idempotencyKeyInvalid', 'idempotencyKeyReused'] as const satisfies readonly ErrorCode[]

/** The operations that do more if they are sent twice. */
export const keyedOperations: ReadonlySet<OperationId | undefined> = new Set([
  'createUser',
  'createPaymentLink',
  'cancelPaymentLink',
])

const maxKeys = 1000
/** Assumed: as many characters as a value of metadata (§2.2). */
export const maxKeyLength = 255

/** Returns the first response to the `Idempotency-Key` of the request, with `idempotencyKey=replay`. */
export const replayResponse = (context: RequestContext): ResponseData | undefined => {
  const key = keyOf(context)
  if (key === undefined) return undefined
  const kept = isCurrent(context)
    ? context.options.idempotencyKeys.get(context.project)?.get(addressOf(context, key))
    : undefined
  if (kept === undefined && isValid(key)) return undefined
  if (context.getBehavior('idempotencyKey') === 'ignore') {
    const message = 'Idempotency-Key is ignored: the specification does not define it.'
    if (kept !== undefined) note(context, '§5', { path: 'headers.idempotency-key', message })
    return undefined
  }
  if (kept === undefined)
    throw new MockError(
      'idempotencyKeyInvalid',
      `The Idempotency-Key header must have 1 to ${maxKeyLength} characters (got ${key.length}).`,
    )
  if (canonical(bodyOf(context)) !== canonical(kept.requestBody))
    throw new MockError('idempotencyKeyReused', `The Idempotency-Key '${key}' was sent before, with another body.`, {
      hint: 'Send a new key with each new request.',
    })
  kept.assumed.forEach(context.getBehavior)
  const { status, headers, text } = kept.response
  return { status, headers: { 'content-type': headers['content-type'] ?? '', ...contextHeaders(context) }, text }
}

/** Keeps the response of an operation for its key: a success or a conflict. Other errors can be sent again. */
export const keepResponse = (context: RequestContext, response: ResponseData): void => {
  const key = keyOf(context)
  if (key === undefined || !isValid(key) || !isCurrent(context)) return
  if (response.status >= 300 && response.status !== 409) return
  const { options, project, assumed } = context
  const kept = options.idempotencyKeys.get(project) ?? new Map<string, KeptResponse>()
  const address = addressOf(context, key)
  if (kept.has(address)) return
  const [oldest] = kept.keys()
  if (kept.size === maxKeys && oldest !== undefined) kept.delete(oldest)
  kept.set(address, { response, requestBody: bodyOf(context), assumed })
  options.idempotencyKeys.set(project, kept)
}

const keyOf = ({ operation, req }: RequestContext): string | undefined =>
  keyedOperations.has(operation?.id) ? req.header('idempotency-key') : undefined

const isValid = (key: string): boolean => key.length > 0 && key.length <= maxKeyLength

/** Whether the state is still that of the arrival of the request. A later one must not see the request, nor be seen by it. */
const isCurrent = ({ options, project, generation }: RequestContext): boolean =>
  options.store.getGeneration(project) === generation

const addressOf = ({ req }: RequestContext, key: string): string => `${req.method} ${req.path} ${key}`

const bodyOf = ({ text = '', bodyError }: RequestContext): unknown => {
  if (bodyError !== undefined) throw bodyError
  return text === '' ? undefined : parseJson(text)
}

/** The same text for bodies that are equal as JSON. */
const canonical = (body: unknown): string | undefined =>
  JSON.stringify(body, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
