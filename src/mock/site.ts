import type { Hono } from 'hono'
import { handleRequest, rejectUnknownRoute } from '../http/handle-request.ts'
import { mountNotFound, mountPages, type PagesOptions } from '../pages/pages.ts'
import { mountGet } from '../pages/serve.ts'
import { createApp, type MockEnv } from './routes.ts'
import { createJsonResponse } from '../wire/respond.ts'

/** Creates the routes of the pages and documents. All other paths return 404. */
export const createSite = (pages: PagesOptions): Hono<MockEnv> => {
  const app = createApp()
  mountPages(app, pages)
  mountGet(app, '/openapi.json', async () => createJsonResponse(await pages.docs.openApi(), 200))
  mountNotFound(app)
  app.all('*', handleRequest(rejectUnknownRoute))
  return app
}
