import { MockError } from '../schema/error.ts'
import { methodNotAllowed, methodsAt, nearestRoutes, routeNotFound } from '../wire/route.ts'
import { type ResponseData, errorData } from '../wire/respond.ts'
import type { RequestContext } from './request-context.ts'
import { contextHeaders } from './serialize.ts'
import { authenticate } from './validate.ts'
import { noteError } from './violations.ts'

/** Responds to a path below `/projects` that no operation has, or to a wrong method. Its errors come after those of the token. */
export const rejectOperation = (context: RequestContext): ResponseData => {
  const { raw, path, options } = context
  const route = path.slice(options.basePath.length)
  const methods = methodsAt(options.operations, route)
  const headers = { ...contextHeaders(context), allow: methods.join(', ') }
  // A preflight request has no token.
  if (raw.method !== 'OPTIONS') authenticate(context)
  if (methods.length === 0) throw routeNotFound(raw.method, path, nearestRoutes(options.operations, route))
  if (raw.method === 'OPTIONS') return { status: 204, headers, text: null }
  const refusal = methodNotAllowed(raw.method, path, methods)
  noteError(context, refusal)
  return errorData(refusal, context.behaviors.errorFormat, headers)
}

/** Rejects a path that cannot be decoded. */
export const rejectPath = (): never => {
  throw new MockError('malformedRequest', 'The path cannot be decoded.', {
    hint: "Send UTF-8, percent-encoded, and '%25' for a percent sign.",
  })
}

/** Rejects a path that no route has. */
export const rejectRoute = ({ raw, path }: RequestContext): never => {
  throw routeNotFound(raw.method, path, [])
}
