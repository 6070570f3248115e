import { type ViewSettings, kinds } from '../domain/kinds.ts'
import type { Page } from '../schema/list.ts'
import type { RateLimit } from '../traffic/rate-limiter.ts'
import { getOrigin } from '../wire/transport.ts'
import { json } from '../wire/media-type.ts'
import type { ResponseData } from '../wire/respond.ts'
import { getCorsHeaders } from './cors.ts'
import type { Operation } from './operation.ts'
import type { RequestContext } from './request-context.ts'

/** Returns the JSON of a result as a client sees it. */
export const serialize = (context: RequestContext, operation: Operation, result: unknown): string => {
  const { behaviors, options, req, project } = context
  return operation.view(result, {
    provider: options.provider,
    timestampPrecision: behaviors.timestampPrecision,
    payUrl: options.payUrl(project, getOrigin(req.url)),
  })
}

/** Creates the response of an operation. */
export const respondWithResult = (context: RequestContext, operation: Operation, text: string): ResponseData => {
  // Before the headers, which list every behavior that was looked up.
  const status = operation.creates ? context.getBehavior('createStatus') : operation.status
  return { status, headers: addContextHeaders(context, { 'content-type': json }), text }
}

/** Returns the headers of every response: the request id, the behaviors that decided it, its fault, and the CORS headers. */
export const getContextHeaders = (context: RequestContext): Record<string, string> => addContextHeaders(context, {})

// In Node 20, each header that is added to a copy costs more than a microsecond.
const addContextHeaders = (context: RequestContext, headers: Record<string, string>): Record<string, string> => {
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

/** The JSON of a record, and the settings that it depends on. */
interface CachedJson {
  readonly text: string
  readonly settings: ViewSettings
}

const isSameSettings = (a: ViewSettings, b: ViewSettings): boolean =>
  a.provider === b.provider && a.timestampPrecision === b.timestampPrecision && a.payUrl === b.payUrl

/** Caches the JSON of each record: a record never changes. */
const cacheJson = <T extends object>(view: (record: T, settings: ViewSettings) => unknown) => {
  const texts = new WeakMap<T, CachedJson>()
  return (record: T, settings: ViewSettings): string => {
    const known = texts.get(record)
    if (known !== undefined && isSameSettings(known.settings, settings)) return known.text
    const text = JSON.stringify(view(record, settings))
    texts.set(record, { text, settings })
    return text
  }
}

export const viewUser = cacheJson(kinds.users.view)
export const viewPaymentLink = cacheJson(kinds.paymentLinks.view)

/** Returns the JSON object of a list: its items and cursors. Spec §2.4. */
export const viewList = <T>(
  { items, moreItemsAfter, moreItemsBefore }: Page<T>,
  view: (item: T, settings: ViewSettings) => string,
  settings: ViewSettings,
): string => {
  let records = ''
  for (const item of items) records += records === '' ? view(item, settings) : `,${view(item, settings)}`
  return `{"object":"list","items":[${records}],"moreItemsAfter":${formatMarker(moreItemsAfter)},"moreItemsBefore":${formatMarker(moreItemsBefore)}}`
}

const formatMarker = (id: string | null): string => (id === null ? 'null' : JSON.stringify(id))
