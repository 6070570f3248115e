import type { Markup } from '../html.ts'
import type { Call, CommandId, ControlClient, ResponseOf } from '../../schema/commands.ts'

/** Runs commands of the control API. */
export type Steer = Pick<ControlClient, 'call'>

/** What a person looks at: a view, for one project or for all. */
export interface Visit {
  /** Undefined: all of them. */
  readonly project: string | undefined
  /** What the view is asked for: filters, cursors, ids. */
  readonly query: URLSearchParams
  /** Where the dashboard was called, for addresses that are shown. */
  readonly origin: string
  readonly steer: Steer
}

/** A part of the dashboard as HTML, made anew each time it is asked for. */
export type View = (visit: Visit) => Markup | Promise<Markup>

/** Runs a command whose response is the same for one project and for all. */
export const ask = <C extends CommandId>(
  { project, steer }: Visit,
  command: C,
  call: Call = {},
): Promise<ResponseOf<C>> =>
  steer.call(command, project === undefined ? call : { ...call, params: { ...call.params, project } }) as Promise<
    ResponseOf<C>
  >

/** The parameters that are given, and not empty: a field that is left empty filters nothing. */
export const given = (query: URLSearchParams, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])))

/** Whether a request can name the project: what is longer does not fit into the head of one. */
export const isAddressable = (project: string): boolean => encodeURIComponent(project).length < 8 * 1024

/** The address of a view within the dashboard, for the project that is selected. */
export const linkTo = (view: string, query: Readonly<Record<string, string>> = {}): string => {
  const text = new URLSearchParams(query).toString()
  return text === '' ? `#${view}` : `#${view}?${text}`
}
