import type { CommandId } from '../core/control/commands.ts'
import { html } from '../core/pages/html.ts'
import {
  PaymentLinkStatus,
  type PaymentLinkView,
  type PaymentOutcome,
  type ScheduledPayment,
} from '../core/schema/payment-link.ts'
import type { User } from '../core/schema/user.ts'
import {
  actions,
  addForm,
  badge,
  clockNote,
  definitionList,
  formatCount,
  heading,
  jsonBlock,
  menu,
  text,
  time,
} from './components.ts'
import { table } from '../core/pages/table.ts'
import { field, select } from './fields.ts'
import { deleteButton, emptyState, form, searchField, searchForm } from './forms.ts'
import { getViewLink, type ProjectRequest, type View } from './page-request.ts'
import { findPage } from './paging.ts'

export const usersView: View<ProjectRequest> = async (request) => {
  const { project, client } = request
  const params = { project }
  const { items, filters, pager } = await findPage(
    request,
    'users',
    ['q'],
    (query) => client.call('listUsers', { params, query }),
    ({ id, email, fullName }) => [id, email, fullName],
  )
  const fields = [field('email', 'Email', { required: true }), field('fullName', 'Full name')]
  return html`
    ${heading('Users', project)}
    <div class="bar">
      ${searchForm('users', searchField('Name, email or id', filters.q))}
      ${addRecordForm('user', 'createUser', project, fields)}
    </div>
    ${table({
      caption: `Users of ${project}`,
      items,
      getKey: ({ id }) => id,
      columns: {
        User: ({ id, fullName }) => html`<a href="${getViewLink('user', { id })}">${text(fullName) ?? 'No name'}</a>`,
        Email: renderEmail,
        Id: ({ id }) => html`<code>${id}</code>`,
        Locale: ({ preferredLocale }) => preferredLocale,
        Created: ({ createdAt }) => time(createdAt),
        Actions: (user) => menu(user.id, userButtons(user, project)),
      },
      empty: filters.q === undefined ? emptyState('No users yet.', request, 'createUser') : 'No user matches.',
    })}
    ${pager}
  `
}

const addRecordForm = (kind: string, command: CommandId, project: string, fields: unknown) => {
  const done = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} created.`
  const options = { layout: 'grid', look: 'first', fields, done } as const
  return addForm(`Add a ${kind}`, form(`Add the ${kind}`, command, { project }, options))
}

export const userView: View<ProjectRequest> = async ({ project, query, client }) => {
  const params = { project, user: query.get('id') ?? '' }
  const user = await client.call('retrieveUser', { params })
  const { id, email, fullName, birthday, preferredLocale, metadata, createdAt } = user
  const fields = [
    field('email', 'Email', { value: email, required: true }),
    field('fullName', 'Full name', { value: fullName, whenEmpty: null }),
    field('birthday', 'Birthday', { value: birthday, whenEmpty: null, placeholder: '1990-12-31' }),
    field('preferredLocale', 'Preferred locale', { value: preferredLocale, required: true }),
    field('metadata', 'Metadata (JSON)', { type: 'json', value: JSON.stringify(metadata, null, 2), whenEmpty: {} }),
  ]
  const options = { layout: 'grid', look: 'first', fields, body: {}, edits: 'user', done: `Changed ${id}.` } as const
  return html`
    <p><a href="#users">All users</a></p>
    ${heading(fullName ?? email, project)}
    ${definitionList({
      Id: html`<code>${id}</code>`,
      Email: renderEmail(user),
      Created: time(createdAt),
      Metadata: jsonBlock(metadata),
    })}
    ${actions(userButtons(user, project, '#users'))}
    <h2>Change</h2>
    ${form('Save', 'patchUser', params, options)}
  `
}

const renderEmail = ({ email, emailVerified }: User) =>
  html`${text(email)} ${emailVerified ? badge('verified', 'good') : badge('not verified')}`

const userButtons = ({ id, emailVerified }: User, project: string, next?: string) => {
  const params = { project, user: id }
  const [label, mark] = emailVerified ? ['Unverify', 'not verified'] : ['Verify', 'verified']
  const change = { body: { emailVerified: !emailVerified }, done: `Marked the email of ${id} as ${mark}.` }
  return [
    form(label, 'patchUser', params, { of: id, ...change }),
    deleteButton('deleteUser', params, 'user', id, { next }),
  ]
}

export const paymentLinksView: View<ProjectRequest> = async (request) => {
  const { project, client } = request
  const params = { project }
  const { items, filters, pager } = await findPage(
    request,
    'payment-links',
    ['q', 'status'],
    (query) => client.call('listPaymentLinks', { params, query }),
    ({ id, invoice, payer }) => [id, invoice, payer.fullName, payer.email],
  )
  const { items: scheduledPayments } = await client.call('listScheduledPayments', { params })
  const search = html`
    ${searchField('Invoice, payer or id', filters.q, '; a payer by name or email')}
    ${select('status', 'Status', [['', 'any'], ...PaymentLinkStatus.options], { selected: filters.status ?? '' })}
  `
  return html`
    ${heading('Payment links', project)}
    <div class="bar">
      ${searchForm('payment-links', search)} ${addRecordForm('payment link', 'createPaymentLink', project, linkFields)}
    </div>
    ${table({
      caption: `Payment links of ${project}`,
      items,
      getKey: ({ id }) => id,
      columns: {
        'Payment link': ({ id }) => html`<a href="${getLinkUrl(id)}"><code>${id}</code></a>`,
        Status: (link) => html`${statusBadge(link)} ${renderSchedule(link, scheduledPayments)}`,
        Invoice: ({ invoice }) => text(invoice),
        Payer: ({ payer }) => text(payer.fullName ?? payer.email),
        Created: ({ createdAt }) => time(createdAt),
        Actions: (link) => {
          const { pay, fail, cancel, remove } = linkButtons(link, project)
          const schedule =
            link.status === 'active' && html`<a class="button" href="${getLinkUrl(link.id)}">Schedule</a>`
          return actions(pay, menu(link.id, fail, cancel, schedule, remove))
        },
      },
      empty:
        Object.keys(filters).length === 0
          ? emptyState('No payment links yet.', request, 'createPaymentLink')
          : 'No payment link matches.',
    })}
    ${pager}
  `
}

const linkFields = [
  field('invoice', 'Invoice', { required: true, placeholder: 'inv_1' }),
  field('payer.fullName', 'Full name of the payer'),
  field('payer.email', 'Email of the payer'),
  field('payer.taxNumber', 'Tax number of the payer'),
  field('partner.redirectUrl', 'Redirect URL', { placeholder: 'https://shop.example/done' }),
]

const getLinkUrl = (id: string) => getViewLink('payment-link', { id })

export const paymentLinkView: View<ProjectRequest> = async ({ project, query, client }) => {
  const params = { project, paymentLink: query.get('id') ?? '' }
  const link = await client.call('retrievePaymentLink', { params })
  const { id, invoice, payer, partner, createdAt, completedAt, canceledAt, paymentUrl } = link
  const { items } = await client.call('listScheduledPayments', { params })
  const scheduled = renderSchedule(link, items)
  const { pay, fail, cancel, remove } = linkButtons(link, project, '#payment-links')
  const unschedule = form('Cancel scheduled payments', 'cancelScheduledPaymentsOf', params, {
    done: 'Scheduled payments canceled.',
  })
  return html`
    <p><a href="#payment-links">All payment links</a></p>
    ${heading(id, project)}
    ${definitionList({
      Status: statusBadge(link),
      Invoice: text(invoice),
      Payer: text(payer.fullName),
      Email: text(payer.email),
      'Tax number': text(payer.taxNumber),
      Created: time(createdAt),
      Completed: completedAt && time(completedAt),
      Canceled: canceledAt && time(canceledAt),
      'Redirect URL': text(partner.redirectUrl),
      'Payment page': html`<a href="${paymentUrl}" target="_blank" rel="noopener noreferrer">${text(paymentUrl)}</a>`,
      Scheduled: scheduled,
    })}
    ${actions(pay, fail, cancel, remove, scheduled && unschedule)}
    ${link.status === 'active' && scheduleForms(params, clockNote(await client.call('readClock', { params })))}
  `
}

const outcomeTexts = { succeeded: 'succeeds', failed: 'fails' } satisfies Record<PaymentOutcome, string>

const paymentConditions = {
  'After some reads': field('when.reads', 'Reads', { type: 'number', min: 1, value: 3, required: true }),
  'After some time': field('when.in', 'Milliseconds', { type: 'number', min: 0, value: 30000, required: true }),
  'At a time': field('when.at', 'Time, in UTC', { placeholder: '2025-01-01T00:00:00Z', required: true }),
}

const scheduleForms = (params: { project: string; paymentLink: string }, note: string | undefined) => {
  const outcome = select('outcome', 'Outcome', Object.entries(outcomeTexts))
  const done = `Scheduled a payment of ${params.paymentLink}.`
  return html`
    <h2>Schedule a payment</h2>
    ${note !== undefined && html`<p>${note}</p>`}
    <div class="cards">
      ${Object.entries(paymentConditions).map(([title, when]) =>
        form('Schedule', 'payPaymentLink', params, {
          layout: 'card',
          fields: [html`<h3>${title}</h3>`, when, outcome],
          done,
        }),
      )}
    </div>
  `
}

const statusBadge = ({ status }: PaymentLinkView) =>
  badge(status, ({ active: 'plain', canceled: 'quiet', completed: 'good' } as const)[status])

const renderSchedule = ({ id }: PaymentLinkView, payments: readonly ScheduledPayment[]) => {
  const linkPayments = payments.filter(({ paymentLink }) => paymentLink === id)
  if (linkPayments.length === 0) return undefined
  return linkPayments.map(({ outcome, when }) => {
    const condition = 'reads' in when ? `in ${formatCount(when.reads, 'read')}` : html`at ${time(when.at)}`
    return html`<small>payment ${outcomeTexts[outcome]} ${condition}</small>`
  })
}

/** The transitions of a link (spec §3), of which only an active one has any, and its deletion. */
const linkButtons = ({ id, status }: PaymentLinkView, project: string, next?: string) => {
  const params = { project, paymentLink: id }
  const remove = deleteButton('deletePaymentLink', params, 'payment link', id, { next })
  if (status !== 'active') return { remove }
  const failure = { body: { outcome: 'failed' }, done: `A payment of ${id} failed. The link is still active.` }
  return {
    pay: form('Pay', 'payPaymentLink', params, { of: id, look: 'first', body: {}, done: `Paid ${id}.` }),
    fail: form('Fail', 'payPaymentLink', params, { of: id, ...failure, doneLook: 'quiet' }),
    cancel: form('Cancel', 'cancelPaymentLink', params, { of: id, done: `Canceled ${id}.` }),
    remove,
  }
}
