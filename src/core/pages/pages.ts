import { namesJson } from '../http/json.ts'
import { nosniff } from '../http/respond.ts'
import { getHost, isTrustedHost } from '../http/transport.ts'
// oxlint-disable-next-line import/default -- the build exports the text of a script
import docsScript from './browser/docs.ts?script'
import { docs } from './docs/api-docs.ts'
import { findExamples, type OpenApiDocument } from './docs/documented-operations.ts'
import { landing, notFound } from './docs/landing.ts'
import type { MountPages, PagesOptions } from './page-options.ts'
import { mountPaymentPage } from './payment.ts'
import { docsStyles } from './styles.ts'
import { createSecurityHeaders, createTextResponse, mountGet, needsAdminToken, type PageContext } from './html.ts'

const pagePolicy = "style-src 'self'; img-src data:; form-action 'none'"
const docsHeaders = createSecurityHeaders(`script-src 'self'; ${pagePolicy}`)
const landingHeaders = createSecurityHeaders(`script-src 'self'; connect-src 'self'; ${pagePolicy}`)

/** Mounts the pages of the core, and a page for each unknown path. */
export const mountPages: MountPages = (app, options) => {
  mountPaymentPage(app, options.payment)
  mountDocs(app, options)
  // Browsers request it automatically.
  mountGet(app, '/favicon.ico', (c) => c.body(null, 204))
  mountNotFound(app, options)
}

/** Mounts the landing page, the API documentation and the documents for tools. */
const mountDocs: MountPages = (app, options) => {
  const { openApi, dashboard } = options
  mountGet(app, '/', async (c) =>
    c.html(landing(await loadOverview(c, options), await loadExamples(c, options), dashboard), 200, landingHeaders),
  )
  mountGet(app, '/docs', async (c) =>
    c.html(docs(await readDocument(openApi), await loadExamples(c, options)), 200, docsHeaders),
  )
  mountGet(app, '/docs/style.css', () => createTextResponse('css', docsStyles))
  mountGet(app, '/docs/script.js', () => createTextResponse('javascript', docsScript))
  mountGet(app, '/openapi.json', async (c) => c.json(await openApi(), 200, nosniff))
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

/** Mounts the page for an unknown path. Clients that accept JSON, or do not accept HTML, get the JSON of the next route. */
const mountNotFound: MountPages = (app, { dashboard }) => {
  app.get('*', (c, next) => {
    const accept = c.req.header('accept') ?? ''
    if (!/\btext\/html\b/i.test(accept) || namesJson(accept)) return next()
    return c.html(notFound(c.req.path, dashboard), 404, createSecurityHeaders(pagePolicy))
  })
}

/**
 * Returns true if the caller may see ids: with an open control API, or with a mocked API that accepts any token, everyone
 * can read them. The Host is checked, because DNS rebinding must not give a foreign page the same access.
 */
const mayShowIds = (c: PageContext, anyToken: boolean): boolean => {
  const { connection } = c.env
  const isTrusted = connection === undefined || isTrustedHost(getHost(c.req.url), connection.admin.allowedHosts)
  return isTrusted && (anyToken || !needsAdminToken(c))
}
