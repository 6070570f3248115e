import { type Context, Hono } from 'hono'
import { type ControlEnv, createControlApp } from '../control/control-routes.ts'
import { createApi, createRouteHandler } from '../api/handle-request.ts'
import type { Operation } from '../api/operation.ts'
import { createOperations } from '../api/operations.ts'
import type { ApiEnv } from '../api/request.ts'
import { requireDecodable } from '../api/request-stages.ts'
import type { Dashboard, PagesOptions } from '../pages/page-options.ts'
import { createCors } from '../api/response-headers.ts'
import { errors } from '../schema/error.ts'
import type { MockOptions } from '../schema/mock-options.ts'
import { createErrorResponse, toMockError } from '../http/respond.ts'
import { DroppedError } from '../http/transport.ts'

/** Hono's `c.env` has the mock that a request is for: all mocks share the routes. */
export interface MockEnv {
  Bindings: ApiEnv['Bindings'] &
    ControlEnv['Bindings'] & { readonly site: () => Promise<Hono<MockEnv>>; readonly dashboard: Dashboard | undefined }
}

export interface Routes {
  readonly key: string
  readonly operations: readonly Operation[]
  readonly app: Hono<MockEnv>
}

// Building the routes is the largest cost of a mock, and the mocks of one process are usually alike.
let cachedRoutes: Routes | undefined

/** Returns the routes of all mocks with these options. Each request passes its mock to them. */
export const getRoutes = (provider: string, basePath: string, cors: MockOptions['cors']): Routes => {
  const routesKey = JSON.stringify([provider, basePath, cors])
  if (cachedRoutes?.key === routesKey) return cachedRoutes
  const operations = createOperations(provider)
  cachedRoutes = { key: routesKey, operations, app: createRoutes(operations, basePath, cors) }
  return cachedRoutes
}

/** The mocked API matches first. Other requests fall through to the control API, then to the pages. */
const createRoutes = (operations: readonly Operation[], basePath: string, cors: MockOptions['cors']): Hono<MockEnv> => {
  const app = createApp()
  if (cors !== undefined) app.use(`${basePath}/projects/*`, createCors(cors))
  app.route(basePath === '' ? '/' : basePath, createApi(operations))
  // Built with the first request to one of them, which most mocks never get: a router compiles all of its routes at once.
  let otherRoutes: Hono<MockEnv> | undefined
  const passOn = (c: Context<MockEnv>) => (otherRoutes ??= createOtherRoutes()).fetch(c.req.raw, c.env)
  // Not a route for `*`, which would be one more handler of each request to the mocked API.
  app.notFound(passOn)
  return app
}

const createOtherRoutes = (): Hono<MockEnv> => {
  const app = createApp()
  const throwSandboxError = createRouteHandler(({ c }) => {
    throw c.env.sandboxError
  })
  const rejectSandbox = createApp().all('*', throwSandboxError)
  app.use(async (c, next) => (c.env.sandboxError === undefined ? next() : rejectSandbox.fetch(c.req.raw, c.env)))
  const showPage = async (c: Context<MockEnv>) => (await c.env.site()).fetch(c.req.raw, c.env)
  app.use((c, next) => (c.env.dashboard?.hasPath(c.req.path) ? showPage(c) : next()))
  app.route('/', createControlApp())
  app.notFound(showPage)
  return app
}

const createApp = (): Hono<MockEnv> => {
  const app = new Hono<MockEnv>()
  app.onError((error, c) => {
    // A dropped connection has no response.
    if (error instanceof DroppedError) throw error
    return createErrorResponse(toMockError(error, c.env.api))
  })
  return app
}

/** Creates the routes of the pages and documents, which are loaded with the first page. All other paths return 404. */
export const loadSite = async (options: PagesOptions): Promise<Hono<MockEnv>> => {
  const { createPages } = await import('../pages/pages.ts')
  const app = createApp()
  const createDashboard = await options.dashboard?.load()
  if (createDashboard !== undefined) app.route('/', createDashboard(options))
  app.route('/', createPages(options))
  const rejectPath = createRouteHandler((request) => {
    requireDecodable(request)
    const { method, path } = request.req
    throw errors.routeNotFound({ method, path, near: [], basePath: request.options.basePath })
  })
  return app.all('*', rejectPath)
}
