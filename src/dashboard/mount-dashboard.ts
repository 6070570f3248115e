import { Hono } from 'hono'
import * as z from 'zod/mini'
import { checkAccess, checkAccessWithoutToken } from '../core/control/access.ts'
import { checkQuery } from '../core/control/commands.ts'
import { errors } from '../core/schema/error.ts'
import { ProjectId } from '../core/schema/seed.ts'
// oxlint-disable-next-line import/default -- the build exports the text of a script
import dashboardScript from './browser/dashboard.ts?script'
import {
  createSecurityHeaders,
  createTextResponse,
  mountGet,
  needsAdminToken,
  type PageContext,
  type PagesApp,
} from '../core/pages/html.ts'
import type { PagesOptions } from '../core/pages/page-options.ts'
import { dashboardStyles } from './dashboard-styles.ts'
import { dashboardPaths } from './paths.ts'
import { shell, views } from './views.ts'

const dashboardHeaders = createSecurityHeaders(
  "script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'",
)

export const createDashboard = (options: PagesOptions): PagesApp => {
  const app: PagesApp = new Hono()
  const mountWithoutToken = (path: string, respond: (c: PageContext) => Response | Promise<Response>) =>
    mountGet(app, path, respond, checkAccessWithoutToken)
  mountWithoutToken(dashboardPaths.page, (c) => c.html(shell(), 200, dashboardHeaders))
  mountWithoutToken(dashboardPaths.style, () => createTextResponse('css', dashboardStyles))
  mountWithoutToken(dashboardPaths.script, () => createTextResponse('javascript', dashboardScript))
  // Links are relative, since a proxy may put a prefix before all paths.
  const dashboardRedirects = { '/__admin': '__admin/', '/admin': '__admin/', '/admin/': '../__admin/' }
  for (const [path, redirectTarget] of Object.entries(dashboardRedirects))
    mountWithoutToken(path, (c) => c.redirect(`${redirectTarget}${new URL(c.req.url).search}`, 307))
  mountGet(app, `${dashboardPaths.views}:view`, (c) => showView(c, options), checkAccess)
  return app
}

const ProjectQuery = z.object({ project: z.optional(ProjectId) })

const showView = async (c: PageContext, options: PagesOptions): Promise<Response> => {
  const { prefixes, createClientFor, listSandboxNames } = options
  const view = views.get(c.req.param('view') ?? '')
  if (view === undefined) throw errors.routeNotFound({ method: c.req.method, path: c.req.path, near: [] })
  const { origin, searchParams: query } = new URL(c.req.url)
  const { project } = checkQuery(ProjectQuery, { project: c.req.query('project') })
  const markup = await view({
    project,
    query,
    sandbox: prefixes.mock === '' ? undefined : prefixes.mock.slice('/@'.length),
    sandboxes: listSandboxNames(),
    mockUrl: origin + prefixes.mock,
    clientUrl: origin + prefixes.api,
    needsAdminToken: needsAdminToken(c),
    client: createClientFor(origin),
  })
  return c.html(markup, 200, dashboardHeaders)
}
