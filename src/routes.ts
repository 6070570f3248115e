import { type Context, Hono } from 'hono'
import { type ControlEnv, mountControl } from './control/plane.ts'
import { mountApi, mountNoOperation, mountRest, mountUndecodable } from './http/api.ts'
import type { ApiEnv } from './http/exchange.ts'
import type { Operation } from './http/operation.ts'
import { paymentLinkOperations } from './http/payment-links.ts'
import { userOperations } from './http/users.ts'
import { mountNotFound } from './pages/docs/mount.ts'
import { mountPages, type PagesOptions } from './pages/pages.ts'
import { errorResponse, jsonResponse, refusalOf } from './wire/respond.ts'

/** What comes with a request: the mock that it is for. */
export interface MockEnv {
  Bindings: ApiEnv['Bindings'] &
    ControlEnv['Bindings'] & {
      /** What is neither the mocked API nor the control plane. */
      readonly site: () => Hono<MockEnv>
    }
}

interface Routes {
  readonly provider: string
  readonly basePath: string
  readonly operations: readonly Operation[]
  readonly fetch: Hono<MockEnv>['fetch']
}

// Those that were asked for last: mocks in one process are alike, and building the routes costs more than all the rest.
let latest: Routes | undefined

/** The routes of every mock with this provider and base path: which mock it is comes with each request. */
export const routesOf = (provider: string, basePath: string): Routes => {
  if (latest?.provider === provider && latest.basePath === basePath) return latest
  const operations = [...userOperations, ...paymentLinkOperations(provider)]
  latest = { provider, basePath, operations, fetch: decoding(createApi(operations, basePath), basePath) }
  return latest
}

/** What cannot be decoded goes to routes of its own. */
const decoding = (app: Hono<MockEnv>, basePath: string): Routes['fetch'] => {
  const undecodable = createApp()
  mountUndecodable(undecodable, basePath)
  return (request, env) => (isDecodable(request.url) ? app : undecodable).fetch(request, env)
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

/** The operations alone, so that one match finds them. What they are not is looked for in the others, and then on the site. */
const createApi = (operations: readonly Operation[], basePath: string): Hono<MockEnv> => {
  const app = createApp()
  mountApi(app, operations, basePath)
  let others: Hono<MockEnv> | undefined
  app.notFound((c) => (others ??= createOthers(basePath)).fetch(c.req.raw, c.env))
  return app
}

const createOthers = (basePath: string): Hono<MockEnv> => {
  const app = createApp()
  mountNoOperation(app, basePath)
  const onSite = (c: Context<MockEnv>) => c.env.site().fetch(c.req.raw, c.env)
  for (const path of ['/__admin', '/__admin/', '/__admin/dashboard/:view']) app.all(path, onSite)
  mountControl(app)
  app.notFound(onSite)
  return app
}

/** The pages and documents of one mock, and what answers everything else. */
export const createSite = (pages: PagesOptions, openApi: () => unknown): Hono<MockEnv> => {
  const app = createApp()
  mountPages(app, pages)
  app.get('/openapi.json', () => jsonResponse(openApi(), 200))
  mountNotFound(app)
  mountRest(app)
  return app
}

const createApp = (): Hono<MockEnv> => {
  const app = new Hono<MockEnv>()
  app.onError((error, c) => errorResponse(refusalOf(error, c.env.api.onError)))
  return app
}
