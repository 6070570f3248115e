import type { Context, Hono } from 'hono'
import type { ConnectionEnv } from '../http/transport.ts'
import { createEmptyResponse, createErrorResponse, nosniff, type ResponseHeaders } from '../http/respond.ts'
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

/** Creates the response of a page, which may load only the sources of the policy. */
export const createHtmlResponse = async (
  markup: Markup | Promise<Markup>,
  policy: string,
  status = 200,
  headers: ResponseHeaders = {},
): Promise<Response> =>
  new Response(String(await markup).trimStart(), {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...createSecurityHeaders(policy), ...headers },
  })

export const createTextResponse = (type: 'css' | 'javascript' | 'plain', text: string): Response =>
  new Response(text, { headers: { 'content-type': `text/${type}; charset=utf-8`, ...noStore } })

const methods = ['GET', 'HEAD', 'OPTIONS']

/**
 * Mounts a read-only page: methods other than GET, HEAD and OPTIONS get a 405.
 *
 * @param check throws if access is denied
 */
export const mountGet = <E extends ConnectionEnv>(
  app: Hono<E>,
  path: string,
  respond: (c: PageContext) => Response | Promise<Response>,
  check: (c: PageContext) => void = () => {},
): void => {
  const handle = (c: PageContext) => {
    check(c)
    const { method, path: requested } = c.req
    if (method === 'GET' || method === 'HEAD') return respond(c)
    const allow = { allow: methods.join(', ') }
    if (method === 'OPTIONS') return createEmptyResponse(204, allow)
    return createErrorResponse(errors.methodNotAllowed({ method, path: requested, methods }), allow)
  }
  app.all(path, handle)
}
