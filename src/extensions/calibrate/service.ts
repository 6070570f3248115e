// The requests to the service, their responses, and what a report shows of them.
import * as z from 'zod/mini'
import { type Fields, isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import { buildListSchema } from '../../schema/list.ts'
import { buildPaymentLinkSchema } from '../../schema/payment-link.ts'
import { parse } from '../../schema/problem.ts'
import { cut, shorten } from '../../schema/text.ts'
import { findUnknownFields } from '../../schema/unknown-fields.ts'
import { User } from '../../schema/user.ts'

/** A request to the service. Its path starts after the base address. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Override the headers of spec §5; undefined omits one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The content of a 2xx response by the specification. It decides how the response is checked and shown. */
  readonly returns?: 'user' | 'paymentLink' | 'users' | 'paymentLinks'
  /** Is not sent again after 503, because the service may have executed it. */
  readonly isSentOnce?: boolean
}

/** A request and its response. */
export type Exchange = Awaited<ReturnType<typeof sendOnce>>['exchange']
/** An exchange in a report, without the token and without records of others. */
export type ShownExchange = Exchange['shown']

/** Ends one probe without a result. */
export class InconclusiveError extends Error {
  readonly exchanges: readonly Exchange[]

  constructor(why: string, ...exchanges: readonly Exchange[]) {
    super(why)
    this.exchanges = exchanges
  }
}

/** Returns the error for an exchange that does not show what the probe needs. */
export const createInconclusiveError = (why: string, exchange: Exchange): InconclusiveError =>
  new InconclusiveError(`${why}: ${formatExchange(exchange)}`, exchange)

/** Ends the whole run with one sentence. */
export class CalibrationError extends Error {}

/** Ends the whole run because the user interrupted it. */
export class InterruptedError extends Error {}

/** Returns the fields of a response; empty if it is not an object. */
export const getFields = ({ body }: { readonly body: unknown }): Fields => (isRecord(body) ? body : {})

/** Returns the ids of a list in its order; undefined if the response is not a list. Spec §2.4. */
export const getIds = (exchange: Exchange): string[] | undefined => {
  const { items } = getFields(exchange)
  return Array.isArray(items) ? items.map((item) => (isRecord(item) ? String(item.id) : '')) : undefined
}

/** Returns the ids of a list in its order. Throws an `InconclusiveError` if the response is not a list. */
export const requireIds = (exchange: Exchange, why = 'the list has no page'): string[] => {
  const ids = getIds(exchange)
  if (!isOk(exchange) || ids === undefined) throw createInconclusiveError(why, exchange)
  return ids
}

export const isOk = ({ status }: { readonly status: number }): boolean => status >= 200 && status < 300

/** Returns true for a 4xx status that is about the content of the request, and not about its token, time or rate. */
export const isContentRejected = ({ status }: Exchange): boolean =>
  status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status)

/** Formats an exchange as `POST /projects/acme/users returned 422`. */
export const formatExchange = ({ shown: { method, path, status } }: Exchange): string =>
  `${method} ${path} returned ${status}`

/** The service, the project and the records of a run, and what a run needs of its environment. */
export interface ServiceOptions {
  /** The address before `/projects`. */
  readonly baseUrl: string
  readonly project: string
  readonly token: string
  /** The invoice that payment links are created for. */
  readonly invoice: string
  /** The wire word for the one provider. */
  readonly provider: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Waits until the time is over or the signal is aborted. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  readonly now: () => number
  /** Like `Math.random`. Distinguishes the records of one run from those of another. */
  readonly random: () => number
  /** Ends the run. Its records are still deleted. */
  readonly signal?: AbortSignal | undefined
}

/** Sends a request. Rejects with an `InconclusiveError` if the service stays busy, and with an `InterruptedError` once aborted. */
export type Send = (request: Request, signal?: AbortSignal) => Promise<Exchange>

const maxAttempts = 5
const maxWait = 60_000
const timeout = 30_000

/**
 * Creates a function that sends requests with the headers of spec §5. Retries after 429 and, unless it is a create, 503.
 *
 * @param isMarked Whether a record has the mark of this run. Other records are not shown.
 * @param onExchange Called after each exchange.
 */
export const createSend = (
  options: ServiceOptions,
  isMarked: (record: unknown) => boolean,
  onExchange: (exchange: Exchange) => void,
): Send =>
  async function send(request, signal) {
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw new InterruptedError()
      const { exchange, retryAfter } = await sendOnce(options, request, isMarked)
      if (exchange.status !== 429 && (exchange.status !== 503 || request.isSentOnce)) {
        onExchange(exchange)
        return exchange
      }
      const delay = getDelay(retryAfter, attempt, options.now())
      if (attempt === maxAttempts || delay > maxWait) throw createBusyError(exchange, attempt, delay)
      await options.wait(delay, signal)
    }
  }

const sendOnce = async (options: ServiceOptions, request: Request, isMarked: (record: unknown) => boolean) => {
  const { method, path, body } = request
  const headers = buildHeaders(request, options.token)
  const { response, text } = await fetchText(options, request, headers)
  const { status } = response
  const mask = createMask(options.token)
  const exchange = {
    request,
    status,
    contentType: response.headers.get('content-type') ?? '',
    /** The parsed response body; undefined if it is not JSON. */
    body: parseJsonIfValid(text),
    shown: {
      method,
      path,
      headers: { ...headers, authorization: 'Bearer ***' },
      ...(body !== undefined && { body }),
      status,
      /** The beginning of the response body. */
      response: formatExcerpt(request, status, mask(text), isMarked),
    },
  }
  return { exchange, retryAfter: response.headers.get('retry-after') ?? '' }
}

const buildHeaders = ({ body, headers }: Request, token: string): Record<string, string> => {
  const all = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const fetchText = async (
  { baseUrl, fetch }: ServiceOptions,
  { method, path, body }: Request,
  headers: Record<string, string>,
) => {
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      // As bytes: for a string, `fetch` adds a content type, which a probe may have omitted.
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    return { response, text: await response.text() }
  } catch (error) {
    const { name, message, cause } = error as Error
    // Only the cause of a `fetch` error says why it failed. For several addresses, only its code does.
    const { message: why = '', code = '' } = (cause ?? {}) as { message?: string; code?: string }
    const reason = name === 'TimeoutError' ? `no response for ${timeout / 1000} s` : why || code || message
    throw new CalibrationError(`${baseUrl} does not respond to ${method} ${path} (${reason}).`)
  }
}

/** Returns the milliseconds to wait: those of `Retry-After` (seconds or a date), else the doubled delay. */
const getDelay = (retryAfter: string, attempt: number, now: number): number => {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 1000 * 2 ** (attempt - 1) : Math.max(0, date - now)
}

const createBusyError = (exchange: Exchange, attempt: number, delay: number): InconclusiveError => {
  const limit = exchange.status === 429 ? 'rate limited' : 'the service was not available'
  const wait = delay > maxWait ? `, and asks to wait ${Math.round(delay / 1000)} s` : ''
  return new InconclusiveError(
    `${limit}: ${formatExchange(exchange)} after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}${wait}`,
    exchange,
  )
}

/** A service may repeat a cursor endlessly. */
const maxPages = 100

/** Yields every record on every page of a list. Throws an `InconclusiveError` when a page is missing. */
export async function* listRecords(send: Send, request: Request): AsyncGenerator<unknown, void> {
  let path = request.path
  for (let page = 0; page < maxPages; page++) {
    const exchange = await send({ ...request, path })
    const { items, moreItemsAfter } = getFields(exchange)
    if (!isOk(exchange) || !Array.isArray(items)) throw createInconclusiveError('the list has no page', exchange)
    yield* items
    if (typeof moreItemsAfter !== 'string' || moreItemsAfter === '') return
    const after = new URLSearchParams({ after: moreItemsAfter }).toString()
    path = `${request.path}${request.path.includes('?') ? '&' : '?'}${after}`
  }
  throw new InconclusiveError(`${request.method} ${request.path} has more than ${maxPages} pages`)
}

/** Returns the beginning of a response. It shows only records of this run, because other records are private. */
const formatExcerpt = (
  { returns }: Request,
  status: number,
  text: string,
  isMarked: (record: unknown) => boolean,
): string => {
  const body = parseJsonIfValid(text)
  const isList = returns === 'users' || returns === 'paymentLinks'
  if (!isOk({ status }) || returns === undefined || (!isList && isMarked(body)))
    return formatText(body === undefined ? text : JSON.stringify(body))
  if (!isList) return '(not a record of this run, and not shown)'
  if (!isRecord(body) || !Array.isArray(body.items))
    return '(not a list, and not shown: it may contain records of others)'
  const own = body.items.filter(isMarked)
  const others = body.items.length - own.length
  const rest = others === 0 ? '' : ` and ${others} of others`
  return `${formatText(own.length === 0 ? '' : JSON.stringify(own))}${rest}`.trim() || 'no items'
}

const maxLength = 300

// A terminal would execute control characters.
const formatText = (text: string): string => shorten(text.replace(/[\p{Cc}\s]+/gu, ' '), maxLength)

// A short token may be a part of ordinary words.
export const isMaskable = (token: string): boolean => token.length >= 8

const maxPattern = 256

const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** A pattern of one character, also if JSON, a URL or HTML escapes it, and JSON, URLs or HTML the escape. */
const formatPattern = (character: string): string => {
  const code = character.charCodeAt(0)
  // A token has no control characters, so that there are two digits.
  const hex = code.toString(16)
  const entity = [`#x0*${hex}`, `#0*${code}`, ...(names[character] ? [names[character]] : [])].join('|')
  return `(?:\\\\*\\x${hex}|\\\\+u00${hex}|%(?:25)*${hex}|&(?:amp;)*(?:${entity});)`
}

/** Creates a function that replaces the token in a text by `***`, even where it is escaped. */
export const createMask = (token: string): ((text: string) => string) => {
  // A pattern of thousands of characters would be too large: the end of a long token is whatever follows its beginning.
  const rest = token.length > maxPattern ? '[^"\\s]*' : ''
  const pattern = Array.from(cut(token, maxPattern), formatPattern).join('') + rest
  const masked = new RegExp(isMaskable(token) ? pattern : `(?<!\\w)${pattern}(?!\\w)`, 'gi')
  return (text) => text.replace(masked, '***')
}

// The records of a list may belong to others: only its envelope is checked.
const list = { name: 'a list', schema: buildListSchema(z.unknown()) }

/** Lists the differences between a response and the specification. `provider` is the wire word for the one provider. */
export const listUnexpected = (exchange: Exchange, provider: string): string[] => {
  const { returns } = exchange.request
  if (returns === undefined || !isOk(exchange)) return []
  const kinds = {
    user: { name: 'a user', schema: User },
    paymentLink: { name: 'a payment link', schema: buildPaymentLinkSchema(provider) },
    users: list,
    paymentLinks: list,
  }
  const { name, schema } = kinds[returns]
  const parsed = parse<z.ZodMiniType>(schema, exchange.body)
  const problems = parsed.ok ? [] : parsed.problems
  return [
    ...findUnknownFields(schema, exchange.body).map(
      ({ path }) => `${name} has the field '${path}', which the specification does not show`,
    ),
    // Without the invalid value, which differs from record to record.
    ...problems.map(({ message }) => `in ${name}, ${message.replace(/ \(got [^]*\)\.$|\.$/, '')}`),
  ]
}
