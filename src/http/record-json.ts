import { type ViewSettings, kinds } from '../domain/kinds.ts'
import type { Page } from '../schema/list.ts'

/** The JSON of a record, and the settings that it depends on. */
interface CachedJson {
  readonly text: string
  readonly settings: ViewSettings
}

const isSameSettings = (a: ViewSettings, b: ViewSettings): boolean =>
  a.provider === b.provider && a.timestampPrecision === b.timestampPrecision && a.payUrl === b.payUrl

/** Caches the JSON of each record: a record never changes. */
const cacheJson = <T extends object>(view: (record: T, settings: ViewSettings) => unknown) => {
  const texts = new WeakMap<T, CachedJson>()
  return (record: T, settings: ViewSettings): string => {
    const known = texts.get(record)
    if (known !== undefined && isSameSettings(known.settings, settings)) return known.text
    const text = JSON.stringify(view(record, settings))
    texts.set(record, { text, settings })
    return text
  }
}

export const viewUser = cacheJson(kinds.users.view)
export const viewPaymentLink = cacheJson(kinds.paymentLinks.view)

/** Returns the JSON object of a list: its items and cursors. Spec §2.4. */
export const viewList = <T>(
  { items, moreItemsAfter, moreItemsBefore }: Page<T>,
  view: (item: T, settings: ViewSettings) => string,
  settings: ViewSettings,
): string => {
  let records = ''
  for (const item of items) records += records === '' ? view(item, settings) : `,${view(item, settings)}`
  return `{"object":"list","items":[${records}],"moreItemsAfter":${JSON.stringify(moreItemsAfter)},"moreItemsBefore":${JSON.stringify(moreItemsBefore)}}`
}
