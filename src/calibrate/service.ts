import { type Exchange, excerptOf, exchangeText, type Request } from './exchange.ts'
import { createMask } from './mask.ts'
import { CalibrationError, CouldNotTell, Interrupted } from './verdict.ts'

/** Where the service is, and what carries the requests. */
export interface ServiceOptions {
  /** What comes before `/projects`. */
  readonly baseUrl: string
  readonly token: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Waits so many milliseconds; ends early when the signal is aborted. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  readonly now: () => number
  /** Whether a row with this id was made by this run: only such rows are shown. */
  readonly isOwn: (id: string) => boolean
  /** Told of each exchange. */
  readonly onExchange: (exchange: Exchange) => void
}

/** Sends a request. Rejects with `CouldNotTell` when the service stays too busy, and with `Interrupted` once aborted. */
export type Send = (request: Request, signal?: AbortSignal) => Promise<Exchange>

const attempts = 5
const longestWait = 60_000
/** How long an answer may take, in milliseconds. */
const patience = 30_000

/** The service, with the headers of spec §5. What answers 429 or 503 is asked again, a bounded number of times. */
export const createSend = (options: ServiceOptions): Send => {
  const { wait, now, onExchange } = options
  return async (request, signal) => {
    for (let attempt = 1, failed = false; ; attempt++) {
      if (signal?.aborted) throw new Interrupted()
      const { exchange, retryAfter } = await once(options, request, failed)
      if (exchange.status !== 429 && exchange.status !== 503) {
        onExchange(exchange)
        return exchange
      }
      failed ||= exchange.status === 503
      const delay = delayOf(retryAfter, attempt, now())
      if (attempt === attempts || delay > longestWait) throw tooBusy(exchange, attempt, delay)
      await wait(delay, signal)
    }
  }
}

const once = async (options: ServiceOptions, request: Request, unsure: boolean) => {
  const headers = headersOf(request, options.token)
  const response = await answered(options, request, headers)
  const text = await response.text().catch((error: unknown) => {
    throw silent(options.baseUrl, request, error)
  })
  const masked = createMask(options.token)
  const { status } = response
  const body = jsonOf(text)
  const shown = {
    method: request.method,
    path: request.path,
    headers: { ...headers, authorization: 'Bearer ***' },
    ...(request.body !== undefined && { body: request.body }),
    status,
    answer: excerptOf(request.answers, status, masked(text), jsonOf(masked(text)), options.isOwn),
  }
  const contentType = response.headers.get('content-type') ?? ''
  const exchange: Exchange = { request, status, contentType, body, shown, unsure }
  return { exchange, retryAfter: response.headers.get('retry-after') }
}

const answered = ({ baseUrl, fetch }: ServiceOptions, request: Request, headers: Record<string, string>) =>
  fetch(`${baseUrl}${request.path}`, {
    method: request.method,
    headers,
    // As bytes: for a text, `fetch` adds a content type of its own where a probe leaves it out.
    ...(request.body !== undefined && { body: new TextEncoder().encode(JSON.stringify(request.body)) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(patience),
  }).catch((error: unknown) => {
    throw silent(baseUrl, request, error)
  })

const headersOf = ({ body, headers = {} }: Request, token: string): Record<string, string> => {
  const all = {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const silent = (baseUrl: string, request: Request, error: unknown) => {
  const { name, message, cause } = error as Error
  const reason = name === 'TimeoutError' ? `nothing for ${patience / 1000} s` : reasonOf(cause) || message
  return new CalibrationError(`${baseUrl} does not answer ${request.method} ${request.path} (${reason}).`)
}

// The message of `fetch` says only that it failed; its cause says why, and for several addresses only in a code.
const reasonOf = (cause: unknown): string => {
  const { message = '', code = '' } = (cause ?? {}) as { message?: string; code?: string }
  return message || code
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Milliseconds to wait: what `Retry-After` says, as seconds or a date, or else twice as long each time. */
const delayOf = (retryAfter: string | null, attempt: number, now: number): number => {
  const text = retryAfter?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = text === '' ? NaN : Date.parse(text)
  return Number.isNaN(date) ? 1000 * 2 ** (attempt - 1) : Math.max(0, date - now)
}

const tooBusy = (exchange: Exchange, attempt: number, delay: number): CouldNotTell => {
  const limit = exchange.status === 429 ? 'rate limited' : 'the service was not available'
  const wait = delay > longestWait ? `, and asks to wait ${Math.round(delay / 1000)} s` : ''
  return new CouldNotTell(
    `${limit}: ${exchangeText(exchange)} after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}${wait}`,
    exchange,
  )
}
