import { type Context, Hono } from 'hono'
import { type ControlEnv, mountControl } from '../control/control-routes.ts'
import { createOperationHandler, createRouteHandler, rejectOperation } from '../http/handle-request.ts'
import { createOperations, type Operation } from '../http/operations.ts'
import type { ApiEnv } from '../http/request-context.ts'
import type { PagesOptions } from '../pages/pages.ts'
import { errors } from '../schema/error.ts'
import { createErrorResponse, toHonoHandler, toMockError, type OutgoingResponse } from '../wire/respond.ts'
import { toHonoPath } from '../wire/route.ts'
import type { IncomingRequest } from '../wire/transport.ts'

/** The mock that a request is for. */
export interface MockEnv {
  Bindings: ApiEnv['Bindings'] &
    ControlEnv['Bindings'] & {
      /** Returns the routes of the pages and documents. */
      readonly site: () => Promise<Hono<MockEnv>>
    }
}

export interface Routes {
  readonly provider: string
  readonly basePath: string
  readonly operations: readonly Operation[]
  readonly fetch: (request: IncomingRequest, env: MockEnv['Bindings']) => OutgoingResponse | Promise<OutgoingResponse>
}

// Building the routes is the largest cost of a mock, and the mocks of one process are usually alike.
let cached: Routes | undefined

/** Returns the routes of all mocks with this provider and base path. Each request passes its mock to them. */
export const getRoutes = (provider: string, basePath: string): Routes => {
  if (cached?.provider === provider && cached.basePath === basePath) return cached
  const operations = createOperations(provider)
  cached = { provider, basePath, operations, fetch: rejectUndecodable(createApi(operations, basePath), basePath) }
  return cached
}

const rejectUndecodablePath = (): never => {
  throw errors.malformedRequest('undecodablePath')
}

/** Sends requests with an undecodable path to routes of their own. */
const rejectUndecodable = (app: Hono<MockEnv>, basePath: string): Routes['fetch'] => {
  const undecodable = createApp()
  undecodable.all(`${basePath}/projects/*`, createRouteHandler(rejectUndecodablePath))
  undecodable.all('*', rejectUndecodablePath)
  // Hono reads nothing else of a request.
  return (request, env) => (isDecodable(request.url) ? app : undecodable).fetch(request as Request, env)
}

const isDecodable = (url: string): boolean => {
  // Most addresses have nothing to decode.
  if (!url.includes('%')) return true
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0]!) !== ''
  } catch {
    return false
  }
}

/** API routes match first. Other requests fall through to the admin routes, then to the pages. */
const createApi = (operations: readonly Operation[], basePath: string): Hono<MockEnv> => {
  const app = createApp()
  for (const operation of operations)
    app.on(operation.method, basePath + toHonoPath(operation.path), createOperationHandler(operation))
  let others: Hono<MockEnv> | undefined
  app.notFound((c) => (others ??= createOthers(basePath)).fetch(c.req.raw, c.env))
  return app
}

const createOthers = (basePath: string): Hono<MockEnv> => {
  const app = createApp()
  for (const path of ['/projects/:project/*', '/projects/*'])
    app.all(basePath + path, createRouteHandler(rejectOperation))
  const onSite = async (c: Context<MockEnv>) => (await c.env.site()).fetch(c.req.raw, c.env)
  for (const path of ['/__admin', '/__admin/', '/__admin/dashboard/:view']) app.all(path, onSite)
  mountControl(app)
  app.notFound(onSite)
  return app
}

/** Creates an app without routes, which responds to errors. */
const createApp = (): Hono<MockEnv> => {
  const app = new Hono<MockEnv>()
  app.onError(
    toHonoHandler((error: unknown, c: Context<MockEnv>) => createErrorResponse(toMockError(error, c.env.api.onError))),
  )
  return app
}

/** Creates the routes of the pages and documents, which are loaded with the first page. All other paths return 404. */
export const loadSite = async (options: PagesOptions): Promise<Hono<MockEnv>> => {
  const { mountPages } = await import('../pages/pages.ts')
  const app = createApp()
  mountPages(app, options)
  app.all(
    '*',
    createRouteHandler(({ req: { method, path } }) => {
      throw errors.routeNotFound({ method, path, near: [] })
    }),
  )
  return app
}
