import type { Markup } from '../html.ts'
import type { Call, CommandResponse } from '../../schema/command.ts'
import type { ControlClient as Client } from '../../schema/command.ts'
import type { CommandId } from '../../schema/command-routes.ts'

/** Calls commands of the control API. */
export type ControlClient = Pick<Client, 'call'>

/** A request for a view, for one project or for all. */
export interface PageRequest {
  /** Undefined means all projects. */
  readonly project: string | undefined
  /** Filters, cursors and ids. */
  readonly query: URLSearchParams
  /** The sandbox that the dashboard is in. Undefined at the root of the mock. */
  readonly sandbox: string | undefined
  /** The names of all sandboxes of the mock. */
  readonly sandboxes: readonly string[]
  /** The origin of the dashboard, for addresses that a view shows. */
  readonly origin: string
  readonly client: ControlClient
}

/** Renders a part of the dashboard. */
export type View = (request: PageRequest) => Markup | Promise<Markup>

/** Calls a command for the selected project, or for all. */
export const callScoped = <C extends CommandId>(
  { project, client }: PageRequest,
  command: C,
  call: Call = {},
): Promise<CommandResponse<C, string | undefined>> =>
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
