import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { checkAccess, checkAccessWithoutToken, loadControlDocument } from '../control/control-routes.ts'
import type { CommandClient } from '../control/commands.ts'
import { errors, invalidControlQuery } from '../schema/error.ts'
import { parse } from '../schema/problem.ts'
import { ProjectId } from '../schema/seed.ts'
import { namesJson } from '../http/json.ts'
import { createJsonResponseData, createResponse, nosniff } from '../http/respond.ts'
import { type ConnectionEnv, getHost, isTrustedHost } from '../http/transport.ts'
// oxlint-disable-next-line import/default -- the build exports the text of a script
import dashboardScript from './browser/dashboard.ts?script'
import docsScript from './browser/docs.ts?script'
import { shell, views } from './dashboard/views.ts'
import { docs } from './docs/api-docs.ts'
import { findExamples, type OpenApiDocument } from './docs/documented-operations.ts'
import { landing, notFound } from './docs/landing.ts'
import { formatLlmsText } from './docs/llms.ts'
import { mountPaymentPage, type PaymentPageOptions } from './payment.ts'
import { dashboardStyles, docsStyles } from './styles.ts'
import { createHtmlResponse, createTextResponse, mountGet, type PageContext } from './html.ts'

export interface PagesOptions {
  readonly payment: PaymentPageOptions
  /** The path of the sandbox, such as `/@checkout-1`, or an empty string. */
  readonly prefix: string
  /** The part before `/projects` in the paths of a client. */
  readonly clientPath: string
  /** Returns a client of the control API whose links have this origin. */
  readonly createClientFor: (origin: string) => CommandClient
  readonly openApi: () => Promise<unknown>
  /** Returns the text that ids of new projects are derived from. */
  readonly idSeed: () => string
  readonly listSandboxNames: () => readonly string[]
}

const pagePolicy = "style-src 'self'; img-src data:; form-action 'none'"
const scriptPolicy = `script-src 'self'; ${pagePolicy}`
const landingPolicy = `script-src 'self'; connect-src 'self'; ${pagePolicy}`
const dashboardPolicy = "script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'"

export const mountPages = <E extends ConnectionEnv>(app: Hono<E>, options: PagesOptions): void => {
  mountPaymentPage(app, options.payment)
  mountDashboard(app, options)
  mountDocs(app, options)
  // Browsers request it automatically.
  mountGet(app, '/favicon.ico', (c) => c.body(null, 204))
  mountNotFound(app)
}

/** Mounts the landing page, the API documentation and the documents for tools. */
const mountDocs = <E extends ConnectionEnv>(app: Hono<E>, options: PagesOptions): void => {
  const { openApi, prefix } = options
  mountGet(app, '/', async (c) =>
    createHtmlResponse(landing(await loadOverview(c, options), await loadExamples(c, options)), landingPolicy),
  )
  mountGet(app, '/docs', async (c) =>
    createHtmlResponse(docs(await readDocument(openApi), await loadExamples(c, options)), scriptPolicy),
  )
  mountGet(app, '/llms.txt', async (c) => {
    const [api, control] = [await readDocument(openApi), await readDocument(() => loadControlDocument(prefix))]
    return createTextResponse('plain', formatLlmsText(api, control, new URL(c.req.url).origin))
  })
  mountGet(app, '/docs/style.css', () => createTextResponse('css', docsStyles))
  mountGet(app, '/docs/script.js', () => createTextResponse('javascript', docsScript))
  mountGet(app, '/openapi.json', async () => createResponse(createJsonResponseData(await openApi(), 200, nosniff)))
}

/** The layer that builds the documents does not know the type with which the pages read them. */
const readDocument = async (load: () => Promise<unknown>) => (await load()) as OpenApiDocument

/** Loads what the start page shows of the mock. Undefined for a caller who may not use the control API. */
const loadOverview = async (c: PageContext, { createClientFor, idSeed }: PagesOptions) => {
  if (!mayShowIds(c, false)) return undefined
  const client = createClientFor(new URL(c.req.url).origin)
  const { items: projects } = await client.call('listProjects')
  return { projects, clock: await client.call('readClock'), idSeed: idSeed() }
}

const loadExamples = (c: PageContext, { createClientFor, clientPath, prefix }: PagesOptions) => {
  const { origin } = new URL(c.req.url)
  return findExamples({
    client: createClientFor(origin),
    clientUrl: origin + clientPath,
    mockUrl: origin + prefix,
    needsAdminToken: needsAdminToken(c),
    hasAccess: (anyToken) => mayShowIds(c, anyToken),
    wanted: c.req.query(),
  })
}

const mountDashboard = <E extends ConnectionEnv>(app: Hono<E>, options: PagesOptions): void => {
  const dashboardPath = '/__admin/'
  const mountWithoutToken = (path: string, respond: (c: PageContext) => Response | Promise<Response>) =>
    mountGet(app, path, respond, checkAccessWithoutToken)
  mountWithoutToken(dashboardPath, () => createHtmlResponse(shell(), dashboardPolicy))
  mountWithoutToken(`${dashboardPath}dashboard/style.css`, () => createTextResponse('css', dashboardStyles))
  mountWithoutToken(`${dashboardPath}dashboard/script.js`, () => createTextResponse('javascript', dashboardScript))
  // Links are relative, since a proxy may put a prefix before all paths.
  const dashboardRedirects = { '/__admin': '__admin/', '/admin': '__admin/', '/admin/': '../__admin/' }
  for (const [path, redirectTarget] of Object.entries(dashboardRedirects))
    mountWithoutToken(path, (c) => {
      const location = `${redirectTarget}${new URL(c.req.url).search}`
      return new Response(null, { status: 307, headers: { location } })
    })
  mountGet(app, `${dashboardPath}dashboard/:view`, (c) => showView(c, options), checkAccess)
}

const ProjectQuery = z.object({ project: z.optional(ProjectId) })

const showView = (c: PageContext, options: PagesOptions): Promise<Response> => {
  const { prefix, clientPath, createClientFor, listSandboxNames } = options
  const view = views.get(c.req.param('view') ?? '')
  if (view === undefined) throw errors.routeNotFound({ method: c.req.method, path: c.req.path, near: [] })
  const { origin, searchParams: query } = new URL(c.req.url)
  const parsedQuery = parse(ProjectQuery, { project: c.req.query('project') })
  if (!parsedQuery.ok) throw invalidControlQuery({ what: 'The query', problems: parsedQuery.problems })
  const markup = view({
    project: parsedQuery.value.project,
    query,
    sandbox: prefix === '' ? undefined : prefix.slice('/@'.length),
    sandboxes: listSandboxNames(),
    mockUrl: origin + prefix,
    clientUrl: origin + clientPath,
    needsAdminToken: needsAdminToken(c),
    client: createClientFor(origin),
  })
  return createHtmlResponse(markup, dashboardPolicy)
}

/** Mounts the page for an unknown path. Clients that accept JSON, or do not accept HTML, get the JSON of the next route. */
const mountNotFound = <E extends ConnectionEnv>(app: Hono<E>): void => {
  app.get('*', (c, next) => {
    const accept = c.req.header('accept') ?? ''
    if (!/\btext\/html\b/i.test(accept) || namesJson(accept)) return next()
    return createHtmlResponse(notFound(c.req.path), pagePolicy, 404)
  })
}

const needsAdminToken = ({ env: { connection } }: PageContext): boolean =>
  connection !== undefined && (connection.admin.isClosed === true || connection.admin.token !== undefined)

/**
 * Returns true if the caller may see ids: with an open control API, or with a mocked API that accepts any token, everyone
 * can read them. The Host is checked, because DNS rebinding must not give a foreign page the same access.
 */
const mayShowIds = (c: PageContext, anyToken: boolean): boolean => {
  const { connection } = c.env
  const isTrusted = connection === undefined || isTrustedHost(getHost(c.req.url), connection.admin.allowedHosts)
  return isTrusted && (anyToken || !needsAdminToken(c))
}
