import { errors, hasCode, MockError } from '../../schema/error.ts'
import type { Hono } from 'hono'
import type { StoredPaymentLink, PaymentOutcome } from '../../schema/payment-link.ts'
import { readText, type ConnectionEnv, getHost, isTrustedHost } from '../../http/transport.ts'
import { createEmptyResponse } from '../../http/respond.ts'
import { createHtmlResponse, createSecurityHeaders, createTextResponse, type PageContext } from '../serve.ts'
import {
  createClosedPage,
  createErrorPage,
  createPayablePage,
  createResultPage,
  type LinkParams,
  type PaymentPageContent,
  renderPage,
} from './view.ts'

export interface PaymentPageOptions {
  /** Returns the link, or undefined for an unknown project or link. Creates nothing. */
  readonly find: (project: string, paymentLink: string) => StoredPaymentLink | undefined
  /** Attempts a payment. Throws `paymentLinkNotActive` for any outcome unless the link is active; 'failed' changes nothing. */
  readonly attempt: (project: string, paymentLink: string, outcome: PaymentOutcome) => StoredPaymentLink
  /** The base URL of payment pages, if it differs from that of the request. */
  readonly publicUrl?: string | undefined
}

/** Mounts the page at `paymentUrl`. It has no JavaScript and no state. docs/payment-page.md lists its `data-testid` attributes. */
export const mountPaymentPage = <E extends ConnectionEnv>(app: Hono<E>, options: PaymentPageOptions): void => {
  // Pages link to it by a relative URL, because a proxy may add a prefix to both.
  app.get('/pay/style.css', async () => createTextResponse('css', (await import('../styles.ts')).paymentStyles))
  const path = '/pay/:project/:paymentLink'
  app.get(path, (c) => catchErrors(c, () => show(c, options)))
  app.post(path, (c) => catchErrors(c, () => pay(c, options)))
  app.all(path, respondToOtherMethod)
}

// Assumed: spec §2.3 only mentions the address. The page of a link that can no longer be paid is 410.
const show = (c: PageContext, options: PaymentPageOptions): Promise<Response> => {
  requireOwnHost(c, options.publicUrl)
  const link = getLink(getParams(c), options)
  return respond(c, link.status === 'active' ? createPayablePage(link) : createClosedPage(link))
}

const pay = async (c: PageContext, options: PaymentPageOptions): Promise<Response> => {
  requireOwnHost(c, options.publicUrl)
  requireSameOrigin(c, options.publicUrl)
  const params = getParams(c)
  getLink(params, options)
  const outcome = await readOutcome(c)
  // The project may have been deleted while the body was read, and a payment must not create it again.
  getLink(params, options)
  try {
    const link = options.attempt(params.project, params.paymentLink, outcome)
    const { redirectUrl } = link.partner
    if (redirectUrl === null) return await respond(c, createResultPage(link, outcome))
    // The stored URL, encoded for a header.
    const { href: location } = new URL(redirectUrl)
    return new Response(null, { status: 303, headers: { location, ...createSecurityHeaders(getPolicy(redirectUrl)) } })
  } catch (error) {
    // The link was paid or canceled before: its page says which.
    if (hasCode(error, 'paymentLinkNotActive')) return show(c, options)
    throw error
  }
}

const respond = (c: PageContext, page: PaymentPageContent, headers = {}): Promise<Response> =>
  createHtmlResponse(renderPage(page, getParams(c)), getPolicy(page.link?.partner.redirectUrl), page.status, headers)

/** The form may navigate only to this page, and to the redirect. */
const getPolicy = (redirectUrl: string | null | undefined): string =>
  `style-src 'self'; form-action 'self'${redirectUrl ? ` ${getFormAction(new URL(redirectUrl))}` : ''}`

/**
 * The `form-action` source of a redirect. Without it the browser pays first and then blocks the navigation to the merchant.
 * A policy cannot express an IPv6 address or a host with `_`, and `;` in a host would end the directive.
 */
const getFormAction = ({ origin, protocol }: URL): string =>
  /^https?:\/\/[a-z\d-]+(?:\.[a-z\d-]+)*(?::\d+)?$/.test(origin) ? origin : protocol

/**
 * Rejects a request with a Host header that could be a public name. DNS rebinding gives a foreign page the origin of the
 * mock, and it could read the payment page. A request in process has no connection and cannot be rebound.
 */
const requireOwnHost = ({ req, env: { connection } }: PageContext, publicUrl: string | undefined): void => {
  if (connection === undefined) return
  const host = getHost(req.url)
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  if (isTrustedHost(host, [...connection.admin.allowedHosts, ...publicHosts])) return
  throw errors.hostNotAllowed({ paymentPageHost: host })
}

/**
 * Rejects a form that a page of another site sent. Browsers send `Origin` and `Sec-Fetch-Site`; a test without a browser
 * sends neither and is allowed.
 */
const requireSameOrigin = ({ req }: PageContext, publicUrl: string | undefined): void => {
  const site = req.header('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none') throw errors.originNotAllowed({ paymentFrom: `a ${site} page` })
  const origin = req.header('origin')
  if (origin === undefined || [publicUrl, req.url].some((url) => url !== undefined && new URL(url).origin === origin))
    return
  throw errors.originNotAllowed({ paymentFrom: origin === 'null' ? 'a page that hides its origin' : `'${origin}'` })
}

const getLink = ({ project, paymentLink }: LinkParams, { find }: PaymentPageOptions): StoredPaymentLink => {
  const link = find(project, paymentLink)
  if (link !== undefined) return link
  throw errors.paymentLinkNotFound({ paymentPage: paymentLink, project })
}

// The form has one short field.
const formLimit = 4096
const formType = 'application/x-www-form-urlencoded'

/** Reads the outcome from the form. Assumed: other fields are ignored. */
const readOutcome = async (c: PageContext): Promise<PaymentOutcome> => {
  const contentType = c.req.header('content-type') ?? ''
  if (contentType.replace(/;.*/s, '').trim().toLowerCase() !== formType)
    throw errors.unsupportedMediaType({ form: formType, got: contentType })
  const [outcome, ...more] = new URLSearchParams(await readText(c, formLimit)).getAll('outcome')
  if (more.length > 0) throw errors.malformedBody('severalOutcomes')
  if (outcome === 'succeeded' || outcome === 'failed') return outcome
  throw errors.malformedBody({ outcome })
}

const methods = 'GET, HEAD, POST, OPTIONS'

const respondToOtherMethod = (c: PageContext): Response | Promise<Response> => {
  if (c.req.method === 'OPTIONS') return createEmptyResponse(204, { allow: methods })
  const text = `${c.req.method} is not a method of a payment page. Its methods are ${methods}.`
  return respond(c, createErrorPage(405, text), { allow: methods })
}

/** Shows errors on a page, since a person may be looking. */
const catchErrors = async (c: PageContext, handle: () => Promise<Response>): Promise<Response> => {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof MockError) return respond(c, createErrorPage(error.status, error.message))
    throw error
  }
}

const getParams = ({ req }: PageContext): LinkParams => ({
  project: req.param('project') ?? '',
  paymentLink: req.param('paymentLink') ?? '',
})
