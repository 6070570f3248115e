import { html, type Markup } from '../core/pages/html.ts'
import { formatNumber } from './components.ts'
import type { Call, CommandClient, CommandResponse, CommandId } from '../core/control/commands.ts'
import type { Page } from '../core/schema/list.ts'

/** A request for a view, for one project or for all. */
export interface PageRequest {
  /** Undefined means all projects. */
  readonly project: string | undefined
  /** Filters, cursors and ids. */
  readonly query: URLSearchParams
  /** The sandbox that the dashboard is in. Undefined at the root of the mock. */
  readonly sandbox: string | undefined
  readonly sandboxes: readonly string[]
  /** The URL before `/__admin`: the origin, and the path of a sandbox. */
  readonly mockUrl: string
  /** The base URL of a client: what precedes `/projects`. */
  readonly clientUrl: string
  /** Whether the control API needs a token. */
  readonly needsAdminToken: boolean
  readonly client: CommandClient
}

/** A request for a view that shows one project. */
export type ProjectRequest = PageRequest & { readonly project: string }

export type View<R extends PageRequest = PageRequest> = (request: R) => Markup | Promise<Markup>

/** Calls a command for the selected project, or for all. */
export const callScoped = <C extends CommandId>(
  { project, client }: PageRequest,
  command: C,
  call: Call = {},
): Promise<CommandResponse<C>> =>
  client.call(command, project === undefined ? call : { ...call, params: { ...call.params, project } })

/** Picks the named parameters that are not empty. An empty form field filters nothing. */
export const pickParams = (query: URLSearchParams, filterNames: readonly string[]): Record<string, string> =>
  Object.fromEntries([...query].filter(([name, value]) => filterNames.includes(name) && value !== ''))

export const getViewLink = (view: string, query: Readonly<Record<string, string>> = {}): string => {
  const parameters = new URLSearchParams(query).toString()
  return `#${view}${parameters && `?${parameters}`}`
}

/** Returns the link to the dashboard of a sandbox, or of the root. It is relative, because a proxy may add a prefix. */
export const getDashboardLink = (from: string | undefined, to: string | undefined): string =>
  `${from === undefined ? '../' : '../../'}${to === undefined ? '' : `@${to}/`}__admin/`

const pageSize = 25

type FilterParams = Readonly<Record<string, string>>
type SearchTexts<T> = (item: T) => readonly (string | null | undefined)[]

/**
 * Returns one page of a list of records. Without a search it reads only these, so a page of 100,000 records costs the same
 * as one of 25.
 *
 * @param filterNames the parameters that filter the list; `q` is text to search for
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

/** Returns a page of the items with a text that includes the parameter `q`, from the index in the parameter `from`. */
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
