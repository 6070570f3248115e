import { MockError } from '../schema/error.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import type { Payment, Plan } from '../schema/plan.ts'
import { inRange } from './clock.ts'
import { compareTexts } from './ordered-set.ts'
import { activePaymentLink, completePaymentLink, paymentLinkOf } from './payment-links.ts'
import type { ProjectState } from './project.ts'
import type { Transaction } from './transaction.ts'

type When = NonNullable<Payment['when']>

/** Uses the link for a payment now. A failed attempt changes no row. */
export const attemptPayment = (work: Transaction, id: string, outcome?: Payment['outcome']): PaymentLinkRow =>
  outcome === 'failed' ? failPayment(work, activePaymentLink(work, id, 'paid')) : completePaymentLink(work, id)

const failPayment = (work: Transaction, link: PaymentLinkRow): PaymentLinkRow => {
  work.failedPayments.push(link.id)
  return link
}

/** Plans a payment. A link may have several; one whose link is no longer active when it is due is dropped. */
export const planPayment = (
  work: Transaction,
  id: string,
  { outcome = 'succeeded', when }: { readonly outcome?: Payment['outcome']; readonly when: When },
): Plan => {
  activePaymentLink(work, id, 'paid')
  const plan: Plan = { paymentLink: id, outcome, when: absolute(work, when) }
  work.change({ plans: [...work.state.plans, plan] })
  return plan
}

/** A client's retrieve: it counts down what waits for reads, and the one that gets there shows the link completed. */
export const readPaymentLink = (work: Transaction, id: string): PaymentLinkRow => {
  const link = paymentLinkOf(work, id)
  const { plans } = work.state
  if (!plans.some((plan) => waitsForReads(plan, id))) return link
  const counted = plans.map((plan) =>
    waitsForReads(plan, id) ? { ...plan, when: { reads: plan.when.reads - 1 } } : plan,
  )
  const [due, waiting] = split(counted, (plan) => 'reads' in plan.when && plan.when.reads === 0)
  work.change({ plans: waiting })
  for (const plan of due) comeTrue(work, plan)
  return paymentLinkOf(work, id)
}

const waitsForReads = (plan: Plan, id: string): plan is Plan & { readonly when: { readonly reads: number } } =>
  plan.paymentLink === id && 'reads' in plan.when

/** Takes the plans of a link back, or all of them. */
export const dropPlans = (work: Transaction, id?: string): void => {
  const [dropped, rest] = split(work.state.plans, (plan) => id === undefined || plan.paymentLink === id)
  if (id !== undefined && dropped.length === 0)
    throw new MockError('scheduledPaymentNotFound', `No plan for payment link '${id}' in project '${work.project}'.`)
  work.change({ plans: rest })
}

/** Whether a plan waits for an instant that has come. Times are texts that sort as they stand. */
export const hasDuePlans = ({ plans }: ProjectState, now: string): boolean => plans.some((plan) => isDue(plan, now))

/** Lets every plan that is due come true, in order of their time and stamped with it. */
export const settlePlans = (work: Transaction, now: string): void => {
  const [due, waiting] = split(work.state.plans, (plan) => isDue(plan, now))
  work.change({ plans: waiting })
  // The sort is stable: of two plans for one instant the one that was made first comes first.
  for (const plan of due.toSorted((a, b) => compareTexts(instantOf(a), instantOf(b))))
    comeTrue(work, plan, instantOf(plan))
}

const isDue = (plan: Plan, now: string): boolean => 'at' in plan.when && plan.when.at <= now

const instantOf = ({ when }: Plan): string => ('at' in when ? when.at : '')

const comeTrue = (work: Transaction, { paymentLink, outcome }: Plan, at = work.now) => {
  const link = work.state.paymentLinks.get(paymentLink)
  if (link?.status !== 'active') return
  if (outcome === 'failed') failPayment(work, link)
  else completePaymentLink(work, paymentLink, at)
}

const absolute = (work: Transaction, when: When): Plan['when'] =>
  'in' in when ? { at: new Date(inRange(Date.parse(work.now) + when.in)).toISOString() } : when

const split = <T>(items: readonly T[], passes: (item: T) => boolean): [T[], T[]] => [
  items.filter(passes),
  items.filter((item) => !passes(item)),
]
