import { type ErrorType, errorCodes, MockError } from '../schema/error.ts'
import { type Effect, isBodiless } from '../schema/effect.ts'
import { pluralize } from '../schema/problem.ts'
import type { RateLimitExceeded } from '../traffic/rate-limiter.ts'
import { isJson } from '../wire/media-type.ts'
import { type ResponseData, errorData, jsonData, createResponse } from '../wire/respond.ts'
import type { RequestContext } from './request-context.ts'
import { contextHeaders } from './serialize.ts'

/** Corrupts a response: fewer bytes than its length says, invalid JSON, or no body. */
export const corrupt = (
  context: RequestContext,
  response: ResponseData,
  how: NonNullable<Effect['corrupt']>,
): Response => {
  if (how === 'truncated') return context.transport.truncate(response)
  context.response = { ...response, text: how === 'empty' ? '' : malformed(response.text ?? '') }
  return createResponse(context.response)
}

/** Invalid JSON of the same length. */
const malformed = (text: string): string => `${text.slice(0, -1)}!`

/** The error response for a request over a rate limit, with the usual headers. */
export const rateLimitResponse = (context: RequestContext, { limit, wait }: RateLimitExceeded): ResponseData => {
  const seconds = `${Math.max(1, Math.ceil(wait / 1000))}`
  const message = `Project '${context.project}' exceeded its rate limit of ${pluralize(limit, 'request')}.`
  const hint = `The next window starts in ${wait} ms of the mock clock.${clockHint(context)}`
  return errorData(new MockError('rateLimited', message, { hint }), context.behaviors.errorFormat, {
    ...contextHeaders(context),
    'retry-after': seconds,
    'ratelimit-limit': `${limit}`,
    'ratelimit-remaining': '0',
    'ratelimit-reset': seconds,
  })
}

const clockHint = ({ options, project }: RequestContext): string => {
  const { mode } = options.store.getClock(project)
  if (mode === 'real') return ''
  return ` That clock is ${mode}: advance it with POST /__admin/projects/${encodeURIComponent(project)}/clock/advance.`
}

/** A response with the status of a fault. Without a body of the fault it is an error object. */
export const statusResponse = (
  context: RequestContext,
  { headers = {}, body }: Effect,
  status: number,
): ResponseData => {
  const sent: Record<string, string> = { ...contextHeaders(context), ...lowerCase(headers) }
  if (isBodiless(status)) return { status, headers: sent, text: null }
  if (body === undefined) return errorData(injected(status), context.behaviors.errorFormat, sent)
  const { 'content-type': contentType = 'application/json' } = sent
  // The HTML page of a gateway is sent unchanged.
  if (typeof body === 'string' && !isJson(contentType)) return { status, headers: sent, text: body }
  return jsonData(body, status, sent)
}

const injected = (status: number): MockError =>
  new MockError('injectedFault', `A fault responds with status ${status}.`, {
    hint: 'A test created it: GET /__admin/faults shows it.',
    status,
    type: typeOf(status),
  })

/** The class of an error with this status: that of the first code that has it. */
const typeOf = (status: number): ErrorType => {
  const [, type] = Object.values(errorCodes).find(([own]) => own === status) ?? []
  return type ?? (status >= 500 ? 'internal' : 'invalidRequest')
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
