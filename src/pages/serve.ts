import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { ConnectionEnv } from '../wire/transport.ts'
import {
  createEmptyResponse,
  createErrorResponse,
  nosniff,
  type OutgoingResponse,
  type ResponseHeaders,
  toHonoHandler,
} from '../wire/respond.ts'
import { errors } from '../schema/error.ts'
import type { Markup } from './html.ts'

/** The parts of Hono's context that pages use. */
export type PageContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

const noStore: ResponseHeaders = {
  ...nosniff,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Creates the security headers of a page. `policy` lists the sources that the page may load. */
export const createSecurityHeaders = (policy: string): ResponseHeaders => ({
  'content-security-policy': `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors 'none'`,
  ...noStore,
})

export const createHtmlResponse = async (markup: Markup, headers: ResponseHeaders, status = 200): Promise<Response> =>
  new Response(String(await markup).trimStart(), {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  })

export const createAssetResponse = (type: 'css' | 'javascript' | 'plain', text: string): Response =>
  new Response(text, { headers: { 'content-type': `text/${type}; charset=utf-8`, ...noStore } })

const methods = ['GET', 'HEAD', 'OPTIONS']

/**
 * Mounts a read-only page: methods other than GET, HEAD and OPTIONS get a 405.
 *
 * @param guard throws if access is denied
 * @param validate throws if the query is invalid
 */
export const mountGet = <E extends ConnectionEnv>(
  app: Hono<E>,
  path: string,
  respond: (c: PageContext) => OutgoingResponse | Promise<OutgoingResponse>,
  guard: (c: PageContext) => void = () => {},
  validate: MiddlewareHandler = (_, next) => next(),
): void => {
  const allow = { allow: methods.join(', ') }
  const checkGuard: MiddlewareHandler<ConnectionEnv> = (c, next) => {
    guard(c)
    return next()
  }
  const handle = (c: PageContext) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return respond(c)
    if (c.req.method === 'OPTIONS') return createEmptyResponse(204, allow)
    return createErrorResponse(
      errors.methodNotAllowed({ method: c.req.method, path: c.req.path, methods }),
      'object',
      allow,
    )
  }
  app.all(path, checkGuard, validate, toHonoHandler(handle))
}
