import type { Hono } from 'hono'
import { createStory } from '../wire/curl.ts'
import { type ConnectionEnv, isTrustedHost } from '../wire/transport.ts'
import { namesJson } from '../wire/media-type.ts'
import { createEmptyResponse } from '../wire/respond.ts'
import { type DashboardOptions, mountDashboard } from './dashboard/mount-dashboard.ts'
import type { OpenApiDocument } from './docs/document.ts'
import { mountPaymentPage, type PaymentPageOptions } from './payment/mount-payment-page.ts'
import { createAssetResponse, createHtmlResponse, mountGet, type PageContext, createSecurityHeaders } from './serve.ts'

export interface PagesOptions extends DashboardOptions {
  readonly payment: PaymentPageOptions
  readonly openApi: () => Promise<unknown>
  readonly loadControlDocument: () => Promise<unknown>
  /** Returns the text that ids of new projects are derived from. */
  readonly idSeed: () => string
}

export const mountPages = <E extends ConnectionEnv>(app: Hono<E>, options: PagesOptions): void => {
  mountPaymentPage(app, options.payment)
  mountDashboard(app, options)
  mountDocs(app, options)
  // Browsers request it automatically.
  mountGet(app, '/favicon.ico', () => createEmptyResponse(204))
}

const policy = "style-src 'self'; img-src data:; form-action 'none'"
const headers = createSecurityHeaders(`script-src 'self'; ${policy}`)
const landingHeaders = createSecurityHeaders(`script-src 'self'; connect-src 'self'; ${policy}`)

/** The layer that builds the documents does not know the type with which the pages read them. */
const readDocument = async (load: () => Promise<unknown>) => (await load()) as OpenApiDocument

/** Mounts the landing page and the API documentation. Their code is loaded with the first request. */
const mountDocs = <E extends ConnectionEnv>(
  app: Hono<E>,
  { prefix, clientPath, createClientFor, openApi, loadControlDocument, idSeed }: PagesOptions,
): void => {
  const loadStory = async (c: PageContext) => {
    const { findExampleRecords } = await import('./docs/curl-examples.ts')
    const { origin } = new URL(c.req.url)
    const sample = await findExampleRecords(
      createClientFor(origin),
      (anyToken) => hasAccess(c, anyToken),
      c.req.query(),
    )
    const steps = createStory({
      clientUrl: origin + clientPath,
      mockUrl: origin + prefix,
      project: sample.project,
      paymentLink: sample.link?.id,
      anyToken: sample.anyToken,
      needsAdminToken: c.env.connection?.admin.token !== undefined,
    })
    return { sample, steps, clientUrl: origin + clientPath }
  }
  const loadOverview = async (c: PageContext) => {
    if (!hasAccess(c, false)) return undefined
    const client = createClientFor(new URL(c.req.url).origin)
    const { items: projects } = await client.call('listProjects')
    return { projects, clock: await client.call('readClock'), idSeed: idSeed() }
  }
  mountGet(app, '/', async (c) => {
    const { landing } = await import('./docs/landing.ts')
    const { sample, steps } = await loadStory(c)
    return createHtmlResponse(landing(await loadOverview(c), sample, steps), landingHeaders)
  })
  mountGet(app, '/docs', async (c) => {
    const { docs } = await import('./docs/api-docs.ts')
    const { sample, steps, clientUrl } = await loadStory(c)
    return createHtmlResponse(docs(await readDocument(openApi), sample, steps, clientUrl), headers)
  })
  mountGet(app, '/llms.txt', async (c) => {
    const { formatLlmsText } = await import('./docs/llms.ts')
    const control = await readDocument(loadControlDocument)
    return createAssetResponse('plain', formatLlmsText(await readDocument(openApi), control, new URL(c.req.url).origin))
  })
  mountGet(app, '/docs/style.css', async () =>
    createAssetResponse('css', (await import('./docs/docs-layout.ts')).docsStyles),
  )
  mountGet(app, '/docs/script.js', async () =>
    createAssetResponse('javascript', (await import('./browser/docs.ts?script')).default),
  )
}

/** Mounts the page for an unknown path. Clients that accept JSON, or do not accept HTML, get the JSON of the next route. */
export const mountNotFound = <E extends ConnectionEnv>(app: Hono<E>): void => {
  app.get('*', async (c, next) => {
    const accept = c.req.header('accept') ?? ''
    if (!/\btext\/html\b/i.test(accept) || namesJson(accept)) return next()
    const { notFound } = await import('./docs/landing.ts')
    return createHtmlResponse(notFound(c.req.path), createSecurityHeaders(policy), 404)
  })
}

/**
 * Returns true if the caller may see ids: with an open control API, or with a mocked API that accepts any token, everyone
 * can read them. The Host is checked, because DNS rebinding must not give a foreign page the same access.
 */
const hasAccess = ({ req, env: { connection } }: PageContext, anyToken: boolean): boolean =>
  connection === undefined ||
  (isTrustedHost(req.header('host') ?? '', connection.admin.allowedHosts) &&
    (anyToken || connection.admin.token === undefined))
