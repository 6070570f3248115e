import { type Problem, MockError } from '../schema/error.ts'
import type { Page, PaymentLinkListQuery } from '../schema/list.ts'
import {
  type Payer,
  type PaymentLinkCreate,
  type StoredPaymentLink,
  PaymentLinkStatus,
} from '../schema/payment-link.ts'
import { problemsText } from '../schema/problem.ts'
import { listPage, merge, type Scan } from './pagination.ts'
import { notFound, paymentLinkKind } from './not-found.ts'
import type { Transaction } from './transaction.ts'

/** Returns the payment link. Throws `paymentLinkNotFound` with a hint where the id exists. */
export const paymentLinkOf = (tx: Transaction, id: string): StoredPaymentLink => {
  const link = tx.state.paymentLinks.get(id)
  if (link === undefined) throw notFound(tx, paymentLinkKind, id)
  return link
}

/** Spec §4.2, create. Assumed: an invoice may have several links. `payerPath` is the path of the payer in the body. */
export const createPaymentLink = (tx: Transaction, body: PaymentLinkCreate, payerPath: string): StoredPaymentLink => {
  rejectWrong([...payerProblems(tx, body.payer, payerPath), ...invoiceProblems(tx, body.invoice)])
  rejectUnknownInvoice(tx, body.invoice)
  return tx.putPaymentLink({
    object: 'paymentLink',
    id: tx.newId('pml'),
    canceledAt: null,
    completedAt: null,
    createdAt: tx.now,
    partner: { redirectUrl: body.redirectUrl },
    invoice: body.invoice,
    status: 'active',
    type: 'partner',
    payer: body.payer,
  })
}

/** Spec §3: active to canceled. */
export const cancelPaymentLink = (tx: Transaction, id: string): StoredPaymentLink => {
  const link = paymentLinkOf(tx, id)
  if (link.status === 'canceled' && tx.getBehavior('cancelInactive') === 'idempotent') return link
  const active = activePaymentLink(tx, id, 'canceled')
  return close(tx, { ...active, status: 'canceled', canceledAt: closingTime(active, tx.now) })
}

/** Spec §3: active to completed, when the link was used for a payment. A planned one has a time of its own. */
export const completePaymentLink = (tx: Transaction, id: string, at: string = tx.now): StoredPaymentLink => {
  const active = activePaymentLink(tx, id, 'paid')
  return close(tx, { ...active, status: 'completed', completedAt: closingTime(active, at) })
}

/** Assumed: a link is closed at its creation at the earliest, also where the clock was set back or a payment was due before. */
export const closingTime = ({ createdAt }: Pick<StoredPaymentLink, 'createdAt'>, at: string): string =>
  at < createdAt ? createdAt : at

/** Takes the link away. The service has no such operation; tests do. */
export const deletePaymentLink = (tx: Transaction, id: string): StoredPaymentLink => {
  removeScheduledPayments(tx, id)
  return tx.removePaymentLink(paymentLinkOf(tx, id))
}

/** Spec §4.2, list. */
export const listPaymentLinks = (tx: Transaction, query: PaymentLinkListQuery): Page<StoredPaymentLink> => {
  const scan = filtered(tx, query)
  // A single record has no order, so no behavior decided the response.
  const least = query.after === undefined && query.before === undefined ? 2 : 1
  const direction = () =>
    hasRows(scan, least) && tx.getBehavior('paymentLinkOrder') === 'oldestFirst' ? 'asc' : 'desc'
  return listPage(tx, paymentLinkKind, scan, query, direction)
}

/** Puts a link that takes no transition any more: what was planned for it is dropped. */
const close = (tx: Transaction, link: StoredPaymentLink): StoredPaymentLink => {
  removeScheduledPayments(tx, link.id)
  return tx.putPaymentLink(link)
}

/** Drops what was planned for a link. */
export const removeScheduledPayments = (tx: Transaction, id: string): void =>
  tx.change({ scheduledPayments: tx.state.scheduledPayments.filter((scheduled) => scheduled.paymentLink !== id) })

/** The link, if it can still be paid or canceled. Assumed: one that is not active takes no transition. */
export const activePaymentLink = (tx: Transaction, id: string, deed: string): StoredPaymentLink => {
  const link = paymentLinkOf(tx, id)
  if (link.status === 'active') return link
  const message = `Payment link '${link.id}' cannot be ${deed}: it is ${link.status}.`
  throw new MockError('paymentLinkNotActive', message, { hint: 'Only an active link can be paid or canceled.' })
}

const hasRows = (scan: Scan<StoredPaymentLink>, least: 1 | 2): boolean => {
  const [first, second] = scan('desc')
  return (least === 1 ? first : second) !== undefined
}

const filtered = (tx: Transaction, { invoice, status }: PaymentLinkListQuery): Scan<StoredPaymentLink> => {
  const { paymentLinks } = tx.state
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

const payerProblems = (tx: Transaction, payer: Payer, at: string): Problem[] => {
  const missing = (['fullName', 'email', 'taxNumber'] as const).filter((field) => payer[field] === undefined)
  if (missing.length === 0 || tx.getBehavior('payerFields') === 'optional') return []
  return missing.map((field) => ({ path: `${at}.${field}`, message: `${at}.${field} is required.` }))
}

const invoiceProblems = (tx: Transaction, invoice: string): Problem[] =>
  invoice.startsWith('inv_') || tx.getBehavior('invoiceIds') !== 'prefix'
    ? []
    : [{ path: 'invoice', message: `invoice must start with 'inv_' (got '${invoice}').` }]

const rejectUnknownInvoice = (tx: Transaction, invoice: string) => {
  if (tx.state.invoices.has(invoice) || tx.getBehavior('invoiceIds') !== 'seeded') return
  throw new MockError('invoiceNotFound', `No invoice '${invoice}' in project '${tx.project}'.`, {
    hint: `The seed lists its invoices under 'projects.${tx.project}.invoices'.`,
    details: [{ path: 'invoice', message: `invoice must be one of the invoices of the project (got '${invoice}').` }],
  })
}
