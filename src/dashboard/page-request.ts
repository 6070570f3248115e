import type { Markup } from '../core/pages/html.ts'
import type { Call, CommandClient, CommandResponse, CommandId } from '../core/control/commands.ts'
import type { StoryOptions } from '../core/openapi/curl.ts'

export interface PageRequest extends Pick<StoryOptions, 'clientUrl' | 'mockUrl' | 'needsAdminToken'> {
  /** Undefined means all projects. */
  readonly project: string | undefined
  /** Filters, cursors and ids. */
  readonly query: URLSearchParams
  /** The sandbox that the dashboard is in. Undefined at the root of the mock. */
  readonly sandbox: string | undefined
  readonly sandboxes: readonly string[]
  readonly client: CommandClient
}

export type ProjectRequest = PageRequest & { readonly project: string }

export type View<R extends PageRequest = PageRequest> = (request: R) => Markup | Promise<Markup>

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
