import { PaymentLinkView } from './payment-link.ts'
import { Payment, Plan } from './plan.ts'
import { items, type Verb } from './verb.ts'

const paymentLink = '/paymentLinks/{paymentLink}'

/** Payments, made and planned. */
export const paymentVerbs = {
  payPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/pay`,
    summary: 'Pay a payment link',
    body: Payment.optional(),
    response: PaymentLinkView,
    accepted: Plan,
  },
  cancelPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/cancel`,
    summary: 'Cancel a payment link',
    response: PaymentLinkView,
  },
  listPlans: {
    scope: 'both',
    method: 'GET',
    path: '/plans',
    summary: 'List scheduled payments',
    response: items(Plan),
  },
  dropPlans: { scope: 'both', method: 'DELETE', path: '/plans', summary: 'Cancel all scheduled payments' },
  dropPlansOf: {
    scope: 'both',
    method: 'DELETE',
    path: '/plans/{paymentLink}',
    summary: 'Cancel the scheduled payments of a link',
  },
} as const satisfies Record<string, Verb>
