import type { Page } from '../schema/list.ts'
import type { PaymentLinkRow } from '../schema/payment-link.ts'
import type { User } from '../schema/user.ts'

/** What rendering needs to know beside the row. */
export interface ViewSettings {
  /** The wire word of the one provider. */
  readonly provider: string
  readonly timestampPrecision: 'milliseconds' | 'seconds'
  /** The address of the project's payment pages. Not part of the state, so that a restored one works on another port. */
  readonly payUrl: string
}

type Time = string | null

/** A time as a client sees it. */
export const timeOf = (time: Time, { timestampPrecision }: Pick<ViewSettings, 'timestampPrecision'>): Time =>
  time === null || timestampPrecision === 'milliseconds' ? time : time.replace(/\.\d+Z$/, 'Z')

/** A user as a client sees it. Spec §2.2. */
const shownUser = (user: User, settings: ViewSettings) => ({ ...user, createdAt: timeOf(user.createdAt, settings) })

/** A payment link as a client sees it: without the payer, in the provider's word. Spec §2.3. */
const shownPaymentLink = (link: PaymentLinkRow, settings: ViewSettings) => ({
  object: link.object,
  id: link.id,
  canceledAt: timeOf(link.canceledAt, settings),
  completedAt: timeOf(link.completedAt, settings),
  createdAt: timeOf(link.createdAt, settings),
  [settings.provider]: link.partner,
  invoice: link.invoice,
  paymentUrl: `${settings.payUrl}/${encodeURIComponent(link.id)}`,
  status: link.status,
  type: settings.provider,
})

/** The text that was made of a row, and all that it depends on beside the row. */
interface Kept {
  readonly text: string
  readonly settings: ViewSettings
}

const areEqual = (a: ViewSettings, b: ViewSettings): boolean =>
  a.provider === b.provider && a.timestampPrecision === b.timestampPrecision && a.payUrl === b.payUrl

/** Answers a view that keeps the texts it made: a row never changes, and what is asked once is asked again. */
const kept = <T extends object>(view: (row: T, settings: ViewSettings) => unknown) => {
  const texts = new WeakMap<T, Kept>()
  return (row: T, settings: ViewSettings): string => {
    const known = texts.get(row)
    if (known !== undefined && areEqual(known.settings, settings)) return known.text
    const text = JSON.stringify(view(row, settings))
    texts.set(row, { text, settings })
    return text
  }
}

export const viewUser = kept(shownUser)
export const viewPaymentLink = kept(shownPaymentLink)

/** A list as a client sees it. Spec §2.4. */
export const viewList = <T>(
  { items, moreItemsAfter, moreItemsBefore }: Page<T>,
  view: (item: T, settings: ViewSettings) => string,
  settings: ViewSettings,
): string => {
  let rows = ''
  for (const item of items) rows += rows === '' ? view(item, settings) : `,${view(item, settings)}`
  return `{"object":"list","items":[${rows}],"moreItemsAfter":${markerOf(moreItemsAfter)},"moreItemsBefore":${markerOf(moreItemsBefore)}}`
}

const markerOf = (id: string | null): string => (id === null ? 'null' : JSON.stringify(id))
