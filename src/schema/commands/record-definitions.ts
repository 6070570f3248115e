import * as z from 'zod/mini'
import { defineCommand } from '../command-definition.ts'
import { PaymentLinkRecordsQuery, UserRecordsQuery, buildListSchema, buildUnpagedListSchema } from '../list.ts'
import { PaymentLinkPatch, PaymentLinkSeed, PaymentLinkView, Payment, ScheduledPayment } from '../payment-link.ts'
import { User, UserPatch, UserSeed } from '../user.ts'

const cursorErrors = ['cursorNotFound', 'cursorDeleted'] as const

/** The payer in the examples. */
const examplePayer = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' }

/** Reading and writing records without a token of the mocked API, and paying payment links. */
export const recordCommands = {
  listUsers: defineCommand('project', 'GET', '/users', 'List users', {
    query: UserRecordsQuery,
    response: buildListSchema(User),
    errors: cursorErrors,
  }),

  createUser: defineCommand('project', 'POST', '/users', 'Create a user', {
    status: 201,
    body: UserSeed,
    response: User,
    errors: ['idTaken'],
    examples: {
      minimal: { summary: 'Only required fields', value: { email: 'hedy@example.com' } },
      complete: {
        summary: 'Read-only fields too',
        value: {
          id: 'usr_katherine',
          email: 'katherine@example.com',
          emailVerified: false,
          fullName: 'Katherine Johnson',
          createdAt: '2025-01-01T00:00:00.000Z',
        },
      },
    },
  }),

  retrieveUser: defineCommand('project', 'GET', '/users/{user}', 'Retrieve a user', { response: User }),

  patchUser: defineCommand('project', 'PATCH', '/users/{user}', 'Update a user', {
    description: 'Sets any fields, including read-only ones.',
    body: UserPatch,
    response: User,
    examples: { unverified: { summary: 'A read-only field', value: { emailVerified: false } } },
  }),

  deleteUser: defineCommand('project', 'DELETE', '/users/{user}', 'Delete a user', { response: User }),

  listPaymentLinks: defineCommand('project', 'GET', '/paymentLinks', 'List payment links', {
    query: PaymentLinkRecordsQuery,
    response: buildListSchema(PaymentLinkView),
    errors: cursorErrors,
  }),

  createPaymentLink: defineCommand('project', 'POST', '/paymentLinks', 'Create a payment link', {
    status: 201,
    body: PaymentLinkSeed,
    response: PaymentLinkView,
    errors: ['idTaken'],
    examples: {
      minimal: { summary: 'Only required fields', value: { invoice: 'inv_100' } },
      completed: {
        summary: 'A link that was paid',
        value: { invoice: 'inv_100', status: 'completed', payer: examplePayer },
      },
    },
  }),

  retrievePaymentLink: defineCommand('project', 'GET', '/paymentLinks/{paymentLink}', 'Retrieve a payment link', {
    response: PaymentLinkView,
  }),

  patchPaymentLink: defineCommand('project', 'PATCH', '/paymentLinks/{paymentLink}', 'Update a payment link', {
    description: 'Sets any fields, including read-only ones.',
    body: PaymentLinkPatch,
    response: PaymentLinkView,
    examples: { canceled: { summary: 'Another status', value: { status: 'canceled' } } },
  }),

  deletePaymentLink: defineCommand('project', 'DELETE', '/paymentLinks/{paymentLink}', 'Delete a payment link', {
    response: PaymentLinkView,
  }),

  payPaymentLink: defineCommand('project', 'POST', '/paymentLinks/{paymentLink}/pay', 'Pay a payment link', {
    description: 'Pays now, or schedules the payment with `when`.',
    body: z.optional(Payment),
    response: PaymentLinkView,
    accepted: ScheduledPayment,
    errors: ['paymentLinkNotActive'],
    examples: {
      now: { summary: 'Pay now', value: {} },
      failed: { summary: 'A failed attempt', value: { outcome: 'failed' } },
      reads: { summary: 'Pay with the third retrieve', value: { when: { reads: 3 } } },
      at: { summary: 'Pay at an instant of the mock clock', value: { when: { at: '2030-01-01T00:00:00.000Z' } } },
      in: { summary: 'Pay in 30 seconds of the mock clock', value: { when: { in: 30_000 } } },
    },
  }),

  cancelPaymentLink: defineCommand('project', 'POST', '/paymentLinks/{paymentLink}/cancel', 'Cancel a payment link', {
    response: PaymentLinkView,
    errors: ['paymentLinkNotActive'],
  }),

  listScheduledPayments: defineCommand('both', 'GET', '/scheduledPayments', 'List scheduled payments', {
    response: buildUnpagedListSchema(ScheduledPayment),
  }),

  cancelScheduledPayments: defineCommand('both', 'DELETE', '/scheduledPayments', 'Cancel all scheduled payments'),

  cancelScheduledPaymentsOf: defineCommand(
    'both',
    'DELETE',
    '/scheduledPayments/{paymentLink}',
    'Cancel the scheduled payments of a link',
  ),
}
