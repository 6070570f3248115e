import { errorCodes, Refusal } from '../schema/error.ts'
import { json, problemJson } from './media-type.ts'

export type ErrorFormat = 'object' | 'problem'
type Headers = Readonly<Record<string, string>>

/** An answer, built once and with all its headers: a header that is set later costs more than the whole request. */
export const jsonResponse = (body: unknown, status: number, headers: Headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': json, ...headers } })

export const emptyResponse = (status: 204, headers: Headers = {}): Response => new Response(null, { status, headers })

/** A refusal as the error object, or as a problem of RFC 9457. */
export const errorResponse = (refusal: Refusal, format: ErrorFormat = 'object', headers: Headers = {}): Response =>
  format === 'object'
    ? jsonResponse(refusal, refusal.status, { ...challengeOf(refusal), ...headers })
    : jsonResponse(problemOf(refusal), refusal.status, {
        ...challengeOf(refusal),
        ...headers,
        'content-type': problemJson,
      })

// RFC 9110, section 15.5.2: a 401 says how to authenticate.
const challengeOf = ({ status }: Refusal): Headers => (status === 401 ? { 'www-authenticate': 'Bearer' } : {})

const problemOf = ({ code, status, message, hint, details }: Refusal) => ({
  type: `urn:paylink-mock:error:${code}`,
  title: errorCodes[code][2],
  status,
  detail: message,
  code,
  hint,
  details,
})

/** Any failure as a refusal. What nobody foresaw is handed to `report` and becomes a plain 500. */
export const refusalOf = (error: unknown, report: (error: unknown) => void): Refusal => {
  if (error instanceof Refusal) return error
  report(error)
  return new Refusal('internal', 'The mock failed to answer. This is a defect of the mock.', {
    hint: 'The log has the failure; please report it.',
  })
}
