import {
  CalibrationError,
  createInconclusiveError,
  type Exchange,
  formatExcerpt,
  formatExchange,
  getFields,
  InconclusiveError,
  InterruptedError,
  isOk,
  type Request,
  createMask,
} from './exchange.ts'
import { parseJsonIfValid } from '../../schema/json-value.ts'

/** The address of the service, and the functions that send requests. */
export interface ServiceOptions {
  /** The address before `/projects`. */
  readonly baseUrl: string
  readonly token: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Waits until the time is over or the signal is aborted. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  readonly now: () => number
  /** Whether the record has the mark of this run. Other records are not shown. */
  readonly isMarked: (record: unknown) => boolean
  /** Called after each exchange. */
  readonly onExchange: (exchange: Exchange) => void
}

/** Sends a request. Rejects with an `InconclusiveError` if the service stays busy, and with an `InterruptedError` once aborted. */
export type Send = (request: Request, signal?: AbortSignal) => Promise<Exchange>

const maxAttempts = 5
const maxWait = 60_000
const timeout = 30_000

/** Creates a function that sends requests with the headers of spec §5. Retries after 429 and, unless it is a create, 503. */
export const createSend = (options: ServiceOptions): Send => {
  const { wait, now, onExchange } = options
  return async (request, signal) => {
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw new InterruptedError()
      const { exchange, retryAfter } = await sendOnce(options, request)
      if (exchange.status !== 429 && (exchange.status !== 503 || request.isSentOnce)) {
        onExchange(exchange)
        return exchange
      }
      const delay = getDelay(retryAfter, attempt, now())
      if (attempt === maxAttempts || delay > maxWait) throw createBusyError(exchange, attempt, delay)
      await wait(delay, signal)
    }
  }
}

const sendOnce = async (options: ServiceOptions, request: Request) => {
  const headers = buildHeaders(request, options.token)
  const { response, text } = await fetchText(options, request, headers)
  const mask = createMask(options.token)
  const { status } = response
  const shown = {
    method: request.method,
    path: request.path,
    headers: { ...headers, authorization: 'Bearer ***' },
    ...(request.body !== undefined && { body: request.body }),
    status,
    response: formatExcerpt(request, status, mask(text), parseJsonIfValid(mask(text)), options.isMarked),
  }
  const contentType = response.headers.get('content-type') ?? ''
  const exchange: Exchange = { request, status, contentType, body: parseJsonIfValid(text), shown }
  return { exchange, retryAfter: response.headers.get('retry-after') }
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

const buildHeaders = ({ body, headers = {} }: Request, token: string): Record<string, string> => {
  const all = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Returns the milliseconds to wait: those of `Retry-After` (seconds or a date), else the doubled delay. */
const getDelay = (retryAfter: string | null, attempt: number, now: number): number => {
  const text = retryAfter ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = text === '' ? NaN : Date.parse(text)
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
