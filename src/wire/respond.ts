import { errorCodes, MockError } from '../schema/error.ts'
import { json, problemJson } from './media-type.ts'

export type ErrorFormat = 'object' | 'problem'
export type Headers = Readonly<Record<string, string>>

/** An answer before it is a response: it can be written down, and spoiled. */
export interface ResponseData {
  readonly status: number
  readonly headers: Headers
  readonly text: string | null
}

export const jsonData = (body: unknown, status: number, headers: Headers = {}): ResponseData => ({
  status,
  headers: { 'content-type': json, ...headers },
  text: JSON.stringify(body),
})

/** The response of an error: the error object, or a problem of RFC 9457. */
export const errorData = (refusal: MockError, format: ErrorFormat = 'object', headers: Headers = {}): ResponseData => {
  const { type, content } = errorContent(refusal, format)
  return jsonData(content, refusal.status, { ...challengeOf(refusal), ...headers, 'content-type': type })
}

/** The media type and the content of an error in a format. */
export const errorContent = (
  refusal: MockError,
  format: ErrorFormat,
): { readonly type: string; readonly content: object } =>
  format === 'object' ? { type: json, content: refusal } : { type: problemJson, content: problemOf(refusal) }

/**
 * An answer on its way out. Each transport makes of it what it needs: a socket writes it as it is, since a `Response` that
 * is built only to be taken apart again costs more than the whole request.
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

/** The return value of a Hono handler. Hono passes it on, and reads only its status and headers. */
export const responseOf = (answer: ResponseData): Response => new FastResponse(answer) as unknown as Response

/** Converts a `FastResponse` into a real `Response`. */
export const realResponse = (response: Response): Response => {
  if (!(response instanceof FastResponse)) return response
  const { status, headers, text } = response as FastResponse
  return new Response(text, { status, headers })
}

/** For JSON that no browser may take for anything else: a page of another site could embed it. */
export const nosniff = { 'x-content-type-options': 'nosniff' }

export const jsonResponse = (body: unknown, status: number, headers: Headers = {}): Response =>
  responseOf(jsonData(body, status, { ...nosniff, ...headers }))

export const emptyResponse = (status: 204, headers: Headers = {}): Response =>
  responseOf({ status, headers, text: null })

export const errorResponse = (refusal: MockError, format: ErrorFormat = 'object', headers: Headers = {}): Response =>
  responseOf(errorData(refusal, format, { ...nosniff, ...headers }))

// RFC 9110, section 15.5.2: a 401 says how to authenticate.
const challengeOf = ({ status }: MockError): Headers => (status === 401 ? { 'www-authenticate': 'Bearer' } : {})

const problemOf = ({ code, status, message, hint, details }: MockError) => ({
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
  return new MockError('internal', 'The mock failed to answer. This is a defect of the mock.', {
    hint: 'The log has the failure; please report it.',
  })
}
