import type { Hono } from 'hono'
import type { ConnectionEnv } from '../../wire/connection.ts'
import { isOwnHost } from '../../wire/host.ts'
import { namesJson } from '../../wire/media-type.ts'
import type { Steer } from '../dashboard/view.ts'
import { mountGet, type PageContext } from '../get.ts'
import { guardsOf, textResponse } from '../headers.ts'
import type { Document } from './document.ts'

export interface DocsOptions {
  /** Calls the control plane as one who came in under this origin. */
  readonly steerFrom: (origin: string) => Steer
  readonly openApi: () => unknown
}

const guards = guardsOf(["style-src 'self'", 'img-src data:', "form-action 'none'"])

/** Mounts the landing page and the interface: pages to read. Their code is loaded when it is first asked for. */
export const mountDocs = <E extends ConnectionEnv>(app: Hono<E>, { steerFrom, openApi }: DocsOptions): void => {
  mountGet(app, '/', async (c) => {
    const { landing } = await import('./landing.ts')
    const { linesToTry, sampleOf } = await import('./lines.ts')
    const { origin } = new URL(c.req.url)
    const sample = await sampleOf(steerFrom(origin), mayLook(c))
    const needsAdminToken = c.env.connection?.admin.token !== undefined
    const lines = linesToTry(sample, openApi() as Document, origin, needsAdminToken)
    return textResponse('html', String(await landing(lines)).trimStart(), guards)
  })
  mountGet(app, '/docs', async (c) => {
    const { docs } = await import('./docs.ts')
    const { sampleOf } = await import('./lines.ts')
    const { origin } = new URL(c.req.url)
    const sample = await sampleOf(steerFrom(origin), mayLook(c))
    return textResponse('html', String(await docs(openApi() as Document, sample, origin)).trimStart(), guards)
  })
  mountGet(app, '/docs/style.css', async () => textResponse('css', (await import('./style.ts')).docsStyle))
}

/** Mounts the page for an unknown path, which a browser gets. Other clients get JSON from the routes that follow. */
export const mountNotFound = <E extends ConnectionEnv>(app: Hono<E>): void => {
  app.get('*', async (c, next) => {
    const accept = c.req.header('accept') ?? ''
    if (!/\btext\/html\b/i.test(accept) || namesJson(accept)) return next()
    const { notFound } = await import('./not-found.ts')
    return textResponse('html', String(await notFound(c.req.path)).trimStart(), guards, 404)
  })
}

/**
 * Ids are shown to those who could read them without a secret: on the control plane, or with any token on the mocked API.
 * A page whose name was rebound to this address could do so too, and shall not.
 */
const mayLook =
  ({ req, env: { connection } }: PageContext) =>
  (anyToken: boolean): boolean =>
    connection === undefined ||
    (isOwnHost(req.header('host') ?? '', connection.admin.allowedHosts) &&
      (anyToken || connection.admin.token === undefined))
