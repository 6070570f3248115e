import type { Page } from '../../schema/list.ts'
import { pageSize } from './pager.ts'

/** How many records are read at once. */
const batch = 1000

interface Cursors {
  readonly after?: string
  readonly before?: string
}

/** Whether one of the texts contains what is searched for, whatever the case. */
export const containsText = (texts: readonly (string | null | undefined)[], q: string): boolean =>
  texts.some((text) => text?.toLowerCase().includes(q.trim().toLowerCase()))

/** One page of the records that match. The list is read in batches until the page is full. */
export const search = async <T extends { readonly id: string }>(
  list: (query: Cursors & { readonly limit: string }) => Promise<Page<T>>,
  { after, before }: Cursors,
  matches: (record: T) => boolean,
): Promise<Page<T>> => {
  const found: T[] = []
  let cursor = before ?? after
  do {
    const from = cursor === undefined ? {} : before === undefined ? { after: cursor } : { before: cursor }
    const { items, moreItemsAfter, moreItemsBefore } = await list({ ...from, limit: String(batch) })
    const matching = items.filter(matches)
    if (before === undefined) found.push(...matching)
    else found.unshift(...matching)
    cursor = (before === undefined ? moreItemsAfter : moreItemsBefore) ?? undefined
  } while (cursor !== undefined && found.length <= pageSize)

  const isLonger = found.length > pageSize
  const items = before === undefined ? found.slice(0, pageSize) : found.slice(-pageSize)
  // A cursor is a record of the neighboring page.
  const follows = before !== undefined || isLonger
  const precedes = before === undefined ? after !== undefined : isLonger
  return {
    items,
    moreItemsAfter: follows ? (items.at(-1)?.id ?? null) : null,
    moreItemsBefore: precedes ? (items[0]?.id ?? null) : null,
  }
}
