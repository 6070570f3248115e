import { html, type Markup } from '../html.ts'
import type { PaymentLinkView, ScheduledPayment } from '../../schema/payment-link.ts'
import {
  actions,
  badge,
  chooseProject,
  addForm,
  clockNote,
  formatCount,
  definitionList,
  heading,
  live,
  menu,
  table,
  text,
  time,
} from './components.ts'
import { deleteButton, emptyState, field, form, formatCommandCurl, searchForm, select } from './forms.ts'
import { getViewLink, pickParams, type View, findPage, pager } from './page-request.ts'

/** The payment links of a project. */
export const paymentLinksView: View = async (request) => {
  const { project, query, client } = request
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
  const { items: scheduled } = await client.call('listScheduledPayments', { params })
  const hint = 'Any part of it, in upper or lower case; a payer by name or email.'
  return live(html`
    ${heading('Payment links', project)}
    <div class="bar">
      ${searchForm(
        'payment-links',
        html`${field('q', 'Invoice, payer or id', { type: 'search', value: q, hint })}
        ${select('status', 'Status', [['', 'any'], 'active', 'canceled', 'completed'], { selected: status })}`,
      )}
      ${addForm('Add a payment link', createForm(project))}
    </div>
    ${table({
      caption: `Payment links of ${project}`,
      items: page.items,
      getKey: ({ id }) => id,
      columns: {
        'Payment link': ({ id }) => html`<a href="${getUrl(id)}"><code>${id}</code></a>`,
        Status: (link) => html`${statusBadge(link)} ${filterScheduled(link, scheduled).map(renderSchedule)}`,
        Invoice: ({ invoice }) => text(invoice),
        Payer: ({ payer }) => text(payer.fullName ?? payer.email ?? ''),
        Created: ({ createdAt }) => time(createdAt),
        Actions: (link) => {
          const schedule = html`<a class="button" href="${getUrl(link.id)}">Schedule</a>`
          const more = link.status === 'active' && [failAndCancelButtons(link.id, project), schedule]
          return actions(payButton(link, project), menu(link.id, more, deleteLinkButton(link.id, project)))
        },
      },
      empty:
        q + status === ''
          ? emptyState('No payment links yet.', formatCommandCurl(request, 'createPaymentLink', { invoice: 'inv_1' }))
          : 'No payment link matches.',
    })}
    ${pager('payment-links', page, filters)}
  `)
}

const createForm = (project: string) => {
  const params = { project }
  const fields = [
    field('invoice', 'Invoice', { required: true, placeholder: 'inv_1' }),
    field('payer.fullName', 'Full name of the payer'),
    field('payer.email', 'Email of the payer'),
    field('payer.taxNumber', 'Tax number of the payer'),
    field('partner.redirectUrl', 'Redirect URL', { placeholder: 'https://shop.example/done' }),
  ]
  const done = 'Payment link created.'
  return form('Add the payment link', 'createPaymentLink', params, { layout: 'grid', look: 'first', fields, done })
}

const getUrl = (id: string) => getViewLink('payment-link', { id })

/** One payment link with all fields and its scheduled payments. */
export const paymentLinkView: View = async ({ project, query, client }) => {
  if (project === undefined) return chooseProject('Payment link')
  const params = { project, paymentLink: query.get('id') ?? '' }
  const link = await client.call('retrievePaymentLink', { params })
  const { id, invoice, payer, partner, createdAt, completedAt, canceledAt, paymentUrl } = link
  const { items } = await client.call('listScheduledPayments', { params })
  const scheduled = filterScheduled(link, items)
  return html`
    <p><a href="#payment-links">All payment links</a></p>
    ${heading(id, project)}
    ${definitionList({
      Status: statusBadge(link),
      Invoice: text(invoice),
      Payer: renderOptional(text, payer.fullName),
      Email: renderOptional(text, payer.email),
      'Tax number': renderOptional(text, payer.taxNumber),
      Created: time(createdAt),
      Completed: renderOptional(time, completedAt),
      Canceled: renderOptional(time, canceledAt),
      'Redirect URL': renderOptional(text, partner.redirectUrl),
      'Payment page': html`<a href="${paymentUrl}" target="_blank" rel="noopener noreferrer">${text(paymentUrl)}</a>`,
      Scheduled: scheduled.length > 0 ? scheduled.map(renderSchedule) : undefined,
    })}
    ${actions(
      payButton(link, project),
      link.status === 'active' && failAndCancelButtons(id, project),
      deleteLinkButton(id, project, '#payment-links'),
      scheduled.length > 0 &&
        form('Cancel scheduled payments', 'cancelScheduledPaymentsOf', params, {
          done: 'Scheduled payments canceled.',
        }),
    )}
    ${link.status === 'active' && scheduleForms(params, clockNote(await client.call('readClock', { params })))}
  `
}

const renderOptional = (render: (value: string) => Markup, value: string | null | undefined): Markup | undefined =>
  value === null || value === undefined ? undefined : render(value)

type PaymentLinkParams = Readonly<Record<'project' | 'paymentLink', string>>

const scheduleForms = (params: PaymentLinkParams, note: string | undefined) => html`
  <h2>Schedule a payment</h2>
  ${note !== undefined && html`<p>${note}</p>`}
  <div class="cards">
    ${scheduleForm(params, 'After some reads', field('when.reads', 'Reads', { type: 'number', min: 1, value: 3, required: true }))}
    ${scheduleForm(params, 'After some time', field('when.in', 'Milliseconds', { type: 'number', min: 0, value: 30000, required: true }))}
    ${scheduleForm(params, 'At a time', field('when.at', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true }))}
  </div>
`

const outcomes = [
  ['succeeded', 'succeeds'],
  ['failed', 'fails'],
] as const

const scheduleForm = (params: PaymentLinkParams, title: string, when: Markup) => {
  const fields = [when, select('outcome', 'Outcome', outcomes)]
  const done = `Scheduled a payment of ${params.paymentLink}.`
  return form('Schedule', 'payPaymentLink', params, { layout: 'card', title, fields, done })
}

const statusBadge = ({ status }: PaymentLinkView) =>
  badge(status, ({ active: 'plain', canceled: 'quiet', completed: 'good' } as const)[status])

const filterScheduled = ({ id }: PaymentLinkView, payments: readonly ScheduledPayment[]) =>
  payments.filter(({ paymentLink }) => paymentLink === id)

/** `succeeds in 3 reads` */
const renderSchedule = ({ outcome, when }: ScheduledPayment) =>
  html`<small
    >payment ${outcome === 'succeeded' ? 'succeeds' : 'fails'}
    ${'reads' in when ? `in ${formatCount(when.reads, 'read')}` : html`at ${time(when.at)}`}</small
  >`

// The transitions of an active link (spec §3).
const payButton = ({ id, status }: PaymentLinkView, project: string) =>
  status === 'active' &&
  form('Pay', 'payPaymentLink', { project, paymentLink: id }, { of: id, look: 'first', body: {}, done: `Paid ${id}.` })

const failAndCancelButtons = (id: string, project: string) => {
  const params = { project, paymentLink: id }
  const failed = `A payment of ${id} failed. The link is still active.`
  return [
    form('Fail', 'payPaymentLink', params, { of: id, body: { outcome: 'failed' }, done: failed }),
    form('Cancel', 'cancelPaymentLink', params, { of: id, done: `Canceled ${id}.` }),
  ]
}

const deleteLinkButton = (id: string, project: string, next?: string) =>
  deleteButton('deletePaymentLink', { project, paymentLink: id }, 'payment link', id, next)
