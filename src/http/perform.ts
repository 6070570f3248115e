import { parseJson } from '../wire/json.ts'
import type { Exchange, ApiOptions } from './exchange.ts'
import { readBody } from './exchange.ts'
import { answer, authenticate, bodyOf, locate, negotiate, queryOf, refuseBody } from './guards.ts'
import type { Perform } from './open.ts'
import type { Operation } from './operation.ts'

/** Answers a request to an operation. The order is that of refusal: who, how, what is addressed, what is asked, what is sent. */
export const perform =
  (operation: Operation): Perform =>
  (exchange, options) => {
    authenticate(exchange, options)
    negotiate(exchange, operation)
    if (operation.body !== undefined) return performWithBody(exchange, operation, options)
    if (exchange.line.hasBody()) return performDespiteBody(exchange, operation, options)
    return answer(exchange, operation, options, { query: addressed(exchange, operation, options), body: undefined })
  }

const performWithBody = (exchange: Exchange, operation: Operation, options: ApiOptions): Promise<Response> => {
  const query = addressed(exchange, operation, options)
  return readBody(exchange, options.bodyLimit).then((text) =>
    answer(exchange, operation, options, { query, body: bodyOf(exchange, operation, text) }),
  )
}

/** A body that the operation does not need is read and checked first: a rejected or aborted request changes nothing. */
const performDespiteBody = async (exchange: Exchange, operation: Operation, options: ApiOptions): Promise<Response> => {
  const reading = readBody(exchange, options.bodyLimit)
  // An unreadable body still counts as a body.
  const isEmpty = await reading.then(
    (text) => text === '',
    () => false,
  )
  if (!isEmpty) refuseBody(exchange, operation)
  const query = addressed(exchange, operation, options)
  const text = await reading
  if (!isEmpty) parseJson(text)
  return answer(exchange, operation, options, { query, body: undefined })
}

/** The query, once what the path names is there. */
const addressed = (exchange: Exchange, operation: Operation, options: ApiOptions): unknown => {
  locate(exchange, options)
  return queryOf(exchange, operation, options)
}
