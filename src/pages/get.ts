import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { ConnectionEnv } from '../wire/connection.ts'
import { emptyResponse, errorResponse } from '../wire/respond.ts'
import { methodNotAllowed } from '../wire/route.ts'

/** What a page needs to know of the request for it. */
export type PageContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

interface GetOptions {
  /** Throws the refusal of one who may not look. */
  readonly guard?: (c: PageContext) => void
  /** Refuses a query that is wrong. */
  readonly query?: MiddlewareHandler
}

const methods = ['GET', 'HEAD', 'OPTIONS']

/** Mounts what can be looked at, and nothing else. */
export const mountGet = <E extends ConnectionEnv>(
  app: Hono<E>,
  path: string,
  answer: (c: PageContext) => Response | Promise<Response>,
  { guard = () => {}, query = (_, next) => next() }: GetOptions = {},
): void => {
  const allow = { allow: methods.join(', ') }
  const guarded: MiddlewareHandler<ConnectionEnv> = async (c, next) => {
    guard(c)
    await next()
  }
  const handle = (c: PageContext) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return answer(c)
    if (c.req.method === 'OPTIONS') return emptyResponse(204, allow)
    return errorResponse(methodNotAllowed(c.req.method, c.req.path, methods), 'object', allow)
  }
  app.all(path, guarded, query, handle)
}
