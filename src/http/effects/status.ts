import { type ErrorObject, Refusal } from '../../schema/error.ts'
import { type Effect, isBodiless } from '../../schema/fault.ts'
import { isJson } from '../../wire/media-type.ts'
import { type Answer, errorAnswer, jsonAnswer } from '../../wire/respond.ts'
import { type Exchange, exchangeHeaders } from '../exchange.ts'

/** An answer with a status of the fault's choice, in place of the operation. Without a body it is an error object. */
export const statusAnswer = (exchange: Exchange, { headers = {}, body }: Effect, status: number): Answer => {
  const sent = { ...exchangeHeaders(exchange), ...lowerCase(headers) }
  if (isBodiless(status)) return { status, headers: sent, text: null }
  if (body === undefined) return errorAnswer(injected(status), exchange.behaviors.errorFormat, sent)
  const { 'content-type': contentType = 'application/json' } = lowerCase(headers)
  // A gateway's page is no JSON: what says so by its content type is sent as it is.
  if (typeof body === 'string' && !isJson(contentType)) return { status, headers: sent, text: body }
  return jsonAnswer(body, status, sent)
}

const injected = (status: number): Refusal =>
  new Refusal('injectedFault', `A fault answers ${status} here.`, {
    hint: 'It was set by the test; GET /__admin/faults shows it.',
    status,
    type: typeOf(status),
  })

/** The class of refusal that a status stands for. */
const typeOf = (status: number): ErrorObject['type'] => {
  switch (status) {
    case 401:
      return 'unauthenticated'
    case 403:
      return 'permissionDenied'
    case 404:
      return 'notFound'
    case 405:
      return 'methodNotAllowed'
    case 406:
      return 'notAcceptable'
    case 409:
      return 'conflict'
    case 413:
      return 'tooLarge'
    case 415:
      return 'unsupportedMediaType'
    case 429:
      return 'rateLimited'
    default:
      return status >= 500 ? 'internal' : 'invalidRequest'
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
