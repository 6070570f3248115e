import type { StoredPaymentLink, PaymentOutcome } from '../../schema/payment-link.ts'
import { formatSeconds, shorten } from '../../schema/text.ts'
import { html, type Markup } from '../html.ts'
import type { PaymentPageContent } from './payment-layout.ts'

export interface LinkParams {
  readonly project: string
  readonly paymentLink: string
}

export const payablePage = (link: StoredPaymentLink, params: LinkParams): PaymentPageContent =>
  linkPage(link, params, {
    title: 'Pay this invoice',
    tone: 'plain',
    controls: html`
      <form method="post">
        <button class="first" name="outcome" value="succeeded" data-testid="pay">Pay</button>
        <button name="outcome" value="failed" data-testid="fail">Let the payment fail</button>
      </form>
      ${redirectNote(link.partner.redirectUrl)}
    `,
  })

/** The page of a link that was paid or canceled. */
export const closedPage = (link: StoredPaymentLink, params: LinkParams): PaymentPageContent =>
  link.status === 'completed'
    ? linkPage(link, params, {
        status: 410,
        title: 'This invoice has been paid',
        tone: 'good',
        text: html`The payment link was paid at ${renderTime(link.completedAt)}. It can be paid only once.`,
        controls: continueLink(link.partner.redirectUrl),
      })
    : linkPage(link, params, {
        status: 410,
        title: 'This payment link was canceled',
        tone: 'quiet',
        text: html`It was canceled at ${renderTime(link.canceledAt)}, and can no longer be paid.`,
      })

/** The result of a payment, for a link without a `redirectUrl`. */
export const resultPage = (link: StoredPaymentLink, params: LinkParams, outcome: PaymentOutcome): PaymentPageContent =>
  outcome === 'succeeded'
    ? linkPage(link, params, {
        title: 'Payment succeeded',
        tone: 'good',
        text: 'The invoice has been paid. You can close this page.',
      })
    : linkPage(link, params, {
        title: 'Payment failed',
        tone: 'bad',
        text: 'No payment was made. The payment link is still active.',
        controls: retryLink(params, 'Try again'),
      })

/** The page of a rejected request. It links to the payment page, unless that does not exist. */
export const errorPage = (status: number, text: string, params: LinkParams): PaymentPageContent =>
  status === 404
    ? { status, title: 'No such payment link', tone: 'quiet', body: message(text) }
    : {
        status,
        title: 'The request was rejected',
        tone: 'bad',
        body: html`${message(text)} ${retryLink(params, 'Back to the payment page')}`,
      }

/** `*********09`. Assumed: up to four characters are masked completely, since two would be half of them. */
export const maskTaxNumber = (taxNumber: string): string => {
  const characters = Array.from(taxNumber)
  const shown = characters.length > 4 ? characters.slice(-2) : []
  // A tax number can have a megabyte.
  return '*'.repeat(Math.min(characters.length - shown.length, 18)) + shown.join('')
}

interface LinkPage extends Pick<PaymentPageContent, 'title' | 'tone'> {
  readonly status?: number
  readonly text?: string | Markup
  readonly controls?: Markup | undefined
}

const linkPage = (
  link: StoredPaymentLink,
  params: LinkParams,
  { text, controls, ...page }: LinkPage,
): PaymentPageContent => ({
  status: 200,
  ...page,
  redirectUrl: link.partner.redirectUrl,
  body: html`${text && message(text)} ${summary(link)} ${controls}`,
  footer: html`<p>
    Project <bdi data-testid="project">${params.project}</bdi>, payment link
    <bdi data-testid="payment-link">${link.id}</bdi>
  </p>`,
})

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

const message = (content: string | Markup): Markup => html`<p data-testid="message">${content}</p>`

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

const retryLink = ({ paymentLink }: LinkParams, text: string): Markup =>
  html`<a class="button first" href="./${encodeURIComponent(paymentLink)}" data-testid="retry">${text}</a>`

const renderTime = (at: string | null): Markup | undefined =>
  at === null ? undefined : html`<time datetime="${at}">${formatSeconds(at)} UTC</time>`
