import { errorDefinitions, errors, MockError } from '../schema/error.ts'
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

export const createResponse = ({ status, headers, text }: ResponseData): Response =>
  new Response(text, { status, headers })

/** Keeps browsers from guessing another content type, if a page of another site embeds the response. */
export const nosniff = { 'x-content-type-options': 'nosniff' }

export const createJsonResponse = (body: unknown, status: number, headers: ResponseHeaders = {}): Response =>
  createResponse(createJsonResponseData(body, status, { ...nosniff, ...headers }))

export const createEmptyResponse = (status: 204, headers: ResponseHeaders = {}): Response =>
  createResponse({ status, headers, text: null })

export const createErrorResponse = (
  mockError: MockError,
  format: ErrorFormat = 'object',
  headers: ResponseHeaders = {},
): Response => createResponse(createErrorResponseData(mockError, format, { ...nosniff, ...headers }))

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
