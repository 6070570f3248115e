import type { RateLimit } from '../traffic/rate-limiter.ts'
import { getCorsHeaders } from './cors.ts'
import type { RequestContext } from './request-context.ts'

/** Returns the headers of every response of the mocked API. */
export const getContextHeaders = (context: RequestContext): Record<string, string> => addContextHeaders(context, {})

/**
 * Adds the headers of every response: the request id, the behaviors that decided it, its fault, a rate limit and CORS.
 * In Node 20, each header that is added to a copy costs more than a microsecond.
 */
export const addContextHeaders = (context: RequestContext, headers: Record<string, string>): Record<string, string> => {
  const { requestId, behaviors, assumed, fault, rateLimit, options, req } = context
  headers['mock-request-id'] = requestId
  if (assumed.length > 0) headers['mock-assumed'] = assumed.map((key) => `${key}=${behaviors[key]}`).join(', ')
  if (fault !== undefined) headers['mock-fault'] = fault
  if (rateLimit !== undefined) addRateLimit(headers, rateLimit)
  return options.cors === undefined ? headers : { ...headers, ...getCorsHeaders(options.cors, req.header('origin')) }
}

/** Adds the usual headers of a rate limit, and those of draft-ietf-httpapi-ratelimit-headers-10. */
const addRateLimit = (headers: Record<string, string>, { limit, window, remaining, wait }: RateLimit): void => {
  const seconds = toSeconds(wait)
  headers['ratelimit-limit'] = `${limit}`
  headers['ratelimit-remaining'] = `${remaining}`
  headers['ratelimit-reset'] = `${seconds}`
  headers['ratelimit-policy'] = `"default";q=${limit};w=${toSeconds(window)}`
  headers.ratelimit = `"default";r=${remaining};t=${seconds}`
}

/** Rounds up: a client that waits less would be rejected again. */
export const toSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000))
