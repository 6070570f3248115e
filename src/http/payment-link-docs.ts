import type { RouteDocs } from '../wire/openapi.ts'

const tag = 'Payment links'
const redirectUrl = 'https://shop.example/done'

const paymentUrlOf = (id: string) => `http://127.0.0.1:4600/pay/acme/${id}`
const firstId = 'pml_ZxdOqqX8WYB6OUTwshqeHqVocKAG'
const secondId = 'pml_n3O4ZfztWjSQhQ9pq9gOLACFAjsG'

/** What the document says of the operations of spec §4.2, with examples that follow each other. */
export const paymentLinkDocs = (provider: string) => {
  const first = {
    object: 'paymentLink',
    id: firstId,
    canceledAt: null,
    completedAt: null,
    createdAt: '2025-01-01T12:02:00.000Z',
    [provider]: { redirectUrl: null },
    invoice: 'inv_100',
    paymentUrl: paymentUrlOf(firstId),
    status: 'active',
    type: provider,
  }
  const second = {
    ...first,
    id: secondId,
    createdAt: '2025-01-01T12:03:00.000Z',
    [provider]: { redirectUrl },
    invoice: 'inv_101',
    paymentUrl: paymentUrlOf(secondId),
  }
  const canceled = { ...first, canceledAt: '2025-01-01T12:04:00.000Z', status: 'canceled' }
  const completed = { ...second, completedAt: '2025-01-01T12:05:00.000Z', status: 'completed' }
  const user = { fullName: 'Ada Lovelace', email: 'ada@example.com', taxNumber: 'GB123456789' }
  return {
    createPaymentLink: {
      tag,
      description:
        'Makes a link through which a user pays an invoice (§4.2). It starts as `active`. Assumed: an invoice may have several. Answers 200 with `createStatus=200`.',
      answer: 'The created payment link.',
      requests: {
        minimal: {
          summary: 'What is needed, and no more',
          value: { invoice: 'inv_100', type: provider, [provider]: { user: {} } },
        },
        complete: {
          summary: 'With who pays, and where to go afterwards',
          value: { invoice: 'inv_101', type: provider, [provider]: { user, redirectUrl } },
        },
      },
      responses: {
        minimal: { summary: 'The created payment link', value: first },
        complete: { summary: 'The created payment link, without who pays', value: second },
      },
    },
    listPaymentLinks: {
      tag,
      description: 'The payment links of the project in batches (§4.2). Assumed: the latest first.',
      answer: 'A batch of payment links.',
      responses: {
        all: {
          summary: 'A batch of payment links',
          value: { object: 'list', items: [second, first], moreItemsAfter: null, moreItemsBefore: null },
        },
      },
    },
    retrievePaymentLink: {
      tag,
      description: 'One payment link by its id, in the state it is in (§4.2).',
      answer: 'The payment link.',
      responses: {
        active: { summary: 'The payment link', value: second },
        completed: { summary: 'The payment link once it was used', value: completed },
      },
    },
    cancelPaymentLink: {
      tag,
      description:
        'Takes an active payment link to `canceled`, so that nothing can be paid through it any more (§3). Assumed: a link that is not active is refused; with `cancelInactive=idempotent` a canceled one is answered as it is.',
      answer: 'The canceled payment link.',
      responses: { canceled: { summary: 'The canceled payment link', value: canceled } },
    },
  } satisfies Record<string, RouteDocs>
}
