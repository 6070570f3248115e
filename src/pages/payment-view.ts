import { html, type Markup } from './html.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import { shortened } from '../schema/problem.ts'
import type { Page } from './page.ts'

/** Where a payment page stands: what its address says. */
export interface Place {
  readonly project: string
  readonly paymentLink: string
}

/** An active link: what is paid, and the two ways the payment can end. */
export const payable = (link: PaymentLinkRow, place: Place): Page => ({
  ...about(link, place, 200),
  title: 'Pay this invoice',
  tone: 'plain',
  body: html`
    ${summary(link)}
    <form method="post">
      <button class="first" name="outcome" value="succeeded" data-testid="pay">Pay</button>
      <button name="outcome" value="failed" data-testid="fail">Let the payment fail</button>
    </form>
    ${whereNext(link.partner.redirectUrl)}
  `,
})

/** A link that can no longer be paid: which of the two it is, and since when. */
export const closed = (link: PaymentLinkRow, place: Place): Page =>
  link.status === 'completed'
    ? {
        ...about(link, place, 410),
        title: 'This invoice has been paid',
        tone: 'good',
        body: html`
          ${message(html`The payment link was paid at ${time(link.completedAt)}. It can be paid only once.`)}
          ${summary(link)} ${onward(link.partner.redirectUrl)}
        `,
      }
    : {
        ...about(link, place, 410),
        title: 'This payment link was canceled',
        tone: 'quiet',
        body: html`
          ${message(html`It was canceled at ${time(link.canceledAt)}, and can no longer be paid.`)} ${summary(link)}
        `,
      }

/** What became of the payment, for a link that leads nowhere afterwards. */
export const attempted = (link: PaymentLinkRow, place: Place, outcome: 'succeeded' | 'failed'): Page =>
  outcome === 'succeeded'
    ? {
        ...about(link, place, 200),
        title: 'Payment succeeded',
        tone: 'good',
        body: html`${message('The invoice has been paid. You can close this page.')} ${summary(link)}`,
      }
    : {
        ...about(link, place, 200),
        title: 'Payment failed',
        tone: 'bad',
        body: html`
          ${message('Nothing was paid, and the payment link is still active.')} ${summary(link)}
          ${back(place, 'Try again')}
        `,
      }

/** A request that was refused. There is a way back to the page, unless there is no page. */
export const refused = (status: number, text: string, place: Place): Page => ({
  status,
  title: status === 404 ? 'No such payment link' : 'The request was refused',
  tone: status === 404 ? 'quiet' : 'bad',
  body: html`${message(text)} ${status === 404 ? undefined : back(place, 'Back to the payment page')}`,
})

/** `*********09`. Assumed: of four characters and fewer none is shown, since two would be half of it. */
export const masked = (taxNumber: string): string => {
  const characters = Array.from(taxNumber)
  const shown = characters.length > 4 ? characters.slice(-2) : []
  // Any text is a tax number, also one of a megabyte.
  return '*'.repeat(Math.min(characters.length - shown.length, 18)) + shown.join('')
}

const about = (link: PaymentLinkRow, { project }: Place, status: number) => ({
  status,
  redirectUrl: link.partner.redirectUrl,
  footer: html`<p>
    Project <bdi data-testid="project">${project}</bdi>, payment link <bdi data-testid="payment-link">${link.id}</bdi>
  </p>`,
})

const summary = ({ invoice, payer, status }: PaymentLinkRow): Markup => html`
  <dl>
    ${row('Invoice', 'invoice', invoice)} ${row('Name', 'payer-name', payer.fullName)}
    ${row('Email', 'payer-email', payer.email)} ${taxNumberRow(payer.taxNumber?.trim())}
    ${row('Status', 'status', status)}
  </dl>
`

/** How many characters of a text are shown. */
const maxText = 500

const row = (label: string, testId: string, value: string | undefined): Markup =>
  value?.trim()
    ? html`<div>
        <dt>${label}</dt>
        <dd dir="auto" data-testid="${testId}">${shortened(value, maxText)}</dd>
      </div>`
    : html`<div>
        <dt>${label}</dt>
        <dd class="none" data-testid="${testId}">Not given</dd>
      </div>`

// A screen reader would spell out the asterisks.
const taxNumberRow = (taxNumber: string | undefined): Markup => {
  if (!taxNumber) return row('Tax number', 'payer-tax-number', undefined)
  const text = masked(taxNumber)
  const end = text.replace(/^\*+/, '')
  return html`<div>
    <dt>Tax number</dt>
    <dd>
      <span aria-hidden="true" data-testid="payer-tax-number">${text}</span>
      <span class="unseen">${end === '' ? 'hidden' : `ends in ${end}`}</span>
    </dd>
  </div>`
}

const message = (content: string | Markup): Markup => html`<p data-testid="message">${content}</p>`

const whereNext = (redirectUrl: string | null): Markup | undefined =>
  redirectUrl === null
    ? undefined
    : html`<p class="after">Afterwards you go to <bdi data-testid="redirect">${new URL(redirectUrl).origin}</bdi>.</p>`

// Whoever clicks twice gets the answer to the second click, and would miss the redirect of the first.
const onward = (redirectUrl: string | null): Markup | undefined => {
  if (redirectUrl === null) return undefined
  const { href, origin } = new URL(redirectUrl)
  return html`<a class="button first" href="${href}" data-testid="continue">Continue to ${origin}</a>`
}

const back = ({ paymentLink }: Place, text: string): Markup =>
  html`<a class="button first" href="./${encodeURIComponent(paymentLink)}" data-testid="retry">${text}</a>`

const time = (at: string | null): Markup | undefined =>
  at === null ? undefined : html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`
