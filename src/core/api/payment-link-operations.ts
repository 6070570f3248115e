import {
  cancelPaymentLink,
  completePaymentLink,
  createPaymentLink,
  findPaymentLinkProblems,
  listPaymentLinks,
  readPaymentLink,
} from '../domain/payment-links.ts'
import { PaymentLinkListQuery } from '../schema/list.ts'
import { buildPaymentLinkCreateSchema, buildPaymentLinkSchema } from '../schema/payment-link.ts'
import { defineOperationsOf, freshnessTexts, type Operation } from './operation.ts'
import { exampleUser } from './user-operations.ts'

const orderTexts = { newestFirst: 'newest first', oldestFirst: 'oldest first' }
const cancelInactiveTexts = {
  conflict: 'a link that is not active is rejected',
  idempotent: 'a canceled link is returned unchanged, and a completed one is rejected',
}

const { email, fullName } = exampleUser
const examplePayer = { fullName, email, taxNumber: 'GB123456789' }

/** Creates the operations of spec §4.2, with the name of the provider in the mocked API. */
export const createPaymentLinkOperations = (provider: string): readonly Operation[] => {
  const defineOperation = defineOperationsOf('paymentLinks', '§4.2', buildPaymentLinkSchema(provider))
  const exampleLinkBody = (invoice: string, payment: object) => ({ invoice, type: provider, [provider]: payment })
  return [
    defineOperation({
      id: 'createPaymentLink',
      summary: 'Create a payment link',
      describe: () =>
        'Creates a link for paying an invoice (§4.2). Its status is `active`. Assumed: an invoice may have several links.',
      listExamples: ({ payerFields }) => [
        {
          name: 'minimal',
          sent: 'Only required fields',
          received: 'The payment link',
          body: exampleLinkBody('inv_100', { user: payerFields === 'required' ? examplePayer : {} }),
        },
        {
          name: 'complete',
          sent: 'With the payer and a redirect',
          received: 'The payment link, without the payer',
          body: exampleLinkBody('inv_101', { user: examplePayer, redirectUrl: 'https://shop.example/done' }),
        },
      ],
      creates: true,
      body: buildPaymentLinkCreateSchema(provider),
      documentBody: (behaviors) => buildPaymentLinkCreateSchema(provider, behaviors),
      errors: ['invoiceNotFound'],
      findProblems: (tx, body) => findPaymentLinkProblems(tx, body, provider),
      handle: (tx, { body }) => createPaymentLink(tx, body),
    }),
    defineOperation({
      id: 'listPaymentLinks',
      summary: 'List payment links',
      describe: ({ paymentLinkOrder, listFreshness }) =>
        `Returns the payment links of the project in batches (§4.2). Assumed: ${orderTexts[paymentLinkOrder]}, and it ${freshnessTexts[listFreshness]}.`,
      listExamples: () => [{ name: 'all', received: 'A batch of payment links' }],
      query: PaymentLinkListQuery,
      handle: (tx, { query }) => listPaymentLinks(tx, query),
    }),
    defineOperation({
      id: 'retrievePaymentLink',
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
      handle: (tx, { params, headersOnly }) =>
        headersOnly ? tx.require('paymentLinks', params.paymentLink) : readPaymentLink(tx, params.paymentLink),
      countRead: (tx, { paymentLink: id }) => void (tx.state.paymentLinks.get(id) && readPaymentLink(tx, id)),
    }),
    defineOperation({
      id: 'cancelPaymentLink',
      summary: 'Cancel a payment link',
      describe: ({ cancelInactive }) =>
        `Cancels an active payment link, so that it can no longer be paid (§3). Assumed: ${cancelInactiveTexts[cancelInactive]}.`,
      listExamples: () => [
        { name: 'canceled', received: 'The canceled payment link', follows: 'createPaymentLink.minimal' },
      ],
      errors: ['paymentLinkNotActive'],
      handle: (tx, { params }) => cancelPaymentLink(tx, params.paymentLink),
    }),
  ]
}
