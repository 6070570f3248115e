import { html, type Markup } from '../html.ts'
import { formatNumber } from './components.ts'
import type { Call, CommandClient, CommandResponse, CommandId } from '../../control/commands.ts'
import type { Page } from '../../schema/list.ts'

/** A request for a view, for one project or for all. */
export interface PageRequest {
  /** Undefined means all projects. */
  readonly project: string | undefined
  /** Filters, cursors and ids. */
  readonly query: URLSearchParams
  /** The sandbox that the dashboard is in. Undefined at the root of the mock. */
  readonly sandbox: string | undefined
  readonly sandboxes: readonly string[]
  /** The origin of the dashboard, for addresses that a view shows. */
  readonly origin: string
  /** The base URL of a client: what precedes `/projects`. */
  readonly clientUrl: string
  /** Whether the control API needs a token. */
  readonly needsToken: boolean
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
export const pickParams = (query: URLSearchParams, names: readonly string[]): Record<string, string> =>
  Object.fromEntries([...query].filter(([name, value]) => names.includes(name) && value !== ''))

/** Whether the name fits into a URL. Servers limit the size of the request line. */
export const isAddressable = (project: string): boolean => encodeURIComponent(project).length < 8 * 1024

/** Returns the link to a view of the selected project. */
export const getViewLink = (view: string, query: Readonly<Record<string, string>> = {}): string => {
  const parameters = new URLSearchParams(query).toString()
  return `#${view}${parameters && `?${parameters}`}`
}

/** Returns the link to the dashboard of a sandbox, or of the root. It is relative, because a proxy may add a prefix. */
export const getDashboardLink = (from: string | undefined, to: string | undefined): string =>
  `${from === undefined ? '../' : '../../'}${to === undefined ? '' : `@${to}/`}__admin/`

/** The number of records on a page. A list reads only these, so a page of 100,000 records costs the same as one of 25. */
const pageSize = 25

/** The number of records that a search reads at once. */
const batchSize = 1000

type Params = Readonly<Record<string, string>>
type List<T> = (query: Params) => Promise<Page<T>>

/**
 * Returns one page of a list: of all records, or of those whose texts include the parameter `q`.
 *
 * @param names the parameters that filter the list
 */
export const findPage = async <T extends { readonly id: string }>(
  { query }: PageRequest,
  view: string,
  names: readonly string[],
  list: List<T>,
  getTexts: (record: T) => readonly (string | null | undefined)[],
) => {
  const filters = pickParams(query, names)
  const { q, ...filter } = filters
  const cursors = pickParams(query, ['after', 'before'])
  const listFiltered: List<T> = (batch) => list({ ...filter, ...batch })
  const { items, moreItemsAfter, moreItemsBefore } = await (q === undefined
    ? listFiltered({ ...cursors, limit: String(pageSize) })
    : search(listFiltered, cursors, (record) => includesText(getTexts(record), q)))
  const pager = pagerBar([
    moreItemsBefore !== null && pageLink('First', view, filters),
    moreItemsBefore !== null && pageLink('Previous', view, { ...filters, before: moreItemsBefore }),
    moreItemsAfter !== null && pageLink('Next', view, { ...filters, after: moreItemsAfter }),
  ])
  return { items, filters, pager }
}

/** Whether one of the texts includes the query, ignoring case. */
const includesText = (texts: readonly (string | null | undefined)[], q: string): boolean =>
  texts.some((text) => text?.toLowerCase().includes(q.trim().toLowerCase()))

/** Reads the list in batches until a page of matches is full. */
const search = async <T extends { readonly id: string }>(
  list: List<T>,
  { after, before }: Params,
  matches: (record: T) => boolean,
): Promise<Pick<Page<T>, 'items' | 'moreItemsAfter' | 'moreItemsBefore'>> => {
  const isForward = before === undefined
  let found: readonly T[] = []
  let cursor = before ?? after
  do {
    const from = cursor === undefined ? {} : { [isForward ? 'after' : 'before']: cursor }
    const { items, moreItemsAfter, moreItemsBefore } = await list({ ...from, limit: String(batchSize) })
    const matching = items.filter(matches)
    found = isForward ? [...found, ...matching] : [...matching, ...found]
    cursor = (isForward ? moreItemsAfter : moreItemsBefore) ?? undefined
  } while (cursor !== undefined && found.length <= pageSize)

  const hasMore = found.length > pageSize
  const items = isForward ? found.slice(0, pageSize) : found.slice(-pageSize)
  // Without more matches, there is still a page in the direction of the cursor.
  const hasNext = !isForward || hasMore
  const hasPrevious = isForward ? after !== undefined : hasMore
  return {
    items,
    moreItemsAfter: (hasNext && items.at(-1)?.id) || null,
    moreItemsBefore: (hasPrevious && items[0]?.id) || null,
  }
}

/** The number of projects or sandboxes on a page. A test run may create thousands. */
const namesPageSize = 50

/** Returns a page of items whose names include the parameter `q`, from the index in the parameter `from`. */
export const findNamesPage = <T>(
  { query }: PageRequest,
  view: string,
  all: readonly T[],
  getName: (item: T) => string,
) => {
  const { q = '', from = '0' } = pickParams(query, ['q', 'from'])
  const found = all.filter((item) => includesText([getName(item)], q))
  const start = Math.max(0, Math.min(Number(from) || 0, found.length - 1))
  const end = start + namesPageSize
  const pager =
    found.length > namesPageSize &&
    pagerBar([
      start > 0 && pageLink('Previous', view, { q, from: `${start - namesPageSize}` }),
      html`<span>${start + 1} to ${Math.min(end, found.length)} of ${formatNumber(found.length)} ${view}</span>`,
      end < found.length && pageLink('Next', view, { q, from: `${end}` }),
    ])
  return { q, items: found.slice(start, end), pager }
}

const pagerBar = (parts: readonly (Markup | false)[]): Markup | '' =>
  parts.some((part) => part !== false) ? html`<nav class="pager" aria-label="Pages">${parts}</nav>` : ''

const pageLink = (label: string, view: string, query: Params): Markup =>
  html`<a class="button" href="${getViewLink(view, query)}">${label}</a>`
