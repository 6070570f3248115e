import { html } from '../html.ts'
import type { PaymentLinkView } from '../../schema/payment-link.ts'
import type { ScheduledPayment } from '../../schema/scheduled-payment.ts'
import { badge, chooseProject, counted, heading, live, table, text, time } from './components.ts'
import { actionAttributes, button, deleteButton, field, searchForm, select } from './forms.ts'
import { linkTo, pickParams, type View } from './page-request.ts'
import { findPage, pager } from './paging.ts'

/** The payment links of a project. */
export const paymentLinks: View = async ({ project, query, client }) => {
  if (project === undefined) return chooseProject('Payment links')
  const params = { project }
  const filters = pickParams(query, ['q', 'status'])
  const { q = '', status = '' } = filters
  const page = await findPage(
    query,
    (listQuery) =>
      client.call('listPaymentLinks', { params, query: { ...pickParams(query, ['status']), ...listQuery } }),
    ({ id, invoice, payer }) => [id, invoice, payer.fullName, payer.email],
  )
  const { items: scheduledPayments } = await client.call('listScheduledPayments', { params })
  const hint = 'Any part of it, in upper or lower case; a payer by name or email.'
  return live(html`
    ${heading('Payment links', project)}
    <div class="bar">
      ${searchForm(
        'payment-links',
        html`${field('q', 'Invoice, payer or id', { type: 'search', value: q, hint })}
        ${select('status', 'Status', [['', 'any'], 'active', 'canceled', 'completed'], status)}`,
      )}
    </div>
    ${table({
      caption: `Payment links of ${project}`,
      head: ['Payment link', 'Status', 'Invoice', 'Payer', 'Created', 'Actions'],
      rows: page.items.map((link) => rowOf(link, scheduledPayments, project)),
      none: q + status === '' ? 'No payment link yet.' : 'No payment link has this in the invoice, payer or id.',
    })}
    ${pager('payment-links', page, filters)}
    <details>
      <summary>Add a payment link</summary>
      <form class="grid" ${actionAttributes('createPaymentLink', params, { done: 'The payment link is there.' })}>
        ${field('invoice', 'Invoice', { required: true, placeholder: 'inv_1' })}
        ${field('payer.fullName', 'Full name of the payer')} ${field('payer.email', 'Email of the payer')}
        ${field('payer.taxNumber', 'Tax number of the payer')}
        ${field('partner.redirectUrl', 'Afterwards to', { placeholder: 'https://shop.example/done' })}
        <button class="first">Add the payment link</button>
      </form>
    </details>
  `)
}

const rowOf = (link: PaymentLinkView, scheduledPayments: readonly ScheduledPayment[], project: string) => {
  const url = linkTo('payment-link', { id: link.id })
  return {
    key: link.id,
    cells: [
      html`<a href="${url}"><code>${link.id}</code></a>`,
      html`${statusBadge(link)}
      ${scheduledPayments.filter(({ paymentLink }) => paymentLink === link.id).map(scheduleText)}`,
      text(link.invoice),
      text(link.payer.fullName ?? link.payer.email ?? ''),
      time(link.createdAt),
      html`<div class="actions">
        ${paymentButtons(link, project)}
        ${link.status === 'active' && html`<a class="button" href="${url}">Schedule</a>`}
        ${deleteLinkButton(link.id, project)}
      </div>`,
    ],
  }
}

export const statusBadge = ({ status }: Pick<PaymentLinkView, 'status'>) =>
  badge(status, ({ active: 'plain', canceled: 'quiet', completed: 'good' } as const)[status])

/** `is paid in 3 reads` */
export const scheduleText = ({ outcome, when }: ScheduledPayment) =>
  html`<small
    >${outcome === 'succeeded' ? 'is paid' : 'fails'}
    ${'reads' in when ? `in ${counted(when.reads, 'read')}` : html`at ${time(when.at)}`}</small
  >`

/** The transitions of an active link (spec §3). */
export const paymentButtons = ({ id, status }: PaymentLinkView, project: string) => {
  const params = { project, paymentLink: id }
  if (status !== 'active') return ''
  const done = `A payment of ${id} has failed; it is still active.`
  return html`
    ${button('Pay', 'payPaymentLink', params, { of: id, look: 'first', body: {}, done: `${id} is paid.` })}
    ${button('Fail', 'payPaymentLink', params, { of: id, body: { outcome: 'failed' }, done })}
    ${button('Cancel', 'cancelPaymentLink', params, { of: id, done: `${id} is canceled.` })}
  `
}

export const deleteLinkButton = (id: string, project: string, next?: string) =>
  deleteButton('deletePaymentLink', { project, paymentLink: id }, 'payment link', id, next)
