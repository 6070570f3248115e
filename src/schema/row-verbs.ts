import { listOf, PaymentLinkRowsQuery, UserRowsQuery } from './list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView } from './payment-link.ts'
import { User, UserPatch, UserSeed } from './user.ts'
import type { Verb } from './verb.ts'

const user = '/users/{user}'
const paymentLink = '/paymentLinks/{paymentLink}'

/** Rows, read and written without a client's token. */
export const rowVerbs = {
  listUsers: {
    scope: 'project',
    method: 'GET',
    path: '/users',
    summary: 'List users',
    query: UserRowsQuery,
    response: listOf(User),
  },
  createUser: {
    scope: 'project',
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    status: 201,
    body: UserSeed,
    response: User,
  },
  retrieveUser: { scope: 'project', method: 'GET', path: user, summary: 'Retrieve a user', response: User },
  patchUser: {
    scope: 'project',
    method: 'PATCH',
    path: user,
    summary: 'Update a user',
    body: UserPatch,
    response: User,
  },
  deleteUser: { scope: 'project', method: 'DELETE', path: user, summary: 'Delete a user', response: User },

  listPaymentLinks: {
    scope: 'project',
    method: 'GET',
    path: '/paymentLinks',
    summary: 'List payment links',
    query: PaymentLinkRowsQuery,
    response: listOf(PaymentLinkView),
  },
  createPaymentLink: {
    scope: 'project',
    method: 'POST',
    path: '/paymentLinks',
    summary: 'Create a payment link',
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
  },
  retrievePaymentLink: {
    scope: 'project',
    method: 'GET',
    path: paymentLink,
    summary: 'Retrieve a payment link',
    response: PaymentLinkView,
  },
  patchPaymentLink: {
    scope: 'project',
    method: 'PATCH',
    path: paymentLink,
    summary: 'Update a payment link',
    body: PaymentLinkPatch,
    response: PaymentLinkView,
  },
  deletePaymentLink: {
    scope: 'project',
    method: 'DELETE',
    path: paymentLink,
    summary: 'Delete a payment link',
    response: PaymentLinkView,
  },
} as const satisfies Record<string, Verb>
