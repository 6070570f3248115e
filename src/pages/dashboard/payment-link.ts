import { html, type Markup } from '../html.ts'
import { chooseProject, clockNote, definitionList, heading, text, time } from './components.ts'
import { actionAttributes, button, field, select } from './forms.ts'
import type { View } from './page-request.ts'
import { deleteLinkButton, paymentButtons, scheduleText, statusBadge } from './payment-links.ts'

/** One payment link with all fields and its scheduled payments. */
export const paymentLink: View = async ({ project, query, client }) => {
  if (project === undefined) return chooseProject('Payment link')
  const params = { project, paymentLink: query.get('id') ?? '' }
  const link = await client.call('retrievePaymentLink', { params })
  const { items } = await client.call('listScheduledPayments', { params })
  const scheduledPayments = items.filter((scheduled) => scheduled.paymentLink === link.id)
  const { id, invoice, payer, partner, createdAt, completedAt, canceledAt, paymentUrl } = link
  return html`
    <p><a href="#payment-links">All payment links</a></p>
    ${heading(id, project)}
    ${definitionList([
      ['Status', statusBadge(link)],
      ['Invoice', text(invoice)],
      ['Payer', optional(text, payer.fullName)],
      ['Email', optional(text, payer.email)],
      ['Tax number', optional(text, payer.taxNumber)],
      ['Created', time(createdAt)],
      ['Completed', optional(time, completedAt)],
      ['Canceled', optional(time, canceledAt)],
      ['Afterwards to', optional(text, partner.redirectUrl)],
      ['Payment page', html`<a href="${paymentUrl}" target="_blank" rel="noopener noreferrer">${text(paymentUrl)}</a>`],
      ...scheduledPayments.map((scheduled) => ['Scheduled', scheduleText(scheduled)] as const),
    ])}
    <div class="actions">
      ${paymentButtons(link, project)} ${deleteLinkButton(id, project, '#payment-links')}
      ${scheduledPayments.length > 0 && button('Cancel scheduled payments', 'cancelScheduledPaymentsOf', params, { done: 'No payment is scheduled.' })}
    </div>
    ${link.status === 'active' && scheduleForms(params, clockNote(await client.call('readClock', { params })))}
  `
}

const optional = (render: (value: string) => Markup, value: string | null | undefined): Markup | undefined =>
  value === null || value === undefined ? undefined : render(value)

type Params = Readonly<Record<'project' | 'paymentLink', string>>

const scheduleForms = (params: Params, note: string | undefined) => html`
  <h2>Schedule a payment</h2>
  ${note !== undefined && html`<p>${note}</p>`}
  <div class="cards">
    ${scheduleForm(params, 'After some reads', field('when.reads', 'Reads', { type: 'number', min: 1, value: 3, required: true }))}
    ${scheduleForm(params, 'In some time', field('when.in', 'Milliseconds', { type: 'number', min: 0, value: 30000, required: true }))}
    ${scheduleForm(params, 'At a time', field('when.at', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true }))}
  </div>
`

const scheduleForm = (params: Params, title: string, when: Markup) => html`
  <form
    class="card"
    ${actionAttributes('payPaymentLink', params, { done: `A payment of ${params.paymentLink} is scheduled.` })}
  >
    <h3>${title}</h3>
    ${when}
    ${select('outcome', 'It', [
      ['succeeded', 'succeeds'],
      ['failed', 'fails'],
    ])}
    <button>Schedule</button>
  </form>
`
