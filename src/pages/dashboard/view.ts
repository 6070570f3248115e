import type { Markup } from '../html.ts'
import type { ResponseOf, Call, Send, CommandId } from '../../schema/commands.ts'

/** Calls the commands of the control plane. */
export type Steer = Pick<Send, 'one' | 'all'>

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

/** Calls a verb that answers the same for one project and for all. */
export const ask = <V extends CommandId>(
  { project, steer }: Visit,
  verb: V,
  call: Call = {},
): Promise<ResponseOf<V>> =>
  project === undefined
    ? (steer.all(verb, call) as Promise<ResponseOf<V>>)
    : steer.one(verb, { ...call, params: { ...call.params, project } })

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
