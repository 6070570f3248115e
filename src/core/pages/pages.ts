import { Hono } from 'hono'
import { hasTrustedHost } from '../control/access.ts'
import { namesJson } from '../http/json.ts'
import { nosniff } from '../http/respond.ts'
import { getOrigin } from '../http/transport.ts'
// oxlint-disable-next-line import/default -- the build exports the text of a script
import docsScript from './browser/docs.ts?script'
import { docs } from './docs/api-docs.ts'
import { findExamples, type OpenApiDocument } from './docs/documented-operations.ts'
import { landing, notFound } from './docs/landing.ts'
import type { PagesOptions } from './page-options.ts'
import { createPaymentPages } from './payment.ts'
import { docsStyles, paymentStyles } from './styles.ts'
import {
  createSecurityHeaders,
  createTextResponse,
  mountGet,
  needsAdminToken,
  type PageContext,
  type PagesApp,
} from './html.ts'

const pagePolicy = "style-src 'self'; img-src data:; form-action 'none'"
const docsHeaders = createSecurityHeaders(`script-src 'self'; ${pagePolicy}`)
const landingHeaders = createSecurityHeaders(`script-src 'self'; connect-src 'self'; ${pagePolicy}`)

export const createPages = (options: PagesOptions): PagesApp => {
  const { openApi, dashboard } = options
  const app: PagesApp = new Hono()
  // Payment pages link to it by a relative URL, because a proxy may add a prefix to both.
  mountGet(app, '/pay/style.css', () => createTextResponse('css', paymentStyles))
  app.route('/', createPaymentPages(options.payment, options.prefixes))
  mountGet(app, '/', async (c) =>
    c.html(landing(await loadOverview(c, options), await loadExamples(c, options), dashboard), 200, landingHeaders),
  )
  mountGet(app, '/docs', async (c) => {
    // The layer that builds the document does not know the type with which this page reads it.
    const document = (await openApi()) as OpenApiDocument
    return c.html(docs(document, await loadExamples(c, options)), 200, docsHeaders)
  })
  mountGet(app, '/docs/style.css', () => createTextResponse('css', docsStyles))
  mountGet(app, '/docs/script.js', () => createTextResponse('javascript', docsScript))
  mountGet(app, '/openapi.json', async (c) => c.json(await openApi(), 200, nosniff))
  // Browsers request it automatically.
  mountGet(app, '/favicon.ico', (c) => c.body(null, 204))
  // Clients that accept JSON, or do not accept HTML, get the JSON of the next route.
  app.get('*', (c, next) => {
    const accept = c.req.header('accept') ?? ''
    if (!/\btext\/html\b/i.test(accept) || namesJson(accept)) return next()
    return c.html(notFound(c.req.path, dashboard), 404, createSecurityHeaders(pagePolicy))
  })
  return app
}

/** Loads what the start page shows of the mock. Undefined for a caller who may not use the control API. */
const loadOverview = async (c: PageContext, { createClientFor, idSeed }: PagesOptions) => {
  if (!mayShowIds(c, false)) return undefined
  const client = createClientFor(getOrigin(c.req.url))
  const { items: projects } = await client.call('listProjects')
  return { projects, clock: await client.call('readClock'), idSeed: idSeed() }
}

const loadExamples = (c: PageContext, { createClientFor, prefixes }: PagesOptions) => {
  const origin = getOrigin(c.req.url)
  return findExamples({
    client: createClientFor(origin),
    clientUrl: origin + prefixes.api,
    mockUrl: origin + prefixes.mock,
    needsAdminToken: needsAdminToken(c),
    hasAccess: (anyToken) => mayShowIds(c, anyToken),
    wanted: c.req.query(),
  })
}

/**
 * Returns true if the caller may see ids: with an open control API, or with a mocked API that accepts any token, everyone
 * can read them. The Host is checked, because DNS rebinding must not give a foreign page the same access.
 */
const mayShowIds = (c: PageContext, anyToken: boolean): boolean =>
  hasTrustedHost(c) && (anyToken || !needsAdminToken(c))
