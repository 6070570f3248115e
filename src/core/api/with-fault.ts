import {
  createErrorResponseData,
  createJsonResponseData,
  type ResponseData,
  type ResponseHeaders,
} from '../http/respond.ts'
import { isJson, jsonType } from '../http/json.ts'
import { createOnEnd, getRawHeaders } from '../http/transport.ts'
import type { Past } from '../domain/history.ts'
import { errors, type MockError, withPrefixes } from '../schema/error.ts'
import { type Effect, isBodiless } from '../schema/fault.ts'
import { type Fields, isRecord } from '../schema/json-value.ts'
import { type AppliedFault, type FaultChoice, noFault, type RateLimitState } from '../traffic/faults.ts'
import type { Wait } from '../traffic/waits.ts'
import { type FaultOutcome, Notes, type OnOutcome, type RequestOutcome, sortBehaviors } from './outcome.ts'
import { toErrorResult } from './stage-errors.ts'
import { type ApiRequest, isCurrentState } from './request.ts'
import { toSeconds } from './response-headers.ts'

/** @param past the earlier state that a fault shows */
export type Deliver = (request: ApiRequest, past?: Past) => RequestOutcome

/** A response with a longer delay is late, in milliseconds. */
const lateThreshold = 1000

export const matchFault = (request: ApiRequest): FaultChoice => {
  const { options, operation, project, req, body } = request
  const { faults } = options.traffic
  // A request that began before a reset does not use up a fault that was created after it.
  if (operation === undefined || !faults.mayApply(project) || !isCurrentState(request)) return noFault
  const { method, url } = req
  const headers = getRawHeaders(request.c)
  return faults.choose({ project, operation: operation.id, method, url, headers, text: body.text, status: undefined })
}

/** Requests wait only here. If the state is replaced or the mock stops meanwhile, the response is an error. */
export const withFault = async (
  request: ApiRequest,
  { applied: { id, rule }, rateLimit }: FaultChoice & { readonly applied: AppliedFault },
  deliver: Deliver,
): Promise<RequestOutcome> => {
  const { effect, phase = 'before' } = rule
  const deliverNow = () => deliver(request, effect.stale)
  let delivered = phase === 'after' ? deliverNow() : undefined
  let isLate = false
  const buildOutcome = (
    response: ResponseData | undefined,
    overrides: Partial<RequestOutcome> = {},
    broken?: FaultOutcome['broken'],
  ): RequestOutcome => {
    const outcome = delivered ?? { ...nothingDelivered, id: request.id }
    const hasChangedBefore = outcome.fault?.hasChangedBefore ?? false
    return { ...outcome, ...overrides, response, fault: { id, effect, isLate, hasChangedBefore, broken } }
  }
  try {
    const milliseconds = effect.delay === undefined ? 0 : getDelay(request, effect.delay)
    const isConnected =
      (effect.delay === undefined || (await waitForEnd(request, { milliseconds }))) &&
      (!effect.hold || (await waitForEnd(request, { heldBy: id })))
    // A held response is always late: the time of the machine would differ between runs.
    isLate = effect.hold === true || milliseconds > lateThreshold
    if (!isConnected) return buildOutcome(undefined, {}, 'close')
    // Both deliveries happen, even if the client then receives no response.
    if (effect.duplicate) delivered = deliverNow()
    // However the wait ends, the client gets no response.
    if (effect.connection === 'hang') await startWaiting(request, {})
    if (effect.connection !== undefined)
      return buildOutcome(undefined, {}, effect.connection === 'reset' ? 'reset' : 'close')
    const replacement = createReplacement(request, effect, rateLimit)
    if (replacement === undefined) delivered ??= deliverNow()
    const response = replacement ?? delivered?.response
    const broken = effect.corrupt === 'truncated' ? 'truncated' : undefined
    // No behavior decides a replacement, even if the operation has run.
    return buildOutcome(response && alter(response, effect), replacement && { assumed: {} }, broken)
  } catch (error) {
    const { error: code, ...response } = toErrorResult(request, new Notes(request.behaviors, undefined), error)
    return buildOutcome(response, { error: code })
  }
}

const nothingDelivered: Omit<RequestOutcome, 'id'> = {
  response: undefined,
  error: undefined,
  shown: undefined,
  changes: [],
  assumed: {},
  violations: [],
  past: undefined,
  fault: undefined,
}

/** @param recordFirst is called with the outcome of the first delivery */
export const withDuplicate =
  ({ id, rule: { effect } }: AppliedFault, deliver: Deliver, recordFirst: OnOutcome): Deliver =>
  (request, past) => {
    const fault = { id, effect, isLate: false, hasChangedBefore: false, broken: undefined }
    const first = { ...deliver(request, past), fault }
    recordFirst(first)
    const second = deliver({ ...request, id: request.options.store.requests.nextId(request.project) }, past)
    // The changes of the first delivery, such as a new project, also decide the second response.
    const assumed = sortBehaviors({ ...first.assumed, ...second.assumed })
    return { ...second, assumed, fault: { ...fault, hasChangedBefore: first.changes.length > 0 } }
  }

type WaitEndCondition = Pick<Wait, 'milliseconds' | 'heldBy'>

const startWaiting = ({ project, c, options }: ApiRequest, endCondition: WaitEndCondition) =>
  options.traffic.waits.wait({ project, onEnd: createOnEnd(c), ...endCondition })

/** Returns false if the client disconnected. */
const waitForEnd = async (request: ApiRequest, endCondition: WaitEndCondition): Promise<boolean> => {
  switch (await startWaiting(request, endCondition)) {
    case 'elapsed':
      return true
    case 'disconnected':
      return false
    case 'replaced':
      throw errors.stateReplaced({ project: request.project })
    case 'stopped':
      throw errors.shuttingDown()
  }
}

const getDelay = ({ options, project }: ApiRequest, delay: NonNullable<Effect['delay']>): number => {
  const { milliseconds, jitter = 0 } = delay
  return jitter === 0 ? milliseconds : milliseconds + Math.round(options.store.draw(project) * jitter)
}

/** Returns undefined if the fault does not replace the response. */
const createReplacement = (
  { project, options, behaviors }: ApiRequest,
  { status, headers = {}, body, ...effect }: Effect,
  rateLimit: RateLimitState | undefined,
): ResponseData | undefined => {
  const createError = (faultError: MockError, responseHeaders: ResponseHeaders) =>
    createErrorResponseData(withPrefixes(faultError, options.prefixes), responseHeaders, behaviors.errorFormat)
  if (effect.rateLimit !== undefined && rateLimit !== undefined) {
    const { limit, wait } = rateLimit
    const { mode } = options.store.clock.getStatus(project)
    return createError(errors.rateLimited({ project, limit, wait, mode }), { 'retry-after': `${toSeconds(wait)}` })
  }
  if (status === undefined) return undefined
  const faultHeaders = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const responseHeaders: Record<string, string> = Object.fromEntries(faultHeaders)
  if (isBodiless(status)) return { status, headers: responseHeaders, text: null }
  if (body === undefined) return createError(errors.injectedFault(status), responseHeaders)
  const { 'content-type': contentType = jsonType } = responseHeaders
  // The HTML page of a gateway is sent unchanged.
  if (typeof body === 'string' && !isJson(contentType)) return { status, headers: responseHeaders, text: body }
  return createJsonResponseData(body, status, responseHeaders)
}

/** Makes JSON invalid without changing its length. */
const alter = (response: ResponseData, { evolve: changes, corrupt }: Effect): ResponseData => {
  const altered = changes === undefined ? response : evolve(response, changes)
  if (corrupt === undefined || corrupt === 'truncated') return altered
  return { ...altered, text: corrupt === 'empty' ? '' : `${(altered.text ?? '').slice(0, -1)}!` }
}

/** Records of clients, such as metadata, do not change. */
const evolve = (response: ResponseData, changes: NonNullable<Effect['evolve']>): ResponseData => {
  const has = (change: (typeof compatible)[number] | 'values') =>
    (changes === true ? compatible : changes).some((one) => one === change)
  const evolveValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(evolveValue)
    return isRecord(value) ? evolveObject(value) : value
  }
  const evolveObject = (fields: Fields): Fields => {
    const isPaymentLink = fields.object === 'paymentLink'
    const entries = Object.entries(fields).map(([name, value]): [string, unknown] => {
      if (name === 'metadata') return [name, value]
      if (has('times') && name.endsWith('At') && typeof value === 'string') return [name, addMicroseconds(value)]
      if (has('values') && isPaymentLink && name in addedValues) return [name, addedValues[name]]
      return [name, evolveValue(value)]
    })
    if (has('fields')) entries.push(['addedField', 'of a later release'])
    return Object.fromEntries(has('order') ? entries.toReversed() : entries)
  }
  // The length of a response without a body, such as that to an OPTIONS, is 0.
  return response.text ? { ...response, text: JSON.stringify(evolveValue(JSON.parse(response.text))) } : response
}

const compatible = ['fields', 'order', 'times'] as const
const addedValues: Readonly<Record<string, string>> = { status: 'addedStatus', type: 'addedType' }

/** `2025-01-01T00:00:00.123Z` becomes `2025-01-01T00:00:00.123000Z`. */
const addMicroseconds = (time: string): string =>
  time.replace(/(?:\.(\d+))?Z$/, (_, digits = '') => `.${String(digits).padEnd(6, '0')}Z`)
