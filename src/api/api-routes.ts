import { Hono } from 'hono'
import { errors } from '../schema/error.ts'
import { findNearestRoutes, listMethods, toHonoPath } from '../openapi/route.ts'
import {
  authenticate,
  createOperationHandler,
  createRouteHandler,
  requireDecodable,
  respondWithError,
  type RunOperation,
} from './handle-request.ts'
import type { Operation } from './operations.ts'
import type { ApiEnv } from './request-context.ts'
import { getContextHeaders } from './response-headers.ts'

export const createApi = (operations: readonly Operation[]): Hono<ApiEnv> => {
  const app = new Hono<ApiEnv>()
  for (const operation of operations)
    app.on(operation.method, toHonoPath(operation.path), createOperationHandler(operation))
  for (const path of ['/projects/:project/*', '/projects/*']) app.all(path, createRouteHandler(rejectOperation))
  return app
}

/** Responds to a path below `/projects` that has no operation for the method. A missing token is reported first. */
const rejectOperation: RunOperation = (context) => {
  const { req, options } = context
  const { method, path } = req
  const route = path.slice(options.basePath.length)
  const methods = listMethods(options.operations, route)
  const allow = { allow: methods.join(', ') }
  // A preflight request has no token.
  if (method !== 'OPTIONS') authenticate(context)
  requireDecodable(context)
  if (methods.length === 0)
    throw errors.routeNotFound({ method, path, near: findNearestRoutes(options.operations, method, route) })
  if (method === 'OPTIONS') return { status: 204, headers: { ...getContextHeaders(context), ...allow }, text: null }
  return respondWithError(context, errors.methodNotAllowed({ method, path, methods }), allow)
}
