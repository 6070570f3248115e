import { errors } from '../schema/error.ts'
import type { StoredPaymentLink } from '../schema/payment-link.ts'
import type { Payment, ScheduledPayment } from '../schema/scheduled-payment.ts'
import { clampTime } from './clock.ts'
import { compareTexts } from './collection.ts'
import { requireActivePaymentLink, completePaymentLink, requirePaymentLink } from './payment-links.ts'
import type { ProjectState } from './project-state.ts'
import type { Transaction } from './transaction.ts'

type When = NonNullable<Payment['when']>

/** Pays the link now. A failed attempt changes no record. */
export const attemptPayment = (tx: Transaction, id: string, outcome?: Payment['outcome']): StoredPaymentLink =>
  outcome === 'failed' ? failPayment(tx, requireActivePaymentLink(tx, id, 'paid')) : completePaymentLink(tx, id)

const failPayment = (tx: Transaction, link: StoredPaymentLink): StoredPaymentLink => {
  tx.failedPayments.push(link.id)
  return link
}

/** Schedules a payment. A link may have several. They are ignored once the link is not active. */
export const schedulePayment = (
  tx: Transaction,
  id: string,
  { outcome = 'succeeded', when }: { readonly outcome?: Payment['outcome']; readonly when: When },
): ScheduledPayment => {
  requireActivePaymentLink(tx, id, 'paid')
  const scheduled: ScheduledPayment = { paymentLink: id, outcome, when: toAbsolute(tx, when) }
  tx.set('scheduledPayments', [...tx.state.scheduledPayments, scheduled])
  return scheduled
}

/** Retrieves a link for a client. Counts down the payments that wait for reads, and completes those that are due. */
export const readPaymentLink = (tx: Transaction, id: string): StoredPaymentLink => {
  const link = requirePaymentLink(tx, id)
  const { scheduledPayments } = tx.state
  if (!scheduledPayments.some((scheduled) => waitsForReads(scheduled, id))) return link
  const counted = scheduledPayments.map((scheduled) =>
    waitsForReads(scheduled, id) ? { ...scheduled, when: { reads: scheduled.when.reads - 1 } } : scheduled,
  )
  const [due, waiting] = split(counted, (scheduled) => 'reads' in scheduled.when && scheduled.when.reads === 0)
  tx.set('scheduledPayments', waiting)
  for (const scheduled of due) completeScheduled(tx, scheduled)
  return requirePaymentLink(tx, id)
}

const waitsForReads = (
  scheduled: ScheduledPayment,
  id: string,
): scheduled is ScheduledPayment & { readonly when: { readonly reads: number } } =>
  scheduled.paymentLink === id && 'reads' in scheduled.when

/** Cancels the scheduled payments of a link, or all of them. */
export const cancelScheduledPayments = (tx: Transaction, id?: string): void => {
  const [canceled, rest] = split(
    tx.state.scheduledPayments,
    (scheduled) => id === undefined || scheduled.paymentLink === id,
  )
  if (id !== undefined && canceled.length === 0)
    throw errors.scheduledPaymentNotFound({ paymentLink: id, project: tx.project })
  tx.set('scheduledPayments', rest)
}

/** Returns true if a scheduled payment is due. */
export const hasDuePayments = ({ scheduledPayments }: ProjectState, now: string): boolean =>
  scheduledPayments.some((scheduled) => isDue(scheduled, now))

/** Completes the due payments in the order of their times. Each time becomes `completedAt`. */
export const completeDuePayments = (tx: Transaction, now: string): void => {
  const [due, waiting] = split(tx.state.scheduledPayments, (scheduled) => isDue(scheduled, now))
  tx.set('scheduledPayments', waiting)
  // The sort is stable: payments of the same time keep their order.
  for (const scheduled of due.toSorted((a, b) => compareTexts(getInstant(a), getInstant(b))))
    completeScheduled(tx, scheduled, getInstant(scheduled))
}

const isDue = (scheduled: ScheduledPayment, now: string): boolean => 'at' in scheduled.when && scheduled.when.at <= now

const getInstant = ({ when }: ScheduledPayment): string => ('at' in when ? when.at : '')

const completeScheduled = (tx: Transaction, { paymentLink, outcome }: ScheduledPayment, at = tx.now) => {
  const link = tx.state.paymentLinks.get(paymentLink)
  if (link?.status !== 'active') return
  if (outcome === 'failed') failPayment(tx, link)
  else completePaymentLink(tx, paymentLink, at)
}

const toAbsolute = (tx: Transaction, when: When): ScheduledPayment['when'] =>
  'in' in when ? { at: new Date(clampTime(Date.parse(tx.now) + when.in)).toISOString() } : when

const split = <T>(items: readonly T[], passes: (item: T) => boolean): [T[], T[]] => [
  items.filter(passes),
  items.filter((item) => !passes(item)),
]
