import type { RateLimitState } from '../traffic/faults.ts'
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { RequestOutcome } from './outcome.ts'

/** Keeps the headers that a fault set. Adds in place, because copying headers costs more than a microsecond in Node 20. */
export const addHeaders = (
  { id, response, assumed, fault }: RequestOutcome,
  rateLimit: RateLimitState | undefined,
): void => {
  if (response === undefined) return
  const headers: Record<string, string> = response.headers
  headers['mock-request-id'] ??= id
  const assumptions = Object.entries(assumed)
  if (assumptions.length > 0) headers['mock-assumed'] ??= assumptions.map((one) => one.join('=')).join(', ')
  if (fault !== undefined) headers['mock-fault'] ??= fault.id
  if (rateLimit === undefined) return
  headers['ratelimit-limit'] = `${rateLimit.limit}`
  headers['ratelimit-remaining'] = `${rateLimit.remaining}`
  headers['ratelimit-reset'] = `${toSeconds(rateLimit.wait)}`
}

/** Rounds up: a client that waits less would be rejected again. */
export const toSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000))

const describeHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})

export const responseHeaders = {
  'Mock-Request-Id': {
    ...describeHeader(
      'The id of the request in the journal. It is the same in every run.',
      'req_ecx5mv6EDdxLEQg3fPxyeyjsb1Xf',
    ),
    required: true,
  },
  'Mock-Assumed': describeHeader(
    'The behaviors that could have decided this response. Absent if no behavior could.',
    'createStatus=201, emailVerifiedOnCreate=true',
  ),
  'Mock-Fault': describeHeader(
    'The id of the fault that applied to this request. Absent if no fault did.',
    'flt_fW2gSpnxoVN21pGEhwPhCJMGzHba',
  ),
  'RateLimit-Limit': describeHeader('How many requests a window allows. Sent while a fault limits the rate.', '5'),
  'RateLimit-Remaining': describeHeader('How many requests are left in this window.', '4'),
  'RateLimit-Reset': describeHeader('Seconds until the next window.', '60'),
}

// Before the headers of a rate limit.
const exposeHeaders = Object.keys(responseHeaders).toSpliced(3, 0, 'Retry-After')

/** Browsers decide when to send preflight requests, so these are not recorded. */
export const createCors = (origins: readonly string[]): MiddlewareHandler => {
  const addCorsHeaders = cors({ origin: origins.includes('*') ? '*' : [...origins], exposeHeaders })
  return async (c, next) => {
    const response = await addCorsHeaders(c, next)
    if (response === undefined || c.req.header('access-control-request-method') !== undefined) return response
    // This OPTIONS is not a preflight request: the mock responds, with the headers that were added above.
    await next()
  }
}
