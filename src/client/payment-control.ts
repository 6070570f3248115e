import type { Payment, PaymentLinkView, ScheduledPayment } from '../schema/payment-link.ts'
import { createForAllOrOne, getItems, type ScopedCall } from './call.ts'

type LaterPayment = Payment & Required<Pick<Payment, 'when'>>

/** Pays and cancels payment links. Calls reject with `paymentLinkNotActive` unless the link is active. */
export interface Payments {
  /**
   * Pays the link: active to completed (spec §3). A failed attempt leaves it active.
   *
   * @throws MockError `paymentLinkNotActive`
   */
  pay(id: string, payment?: { readonly outcome?: Payment['outcome'] }): Promise<PaymentLinkView>
  /**
   * Schedules the payment: with the n-th retrieve from now, at a time, or after milliseconds of the mock clock.
   *
   * @throws MockError `paymentLinkNotActive`
   * @example
   * const link = await acme.paymentLinks.create({ invoice: 'inv_1' })
   * await acme.paymentLinks.pay(link.id, { when: { reads: 3 } })
   */
  pay(id: string, payment: LaterPayment): Promise<ScheduledPayment>
  /** Cancels the link: active to canceled (spec §3). @throws MockError `paymentLinkNotActive` */
  cancel(id: string): Promise<PaymentLinkView>
}

/** The scheduled payments of one project or of all. */
export interface PaymentControl {
  /** Scheduled payments. */
  readonly scheduledPayments: {
    /** Lists the scheduled payments. */
    list(): Promise<readonly ScheduledPayment[]>
    /** Cancels the scheduled payments of a link. @default all links @throws MockError `scheduledPaymentNotFound` */
    cancel(paymentLink?: string): Promise<void>
  }
}

export const createPayments = (call: ScopedCall): Payments => ({
  // The type of the result depends on `when`, as the overloads declare.
  pay: ((paymentLink: string, body: object = {}) =>
    call('payPaymentLink', { params: { paymentLink }, body })) as Payments['pay'],
  cancel: (paymentLink) => call('cancelPaymentLink', { params: { paymentLink } }),
})

export const createPaymentControl = (call: ScopedCall): PaymentControl => ({
  scheduledPayments: {
    list: () => call('listScheduledPayments').then(getItems),
    cancel: createForAllOrOne(call, 'cancelScheduledPayments', 'cancelScheduledPaymentsOf', 'paymentLink'),
  },
})
