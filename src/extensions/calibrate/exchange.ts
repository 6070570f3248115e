import * as z from 'zod/mini'
import { type Fields, isRecord } from '../../schema/json-value.ts'
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

/** An exchange in a report, without the token and without records of others. */
export interface ShownExchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status: number
  /** The beginning of the response body. */
  readonly response: string
}

/** A request and its response. */
export interface Exchange {
  readonly request: Request
  readonly status: number
  readonly contentType: string
  /** The parsed response body; undefined if it is not JSON. */
  readonly body: unknown
  readonly shown: ShownExchange
}

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
export const getFields = ({ body }: Pick<Exchange, 'body'>): Fields => (isRecord(body) ? body : {})

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

export const isOk = ({ status }: Pick<Exchange, 'status'>): boolean => status >= 200 && status < 300

/** Returns true for a 4xx status that is about the content of the request, and not about its token, time or rate. */
export const isContentRejected = ({ status }: Exchange): boolean =>
  status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status)

/** Formats an exchange as `POST /projects/acme/users returned 422`. */
export const formatExchange = ({ shown: { method, path, status } }: Exchange): string =>
  `${method} ${path} returned ${status}`

/** Returns the beginning of a response. It shows only records of this run, because other records are private. */
export const formatExcerpt = (
  { returns }: Request,
  status: number,
  text: string,
  body: unknown,
  isMarked: (record: unknown) => boolean,
): string => {
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

/** A difference between a response and the specification, and the first exchange that shows it. */
export interface UnexpectedField {
  readonly what: string
  readonly seen: ShownExchange
}

/** Collects the differences between responses and their schemas, without duplicates. */
export const createUnexpectedFields = (provider: string) => {
  // The records of a list may belong to others: only its envelope is checked.
  const list = { name: 'a list', schema: buildListSchema(z.unknown()) }
  const kinds = {
    user: { name: 'a user', schema: User },
    paymentLink: { name: 'a payment link', schema: buildPaymentLinkSchema(provider) },
    users: list,
    paymentLinks: list,
  }
  const found = new Map<string, UnexpectedField>()
  return {
    check: (exchange: Exchange): void => {
      const { returns } = exchange.request
      if (returns === undefined || !isOk(exchange)) return
      const { name, schema } = kinds[returns]
      for (const what of findUnexpected(name, schema, exchange.body))
        if (!found.has(what)) found.set(what, { what, seen: exchange.shown })
    },
    list: (): readonly UnexpectedField[] => [...found.values()],
  }
}

const findUnexpected = (name: string, schema: z.ZodMiniType, body: unknown): string[] => {
  const parsed = parse(schema, body)
  const problems = parsed.ok ? [] : parsed.problems
  return [
    ...findUnknownFields(schema, body).map(
      ({ path }) => `${name} has the field '${path}', which the specification does not show`,
    ),
    // Without the invalid value, which differs from record to record.
    ...problems.map(({ message }) => `in ${name}, ${message.replace(/ \(got [^]*\)\.$|\.$/, '')}`),
  ]
}
