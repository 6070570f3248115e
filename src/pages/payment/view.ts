import type { StoredPaymentLink, PaymentOutcome } from '../../schema/payment-link.ts'
import { formatSeconds, shorten } from '../../schema/text.ts'
import { html, htmlDocument, type Markup } from '../html.ts'

export interface LinkParams {
  readonly project: string
  readonly paymentLink: string
}

export interface PaymentPageContent {
  /** @default 200 */
  readonly status?: number
  readonly title: string
  /** Selects the color and the icon. */
  readonly tone: 'plain' | 'good' | 'bad' | 'quiet'
  readonly message?: string | Markup
  /** The payment link to show. */
  readonly link?: StoredPaymentLink
  readonly controls?: Markup | undefined
  /** The label of a link to the payment page. */
  readonly retry?: string
}

export const createPayablePage = (link: StoredPaymentLink): PaymentPageContent => ({
  title: 'Pay this invoice',
  tone: 'plain',
  link,
  controls: html`
    <form method="post">
      <button class="first" name="outcome" value="succeeded" data-testid="pay">Pay</button>
      <button name="outcome" value="failed" data-testid="fail">Let the payment fail</button>
    </form>
    ${redirectNote(link.partner.redirectUrl)}
  `,
})

/** The page of a link that was paid or canceled. */
export const createClosedPage = (link: StoredPaymentLink): PaymentPageContent =>
  link.status === 'completed'
    ? {
        status: 410,
        title: 'This invoice has been paid',
        tone: 'good',
        message: html`The payment link was paid at ${renderTime(link.completedAt)}. It can be paid only once.`,
        link,
        controls: continueLink(link.partner.redirectUrl),
      }
    : {
        status: 410,
        title: 'This payment link was canceled',
        tone: 'quiet',
        message: html`It was canceled at ${renderTime(link.canceledAt)}, and can no longer be paid.`,
        link,
      }

/** The result of a payment, for a link without a `redirectUrl`. */
export const createResultPage = (link: StoredPaymentLink, outcome: PaymentOutcome): PaymentPageContent =>
  outcome === 'succeeded'
    ? {
        title: 'Payment succeeded',
        tone: 'good',
        message: 'The invoice has been paid. You can close this page.',
        link,
      }
    : {
        title: 'Payment failed',
        tone: 'bad',
        message: 'No payment was made. The payment link is still active.',
        link,
        retry: 'Try again',
      }

/** The page of a rejected request. It links to the payment page, unless that does not exist. */
export const createErrorPage = (status: number, message: string): PaymentPageContent =>
  status === 404
    ? { status, title: 'No such payment link', tone: 'quiet', message }
    : { status, title: 'The request was rejected', tone: 'bad', message, retry: 'Back to the payment page' }

// The meta tag overrides the header `no-referrer`, with which browsers would hide the Origin of the form.
export const renderPage = (
  { title, tone, message, link, controls, retry }: PaymentPageContent,
  { project, paymentLink }: LinkParams,
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
          html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${signs[tone]}" /></svg>`
        }
        <h1>${title}</h1>
        ${message !== undefined && html`<p data-testid="message">${message}</p>`} ${link && summary(link)} ${controls}
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
        <p><a href="../../docs">API description</a></p>
      </footer>
    </body>`,
  )

/** The lines of the icons. */
const signs = {
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M7 7l10 10M17 7L7 17',
  quiet: 'M12 6v7M12 17.5v.5',
}

const summary = ({ invoice, payer, status }: StoredPaymentLink): Markup => html`
  <dl>
    ${renderField('Invoice', textValue('invoice', invoice))}
    ${renderField('Name', textValue('payer-name', payer.fullName))}
    ${renderField('Email', textValue('payer-email', payer.email))}
    ${renderField('Tax number', taxNumberValue(payer.taxNumber?.trim()))}
    ${renderField('Status', textValue('status', status))}
  </dl>
`

const renderField = (label: string, value: Markup): Markup =>
  html`<div>
    <dt>${label}</dt>
    ${value}
  </div>`

const maxText = 500

const textValue = (testId: string, value: string | undefined): Markup =>
  value?.trim()
    ? html`<dd dir="auto" data-testid="${testId}">${shorten(value, maxText)}</dd>`
    : html`<dd class="none" data-testid="${testId}">Not given</dd>`

// A screen reader would spell out the asterisks.
const taxNumberValue = (taxNumber: string | undefined): Markup => {
  if (!taxNumber) return textValue('payer-tax-number', undefined)
  const text = maskTaxNumber(taxNumber)
  const end = text.replace(/^\*+/, '')
  return html`<dd>
    <span aria-hidden="true" data-testid="payer-tax-number">${text}</span>
    <span class="unseen">${end === '' ? 'hidden' : `ends in ${end}`}</span>
  </dd>`
}

/** `*********09`. Assumed: up to four characters are masked completely, since two would be half of them. */
export const maskTaxNumber = (taxNumber: string): string => {
  const characters = Array.from(taxNumber)
  const shown = characters.length > 4 ? characters.slice(-2) : []
  // A tax number can have a megabyte.
  return '*'.repeat(Math.min(characters.length - shown.length, 18)) + shown.join('')
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
