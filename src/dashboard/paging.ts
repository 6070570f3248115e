import { html, type Markup } from '../core/pages/html.ts'
import type { Page } from '../core/schema/list.ts'
import { formatNumber } from './components.ts'
import { getViewLink, type PageRequest, pickParams } from './page-request.ts'

const pageSize = 25

type FilterParams = Readonly<Record<string, string>>
type SearchTexts<T> = (item: T) => readonly (string | null | undefined)[]

/**
 * Returns one page of a list of records. Without the search parameter `q` it reads only this page, so that the number of
 * records does not matter.
 */
export const findPage = async <T extends { readonly id: string }>(
  { query }: PageRequest,
  view: string,
  filterNames: readonly string[],
  list: (query: FilterParams) => Promise<Page<T>>,
  getTexts: SearchTexts<T>,
) => {
  const { q, ...filter } = pickParams(query, filterNames)
  if (q !== undefined) return findMatches(query, view, filter, (await list(filter)).items, getTexts)
  const cursors = pickParams(query, ['after', 'before'])
  const { items, moreItemsAfter, moreItemsBefore } = await list({ ...filter, ...cursors, limit: String(pageSize) })
  const pager = pagerBar([
    moreItemsBefore !== null && pageLink('First', view, filter),
    moreItemsBefore !== null && pageLink('Previous', view, { ...filter, before: moreItemsBefore }),
    moreItemsAfter !== null && pageLink('Next', view, { ...filter, after: moreItemsAfter }),
  ])
  return { filters: filter as FilterParams, items, pager }
}

/** Returns the page, from the index in the parameter `from`, of the items that match the parameter `q`. */
export const findMatches = <T>(
  query: URLSearchParams,
  view: string,
  filter: FilterParams,
  allItems: readonly T[],
  getTexts: SearchTexts<T>,
) => {
  const { q = '', from = '0' } = pickParams(query, ['q', 'from'])
  const searchWord = q.trim().toLowerCase()
  const matches = allItems.filter((item) => getTexts(item).some((text) => text?.toLowerCase().includes(searchWord)))
  const startIndex = Math.max(0, Math.min(Number(from) || 0, matches.length - 1))
  const endIndex = Math.min(startIndex + pageSize, matches.length)
  const filters: FilterParams = { ...filter, ...(q !== '' && { q }) }
  const pager =
    matches.length > pageSize &&
    pagerBar([
      startIndex > 0 && pageLink('Previous', view, { ...filters, from: `${startIndex - pageSize}` }),
      html`<span>${startIndex + 1} to ${endIndex} of ${formatNumber(matches.length)} ${view.replace('-', ' ')}</span>`,
      endIndex < matches.length && pageLink('Next', view, { ...filters, from: `${endIndex}` }),
    ])
  return { filters, items: matches.slice(startIndex, endIndex), pager }
}

const pagerBar = (pagerParts: readonly (Markup | false)[]): Markup | '' =>
  pagerParts.some((part) => part !== false) ? html`<nav class="pager" aria-label="Pages">${pagerParts}</nav>` : ''

const pageLink = (label: string, view: string, query: FilterParams): Markup =>
  html`<a class="button" href="${getViewLink(view, query)}">${label}</a>`
