import { errors, type MockError, withPrefixes } from '../schema/error.ts'
import { type Effect, isBodiless } from '../schema/fault.ts'
import type { AppliedFault } from '../traffic/faults.ts'
import type { Wait } from '../traffic/pending-delays.ts'
import {
  type ResponseData,
  type ResponseHeaders,
  createResponse,
  createErrorResponseData,
  createJsonResponseData,
} from '../http/respond.ts'
import { createOnEnd, drop, getRawHeaders, truncate } from '../http/transport.ts'
import type { RequestContext } from './request-context.ts'
import { type Fields, isRecord } from '../schema/json-value.ts'
import { isJson, json } from '../http/json.ts'
import { getContextHeaders, toSeconds } from './response-headers.ts'

/** A response with a longer delay is late, in milliseconds. */
const lateThreshold = 1000

/** Finds the fault that applies to the request, and counts the hit. The context gets the rate limit that matches. */
export const matchFault = (context: RequestContext): AppliedFault | undefined => {
  const { options, operation, project, c, req, text } = context
  const { faults } = options.traffic
  if (operation === undefined || !faults.mayApply(project)) return undefined
  // A request that began before a reset does not use up a fault that was created after it.
  if (options.store.states.getGeneration(project) !== context.generation) return undefined
  const { method, url } = req
  const headers = getRawHeaders(c)
  const request = { project, operation: operation.id, method, url, headers, text, status: undefined }
  const { applied, rateLimit } = faults.choose(request)
  context.rateLimit = rateLimit
  return applied
}

/**
 * Applies a fault to a request: before the operation, or after it with `phase: 'after'`. Requests wait only here. Throws
 * `stateReplaced` or `shuttingDown` if that happens during the wait.
 */
export const applyFault = async (
  context: RequestContext,
  { id, rule }: AppliedFault,
  execute: () => ResponseData,
): Promise<Response> => {
  const { effect, phase = 'before' } = rule
  context.fault = id
  context.effect = effect
  context.past = effect.stale
  let deliveredResponse = phase === 'after' ? execute() : undefined
  if (!(await delayOrHold(context, id, effect))) return dropConnection(context, 'close')
  // Both deliveries happen, also if the client then receives no response.
  if (effect.duplicate) deliveredResponse = execute()
  // However the wait ends, the client gets no response.
  if (effect.connection === 'hang') await startWaiting(context, {})
  if (effect.connection !== undefined) return dropConnection(context, effect.connection === 'reset' ? 'reset' : 'close')
  const response = createReplacement(context, effect) ?? deliveredResponse ?? execute()
  context.response = effect.evolve === undefined ? response : evolve(response, effect.evolve)
  return effect.corrupt === undefined
    ? createResponse(context.response)
    : corrupt(context, context.response, effect.corrupt)
}

/** Waits as the effect says. Returns false if the client disconnected. */
const delayOrHold = async (context: RequestContext, id: string, { delay, hold }: Effect): Promise<boolean> => {
  const milliseconds = delay === undefined ? 0 : getDelay(context, delay)
  const isConnected =
    (delay === undefined || (await waitForEnd(context, { milliseconds }))) &&
    (!hold || (await waitForEnd(context, { heldBy: id })))
  // A held response is always late: the time of the machine would differ between runs.
  context.isLate = hold === true || milliseconds > lateThreshold
  return isConnected
}

const getDelay = ({ options, project }: RequestContext, delay: NonNullable<Effect['delay']>): number => {
  const { milliseconds, jitter = 0 } = delay
  return jitter === 0 ? milliseconds : milliseconds + Math.round(options.store.draw(project) * jitter)
}

type WaitEndCondition = Pick<Wait, 'milliseconds' | 'heldBy'>

const startWaiting = ({ project, c, options }: RequestContext, endCondition: WaitEndCondition) =>
  options.traffic.waits.wait({ project, onEnd: createOnEnd(c), ...endCondition })

/** Waits for a time or a release, or else until the client disconnects. Returns false if it disconnected. */
const waitForEnd = async (context: RequestContext, endCondition: WaitEndCondition): Promise<boolean> => {
  const { project } = context
  switch (await startWaiting(context, endCondition)) {
    case 'elapsed':
      return true
    case 'disconnected':
      return false
    case 'replaced':
      throw errors.stateReplaced({ project })
    case 'stopped':
      throw errors.shuttingDown()
  }
}

const dropConnection = (context: RequestContext, droppedHow: 'reset' | 'close'): Response => {
  context.response = undefined
  return drop(context.c, droppedHow)
}

/** Creates the response that replaces the operation. Undefined if the fault has none. */
const createReplacement = (context: RequestContext, effect: Effect): ResponseData | undefined => {
  const { rateLimit, project, options, behaviors, assumed } = context
  const { status, headers = {}, body } = effect
  const createError = (faultError: MockError, allHeaders: ResponseHeaders) =>
    createErrorResponseData(withPrefixes(faultError, options.prefixes), allHeaders, behaviors.errorFormat)
  if (effect.rateLimit !== undefined && rateLimit !== undefined) {
    const { limit, wait } = rateLimit
    const { mode } = options.store.clock.getStatus(project)
    const allHeaders = { ...getContextHeaders(context), 'retry-after': `${toSeconds(wait)}` }
    return createError(errors.rateLimited({ project, limit, wait, mode }), allHeaders)
  }
  if (status === undefined) return undefined
  // No behavior decides this response, even if the operation has run.
  assumed.length = 0
  const faultHeaders = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const responseHeaders: Record<string, string> = { ...getContextHeaders(context), ...Object.fromEntries(faultHeaders) }
  if (isBodiless(status)) return { status, headers: responseHeaders, text: null }
  if (body === undefined) return createError(errors.injectedFault(status), responseHeaders)
  const { 'content-type': contentType = json } = responseHeaders
  // The HTML page of a gateway is sent unchanged.
  if (typeof body === 'string' && !isJson(contentType)) return { status, headers: responseHeaders, text: body }
  return createJsonResponseData(body, status, responseHeaders)
}

/** Corrupts a response: fewer bytes than announced, invalid JSON, or no body. */
const corrupt = (
  context: RequestContext,
  response: ResponseData,
  corruption: NonNullable<Effect['corrupt']>,
): Response => {
  if (corruption === 'truncated') return truncate(context.c, response)
  // Invalid JSON of the same length.
  const text = corruption === 'empty' ? '' : `${(response.text ?? '').slice(0, -1)}!`
  context.response = { ...response, text }
  return createResponse(context.response)
}

/** Changes a response as a later release of the service could. Records of clients, such as metadata, stay as they are. */
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
