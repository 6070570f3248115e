import type { RateLimitState } from '../traffic/faults.ts'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { RequestContext } from './request-context.ts'

/** Returns the headers of every response of the mocked API. */
export const getContextHeaders = (context: RequestContext): Record<string, string> => addContextHeaders(context, {})

/**
 * Adds the headers of every response: the request id, the behaviors that decided it, its fault and a rate limit.
 * In Node 20, each header that is added to a copy costs more than a microsecond.
 */
export const addContextHeaders = (context: RequestContext, headers: Record<string, string>): Record<string, string> => {
  const { requestId, behaviors, assumed, fault, rateLimit } = context
  headers['mock-request-id'] = requestId
  if (assumed.length > 0) headers['mock-assumed'] = assumed.map((key) => `${key}=${behaviors[key]}`).join(', ')
  if (fault !== undefined) headers['mock-fault'] = fault
  if (rateLimit !== undefined) addRateLimit(headers, rateLimit)
  return headers
}

/** Adds the usual headers of a rate limit, and those of draft-ietf-httpapi-ratelimit-headers-10. */
const addRateLimit = (headers: Record<string, string>, { limit, window, remaining, wait }: RateLimitState): void => {
  const seconds = toSeconds(wait)
  headers['ratelimit-limit'] = `${limit}`
  headers['ratelimit-remaining'] = `${remaining}`
  headers['ratelimit-reset'] = `${seconds}`
  headers['ratelimit-policy'] = `"default";q=${limit};w=${toSeconds(window)}`
  headers.ratelimit = `"default";r=${remaining};t=${seconds}`
}

/** Rounds up: a client that waits less would be rejected again. */
export const toSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000))

const exposeHeaders = [
  'Mock-Request-Id',
  'Mock-Assumed',
  'Mock-Fault',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
]

/** Lets pages of these origins read responses. Browsers decide when to send preflight requests, so these are not recorded. */
export const createCors = (origins: readonly string[]): MiddlewareHandler => {
  const allow = cors({ origin: origins.includes('*') ? '*' : [...origins], exposeHeaders })
  return async (c, next) => {
    const response = await allow(c, next)
    if (response === undefined || c.req.header('access-control-request-method') !== undefined) return response
    // An OPTIONS of the client itself. The headers that `allow` has set stay.
    await next()
  }
}
