import type { Hono } from 'hono'
import { Refusal } from '../schema/error.ts'
import { honoPath, methodNotAllowed, methodsAt, nearestRoutes, routeNotFound } from '../wire/route.ts'
import { type ApiEnv, type ApiOptions, type Exchange, refuse, send } from './exchange.ts'
import { authenticate } from './guards.ts'
import { type ApiContext, exchanged } from './open.ts'
import type { Operation } from './operation.ts'
import { perform } from './perform.ts'
import { noteRefusal } from './violations.ts'

/** Mounts the operations of spec §4 below the base path. */
export const mountApi = <E extends ApiEnv>(app: Hono<E>, operations: readonly Operation[], basePath: string): void => {
  const api = app.basePath(basePath)
  for (const operation of operations)
    api.on(operation.method, honoPath(operation.path), exchanged(perform(operation), operation))
}

/** Mounts what answers everything under `/projects` that is no operation: another method, or no route at all. */
export const mountNoOperation = <E extends ApiEnv>(app: Hono<E>, basePath: string): void => {
  const api = app.basePath(basePath)
  const rest = (c: ApiContext) => exchanged((exchange, options) => noOperation(exchange, options, c.req.path))(c)
  api.all('/projects/:project/*', rest)
  api.all('/projects/*', rest)
}

/** Mounts what rejects a path that cannot be decoded: it names nothing. */
export const mountUndecodable = <E extends ApiEnv>(app: Hono<E>, basePath: string): void => {
  const reject = () => {
    throw new Refusal('malformedRequest', 'The path cannot be decoded.', {
      hint: "Send UTF-8, percent-encoded, and '%25' for a percent sign.",
    })
  }
  app.basePath(basePath).all('/projects/*', (c) => exchanged(reject)(c))
  app.all('*', reject)
}

/** Mounts what answers everything that nothing else does. */
export const mountRest = <E extends ApiEnv>(app: Hono<E>): void => {
  app.all('*', (c) =>
    exchanged(() => {
      throw routeNotFound(c.req.method, c.req.path, [])
    })(c),
  )
}

const noOperation = (exchange: Exchange, options: ApiOptions, path: string): Response => {
  const { raw, requestId } = exchange
  const { operations, basePath } = options
  const methods = methodsAt(operations, path.slice(basePath.length))
  const allow = { allow: methods.join(', ') }
  // A preflight carries no token.
  if (raw.method !== 'OPTIONS') authenticate(exchange, options)
  if (methods.length === 0)
    throw routeNotFound(raw.method, path, nearestRoutes(operations, path.slice(basePath.length)))
  if (raw.method === 'OPTIONS')
    return send(exchange, { status: 204, headers: { 'mock-request-id': requestId, ...allow }, text: null })
  const refusal = methodNotAllowed(raw.method, path, methods)
  noteRefusal(exchange, refusal)
  return refuse(refusal, exchange, allow)
}
