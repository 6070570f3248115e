import { html } from '../html.ts'
import type { PaymentLinkView } from '../../schema/payment-link.ts'
import type { Plan } from '../../schema/plan.ts'
import { field, filter, select } from './fields.ts'
import { pager, pageSize } from './pager.ts'
import { containsText, search } from './search.ts'
import { badge, button, calls, chooseProject, counted, heading, live, table, text, time } from './parts.ts'
import { given, linkTo, type View, type Visit } from './view.ts'

const states = ['active', 'canceled', 'completed'] as const

/** The payment links of a project: found, and brought into the state that is needed by one click. */
export const paymentLinks: View = async (visit) => {
  const { project, query, steer } = visit
  if (project === undefined) return chooseProject('Payment links')
  const { q = '', status = '' } = given(query, ['q', 'status'])
  const page = await found(visit, project, q)
  const { items: plans } = await steer.call('listPlans', { params: { project } })
  return live(html`
    ${heading('Payment links', project)}
    <div class="bar">
      ${filter(
        'payment-links',
        html`${field({
          name: 'q',
          label: 'Invoice, payer or id',
          type: 'search',
          value: q,
          hint: 'Any part of it, in upper or lower case; a payer by name or email.',
        })}
        ${select({
          name: 'status',
          label: 'Status',
          value: status,
          options: [['', 'any'], ...states.map((one) => [one, one] as const)],
        })}`,
        'Find',
      )}
    </div>
    ${table({
      caption: `Payment links of ${project}`,
      head: ['Payment link', 'Status', 'Invoice', 'Payer', 'Created', 'Actions'],
      rows: page.items.map((link) => rowOf(link, plans, project)),
      none: q + status === '' ? 'No payment link yet.' : 'No payment link has this in the invoice, payer or id.',
    })}
    ${pager('payment-links', page, given(query, ['q', 'status']))} ${create(project)}
  `)
}

const found = ({ steer, query }: Visit, project: string, q: string) => {
  const cursors = given(query, ['after', 'before'])
  const status = given(query, ['status'])
  const list = (asked: object) =>
    steer.call('listPaymentLinks', { params: { project }, query: { ...status, ...asked } })
  if (q === '') return list({ ...cursors, limit: String(pageSize) })
  return search(list, cursors, ({ id, invoice, payer }) => containsText([id, invoice, payer.fullName, payer.email], q))
}

const rowOf = (link: PaymentLinkView, plans: readonly Plan[], project: string) => ({
  key: link.id,
  cells: [
    html`<a href="${linkTo('payment-link', { id: link.id })}"><code>${link.id}</code></a>`,
    html`${statusBadge(link)} ${plans.filter(({ paymentLink }) => paymentLink === link.id).map(planText)}`,
    text(link.invoice),
    text(link.payer.fullName ?? link.payer.email ?? ''),
    time(link.createdAt),
    html`<div class="actions">
      ${attempts(link, project)}
      ${link.status === 'active' && html`<a class="button" href="${linkTo('payment-link', { id: link.id })}">Plan</a>`}
      ${deleteButton(link.id, project)}
    </div>`,
  ],
})

export const statusBadge = ({ status }: Pick<PaymentLinkView, 'status'>) =>
  badge(status, ({ active: 'plain', canceled: 'quiet', completed: 'good' } as const)[status])

/** `is paid in 3 reads` */
export const planText = ({ outcome, when }: Plan) => {
  const verb = outcome === 'succeeded' ? 'is paid' : 'fails'
  return 'reads' in when
    ? html`<small>${verb} in ${counted(when.reads, 'read')}</small>`
    : html`<small>${verb} at ${time(when.at)}</small>`
}

/** What can still become of a link. Spec §3. */
export const attempts = ({ id, status }: PaymentLinkView, project: string) => {
  const params = { project, paymentLink: id }
  if (status !== 'active') return ''
  return html`
    ${button('payPaymentLink', params, { label: 'Pay', of: id, look: 'first', body: {}, done: `${id} is paid.` })}
    ${button('payPaymentLink', params, {
      label: 'Fail',
      of: id,
      body: { outcome: 'failed' },
      done: `A payment of ${id} has failed; it is still active.`,
    })}
    ${button('cancelPaymentLink', params, { label: 'Cancel', of: id, done: `${id} is canceled.` })}
  `
}

export const deleteButton = (id: string, project: string, next?: string) =>
  button(
    'deletePaymentLink',
    { project, paymentLink: id },
    {
      label: 'Delete',
      of: id,
      look: 'danger',
      done: `${id} is deleted.`,
      confirm: `Delete the payment link ${id}?`,
      ...(next !== undefined && { next }),
    },
  )

const create = (project: string) => html`
  <details>
    <summary>Add a payment link</summary>
    <form class="grid" ${calls('createPaymentLink', { project }, { done: 'The payment link is there.' })}>
      ${field({ name: 'invoice', label: 'Invoice', required: true, placeholder: 'inv_1' })}
      ${field({ name: 'payer.fullName', label: 'Full name of the payer' })}
      ${field({ name: 'payer.email', label: 'Email of the payer' })}
      ${field({ name: 'payer.taxNumber', label: 'Tax number of the payer' })}
      ${field({ name: 'partner.redirectUrl', label: 'Afterwards to', placeholder: 'https://shop.example/done' })}
      <button class="first">Add the payment link</button>
    </form>
  </details>
`
