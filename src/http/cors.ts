import { createEmptyResponse, type ResponseHeaders, type OutgoingResponse } from '../wire/respond.ts'
import type { IncomingRequest } from '../wire/transport.ts'
import { getTarget } from '../schema/url.ts'

/** The origins of the option `cors`. Undefined: pages of other origins cannot read responses. */
export type CorsOrigins = readonly string[] | undefined

const exposedHeaders =
  'Mock-Request-Id, Mock-Assumed, Mock-Fault, Retry-After, ' +
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit, RateLimit-Policy'

/** Returns the headers that let a page of an allowed origin read a response. Assumed: clients send tokens, not cookies. */
export const getCorsHeaders = (allowed: CorsOrigins, origin: string | null | undefined): ResponseHeaders => {
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
