import type { Command } from './commands.ts'
import { listOf, PaymentLinkRowsQuery, unpagedListOf, UserRowsQuery } from './list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from './payment-link.ts'
import { Payment, ScheduledPayment } from './scheduled-payment.ts'
import { User, UserPatch, UserSeed } from './user.ts'

const user = '/users/{user}'
const paymentLink = '/paymentLinks/{paymentLink}'
const cursorErrors = ['cursorNotFound', 'cursorDeleted'] as const

/** Reading and writing records without a token of the mocked API, and paying payment links. */
export const recordCommands = {
  listUsers: {
    scope: 'project',
    method: 'GET',
    path: '/users',
    summary: 'List users',
    query: UserRowsQuery,
    response: listOf(User),
    errors: cursorErrors,
  },
  createUser: {
    scope: 'project',
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    status: 201,
    body: UserSeed,
    response: User,
    errors: ['idTaken'],
  },
  retrieveUser: {
    scope: 'project',
    method: 'GET',
    path: user,
    summary: 'Retrieve a user',
    response: User,
    errors: ['userNotFound'],
  },
  patchUser: {
    scope: 'project',
    method: 'PATCH',
    path: user,
    summary: 'Update a user',
    body: UserPatch,
    response: User,
    errors: ['userNotFound'],
  },
  deleteUser: {
    scope: 'project',
    method: 'DELETE',
    path: user,
    summary: 'Delete a user',
    response: User,
    errors: ['userNotFound'],
  },

  listPaymentLinks: {
    scope: 'project',
    method: 'GET',
    path: '/paymentLinks',
    summary: 'List payment links',
    query: PaymentLinkRowsQuery,
    response: listOf(PaymentLinkView),
    errors: cursorErrors,
  },
  createPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: '/paymentLinks',
    summary: 'Create a payment link',
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
    errors: ['idTaken'],
  },
  retrievePaymentLink: {
    scope: 'project',
    method: 'GET',
    path: paymentLink,
    summary: 'Retrieve a payment link',
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound'],
  },
  patchPaymentLink: {
    scope: 'project',
    method: 'PATCH',
    path: paymentLink,
    summary: 'Update a payment link',
    body: PaymentLinkPatch,
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound'],
  },
  deletePaymentLink: {
    scope: 'project',
    method: 'DELETE',
    path: paymentLink,
    summary: 'Delete a payment link',
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound'],
  },

  payPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/pay`,
    summary: 'Pay a payment link',
    body: Payment.optional(),
    response: PaymentLinkView,
    accepted: ScheduledPayment,
    errors: ['paymentLinkNotFound', 'paymentLinkNotActive'],
  },
  cancelPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: `${paymentLink}/cancel`,
    summary: 'Cancel a payment link',
    response: PaymentLinkView,
    errors: ['paymentLinkNotFound', 'paymentLinkNotActive'],
  },
  listScheduledPayments: {
    scope: 'both',
    method: 'GET',
    path: '/scheduledPayments',
    summary: 'List scheduled payments',
    response: unpagedListOf(ScheduledPayment),
  },
  cancelScheduledPayments: {
    scope: 'both',
    method: 'DELETE',
    path: '/scheduledPayments',
    summary: 'Cancel all scheduled payments',
  },
  cancelScheduledPaymentsOf: {
    scope: 'both',
    method: 'DELETE',
    path: '/scheduledPayments/{paymentLink}',
    summary: 'Cancel the scheduled payments of a link',
    errors: ['scheduledPaymentNotFound'],
  },
} as const satisfies Record<string, Command>
