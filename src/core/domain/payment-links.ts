import { errors } from '../schema/error.ts'
import type { Page, PaymentLinkListQuery } from '../schema/list.ts'
import {
  Payer,
  type PaymentLinkCreate,
  type StoredPaymentLink,
  PaymentLinkStatus,
  type Payment,
  type ScheduledPayment,
} from '../schema/payment-link.ts'
import { isRecord } from '../schema/json-value.ts'
import { type Problem, quote } from '../schema/problem.ts'
import { listPage, mergeScans, type Scan, scanAll } from './pagination.ts'
import { getClosingTime, groupByInvoice } from './kinds.ts'
import type { Transaction } from './transaction.ts'
import { clampTime } from './clock.ts'
import { compareTexts } from './collection.ts'

/** Spec §4.2, create. Assumed: an invoice may have several links. */
export const createPaymentLink = (
  tx: Transaction,
  { invoice, redirectUrl, payer }: PaymentLinkCreate,
): StoredPaymentLink => {
  if (!tx.state.invoices.has(invoice) && tx.getBehavior('invoiceIds') === 'seeded')
    throw errors.invoiceNotFound({ invoice, project: tx.project })
  return tx.insert('paymentLinks', { invoice, partner: { redirectUrl }, payer })
}

/** Spec §3: active to canceled. */
export const cancelPaymentLink = (tx: Transaction, id: string): StoredPaymentLink => {
  const link = tx.require('paymentLinks', id)
  if (link.status === 'canceled' && tx.getBehavior('cancelInactive') === 'idempotent') return link
  const active = requireActivePaymentLink(tx, id, 'canceled')
  return tx.put('paymentLinks', { ...active, status: 'canceled', canceledAt: getClosingTime(active, tx.now) })
}

/** Spec §3: active to completed, when the link is used for a payment. `at` is the time of a scheduled payment. */
export const completePaymentLink = (tx: Transaction, id: string, at: string = tx.now): StoredPaymentLink => {
  const active = requireActivePaymentLink(tx, id, 'paid')
  const closed = { ...active, status: 'completed' as const, completedAt: getClosingTime(active, at) }
  return tx.put('paymentLinks', closed, at)
}

/** Spec §4.2, list. */
export const listPaymentLinks = (tx: Transaction, query: PaymentLinkListQuery): Page<StoredPaymentLink> => {
  const direction = tx.getBehavior('paymentLinkOrder') === 'oldestFirst' ? 'asc' : 'desc'
  return listPage(tx, 'paymentLinks', query, createScan(tx, query), direction)
}

/** Returns the link, or throws `paymentLinkNotActive`. Assumed: a link that is not active cannot be paid or canceled. */
const requireActivePaymentLink = (tx: Transaction, id: string, action: 'paid' | 'canceled'): StoredPaymentLink => {
  const link = tx.require('paymentLinks', id)
  if (link.status === 'active') return link
  throw errors.paymentLinkNotActive(link, action)
}

const createScan = (tx: Transaction, { invoice, status }: PaymentLinkListQuery): Scan<StoredPaymentLink> => {
  if (invoice === undefined && status === undefined) return scanAll(tx, 'paymentLinks')
  const { paymentLinks } = tx.state
  const by = invoice === undefined ? 'status' : 'invoice'
  const statuses = new Set(status ?? PaymentLinkStatus.options)
  return mergeScans(
    [...statuses].map((status) => {
      const key = invoice === undefined ? status : groupByInvoice({ invoice, status })
      return (direction, from) => paymentLinks.scan(direction, from, { by, key })
    }),
  )
}

/** Returns the problems of a create body under `payerFields` and `invoiceIds`. The body may violate its schema. */
export const findPaymentLinkProblems = (tx: Transaction, body: unknown, provider: string): Problem[] => {
  if (!isRecord(body)) return []
  const { invoice, [provider]: details } = body
  const payer = isRecord(details) ? details.user : undefined
  return [...findPayerProblems(tx, payer, `${provider}.user`), ...findRejectedInvoice(tx, invoice)]
}

const findPayerProblems = (tx: Transaction, payer: unknown, at: string): Problem[] => {
  const missing = isRecord(payer) ? Object.keys(Payer.shape).filter((field) => payer[field] === undefined) : []
  if (missing.length === 0 || tx.getBehavior('payerFields') === 'optional') return []
  return missing.map((field) => ({ path: `${at}.${field}`, message: `${at}.${field} is required.` }))
}

const findRejectedInvoice = (tx: Transaction, invoice: unknown): Problem[] => {
  const problems = findInvoiceProblems(invoice)
  return problems.length === 0 || tx.getBehavior('invoiceIds') !== 'prefix' ? [] : problems
}

/** Spec §2.1: the prefix of an invoice. The schema rejects other values and an empty text. */
export const findInvoiceProblems = (invoice: unknown): Problem[] =>
  typeof invoice !== 'string' || invoice === '' || invoice.startsWith('inv_')
    ? []
    : [{ path: 'invoice', message: `invoice must start with 'inv_' (got ${quote(invoice)}).` }]

type PaymentTime = NonNullable<Payment['when']>

/** A failed attempt changes no record. */
export const attemptPayment = (
  tx: Transaction,
  id: string,
  outcome: Payment['outcome'] = 'succeeded',
  at?: string,
): StoredPaymentLink => {
  if (outcome === 'succeeded') return completePaymentLink(tx, id, at)
  const link = requireActivePaymentLink(tx, id, 'paid')
  tx.failedPayments.push(id)
  return link
}

/** A link may have several scheduled payments. They are deleted when the link is closed. */
export const schedulePayment = (
  tx: Transaction,
  id: string,
  { outcome = 'succeeded', when }: { readonly outcome?: Payment['outcome']; readonly when: PaymentTime },
): ScheduledPayment => {
  requireActivePaymentLink(tx, id, 'paid')
  const scheduled: ScheduledPayment = { paymentLink: id, outcome, when: toAbsoluteTime(tx, when) }
  tx.set('scheduledPayments', [...tx.state.scheduledPayments, scheduled])
  return scheduled
}

/** Counts down the payments that wait for reads, and completes those that are due. */
export const readPaymentLink = (tx: Transaction, id: string): StoredPaymentLink => {
  const link = tx.require('paymentLinks', id)
  const { scheduledPayments } = tx.state
  if (!scheduledPayments.some((scheduled) => waitsForReads(scheduled, id))) return link
  const countedPayments = scheduledPayments.map((scheduled) =>
    waitsForReads(scheduled, id) ? { ...scheduled, when: { reads: scheduled.when.reads - 1 } } : scheduled,
  )
  const [duePayments, waitingPayments] = splitPayments(
    countedPayments,
    (scheduled) => 'reads' in scheduled.when && scheduled.when.reads === 0,
  )
  tx.set('scheduledPayments', waitingPayments)
  for (const scheduled of duePayments) attemptScheduled(tx, scheduled)
  return tx.require('paymentLinks', id)
}

const waitsForReads = (
  scheduled: ScheduledPayment,
  id: string,
): scheduled is ScheduledPayment & { readonly when: { readonly reads: number } } =>
  scheduled.paymentLink === id && 'reads' in scheduled.when

export const cancelScheduledPayments = (tx: Transaction, id?: string): void => {
  const { scheduledPayments } = tx.state
  const remainingPayments = scheduledPayments.filter(({ paymentLink }) => id !== undefined && paymentLink !== id)
  if (id !== undefined && remainingPayments.length === scheduledPayments.length)
    throw errors.scheduledPaymentNotFound({ paymentLink: id, project: tx.project })
  tx.set('scheduledPayments', remainingPayments)
}

export const isDue = ({ when }: ScheduledPayment, now: string): boolean => 'at' in when && when.at <= now

/** Completes the due payments in the order of their times. Each time becomes `completedAt`. */
export const completeDuePayments = (tx: Transaction, now: string): void => {
  const [duePayments, waitingPayments] = splitPayments(tx.state.scheduledPayments, (scheduled) => isDue(scheduled, now))
  tx.set('scheduledPayments', waitingPayments)
  // The sort is stable: payments of the same time keep their order.
  for (const scheduled of duePayments.toSorted((a, b) => compareTexts(getPaymentTime(a), getPaymentTime(b))))
    attemptScheduled(tx, scheduled, getPaymentTime(scheduled))
}

const getPaymentTime = ({ when }: ScheduledPayment): string => ('at' in when ? when.at : '')

const attemptScheduled = (tx: Transaction, { paymentLink, outcome }: ScheduledPayment, at?: string) => {
  if (tx.state.paymentLinks.get(paymentLink)?.status === 'active') attemptPayment(tx, paymentLink, outcome, at)
}

const toAbsoluteTime = (tx: Transaction, when: PaymentTime): ScheduledPayment['when'] =>
  'in' in when ? { at: new Date(clampTime(Date.parse(tx.now) + when.in)).toISOString() } : when

const splitPayments = <T>(items: readonly T[], passes: (item: T) => boolean): [T[], T[]] => [
  items.filter(passes),
  items.filter((item) => !passes(item)),
]
