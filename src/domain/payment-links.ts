import { type Problem, MockError } from '../schema/error.ts'
import type { Page, PaymentLinkListQuery } from '../schema/list.ts'
import { type Payer, type PaymentLinkCreate, type PaymentLinkRow, PaymentLinkStatus } from '../schema/payment-link.ts'
import { problemsText } from '../schema/problem.ts'
import { listPage } from './cursors.ts'
import { merge, type Scan } from './page.ts'
import { notFound, paymentLinkKind } from './refusals.ts'
import type { Transaction } from './transaction.ts'

/** The payment link with this id, or the refusal that says where it is. */
export const paymentLinkOf = (work: Transaction, id: string): PaymentLinkRow => {
  const link = work.state.paymentLinks.get(id)
  if (link === undefined) throw notFound(work, paymentLinkKind, id)
  return link
}

/** Spec §4.2, create. Assumed: an invoice may have several links. `payerPath` is where the payer stands in the body. */
export const createPaymentLink = (work: Transaction, body: PaymentLinkCreate, payerPath: string): PaymentLinkRow => {
  rejectWrong([...payerProblems(work, body.payer, payerPath), ...invoiceProblems(work, body.invoice)])
  rejectUnknownInvoice(work, body.invoice)
  return work.putPaymentLink({
    object: 'paymentLink',
    id: work.newId('pml'),
    canceledAt: null,
    completedAt: null,
    createdAt: work.now,
    partner: { redirectUrl: body.redirectUrl },
    invoice: body.invoice,
    status: 'active',
    type: 'partner',
    payer: body.payer,
  })
}

/** Spec §3: active to canceled. */
export const cancelPaymentLink = (work: Transaction, id: string): PaymentLinkRow => {
  const link = paymentLinkOf(work, id)
  if (link.status === 'canceled' && work.behave('cancelInactive') === 'idempotent') return link
  const active = activePaymentLink(work, id, 'canceled')
  return close(work, { ...active, status: 'canceled', canceledAt: closingTime(active, work.now) })
}

/** Spec §3: active to completed, when the link was used for a payment. A planned one has a time of its own. */
export const completePaymentLink = (work: Transaction, id: string, at: string = work.now): PaymentLinkRow => {
  const active = activePaymentLink(work, id, 'paid')
  return close(work, { ...active, status: 'completed', completedAt: closingTime(active, at) })
}

/** Assumed: a link is closed at its creation at the earliest, also where the clock was set back or a payment was due before. */
export const closingTime = ({ createdAt }: Pick<PaymentLinkRow, 'createdAt'>, at: string): string =>
  at < createdAt ? createdAt : at

/** Takes the link away. The service has no such operation; tests do. */
export const deletePaymentLink = (work: Transaction, id: string): PaymentLinkRow => {
  removeScheduledPayments(work, id)
  return work.removePaymentLink(paymentLinkOf(work, id))
}

/** Spec §4.2, list. */
export const listPaymentLinks = (work: Transaction, query: PaymentLinkListQuery): Page<PaymentLinkRow> => {
  const scan = filtered(work, query)
  // One row has no order that a reading could change, but a side of the cursor.
  const least = query.after === undefined && query.before === undefined ? 2 : 1
  const direction = () => (hasRows(scan, least) && work.behave('paymentLinkOrder') === 'oldestFirst' ? 'asc' : 'desc')
  return listPage(work, paymentLinkKind, scan, query, direction)
}

/** Puts a link that takes no transition any more: what was planned for it is dropped. */
const close = (work: Transaction, link: PaymentLinkRow): PaymentLinkRow => {
  removeScheduledPayments(work, link.id)
  return work.putPaymentLink(link)
}

/** Drops what was planned for a link. */
export const removeScheduledPayments = (work: Transaction, id: string): void =>
  work.change({ scheduledPayments: work.state.scheduledPayments.filter((scheduled) => scheduled.paymentLink !== id) })

/** The link, if it can still be paid or canceled. Assumed: one that is not active takes no transition. */
export const activePaymentLink = (work: Transaction, id: string, deed: string): PaymentLinkRow => {
  const link = paymentLinkOf(work, id)
  if (link.status === 'active') return link
  const message = `Payment link '${link.id}' cannot be ${deed}: it is ${link.status}.`
  throw new MockError('paymentLinkNotActive', message, { hint: 'Only an active link can be paid or canceled.' })
}

const hasRows = (scan: Scan<PaymentLinkRow>, least: 1 | 2): boolean => {
  const [first, second] = scan('desc')
  return (least === 1 ? first : second) !== undefined
}

const filtered = (work: Transaction, { invoice, status }: PaymentLinkListQuery): Scan<PaymentLinkRow> => {
  const { paymentLinks } = work.state
  if (invoice === undefined && status === undefined) return (direction, from) => paymentLinks.scan(direction, from)
  const by = invoice === undefined ? 'status' : 'invoice'
  const statuses = new Set(status ?? PaymentLinkStatus.options)
  return merge(
    [...statuses].map((one) => {
      const key = { status: one, ...(invoice !== undefined && { invoice }) }
      return (direction, from) => paymentLinks.scan(direction, from, { by, key })
    }),
  )
}

/** Refuses all that is wrong at once. */
const rejectWrong = (details: readonly Problem[]) => {
  if (details.length > 0) throw new MockError('invalidBody', problemsText('The payment link', details), { details })
}

const payerProblems = (work: Transaction, payer: Payer, at: string): Problem[] => {
  const missing = (['fullName', 'email', 'taxNumber'] as const).filter((field) => payer[field] === undefined)
  if (missing.length === 0 || work.behave('payerFields') === 'optional') return []
  return missing.map((field) => ({ path: `${at}.${field}`, message: `${at}.${field} is required.` }))
}

const invoiceProblems = (work: Transaction, invoice: string): Problem[] =>
  invoice.startsWith('inv_') || work.behave('invoiceIds') !== 'prefix'
    ? []
    : [{ path: 'invoice', message: `invoice must start with 'inv_' (got '${invoice}').` }]

const rejectUnknownInvoice = (work: Transaction, invoice: string) => {
  if (work.state.invoices.has(invoice) || work.behave('invoiceIds') !== 'seeded') return
  throw new MockError('invoiceNotFound', `No invoice '${invoice}' in project '${work.project}'.`, {
    hint: `The seed lists its invoices under 'projects.${work.project}.invoices'.`,
    details: [{ path: 'invoice', message: `invoice must be one of the invoices of the project (got '${invoice}').` }],
  })
}
