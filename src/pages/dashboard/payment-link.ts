import { html, type Markup } from '../html.ts'
import { field, select } from './fields.ts'
import { button, calls, chooseProject, heading, standstill, text, time } from './parts.ts'
import { attempts, deleteButton, planText, statusBadge } from './payment-links.ts'
import type { View } from './view.ts'

/** One payment link with all its fields, and the payments that are planned for it. */
export const paymentLink: View = async ({ project, query, steer }) => {
  if (project === undefined) return chooseProject('Payment link')
  const params = { project, paymentLink: query.get('id') ?? '' }
  const link = await steer.call('retrievePaymentLink', { params })
  const { items } = await steer.call('listPlans', { params })
  const plans = items.filter((plan) => plan.paymentLink === link.id)
  const { id, invoice, payer, partner, createdAt, completedAt, canceledAt, paymentUrl } = link
  const rows: [string, Markup | undefined][] = [
    ['Status', statusBadge(link)],
    ['Invoice', text(invoice)],
    ['Payer', payer.fullName === undefined ? undefined : text(payer.fullName)],
    ['Email', payer.email === undefined ? undefined : text(payer.email)],
    ['Tax number', payer.taxNumber === undefined ? undefined : text(payer.taxNumber)],
    ['Created', time(createdAt)],
    ['Completed', completedAt === null ? undefined : time(completedAt)],
    ['Canceled', canceledAt === null ? undefined : time(canceledAt)],
    ['Afterwards to', partner.redirectUrl === null ? undefined : text(partner.redirectUrl)],
    ['Payment page', html`<a href="${paymentUrl}" target="_blank" rel="noopener noreferrer">${text(paymentUrl)}</a>`],
    ...plans.map((plan): [string, Markup] => ['Planned', planText(plan)]),
  ]
  return html`
    <p><a href="#payment-links">All payment links</a></p>
    ${heading(id, project)}
    <dl>
      ${rows.map(
        ([name, value]) =>
          value &&
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    <div class="actions">
      ${attempts(link, project)} ${deleteButton(id, project, '#payment-links')}
      ${
        plans.length > 0 &&
        button(
          'dropPlansOf',
          { project, paymentLink: id },
          { label: 'Drop what is planned', done: 'Nothing is planned.' },
        )
      }
    </div>
    ${link.status === 'active' && planForms(project, id, standstill(await steer.call('readClock', { params })))}
  `
}

const planForms = (project: string, paymentLink: string, still: string | undefined) => html`
  <h2>Plan a payment</h2>
  ${still !== undefined && html`<p>${still}</p>`}
  <div class="cards">
    ${planForm(
      { project, paymentLink },
      'After some reads',
      field({ name: 'when.reads', label: 'Reads', type: 'number', min: 1, value: 3, required: true }),
    )}
    ${planForm(
      { project, paymentLink },
      'In some time',
      field({ name: 'when.in', label: 'Milliseconds', type: 'number', min: 0, value: 30000, required: true }),
    )}
    ${planForm(
      { project, paymentLink },
      'At an instant',
      field({ name: 'when.at', label: 'Time, in UTC', placeholder: '2025-01-01T00:00:00Z', required: true }),
    )}
  </div>
`

const planForm = (params: { project: string; paymentLink: string }, title: string, when: Markup) => html`
  <form class="card" ${calls('payPaymentLink', params, { done: `A payment of ${params.paymentLink} is planned.` })}>
    <h3>${title}</h3>
    ${when}
    ${select({
      name: 'outcome',
      label: 'It',
      options: [
        ['succeeded', 'succeeds'],
        ['failed', 'fails'],
      ],
    })}
    <button>Plan</button>
  </form>
`
