import type { RateLimit } from '../traffic/faults.ts'
import { getTarget } from '../schema/url.ts'
import { createEmptyResponse, type OutgoingResponse, type ResponseHeaders } from '../wire/respond.ts'
import type { IncomingRequest } from '../wire/transport.ts'
import type { ApiOptions, RequestContext } from './request-context.ts'

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

const exposedHeaders =
  'Mock-Request-Id, Mock-Assumed, Mock-Fault, Retry-After, ' +
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit, RateLimit-Policy'

/** Returns the headers that let a page of an allowed origin read a response. Assumed: clients send tokens, not cookies. */
export const getCorsHeaders = (allowed: ApiOptions['cors'], origin: string | null | undefined): ResponseHeaders => {
  if (allowed === undefined) return {}
  const granted = ['*', origin].find((one) => one && allowed.includes(one))
  const vary = { vary: 'Origin' }
  if (!granted) return vary
  return { ...vary, 'access-control-allow-origin': granted, 'access-control-expose-headers': exposedHeaders }
}

/**
 * Responds to a preflight request from an allowed origin. Undefined for every other request. Browsers decide when to send
 * preflight requests, so these are neither recorded nor counted, and create no sandbox.
 */
export const respondToPreflight = (
  { method, headers, url }: IncomingRequest,
  allowed: readonly string[],
  basePath: string,
): OutgoingResponse | undefined => {
  if (method !== 'OPTIONS' || !isApiUrl(url, basePath)) return undefined
  const requested = headers.get('access-control-request-method')
  const granted = getCorsHeaders(allowed, headers.get('origin'))
  if (requested === null || !('access-control-allow-origin' in granted)) return undefined
  // A wrong method or path gets its error with the request itself, where the page can read it.
  return createEmptyResponse(204, {
    ...granted,
    'access-control-allow-methods': requested,
    'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
  })
}

/** Returns true if a URL belongs to the mocked API, also in a sandbox. */
export const isApiUrl = (url: string, basePath: string): boolean =>
  getTarget(url)
    .replace(/^\/(?:@|%40)[^/]*/, '')
    .startsWith(`${basePath}/projects/`)
