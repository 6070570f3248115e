import type { Context } from 'hono'
import { type ApiEnv, type ApiOptions, type Exchange, openExchange, readBody } from './exchange.ts'
import { apiFailure } from './failure.ts'
import type { Operation } from './operation.ts'
import { strike } from './strike.ts'

/** What is read of Hono's context: the request, and what came with it. */
export type ApiContext = Pick<Context<ApiEnv>, 'req' | 'env'>

/** What is done about a request once its exchange is opened. */
export type Perform = (exchange: Exchange, options: ApiOptions) => Response | Promise<Response>

// These refusals leave a project that is not there yet unborn: the address may be a typing mistake.
const leavesUnborn = new Set([401, 403, 404])

/**
 * Opens the exchange, lets a fault strike, brings an unknown project into being, and writes down what became of it.
 * Without an operation it is that of a request that no route takes. One handler does it all, and waits for nothing that
 * is there: in a chain each link would cost each request a promise.
 */
export const exchanged = (perform: Perform, operation?: Operation) =>
  function exchanged(c: ApiContext): Response | Promise<Response> {
    const { api, connection, line, onExchange } = c.env
    const exchange = openExchange(api, { raw: c.req.raw, connection, line, operation, params: c.req.param() })
    onExchange?.(exchange)
    const struck = operation !== undefined && api.traffic.faults.concern(exchange.project!)
    const answered = struck ? guarded(exchange, api, struckBy(perform)) : performed(exchange, api, perform)
    return answered instanceof Promise
      ? answered.then((response) => closed(exchange, api, response))
      : closed(exchange, api, answered)
  }

const struckBy =
  (perform: Perform): Perform =>
  (exchange, options) =>
    strike(exchange, options, () => performed(exchange, options, perform))

/** What is done about the request itself. A fault that strikes in its place leaves an unknown project unborn. */
const performed = (exchange: Exchange, options: ApiOptions, perform: Perform): Response | Promise<Response> => {
  const response = guarded(exchange, options, perform)
  return response instanceof Promise
    ? response.then((one) => entered(exchange, options, one))
    : entered(exchange, options, response)
}

/** Whatever is thrown is answered. What needs nothing to be waited for is answered at once. */
const guarded = (exchange: Exchange, options: ApiOptions, perform: Perform): Response | Promise<Response> => {
  try {
    const response = perform(exchange, options)
    return response instanceof Promise
      ? response.catch((error: unknown) => apiFailure(error, exchange, options))
      : response
  } catch (error) {
    return apiFailure(error, exchange, options)
  }
}

const closed = (exchange: Exchange, options: ApiOptions, response: Response): Response | Promise<Response> => {
  // What was refused before its body was looked at was sent all the same.
  if (exchange.reading !== undefined || !exchange.line.hasBody()) return recorded(exchange, options, response)
  return readBody(exchange, options.bodyLimit)
    .catch(() => {})
    .then(() => recorded(exchange, options, response))
}

const entered = (exchange: Exchange, { world, onProjectCreated }: ApiOptions, response: Response): Response => {
  const { project, operation, generation } = exchange
  if (project === undefined || operation === undefined || leavesUnborn.has(response.status)) return response
  // What was deleted or replaced meanwhile is not brought back by a request that was begun before.
  if (world.generationOf(project) === generation && world.enter(project)) onProjectCreated(project)
  return response
}

const recorded = (exchange: Exchange, { traffic, systemNow }: ApiOptions, response: Response): Response => {
  const { project, answer } = exchange
  traffic.record(
    {
      project,
      operation: exchange.operation?.id,
      method: exchange.raw.method,
      url: exchange.raw.url,
      headers: exchange.line.headers(),
      text: exchange.text,
      id: exchange.requestId,
      status: answer?.status,
      receivedAt: exchange.receivedAt,
      duration: systemNow() - exchange.startedAt,
      answer,
      behaviors: exchange.behaviors,
      assumed: exchange.assumed,
      violations: exchange.violations,
      changes: exchange.changes,
      fault: exchange.fault,
    },
    exchange.epoch,
  )
  return response
}
