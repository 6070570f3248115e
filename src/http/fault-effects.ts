import { errorDefinitions, errors } from '../schema/error.ts'
import type { ErrorType } from '../schema/error-definition.ts'
import { type Effect, isBodiless } from '../schema/effect.ts'
import { type Fields, isRecord } from '../schema/is-record.ts'
import type { RateLimit } from '../traffic/rate-limiter.ts'
import { isJson } from '../wire/media-type.ts'
import {
  type ResponseData,
  createErrorResponseData,
  createJsonResponseData,
  createResponse,
  type OutgoingResponse,
} from '../wire/respond.ts'
import type { RequestContext } from './request-context.ts'
import { getContextHeaders, toSeconds } from './serialize.ts'

/** Corrupts a response: fewer bytes than announced, invalid JSON, or no body. */
export const corrupt = (
  context: RequestContext,
  response: ResponseData,
  how: NonNullable<Effect['corrupt']>,
): OutgoingResponse => {
  if (how === 'truncated') return context.transport.truncate(response)
  context.response = { ...response, text: how === 'empty' ? '' : corruptText(response.text ?? '') }
  return createResponse(context.response)
}

/** Returns invalid JSON of the same length. */
const corruptText = (text: string): string => `${text.slice(0, -1)}!`

/** Changes a response as a later release of the service could. Records of clients, such as metadata, stay as they are. */
export const evolve = (response: ResponseData, changes: NonNullable<Effect['evolve']>): ResponseData => {
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

/** Creates the error response for a request over a rate limit. */
export const createRateLimitResponse = (context: RequestContext, { limit, wait }: RateLimit): ResponseData => {
  const { project, options, behaviors } = context
  const { mode } = options.store.getClock(project)
  return createErrorResponseData(errors.rateLimited({ project, limit, wait, mode }), behaviors.errorFormat, {
    ...getContextHeaders(context),
    'retry-after': `${toSeconds(wait)}`,
  })
}

/** Creates a response with the status of a fault. If the fault has no body, the response is an error object. */
export const createStatusResponse = (
  context: RequestContext,
  { headers = {}, body }: Effect,
  status: number,
): ResponseData => {
  const sent: Record<string, string> = { ...getContextHeaders(context), ...lowerCaseNames(headers) }
  if (isBodiless(status)) return { status, headers: sent, text: null }
  if (body === undefined)
    return createErrorResponseData(
      errors.injectedFault(status, getErrorType(status)),
      context.behaviors.errorFormat,
      sent,
    )
  const { 'content-type': contentType = 'application/json' } = sent
  // The HTML page of a gateway is sent unchanged.
  if (typeof body === 'string' && !isJson(contentType)) return { status, headers: sent, text: body }
  return createJsonResponseData(body, status, sent)
}

/** Returns the type of the first error code with this status. */
const getErrorType = (status: number): ErrorType => {
  const known = Object.values(errorDefinitions).find((one) => one.status === status)
  return known?.type ?? (status >= 500 ? 'internal' : 'invalidRequest')
}

const lowerCaseNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
