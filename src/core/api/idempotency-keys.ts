import { hashText } from '../domain/tokens.ts'
import { errors } from '../schema/error.ts'
import { toSortedJson } from '../schema/json-value.ts'
import type { Notes, StageResult } from './outcome.ts'
import { catchErrors } from './stage-errors.ts'
import { type ApiRequest, isCurrentState, type KeptRequest, type KeptRequests, parseBody } from './request.ts'
import { noteViolation } from './violations.ts'

const maxKeys = 1000
/** The maximum size of the kept responses of a project, in characters. */
const maxKeptSize = 16 * 1024 * 1024
/** Assumed: the same limit as for the values of metadata. */
export const maxKeyLength = 255

/** With `idempotencyKey=replay`, a later request with the same `Idempotency-Key` gets the first response again. */
export const withIdempotency = (request: ApiRequest, notes: Notes, runStages: () => StageResult): StageResult => {
  const { idempotencyKey: key } = request
  if (key === undefined) return runStages()
  const replayedResult = findFirstResult(request, notes, key)
  if (replayedResult !== undefined) return replayedResult
  const result = catchErrors(request, notes, runStages)
  if (isValidKey(key) && isCurrentState(request)) keepResult(request, notes, key, result)
  return result
}

/** Returns the first response to a key. Undefined for a new key, or if keys are ignored. */
const findFirstResult = (request: ApiRequest, notes: Notes, key: string): StageResult | undefined => {
  const keptRequest = isCurrentState(request) ? findKeptRequest(request, key) : undefined
  if (keptRequest === undefined && isValidKey(key)) return undefined
  if (notes.getBehavior('idempotencyKey') === 'ignore') {
    const message = 'Idempotency-Key is ignored: the specification does not define it.'
    if (keptRequest !== undefined) noteViolation(request, notes, { path: 'headers.idempotency-key', message }, '§5')
    return undefined
  }
  if (keptRequest === undefined) throw errors.idempotencyKeyInvalid(maxKeyLength, key.length)
  const { response, bodyHash, assumed } = keptRequest
  // The key was ignored when it was sent first.
  if (response === undefined) return undefined
  if (hashBody(request) !== bodyHash) throw errors.idempotencyKeyReused(key)
  notes.assumed = { ...notes.assumed, ...assumed }
  const { type = '', ...first } = response
  return { ...first, headers: { 'content-type': type } }
}

/** Keeps a success or a conflict under its key. After other errors the key can be reused. */
const keepResult = (request: ApiRequest, { assumed }: Notes, key: string, result: StageResult): void => {
  const { status, headers, text, error } = result
  if (status >= 300 && status !== 409) return
  if (findKeptRequest(request, key)?.response !== undefined) return
  const { options, project, behaviors } = request
  const keptRequests = options.idempotencyKeys.get(project) ?? { requests: new Map<string, KeptRequest>(), size: 0 }
  options.idempotencyKeys.set(project, keptRequests)
  const isReplayed = behaviors.idempotencyKey === 'replay'
  const response = isReplayed ? { status, type: headers['content-type'], text, error } : undefined
  const keyHash = hashKey(request, key)
  // The newest key is the last one.
  removeKey(keptRequests, keyHash)
  keptRequests.requests.set(keyHash, { bodyHash: hashBody(request), response, assumed })
  keptRequests.size += response?.text?.length ?? 0
  for (const oldestKeyHash of keptRequests.requests.keys()) {
    if (keptRequests.requests.size <= maxKeys && keptRequests.size <= maxKeptSize) break
    removeKey(keptRequests, oldestKeyHash)
  }
}

const removeKey = (keptRequests: KeptRequests, keyHash: string) => {
  keptRequests.size -= keptRequests.requests.get(keyHash)?.response?.text?.length ?? 0
  keptRequests.requests.delete(keyHash)
}

const findKeptRequest = (request: ApiRequest, key: string): KeptRequest | undefined =>
  request.options.idempotencyKeys.get(request.project)?.requests.get(hashKey(request, key))

const hashKey = ({ req }: ApiRequest, key: string): string => hashText(`${req.method} ${req.path} ${key}`)

const isValidKey = (key: string): boolean => key.length > 0 && key.length <= maxKeyLength

/** Returns the same hash for bodies that are equal as JSON. */
const hashBody = (request: ApiRequest): string => hashText(toSortedJson(parseBody(request)) ?? '')
