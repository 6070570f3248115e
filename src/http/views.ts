import type { Page } from '../schema/list.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import type { User } from '../schema/user.ts'

/** What rendering needs to know beside the row. */
export interface ViewSettings {
  /** The wire word of the one provider. */
  readonly provider: string
  readonly timestampPrecision: 'milliseconds' | 'seconds'
  /** Where a link can be paid. Not part of the state, so that a restored one works on another port. */
  readonly paymentUrl: (paymentLink: string) => string
}

type Time = string | null

const timeOf = (time: Time, { timestampPrecision }: ViewSettings): Time =>
  time === null || timestampPrecision === 'milliseconds' ? time : time.replace(/\.\d+Z$/, 'Z')

/** A user as a client sees it. Spec §2.2. */
export const viewUser = (user: User, settings: ViewSettings) => ({
  ...user,
  createdAt: timeOf(user.createdAt, settings),
})

/** A payment link as a client sees it: without the payer, in the provider's word. Spec §2.3. */
export const viewPaymentLink = (link: PaymentLinkRow, settings: ViewSettings) => ({
  object: link.object,
  id: link.id,
  canceledAt: timeOf(link.canceledAt, settings),
  completedAt: timeOf(link.completedAt, settings),
  createdAt: timeOf(link.createdAt, settings),
  [settings.provider]: link.partner,
  invoice: link.invoice,
  paymentUrl: settings.paymentUrl(link.id),
  status: link.status,
  type: settings.provider,
})

/** A list as a client sees it. Spec §2.4. */
export const viewList = <T>(page: Page<T>, view: (item: T) => unknown) => ({
  object: 'list',
  items: page.items.map(view),
  moreItemsAfter: page.moreItemsAfter,
  moreItemsBefore: page.moreItemsBefore,
})
