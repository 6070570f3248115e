import { errors, invalidControlQuery } from '../../schema/error.ts'
import { zValidator } from '@hono/zod-validator'
import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { parse } from '../../schema/problem.ts'
import { ProjectId } from '../../schema/seed.ts'
import type { ConnectionEnv } from '../../wire/transport.ts'
import { createAssetResponse, createHtmlResponse, mountGet, type PageContext, createSecurityHeaders } from '../serve.ts'
import type { CommandClient } from '../../schema/command.ts'

export interface DashboardOptions {
  /** The path of the sandbox, such as `/@checkout-1`, or an empty string. */
  readonly prefix: string
  /** Returns a client of the control API whose links have this origin. */
  readonly createClientFor: (origin: string) => CommandClient
  /** What precedes `/projects` in the paths of a client. */
  readonly clientPath: string
  /** Returns the names of all sandboxes of the mock. */
  readonly listSandboxNames: () => readonly string[]
  /** Throws unless the request may use the control API. */
  readonly checkAccess: (c: PageContext) => void
  /** The same for resources without data: a browser sends no token when it opens a URL. */
  readonly checkAccessWithoutToken: (c: PageContext) => void
}

const base = '/__admin/'

const headers = createSecurityHeaders(
  "script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'",
)

/** Mounts the dashboard. Its code is loaded with the first request, since most mocks never show it. */
export const mountDashboard = <E extends ConnectionEnv>(app: Hono<E>, options: DashboardOptions): void => {
  const mountOpen = (path: string, respond: (c: PageContext) => Response | Promise<Response>) =>
    mountGet(app, path, respond, options.checkAccessWithoutToken)
  mountOpen(base, async () => createHtmlResponse((await import('./shell.ts')).shell(), headers))
  mountOpen(`${base}dashboard/style.css`, async () =>
    createAssetResponse('css', (await import('./style.ts')).dashboardStyles),
  )
  mountOpen(`${base}dashboard/script.js`, async () =>
    createAssetResponse('javascript', (await import('../browser/dashboard.ts?script')).default),
  )
  // Links are relative, since a proxy may put a prefix before all paths.
  const redirects = { '/__admin': '__admin/', '/admin': '__admin/', '/admin/': '../__admin/' }
  for (const [path, target] of Object.entries(redirects))
    mountOpen(path, (c) => {
      const location = `${target}${new URL(c.req.url).search}`
      return new Response(null, { status: 307, headers: { location } })
    })
  mountGet(app, `${base}dashboard/:view`, (c) => renderView(c, options), options.checkAccess, validateProject)
}

const ProjectQuery = z.object({ project: z.optional(ProjectId) })

const validateProject = zValidator('query', ProjectQuery, (result) => {
  // Parsed again for messages that quote the value.
  const parsed = parse(ProjectQuery, result.data)
  if (parsed.ok) return
  throw invalidControlQuery({ what: 'The query', problems: parsed.problems })
})

const renderView = async (c: PageContext, options: DashboardOptions): Promise<Response> => {
  const { prefix, clientPath, createClientFor, listSandboxNames } = options
  const { views } = await import('./views.ts')
  const view = views.get(c.req.param('view') ?? '')
  if (view === undefined) throw errors.routeNotFound({ method: c.req.method, path: c.req.path, near: [] })
  const { origin, searchParams: query } = new URL(c.req.url)
  const project = query.get('project') ?? undefined
  const sandbox = prefix === '' ? undefined : prefix.slice('/@'.length)
  const request = {
    project,
    query,
    sandbox,
    sandboxes: listSandboxNames(),
    origin: origin + prefix,
    clientUrl: origin + clientPath,
    needsToken: c.env.connection?.admin.token !== undefined,
    client: createClientFor(origin),
  }
  return createHtmlResponse(await view(request), headers)
}
