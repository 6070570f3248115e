import { Refusal } from '../schema/error.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import type { Payment, Plan } from '../schema/plan.ts'
import { inRange } from './clock.ts'
import { activePaymentLink, completePaymentLink, paymentLinkOf } from './payment-links.ts'
import type { ProjectState } from './project.ts'
import type { Work } from './work.ts'

/** Uses the link for a payment now. A failed attempt changes no row. */
export const attemptPayment = (work: Work, id: string, outcome: Payment['outcome'] = 'succeeded'): PaymentLinkRow =>
  outcome === 'failed' ? activePaymentLink(work, id, 'paid') : completePaymentLink(work, id)

/** Plans a payment. A link may have several; one whose link is no longer active when it is due is dropped. */
export const planPayment = (
  work: Work,
  id: string,
  { outcome = 'succeeded', when }: Required<Pick<Payment, 'when'>> & Payment,
): Plan => {
  activePaymentLink(work, id, 'paid')
  const plan: Plan = { paymentLink: id, outcome, when: absolute(work, when!) }
  work.change({ plans: [...work.state.plans, plan] })
  return plan
}

/** A client's retrieve: it counts down what waits for reads, and the one that gets there shows the link completed. */
export const readPaymentLink = (work: Work, id: string): PaymentLinkRow => {
  paymentLinkOf(work, id)
  const { plans } = work.state
  if (plans.every((plan) => plan.paymentLink !== id || 'at' in plan.when)) return paymentLinkOf(work, id)
  const counted = plans.map((plan) =>
    plan.paymentLink === id && 'reads' in plan.when ? { ...plan, when: { reads: plan.when.reads - 1 } } : plan,
  )
  const [due, waiting] = split(counted, (plan) => 'reads' in plan.when && plan.when.reads === 0)
  work.change({ plans: waiting })
  for (const plan of due) comeTrue(work, plan)
  return paymentLinkOf(work, id)
}

/** Takes the plans of a link back, or all of them. */
export const dropPlans = (work: Work, id?: string): void => {
  const [dropped, rest] = split(work.state.plans, (plan) => id === undefined || plan.paymentLink === id)
  if (id !== undefined && dropped.length === 0)
    throw new Refusal('planNotFound', `No plan for payment link '${id}' in project '${work.project}'.`)
  if (dropped.length > 0) work.change({ plans: rest })
}

/** The instant of the plan that is due first, in milliseconds since 1970; undefined while none waits for the clock. */
export const firstDue = ({ plans }: ProjectState): number | undefined => {
  const times = plans.flatMap(({ when }) => ('at' in when ? [Date.parse(when.at)] : []))
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b))
}

/** Lets every plan that is due come true, in order of their time and stamped with it. */
export const settlePlans = (work: Work, now: number): void => {
  for (let due = firstDue(work.state); due !== undefined && due <= now; due = firstDue(work.state)) {
    const at = new Date(due).toISOString()
    const plan = work.state.plans.find(({ when }) => 'at' in when && when.at === at)!
    work.change({ plans: work.state.plans.filter((one) => one !== plan) })
    comeTrue(work, plan, at)
  }
}

const comeTrue = (work: Work, { paymentLink, outcome }: Plan, at?: string) => {
  const link = work.state.paymentLinks.get(paymentLink)
  if (link?.status === 'active' && outcome === 'succeeded') completePaymentLink(work, paymentLink, at)
}

const absolute = (work: Work, when: NonNullable<Payment['when']>): Plan['when'] =>
  'in' in when ? { at: new Date(inRange(Date.parse(work.now) + when.in)).toISOString() } : when

const split = <T>(items: readonly T[], passes: (item: T) => boolean): [T[], T[]] => [
  items.filter(passes),
  items.filter((item) => !passes(item)),
]
