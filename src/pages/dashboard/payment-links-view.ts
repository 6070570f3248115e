import { html } from '../html.ts'
import {
  PaymentLinkStatus,
  type PaymentLinkView,
  type PaymentOutcome,
  type ScheduledPayment,
} from '../../schema/payment-link.ts'
import {
  actions,
  addForm,
  badge,
  clockNote,
  formatCount,
  definitionList,
  heading,
  menu,
  table,
  text,
  time,
} from './components.ts'
import { deleteButton, emptyState, field, form, searchField, searchForm, select } from './forms.ts'
import { getViewLink, pickParams, type ProjectRequest, type View, findPage, pager } from './page-request.ts'

export const paymentLinksView: View<ProjectRequest> = async (request) => {
  const { project, query, client } = request
  const params = { project }
  const filters = pickParams(query, ['q', 'status'])
  const { q = '', ...filter } = filters
  const page = await findPage(
    query,
    (listQuery) => client.call('listPaymentLinks', { params, query: { ...filter, ...listQuery } }),
    ({ id, invoice, payer }) => [id, invoice, payer.fullName, payer.email],
  )
  const { items: scheduled } = await client.call('listScheduledPayments', { params })
  const empty = emptyState('No payment links yet.', request, 'createPaymentLink', { invoice: 'inv_1' })
  return html`
    ${heading('Payment links', project)}
    <div class="bar">
      ${searchForm(
        'payment-links',
        html`${searchField('Invoice, payer or id', q, '; a payer by name or email')}
        ${select('status', 'Status', [['', 'any'], ...PaymentLinkStatus.options], { selected: filter.status ?? '' })}`,
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
      empty: Object.keys(filters).length === 0 ? empty : 'No payment link matches.',
    })}
    ${pager('payment-links', page, filters)}
  `
}

const createForm = (project: string) => {
  const fields = [
    field('invoice', 'Invoice', { required: true, placeholder: 'inv_1' }),
    field('payer.fullName', 'Full name of the payer'),
    field('payer.email', 'Email of the payer'),
    field('payer.taxNumber', 'Tax number of the payer'),
    field('partner.redirectUrl', 'Redirect URL', { placeholder: 'https://shop.example/done' }),
  ]
  const done = 'Payment link created.'
  return form('Add the payment link', 'createPaymentLink', {
    params: { project },
    layout: 'grid',
    look: 'first',
    fields,
    done,
  })
}

const getUrl = (id: string) => getViewLink('payment-link', { id })

export const paymentLinkView: View<ProjectRequest> = async ({ project, query, client }) => {
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
      Payer: payer.fullName && text(payer.fullName),
      Email: payer.email && text(payer.email),
      'Tax number': payer.taxNumber && text(payer.taxNumber),
      Created: time(createdAt),
      Completed: completedAt && time(completedAt),
      Canceled: canceledAt && time(canceledAt),
      'Redirect URL': partner.redirectUrl && text(partner.redirectUrl),
      'Payment page': html`<a href="${paymentUrl}" target="_blank" rel="noopener noreferrer">${text(paymentUrl)}</a>`,
      Scheduled: scheduled.length > 0 ? scheduled.map(renderSchedule) : undefined,
    })}
    ${actions(
      payButton(link, project),
      link.status === 'active' && failAndCancelButtons(id, project),
      deleteLinkButton(id, project, '#payment-links'),
      scheduled.length > 0 &&
        form('Cancel scheduled payments', 'cancelScheduledPaymentsOf', {
          params,
          done: 'Scheduled payments canceled.',
        }),
    )}
    ${link.status === 'active' && scheduleForms(params, clockNote(await client.call('readClock', { params })))}
  `
}

const outcomes = { succeeded: 'succeeds', failed: 'fails' } satisfies Record<PaymentOutcome, string>

const conditions = {
  'After some reads': field('when.reads', 'Reads', { type: 'number', min: 1, value: 3, required: true }),
  'After some time': field('when.in', 'Milliseconds', { type: 'number', min: 0, value: 30000, required: true }),
  'At a time': field('when.at', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true }),
}

const scheduleForms = (
  params: { readonly project: string; readonly paymentLink: string },
  note: string | undefined,
) => {
  const outcome = select('outcome', 'Outcome', Object.entries(outcomes))
  const done = `Scheduled a payment of ${params.paymentLink}.`
  return html`
    <h2>Schedule a payment</h2>
    ${note !== undefined && html`<p>${note}</p>`}
    <div class="cards">
      ${Object.entries(conditions).map(([title, when]) =>
        form('Schedule', 'payPaymentLink', { params, layout: 'card', title, fields: [when, outcome], done }),
      )}
    </div>
  `
}

const statusBadge = ({ status }: PaymentLinkView) =>
  badge(status, ({ active: 'plain', canceled: 'quiet', completed: 'good' } as const)[status])

const filterScheduled = ({ id }: PaymentLinkView, payments: readonly ScheduledPayment[]) =>
  payments.filter(({ paymentLink }) => paymentLink === id)

/** `succeeds in 3 reads` */
const renderSchedule = ({ outcome, when }: ScheduledPayment) =>
  html`<small
    >payment ${outcomes[outcome]}
    ${'reads' in when ? `in ${formatCount(when.reads, 'read')}` : html`at ${time(when.at)}`}</small
  >`

// The transitions of an active link (spec §3).
const payButton = ({ id, status }: PaymentLinkView, project: string) =>
  status === 'active' &&
  form('Pay', 'payPaymentLink', {
    params: { project, paymentLink: id },
    of: id,
    look: 'first',
    body: {},
    done: `Paid ${id}.`,
  })

const failAndCancelButtons = (id: string, project: string) => {
  const params = { project, paymentLink: id }
  const failed = `A payment of ${id} failed. The link is still active.`
  return [
    form('Fail', 'payPaymentLink', { params, of: id, body: { outcome: 'failed' }, done: failed }),
    form('Cancel', 'cancelPaymentLink', { params, of: id, done: `Canceled ${id}.` }),
  ]
}

const deleteLinkButton = (id: string, project: string, next?: string) =>
  deleteButton('deletePaymentLink', { project, paymentLink: id }, 'payment link', id, next)
