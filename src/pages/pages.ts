import type { Hono } from 'hono'
import { type ConnectionEnv, isTrustedHost } from '../wire/transport.ts'
import { namesJson } from '../wire/media-type.ts'
import { createEmptyResponse } from '../wire/respond.ts'
import { type DashboardOptions, mountDashboard } from './dashboard/mount-dashboard.ts'
import type { CommandClient } from '../schema/command.ts'
import type { OpenApiDocument } from './docs/document.ts'
import { mountPaymentPage, type PaymentPageOptions } from './payment/mount-payment-page.ts'
import { createAssetResponse, createHtmlResponse, mountGet, type PageContext, createSecurityHeaders } from './serve.ts'

interface DocsOptions {
  /** Returns a client of the control API whose links have this origin. */
  readonly createClientFor: (origin: string) => CommandClient
  readonly openApi: () => Promise<unknown>
  readonly loadControlDocument: () => Promise<unknown>
  /** Returns the text that ids of new projects are derived from. */
  readonly idSeed: () => string
}

export interface PagesOptions {
  /** The path of the sandbox, such as `/@checkout-1`, or an empty string. */
  readonly prefix: string
  readonly payment: PaymentPageOptions
  readonly dashboard: DashboardOptions
  readonly docs: DocsOptions
}

export const mountPages = <E extends ConnectionEnv>(
  app: Hono<E>,
  { prefix, payment, dashboard, docs }: PagesOptions,
): void => {
  mountPaymentPage(app, payment)
  mountDashboard(app, dashboard, prefix)
  mountDocs(app, docs, prefix)
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
  { createClientFor, openApi, loadControlDocument, idSeed }: DocsOptions,
  prefix: string,
): void => {
  const load = async (c: PageContext) => {
    const { findExampleRecords, createQuickStart } = await import('./docs/curl-examples.ts')
    const { origin } = new URL(c.req.url)
    const wanted = { project: c.req.query('project'), paymentLink: c.req.query('paymentLink') }
    const sample = await findExampleRecords(createClientFor(origin), (anyToken) => hasAccess(c, anyToken), wanted)
    const document = await readDocument(openApi)
    const needsToken = c.env.connection?.admin.token !== undefined
    const steps = createQuickStart(sample, document, origin, { prefix, needsToken })
    return { document, sample, origin, story: { project: sample.project, steps, link: sample.link } }
  }
  const loadOverview = async (c: PageContext) => {
    if (!hasAccess(c, false)) return undefined
    const client = createClientFor(new URL(c.req.url).origin)
    const { items: projects } = await client.call('listProjects')
    return { projects, clock: await client.call('readClock'), idSeed: idSeed() }
  }
  mountGet(app, '/', async (c) => {
    const { landing } = await import('./docs/landing.ts')
    const { story } = await load(c)
    return createHtmlResponse(landing(await loadOverview(c), story), landingHeaders)
  })
  mountGet(app, '/docs', async (c) => {
    const { docs } = await import('./docs/api-docs.ts')
    const { document, sample, origin, story } = await load(c)
    return createHtmlResponse(docs(document, sample, origin, story.steps), headers)
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
