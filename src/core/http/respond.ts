import type { RoutePrefixes } from '../schema/error-definition.ts'
import type { Behaviors } from '../schema/behavior.ts'
import { errorDefinitions, errors, MockError, withPrefixes } from '../schema/error.ts'
import { jsonType, problemJson } from './json.ts'

export type ResponseHeaders = Readonly<Record<string, string>>

/** A response as data, which the journal can store and a fault can change. */
export interface ResponseData {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string | null
}

export const createJsonResponseData = (body: unknown, status: number, headers: ResponseHeaders = {}) => ({
  status,
  headers: { 'content-type': jsonType, ...headers },
  text: JSON.stringify(body),
})

export const createErrorResponseData = (
  mockError: MockError,
  headers: ResponseHeaders = {},
  format: Behaviors['errorFormat'] = 'object',
) => {
  const [type, content] = format === 'object' ? [jsonType, mockError] : [problemJson, toProblemDetails(mockError)]
  return createJsonResponseData(content, mockError.status, {
    // RFC 9110, section 15.5.2: a 401 says how to authenticate.
    ...(mockError.status === 401 && { 'www-authenticate': 'Bearer' }),
    ...mockError.headers,
    ...headers,
    'content-type': type,
  })
}

export const createResponse = ({ status, headers, text }: ResponseData): Response =>
  new Response(text, { status, headers })

/** Keeps browsers from guessing another content type, if a page of another site embeds the response. */
export const nosniff = { 'x-content-type-options': 'nosniff' }

export const createErrorResponse = (mockError: MockError, format?: Behaviors['errorFormat']): Response =>
  createResponse(createErrorResponseData(mockError, nosniff, format))

const toProblemDetails = ({ code, status, message, hint, details }: MockError) => ({
  type: `urn:paylink-mock:error:${code}`,
  title: errorDefinitions[code].summary,
  status,
  detail: message,
  code,
  hint,
  details,
})

/** Converts any error. An unexpected one is reported to `onError` and becomes a plain 500. */
export const toMockError = (
  error: unknown,
  { onError, prefixes }: { readonly onError: (error: unknown) => void; readonly prefixes?: RoutePrefixes },
): MockError => {
  if (error instanceof MockError) return prefixes === undefined ? error : withPrefixes(error, prefixes)
  onError(error)
  return errors.internal()
}
