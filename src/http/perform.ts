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
    // A length announces a body; without one, and in process, an empty one shows only when it is read.
    if (operation.body !== undefined || !exchange.line.hasBody()) return addressed(exchange, operation, options)
    if (!exchange.line.mayBeEmpty()) {
      refuseBody(exchange, operation)
      return addressed(exchange, operation, options)
    }
    return isEmpty(exchange, options).then((empty) => {
      if (!empty) refuseBody(exchange, operation)
      return addressed(exchange, operation, options)
    })
  }

// One that cannot be read is a body all the same, and no operation asked for it.
const isEmpty = (exchange: Exchange, { bodyLimit }: ApiOptions): Promise<boolean> =>
  readBody(exchange, bodyLimit).then(
    (text) => text === '',
    () => false,
  )

const addressed = (exchange: Exchange, operation: Operation, options: ApiOptions): Response | Promise<Response> => {
  locate(exchange, options)
  const query = queryOf(exchange, operation, options)
  if (operation.body === undefined) return answer(exchange, operation, options, { query, body: undefined })
  return readBody(exchange, options.bodyLimit).then((text) =>
    answer(exchange, operation, options, { query, body: bodyOf(exchange, operation, text) }),
  )
}
