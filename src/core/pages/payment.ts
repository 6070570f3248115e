import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { hasTrustedHost, isOtherSite } from '../control/access.ts'
import type { LinkCall } from '../control/record-commands.ts'
import { getHost, getOrigin, readText, respondToOtherMethod } from '../http/transport.ts'
import type { RoutePrefixes } from '../schema/error-definition.ts'
import { errors, hasCode, MockError, withPrefixes } from '../schema/error.ts'
import type { PaymentLinkView, PaymentOutcome } from '../schema/payment-link.ts'
import { formatSeconds, shorten } from '../schema/text.ts'
import { createSecurityHeaders, html, htmlDocument, type Markup, type PageContext, type PagesApp } from './html.ts'

export interface PaymentPageOptions {
  /** Returns the link, or undefined for an unknown project or link. Creates nothing. */
  readonly find: (call: LinkCall, paymentLink: string) => PaymentLinkView | undefined
  /** Attempts a payment. Throws `paymentLinkNotActive` for any outcome unless the link is active; 'failed' changes nothing. */
  readonly attempt: (call: LinkCall, paymentLink: string, outcome: PaymentOutcome) => PaymentLinkView
  /** The base URL of payment pages, if it differs from that of the request. */
  readonly publicUrl?: string | undefined
  /** The path of the dashboard, relative to `/`. @default no link */
  readonly dashboardPath?: string | undefined
}

/** Creates the page at `paymentUrl`. It has no JavaScript and no state. docs/payment-page.md lists its `data-testid` attributes. */
export const createPaymentPages = (options: PaymentPageOptions, prefixes: RoutePrefixes): PagesApp => {
  const app: PagesApp = new Hono()
  const path = '/pay/:project/:paymentLink'
  app.get(path, (c) => showLinkPage(c, options))
  app.post(path, (c) => payLink(c, options))
  app.all(path, (c) => respondToOtherMethod(c, ['GET', 'HEAD', 'POST', 'OPTIONS']))
  // A person may be looking, so an error is a page too.
  app.onError((error, c) => {
    if (!(error instanceof MockError)) throw error
    const { status, message, headers } = withPrefixes(error, prefixes)
    return respondWithPage(c, options, createErrorPage(status as ContentfulStatusCode, message), headers)
  })
  return app
}

const showLinkPage = (c: PageContext, options: PaymentPageOptions): Response | Promise<Response> => {
  checkPaymentAccess(c, options)
  return respondWithPage(c, options, createLinkPage(getLink(c, options)))
}

const payLink = async (c: PageContext, options: PaymentPageOptions): Promise<Response> => {
  checkPaymentAccess(c, options)
  getLink(c, options)
  const outcome = await readOutcome(c)
  // The project may have been deleted while the body was read, and a payment must not create it again.
  const { id } = getLink(c, options)
  try {
    const link = options.attempt(getLinkCall(c), id, outcome)
    const { redirectUrl } = link.partner
    if (redirectUrl === null) return await respondWithPage(c, options, createResultPage(link, outcome))
    // The stored URL, encoded for a header.
    const { href: location } = new URL(redirectUrl)
    return c.body(null, 303, { location, ...createSecurityHeaders(getPolicy(redirectUrl)) })
  } catch (error) {
    // The link was paid or canceled before: its page says which.
    if (hasCode(error, 'paymentLinkNotActive')) return showLinkPage(c, options)
    throw error
  }
}

const respondWithPage = (
  c: PageContext,
  { dashboardPath }: PaymentPageOptions,
  page: PaymentPageContent,
  headers = {},
): Response | Promise<Response> =>
  c.html(renderPage(page, getLinkParams(c), dashboardPath), page.status, {
    ...createSecurityHeaders(getPolicy(page.link?.partner.redirectUrl)),
    ...headers,
  })

/**
 * The form may navigate only to this page. With a redirect it may navigate anywhere: the merchant may redirect on to a page
 * of its own, such as a login, and a browser applies `form-action` to each redirect after the payment has been made.
 */
const getPolicy = (redirectUrl: string | null | undefined): string =>
  `style-src 'self'${redirectUrl ? '' : "; form-action 'self'"}`

/** Throws if the Host could be a public name, or if a page of another site sent the form. */
const checkPaymentAccess = (c: PageContext, { publicUrl }: PaymentPageOptions): void => {
  const { url, method } = c.req
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  if (!hasTrustedHost(c, publicHosts)) throw errors.hostNotAllowed({ paymentPageHost: getHost(url) })
  if (method !== 'POST') return
  const site = c.req.header('sec-fetch-site')
  if (isOtherSite(site)) throw errors.originNotAllowed({ paymentFrom: `a ${site} page` })
  const origin = c.req.header('origin')
  const ownOrigins = [url, publicUrl ?? url].map((ownUrl) => new URL(ownUrl).origin)
  if (origin === undefined || ownOrigins.includes(origin)) return
  throw errors.originNotAllowed({ paymentFrom: origin === 'null' ? 'a page that hides its origin' : `'${origin}'` })
}

const getLinkCall = (c: PageContext): LinkCall => ({
  project: getLinkParams(c).project,
  origin: getOrigin(c.req.url),
})

const getLink = (c: PageContext, { find }: PaymentPageOptions): PaymentLinkView => {
  const { project, paymentLink } = getLinkParams(c)
  const link = find(getLinkCall(c), paymentLink)
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
  const [outcome, ...extraOutcomes] = new URLSearchParams(await readText(c, formLimit)).getAll('outcome')
  if (extraOutcomes.length > 0) throw errors.malformedBody('severalOutcomes')
  if (outcome === 'succeeded' || outcome === 'failed') return outcome
  throw errors.malformedBody({ outcome })
}

type LinkParams = Readonly<Record<'project' | 'paymentLink', string>>

const getLinkParams = ({ req }: PageContext): LinkParams => req.param() as LinkParams

interface PaymentPageContent {
  /** @default 200 */
  readonly status?: ContentfulStatusCode
  readonly title: string
  /** Selects the color and the icon. */
  readonly tone: 'plain' | 'good' | 'bad' | 'quiet'
  readonly message?: string | Markup
  readonly link?: PaymentLinkView
  readonly controls?: Markup | undefined
  /** The label of a link to the payment page. */
  readonly retry?: string
}

// Assumed: spec §2.3 only mentions the address. The page of a link that can no longer be paid is 410.
const createLinkPage = (link: PaymentLinkView): PaymentPageContent => {
  const { status, completedAt, canceledAt, partner } = link
  if (status === 'active')
    return {
      title: 'Pay this invoice',
      tone: 'plain',
      link,
      controls: html`
        <form method="post">
          <button class="first" name="outcome" value="succeeded" data-testid="pay">Pay</button>
          <button name="outcome" value="failed" data-testid="fail">Let the payment fail</button>
        </form>
        ${redirectNote(partner.redirectUrl)}
      `,
    }
  const closedPage = { status: 410 as const, link, controls: continueLink(partner.redirectUrl) }
  if (status === 'completed') {
    const message = html`The payment link was paid at ${renderTime(completedAt)}. It can be paid only once.`
    return { ...closedPage, title: 'This invoice has been paid', tone: 'good', message }
  }
  const message = html`It was canceled at ${renderTime(canceledAt)}, and can no longer be paid.`
  return { ...closedPage, title: 'This payment link was canceled', tone: 'quiet', message }
}

/** The result of a payment, for a link without a `redirectUrl`. */
const createResultPage = (link: PaymentLinkView, outcome: PaymentOutcome): PaymentPageContent => {
  if (outcome === 'succeeded') {
    const message = 'The invoice has been paid. You can close this page.'
    return { title: 'Payment succeeded', tone: 'good', message, link }
  }
  const message = 'No payment was made. The payment link is still active.'
  return { title: 'Payment failed', tone: 'bad', message, link, retry: 'Try again' }
}

/** The page of a rejected request. It links to the payment page, unless that does not exist. */
const createErrorPage = (status: ContentfulStatusCode, message: string): PaymentPageContent =>
  status === 404
    ? { status, title: 'No such payment link', tone: 'quiet', message }
    : { status, title: 'The request was rejected', tone: 'bad', message, retry: 'Back to the payment page' }

// The meta tag overrides the header `no-referrer`, with which browsers would hide the Origin of the form.
const renderPage = (
  { title, tone, message, link, controls, retry }: PaymentPageContent,
  { project, paymentLink }: LinkParams,
  dashboardPath: string | undefined,
): Markup =>
  htmlDocument(
    title,
    html`
      <meta name="referrer" content="same-origin" />
      <link rel="stylesheet" href="../style.css" />
    `,
    html`<body class="${tone}">
      <header>
        <p data-testid="mock-note"><strong>Mock</strong> This page is for tests. No money moves.</p>
      </header>
      <main>
        ${
          tone !== 'plain' &&
          html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${toneIcons[tone]}" /></svg>`
        }
        <h1>${title}</h1>
        ${message !== undefined && html`<p data-testid="message">${message}</p>`} ${link && linkSummary(link)}
        ${controls}
        ${
          retry !== undefined &&
          html`<a class="button first" href="./${encodeURIComponent(paymentLink)}" data-testid="retry">${retry}</a>`
        }
      </main>
      <footer>
        ${
          link &&
          html`<p>
            Project <bdi data-testid="project">${project}</bdi>, payment link
            <bdi data-testid="payment-link">${link.id}</bdi>
          </p>`
        }
        <p>
          <a href="../../docs">API description</a>
          ${link === undefined && dashboardPath !== undefined && html`<a href="../../${dashboardPath}">Dashboard</a>`}
        </p>
      </footer>
    </body>`,
  )

const toneIcons = { good: 'M5 12.5l4.5 4.5L19 7.5', bad: 'M7 7l10 10M17 7L7 17', quiet: 'M12 6v7M12 17.5v.5' }

const linkSummary = ({ invoice, payer, status }: PaymentLinkView): Markup => html`
  <dl>
    ${renderField('Invoice', textValue('invoice', invoice))}
    ${renderField('Name', textValue('payer-name', payer.fullName))}
    ${renderField('Email', textValue('payer-email', payer.email, 'ltr'))}
    ${renderField('Tax number', taxNumberValue(payer.taxNumber?.trim()))}
    ${renderField('Status', textValue('status', status))}
  </dl>
`

const renderField = (label: string, value: Markup): Markup =>
  html`<div>
    <dt>${label}</dt>
    ${value}
  </div>`

const maxFieldText = 500

const textValue = (testId: string, value: string | undefined, dir: 'auto' | 'ltr' = 'auto'): Markup =>
  value?.trim()
    ? html`<dd dir="${dir}" data-testid="${testId}">${shorten(value, maxFieldText)}</dd>`
    : html`<dd class="none" data-testid="${testId}">Not given</dd>`

// A screen reader would spell out the asterisks.
const taxNumberValue = (taxNumber: string | undefined): Markup => {
  if (!taxNumber) return textValue('payer-tax-number', undefined)
  const maskedNumber = maskTaxNumber(taxNumber)
  const visibleEnd = maskedNumber.replace(/^\*+/, '')
  return html`<dd>
    <span aria-hidden="true" data-testid="payer-tax-number">${maskedNumber}</span>
    <span class="unseen">${visibleEnd === '' ? 'hidden' : `ends in ${visibleEnd}`}</span>
  </dd>`
}

/** `*********09`. Assumed: up to four characters are masked completely, since two would be half of them. */
export const maskTaxNumber = (taxNumber: string): string => {
  const characters = Array.from(taxNumber)
  const visibleCharacters = characters.length > 4 ? characters.slice(-2) : []
  // A tax number can have a megabyte.
  return '*'.repeat(Math.min(characters.length - visibleCharacters.length, 18)) + visibleCharacters.join('')
}

const redirectNote = (redirectUrl: string | null): Markup | undefined =>
  redirectUrl === null
    ? undefined
    : html`<p class="after">Afterwards you go to <bdi data-testid="redirect">${new URL(redirectUrl).origin}</bdi>.</p>`

// A double click shows the response to the second click, which would lose the redirect of the first.
const continueLink = (redirectUrl: string | null): Markup | undefined => {
  if (redirectUrl === null) return undefined
  const { href, origin } = new URL(redirectUrl)
  return html`<a class="button first" href="${href}" data-testid="continue">Continue to ${origin}</a>`
}

const renderTime = (at: string | null): Markup | undefined =>
  at === null ? undefined : html`<time datetime="${at}">${formatSeconds(at)} UTC</time>`
