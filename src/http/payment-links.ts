import { cancelPaymentLink, createPaymentLink, listPaymentLinks, requirePaymentLink } from '../domain/payment-links.ts'
import { readPaymentLink } from '../domain/scheduled-payments.ts'
import { buildListSchema, PaymentLinkListQuery } from '../schema/list.ts'
import { buildPaymentLinkCreateSchema, buildPaymentLinkSchema } from '../schema/payment-link.ts'
import { keyErrors } from './idempotency-keys.ts'
import { defineOperation, type Operation } from './operation.ts'
import { viewList, viewPaymentLink } from './serialize.ts'

/** Creates the operations of spec §4.2, with the name of the provider in the mocked API. */
export const createPaymentLinkOperations = (provider: string): readonly Operation[] => {
  const PaymentLink = buildPaymentLinkSchema(provider)
  return [
    defineOperation({
      id: 'createPaymentLink',
      spec: '§4.2',
      summary: 'Create a payment link',
      creates: true,
      body: buildPaymentLinkCreateSchema(provider),
      response: PaymentLink,
      errors: ['invalidQuery', 'invalidBody', 'invoiceNotFound', ...keyErrors],
      handle: (tx, { body }) => createPaymentLink(tx, body, `${provider}.user`),
      view: viewPaymentLink,
    }),
    defineOperation({
      id: 'listPaymentLinks',
      spec: '§4.2',
      summary: 'List payment links',
      query: PaymentLinkListQuery,
      response: buildListSchema(PaymentLink),
      errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted'],
      handle: (tx, { query }) => listPaymentLinks(tx, query),
      view: (page, settings) => viewList(page, viewPaymentLink, settings),
    }),
    defineOperation({
      id: 'retrievePaymentLink',
      spec: '§4.2',
      summary: 'Retrieve a payment link',
      response: PaymentLink,
      errors: ['paymentLinkNotFound', 'invalidQuery'],
      handle: (tx, { params, headersOnly }) =>
        headersOnly ? requirePaymentLink(tx, params.paymentLink) : readPaymentLink(tx, params.paymentLink),
      view: viewPaymentLink,
    }),
    defineOperation({
      id: 'cancelPaymentLink',
      spec: '§4.2',
      summary: 'Cancel a payment link',
      response: PaymentLink,
      errors: ['paymentLinkNotFound', 'invalidQuery', 'paymentLinkNotActive', ...keyErrors],
      handle: (tx, { params }) => cancelPaymentLink(tx, params.paymentLink),
      view: viewPaymentLink,
    }),
  ]
}
