import { errorDefinitions, errors, MockError } from '../schema/error.ts'
import { isRecord } from '../schema/json-value.ts'
import { json, problemJson } from './json.ts'

export type ErrorFormat = 'object' | 'problem'
export type ResponseHeaders = Readonly<Record<string, string>>

/** A response as data, which the journal can store and a fault can change. */
export interface ResponseData {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string | null
}

export const createJsonResponseData = (body: unknown, status: number, headers: ResponseHeaders = {}): ResponseData => ({
  status,
  headers: { 'content-type': json, ...headers },
  text: JSON.stringify(body),
})

/** Creates the response of an error: the error object, or a problem of RFC 9457. */
export const createErrorResponseData = (
  mockError: MockError,
  format: ErrorFormat = 'object',
  headers: ResponseHeaders = {},
): ResponseData => {
  const { type, content } = formatError(mockError, format)
  return createJsonResponseData(content, mockError.status, {
    ...getChallenge(mockError),
    ...headers,
    'content-type': type,
  })
}

/** Returns the media type and the content of an error in a format. */
export const formatError = (
  mockError: MockError,
  format: ErrorFormat,
): { readonly type: string; readonly content: object } =>
  format === 'object' ? { type: json, content: mockError } : { type: problemJson, content: toProblemDetails(mockError) }

/** A response of a handler: a `FastResponse`, or a real `Response`. */
export interface OutgoingResponse {
  readonly status: number
  readonly headers: ResponseHeaders | Headers
  /** The body of a `FastResponse`. A real one reads it. */
  readonly text: string | null | (() => Promise<string>)
}

/**
 * A response as data, which a socket writes directly. Creating a `Response` and reading it again costs more than the rest
 * of a request.
 */
export class FastResponse implements ResponseData, OutgoingResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string | null

  constructor({ status, headers, text }: ResponseData) {
    this.status = status
    this.headers = headers
    this.text = text
  }
}

export const createResponse = (data: ResponseData): OutgoingResponse => new FastResponse(data)

/** Converts a `FastResponse` into a real `Response`. */
export const toRealResponse = (response: OutgoingResponse): Response => {
  if (!(response instanceof FastResponse)) return response as Response
  const { status, headers, text } = response
  return new Response(text, { status, headers })
}

/** Types a handler for Hono, which passes the response on, and reads only its status and headers. */
export const toHonoHandler = <A extends unknown[]>(
  handle: (...args: A) => OutgoingResponse | Promise<OutgoingResponse>,
) => handle as (...args: A) => Response | Promise<Response>

/** Keeps browsers from guessing another content type, if a page of another site embeds the response. */
export const nosniff = { 'x-content-type-options': 'nosniff' }

export const createJsonResponse = (body: unknown, status: number, headers: ResponseHeaders = {}): OutgoingResponse =>
  createResponse(createJsonResponseData(body, status, { ...nosniff, ...headers }))

export const createEmptyResponse = (status: 204, headers: ResponseHeaders = {}): OutgoingResponse =>
  createResponse({ status, headers, text: null })

export const createErrorResponse = (
  mockError: MockError,
  format: ErrorFormat = 'object',
  headers: ResponseHeaders = {},
): OutgoingResponse => createResponse(createErrorResponseData(mockError, format, { ...nosniff, ...headers }))

// RFC 9110, section 15.5.2: a 401 says how to authenticate.
const getChallenge = ({ status }: MockError): ResponseHeaders =>
  status === 401 ? { 'www-authenticate': 'Bearer' } : {}

const toProblemDetails = ({ code, status, message, hint, details }: MockError) => ({
  type: `urn:paylink-mock:error:${code}`,
  title: errorDefinitions[code].summary,
  status,
  detail: message,
  code,
  hint,
  details,
})

/** Converts any error. An unexpected one is reported and becomes a plain 500. */
export const toMockError = (error: unknown, report: (error: unknown) => void): MockError => {
  if (error instanceof MockError) return error
  report(error)
  return errors.internal()
}

/** The length of one part. Records are not split, so a part may be longer by one record. */
const partLength = 1024 * 1024

/** The depth to which lists are split: the records of a state are at `projects.acme.users`. */
const maxDepth = 3

/** Returns true if the JSON of a value has more than about `max` characters. Stops counting there. */
export const isLong = (value: unknown, max: number): boolean => subtractLength(value, max) < 0

const subtractLength = (value: unknown, max: number): number => {
  // Quotes and commas: a list of empty strings is not empty.
  let left = max - 3
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const part of Array.isArray(value) ? value : Object.entries(value).flat()) {
    if (left < 0) break
    left = subtractLength(part, left)
  }
  return left
}

/** Yields the text of `JSON.stringify` in parts of about `length` characters. */
export function* splitJson(value: unknown, length = partLength): Generator<string, void, undefined> {
  let part = ''
  for (const piece of splitValue(value, 0)) {
    part += piece
    if (part.length < length) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

function* splitValue(value: unknown, depth: number): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    let before = '['
    for (const item of value) {
      yield before + JSON.stringify(item ?? null)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else if (isRecord(value) && depth < maxDepth) {
    let before = '{'
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* splitValue(field, depth + 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  } else yield JSON.stringify(value)
}

/** Returns the JSON of a value as a response body. Each part is created when the previous one has been read. */
export const createJsonStream = (value: unknown): ReadableStream<Uint8Array> => {
  const parts = splitJson(value)
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: (controller) => {
      const { done, value: part } = parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(part))
    },
  })
}
