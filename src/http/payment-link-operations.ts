import {
  cancelPaymentLink,
  completePaymentLink,
  createPaymentLink,
  listPaymentLinks,
  readPaymentLink,
} from '../domain/payment-links.ts'
import { requireRecord } from '../domain/transaction.ts'
import { buildListSchema, PaymentLinkListQuery } from '../schema/list.ts'
import { buildPaymentLinkCreateSchema, buildPaymentLinkSchema } from '../schema/payment-link.ts'
import { keyErrors } from './idempotency-keys.ts'
import { describeFreshness } from './list-freshness.ts'
import { defineOperation, type Operation } from './operation.ts'
import { viewList, viewPaymentLink } from './record-json.ts'

const orders = { newestFirst: 'newest first', oldestFirst: 'oldest first' }
const cancels = {
  conflict: 'a link that is not active is rejected',
  idempotent: 'a canceled link is returned unchanged, and a completed one is rejected',
}

const examplePayer = { fullName: 'Katherine Johnson', email: 'katherine@example.com', taxNumber: 'GB123456789' }

/** Creates the operations of spec §4.2, with the name of the provider in the mocked API. */
export const createPaymentLinkOperations = (provider: string): readonly Operation[] => {
  const PaymentLink = buildPaymentLinkSchema(provider)
  const example = (invoice: string, payment: object) => ({ invoice, type: provider, [provider]: payment })
  return [
    defineOperation({
      id: 'createPaymentLink',
      spec: '§4.2',
      summary: 'Create a payment link',
      describe: () =>
        'Creates a link for paying an invoice (§4.2). Its status is `active`. Assumed: an invoice may have several links.',
      listExamples: ({ payerFields }) => [
        {
          name: 'minimal',
          sent: 'Only required fields',
          received: 'The payment link',
          body: example('inv_100', { user: payerFields === 'required' ? examplePayer : {} }),
        },
        {
          name: 'complete',
          sent: 'With the payer and a redirect',
          received: 'The payment link, without the payer',
          body: example('inv_101', { user: examplePayer, redirectUrl: 'https://shop.example/done' }),
        },
      ],
      creates: true,
      body: buildPaymentLinkCreateSchema(provider),
      documentBody: (behaviors) => buildPaymentLinkCreateSchema(provider, behaviors),
      response: PaymentLink,
      errors: ['invalidQuery', 'invalidBody', 'invoiceNotFound', ...keyErrors],
      handle: (tx, { body }) => createPaymentLink(tx, body, `${provider}.user`),
      view: viewPaymentLink,
    }),
    defineOperation({
      id: 'listPaymentLinks',
      spec: '§4.2',
      summary: 'List payment links',
      describe: (behaviors) =>
        `Returns the payment links of the project in batches (§4.2). Assumed: ${orders[behaviors.paymentLinkOrder]}, and it ${describeFreshness(behaviors)}.`,
      listExamples: () => [{ name: 'all', received: 'A batch of payment links' }],
      query: PaymentLinkListQuery,
      lists: 'paymentLinks',
      response: buildListSchema(PaymentLink),
      errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted'],
      handle: (tx, { query }) => listPaymentLinks(tx, query),
      view: (page, settings) => viewList(page, viewPaymentLink, settings),
    }),
    defineOperation({
      id: 'retrievePaymentLink',
      spec: '§4.2',
      summary: 'Retrieve a payment link',
      describe: () => 'Returns one payment link by its id (§4.2).',
      listExamples: () => [
        { name: 'active', received: 'The payment link' },
        {
          name: 'completed',
          received: 'The payment link after a payment',
          prepare: (tx, { paymentLink }) => void completePaymentLink(tx, paymentLink),
        },
      ],
      response: PaymentLink,
      errors: ['paymentLinkNotFound', 'invalidQuery'],
      handle: (tx, { params, headersOnly }) =>
        headersOnly ? requireRecord(tx, 'paymentLinks', params.paymentLink) : readPaymentLink(tx, params.paymentLink),
      view: viewPaymentLink,
    }),
    defineOperation({
      id: 'cancelPaymentLink',
      spec: '§4.2',
      summary: 'Cancel a payment link',
      describe: ({ cancelInactive }) =>
        `Cancels an active payment link, so that it can no longer be paid (§3). Assumed: ${cancels[cancelInactive]}.`,
      listExamples: () => [
        { name: 'canceled', received: 'The canceled payment link', follows: 'createPaymentLink.minimal' },
      ],
      response: PaymentLink,
      errors: ['paymentLinkNotFound', 'invalidQuery', 'paymentLinkNotActive', ...keyErrors],
      handle: (tx, { params }) => cancelPaymentLink(tx, params.paymentLink),
      view: viewPaymentLink,
    }),
  ]
}
