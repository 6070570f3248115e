import { cancelPaymentLink, createPaymentLink, listPaymentLinks, paymentLinkOf } from '../domain/payment-links.ts'
import { readPaymentLink } from '../domain/scheduled-payments.ts'
import { listOf, PaymentLinkListQuery } from '../schema/list.ts'
import { paymentLinkCreateOf, wirePaymentLinkOf } from '../schema/payment-link.ts'
import { defineOperation, type Operation } from './operation.ts'
import { viewList, viewPaymentLink } from './serialize.ts'

/** The operations of spec §4.2, in the wire word of the provider. */
export const paymentLinkOperations = (provider: string): readonly Operation[] => {
  const PaymentLink = wirePaymentLinkOf(provider)
  return [
    defineOperation({
      id: 'createPaymentLink',
      spec: '§4.2',
      summary: 'Create a payment link',
      creates: true,
      body: paymentLinkCreateOf(provider),
      response: PaymentLink,
      errors: ['invalidQuery', 'invalidBody', 'invoiceNotFound'],
      handle: (work, { body }) => createPaymentLink(work, body, `${provider}.user`),
      view: viewPaymentLink,
    }),
    defineOperation({
      id: 'listPaymentLinks',
      spec: '§4.2',
      summary: 'List payment links',
      query: PaymentLinkListQuery,
      response: listOf(PaymentLink),
      errors: ['invalidQuery', 'cursorNotFound', 'cursorDeleted'],
      handle: (work, { query }) => listPaymentLinks(work, query),
      view: (page, settings) => viewList(page, viewPaymentLink, settings),
    }),
    defineOperation({
      id: 'retrievePaymentLink',
      spec: '§4.2',
      summary: 'Retrieve a payment link',
      response: PaymentLink,
      errors: ['paymentLinkNotFound', 'invalidQuery'],
      handle: (work, { params, headersOnly }) =>
        headersOnly ? paymentLinkOf(work, params.paymentLink!) : readPaymentLink(work, params.paymentLink!),
      view: viewPaymentLink,
    }),
    defineOperation({
      id: 'cancelPaymentLink',
      spec: '§4.2',
      summary: 'Cancel a payment link',
      response: PaymentLink,
      errors: ['paymentLinkNotFound', 'invalidQuery', 'paymentLinkNotActive'],
      handle: (work, { params }) => cancelPaymentLink(work, params.paymentLink!),
      view: viewPaymentLink,
    }),
  ]
}
