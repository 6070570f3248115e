import * as z from 'zod'
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
    summary: 'Pay a payment link now, or plan it (202)',
    otherStatus: 202,
    body: Payment.optional(),
    response: z.union([PaymentLinkView, Plan]),
  },
  cancelPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/cancel`,
    summary: 'Cancel a payment link',
    response: PaymentLinkView,
  },
  listPlans: { scope: 'both', method: 'GET', path: '/plans', summary: 'List planned payments', response: items(Plan) },
  dropPlans: { scope: 'both', method: 'DELETE', path: '/plans', summary: 'Take all planned payments back' },
  dropPlansOf: {
    scope: 'both',
    method: 'DELETE',
    path: '/plans/{paymentLink}',
    summary: 'Take the planned payments of a link back',
  },
} as const satisfies Record<string, Verb>
