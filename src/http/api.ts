import type { Context, Hono } from 'hono'
import { emptyResponse } from '../wire/respond.ts'
import { honoPath, methodNotAllowed, methodsAt, nearestRoutes, routeNotFound } from '../wire/route.ts'
import { type ApiEnv, type ApiOptions, refuse, send } from './exchange.ts'
import { answer, authenticate, body, locate, negotiate, query } from './guards.ts'
import { open } from './open.ts'
import { noteRefusal } from './violations.ts'

/** Mounts the mocked API: the operations of spec §4 below the base path, and under `/projects` nothing else. */
export const mountApi = (app: Hono<ApiEnv>, options: ApiOptions): void => {
  const api = app.basePath(options.basePath)
  for (const operation of options.operations) {
    // The order is that of refusal: who, how, what is addressed, what is asked, what is sent.
    api.on(
      operation.method,
      honoPath(operation.path),
      open(options, operation),
      authenticate(options),
      negotiate(operation, options),
      locate(options),
      query(operation, options),
      body(operation, options),
      answer(operation, options),
    )
  }
  const rest = (c: Context<ApiEnv>) => noOperation(c, options)
  api.all('/projects/:project/*', open(options), rest)
  api.all('/projects/*', open(options), rest)
}

/** Mounts what answers everything that nothing else does. */
export const mountRest = (app: Hono<ApiEnv>, options: ApiOptions): void => {
  // Browsers ask for it by themselves.
  app.get('/favicon.ico', () => emptyResponse(204))
  app.all('*', open(options), (c) => {
    throw routeNotFound(c.req.method, c.req.path, [])
  })
}

/** Everything under `/projects` that is no operation: another method, or no route at all. */
const noOperation = (c: Context<ApiEnv>, { operations, world, tokens, basePath }: ApiOptions): Response => {
  const { exchange } = c.var
  const path = c.req.path.slice(basePath.length)
  const methods = methodsAt(operations, path)
  const allow = { allow: methods.join(', ') }
  // A preflight carries no token.
  if (c.req.method !== 'OPTIONS') {
    const authorization = c.req.header('authorization')
    tokens.check(authorization, exchange.project, world.timeOf(exchange.project ?? ''), exchange.behave)
  }
  if (methods.length === 0) throw routeNotFound(c.req.method, c.req.path, nearestRoutes(operations, path))
  if (c.req.method === 'OPTIONS')
    return send(exchange, { status: 204, headers: { 'mock-request-id': exchange.requestId, ...allow }, text: null })
  const refusal = methodNotAllowed(c.req.method, c.req.path, methods)
  noteRefusal(exchange, refusal)
  return refuse(refusal, exchange, allow)
}
