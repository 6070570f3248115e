import { errorCodes, MockError } from '../schema/error.ts'
import { type Fields, isRecord } from '../schema/is-record.ts'
import { json, problemJson } from './media-type.ts'

export type ErrorFormat = 'object' | 'problem'
export type Headers = Readonly<Record<string, string>>

/** A response as data, which the journal can store and a fault can change. */
export interface ResponseData {
  readonly status: number
  readonly headers: Headers
  readonly text: string | null
}

export const createJsonResponseData = (body: unknown, status: number, headers: Headers = {}): ResponseData => ({
  status,
  headers: { 'content-type': json, ...headers },
  text: JSON.stringify(body),
})

/** Creates the response of an error: the error object, or a problem of RFC 9457. */
export const createErrorResponseData = (
  mockError: MockError,
  format: ErrorFormat = 'object',
  headers: Headers = {},
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

/**
 * A response as data, which a socket writes directly. Creating a `Response` and reading it again costs more than the rest
 * of a request.
 */
export class FastResponse implements ResponseData {
  readonly status: number
  readonly headers: Headers
  readonly text: string | null

  constructor({ status, headers, text }: ResponseData) {
    this.status = status
    this.headers = headers
    this.text = text
  }
}

/** Creates the return value of a Hono handler. Hono reads only its status and headers. */
export const createResponse = (data: ResponseData): Response => new FastResponse(data) as unknown as Response

/** Converts a `FastResponse` into a real `Response`. */
export const toRealResponse = (response: Response): Response => {
  if (!(response instanceof FastResponse)) return response
  const { status, headers, text }: ResponseData = response
  return new Response(text, { status, headers })
}

/** Keeps browsers from guessing another content type, if a page of another site embeds the response. */
export const nosniff = { 'x-content-type-options': 'nosniff' }

export const createJsonResponse = (body: unknown, status: number, headers: Headers = {}): Response =>
  createResponse(createJsonResponseData(body, status, { ...nosniff, ...headers }))

export const createEmptyResponse = (status: 204, headers: Headers = {}): Response =>
  createResponse({ status, headers, text: null })

export const createErrorResponse = (
  mockError: MockError,
  format: ErrorFormat = 'object',
  headers: Headers = {},
): Response => createResponse(createErrorResponseData(mockError, format, { ...nosniff, ...headers }))

// RFC 9110, section 15.5.2: a 401 says how to authenticate.
const getChallenge = ({ status }: MockError): Headers => (status === 401 ? { 'www-authenticate': 'Bearer' } : {})

const toProblemDetails = ({ code, status, message, hint, details }: MockError) => ({
  type: `urn:paylink-mock:error:${code}`,
  title: errorCodes[code][2],
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
  return new MockError('internal', 'The request failed because of a bug in the mock.', {
    hint: 'The log shows the error. Please report it.',
  })
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
  if (Array.isArray(value)) yield* splitItems(value)
  else if (isRecord(value) && depth < maxDepth) yield* splitFields(value, depth)
  else yield JSON.stringify(value)
}

function* splitItems(items: readonly unknown[]): Generator<string, void, undefined> {
  let before = '['
  for (const item of items) {
    yield before + JSON.stringify(item ?? null)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function* splitFields(fields: Fields, depth: number): Generator<string, void, undefined> {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* splitValue(value, depth + 1)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
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
