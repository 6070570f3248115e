import type { Context, Hono } from 'hono'
import { Refusal } from '../schema/error.ts'
import { emptyResponse, refusalOf } from '../wire/respond.ts'
import { honoPath, methodNotAllowed, methodsAt, nearestRoutes, routeNotFound } from '../wire/route.ts'
import { type ApiEnv, type ApiOptions, openExchange, refuse } from './exchange.ts'
import { answer, authenticate, body, locate, negotiate, open, query } from './guards.ts'

/** Mounts the mocked API: the operations of spec §4 below the base path, and under `/projects` nothing else. */
export const mountApi = (app: Hono<ApiEnv>, options: ApiOptions): void => {
  const api = app.basePath(options.basePath)
  for (const operation of options.operations) {
    // The order is that of refusal: who, how, what is addressed, what is asked, what is sent.
    api.on(
      operation.method,
      honoPath(operation.path),
      open(options),
      authenticate(options),
      negotiate(operation),
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

/** What a client of the mocked API gets for anything that was thrown. */
export const apiFailure = (error: unknown, c: Context<ApiEnv>, { onError, world }: ApiOptions): Response => {
  // Outside `/projects` no exchange has been opened.
  const exchange = c.get('exchange') ?? openExchange(world, undefined)
  const refusal = refusalOf(error, onError)
  if (refusal.code !== 'invalidBody') return refuse(refusal, exchange)
  const { code, message, hint, details } = refusal
  return refuse(new Refusal(code, message, { hint, details, status: exchange.behave('invalidBodyStatus') }), exchange)
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
  if (c.req.method === 'OPTIONS') return emptyResponse(204, { 'mock-request-id': exchange.requestId, ...allow })
  const refusal = methodNotAllowed(c.req.method, c.req.path, methods)
  return refuse(refusal, exchange, allow)
}
