import type { Behaviors } from '../schema/behavior.ts'
import type { RouteDocs } from '../wire/openapi.ts'
import { formatTime } from './serialize.ts'

const tag = 'Payment links'
const redirectUrl = 'https://shop.example/done'

const getPaymentUrl = (id: string) => `http://127.0.0.1:4600/pay/acme/${id}`
const firstId = 'pml_ZxdOqqX8WYB6OUTwshqeHqVocKAG'
const secondId = 'pml_n3O4ZfztWjSQhQ9pq9gOLACFAjsG'

const cancels: Readonly<Record<Behaviors['cancelInactive'], string>> = {
  conflict: 'a link that is not active is rejected',
  idempotent: 'a canceled link is returned unchanged, and a completed one is rejected',
}

/** Describes the operations of spec §4.2 for OpenAPI. Each example continues the previous one. */
export const describePaymentLinks = (provider: string, behaviors: Behaviors) => {
  const format = (text: string) => formatTime(text, behaviors)
  const user = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' }
  const isOldestFirst = behaviors.paymentLinkOrder === 'oldestFirst'
  const first = {
    object: 'paymentLink',
    id: firstId,
    canceledAt: null,
    completedAt: null,
    createdAt: format('2025-01-01T12:02:00.000Z'),
    [provider]: { redirectUrl: null },
    invoice: 'inv_100',
    paymentUrl: getPaymentUrl(firstId),
    status: 'active',
    type: provider,
  }
  const second = {
    ...first,
    id: secondId,
    createdAt: format('2025-01-01T12:03:00.000Z'),
    [provider]: { redirectUrl },
    invoice: 'inv_101',
    paymentUrl: getPaymentUrl(secondId),
  }
  const canceled = { ...first, canceledAt: format('2025-01-01T12:04:00.000Z'), status: 'canceled' }
  const completed = { ...second, completedAt: format('2025-01-01T12:05:00.000Z'), status: 'completed' }
  const items = isOldestFirst ? [first, second] : [second, first]
  return {
    createPaymentLink: {
      tag,
      description:
        'Creates a link for paying an invoice (§4.2). Its status is `active`. Assumed: an invoice may have several links.',
      success: 'The created payment link.',
      requests: {
        minimal: {
          summary: 'Only required fields',
          value: {
            invoice: 'inv_100',
            type: provider,
            [provider]: { user: behaviors.payerFields === 'required' ? user : {} },
          },
        },
        complete: {
          summary: 'With the payer and a redirect',
          value: { invoice: 'inv_101', type: provider, [provider]: { user, redirectUrl } },
        },
      },
      responses: {
        minimal: { summary: 'The created payment link', value: first },
        complete: { summary: 'The created payment link, without the payer', value: second },
      },
    },
    listPaymentLinks: {
      tag,
      description: `Returns the payment links of the project in batches (§4.2). Assumed: ${isOldestFirst ? 'oldest' : 'newest'} first.`,
      success: 'A batch of payment links.',
      responses: {
        all: {
          summary: 'A batch of payment links',
          value: { object: 'list', items, moreItemsAfter: null, moreItemsBefore: null },
        },
      },
    },
    retrievePaymentLink: {
      tag,
      description: 'Returns one payment link by its id (§4.2).',
      success: 'The payment link.',
      responses: {
        active: { summary: 'The payment link', value: second },
        completed: { summary: 'The payment link after a payment', value: completed },
      },
    },
    cancelPaymentLink: {
      tag,
      description: `Cancels an active payment link, so that it can no longer be paid (§3). Assumed: ${cancels[behaviors.cancelInactive]}.`,
      success: 'The canceled payment link.',
      responses: { canceled: { summary: 'The canceled payment link', value: canceled } },
    },
  } satisfies Record<string, RouteDocs>
}
