import type { Command } from '../schema/command-definition.ts'
import { fillPath } from '../schema/matcher.ts'
import { findNearest } from '../schema/text.ts'

type RouteParts = 'method' | 'summary' | 'text' | 'query' | 'body' | 'response' | 'event' | 'accepted' | 'errors'

/** A route of an operation or a command. */
export interface Route extends Pick<Command, RouteParts> {
  readonly id: string
  /** In the form of the specification: `/projects/{project}/users/{user}`. */
  readonly path: string
  readonly status: number
}

/** Converts a path to Hono's form: `/projects/:project/users/:user`. */
export const toHonoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** Returns the methods of a path. Empty if no route has the path. */
export const listMethods = (routes: readonly Pick<Route, 'method' | 'path'>[], pathname: string): string[] => {
  const methods = new Set(routes.filter((route) => toPattern(route.path).test(pathname)).map((route) => route.method))
  if (methods.size === 0) return []
  return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Returns the routes that the client probably meant, for a hint. */
export const findNearestRoutes = (routes: readonly Route[], pathname: string): string[] => {
  const segments = pathname.split('/')
  const texts = new Map(routes.map((route) => [`${route.method} ${route.path}`, fillPath(route.path, pathname)]))
  const exact = [...texts].filter(([, text]) => findNearest(pathname, [text]) !== undefined)
  const near = exact.length > 0 ? exact : [...texts].filter(([, text]) => text.split('/').length === segments.length)
  return near.map(([name]) => name).slice(0, 3)
}

const toPattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)

/** Returns true if a path has no invalid escape, such as `%ff`. */
export const isDecodable = (url: string): boolean => {
  // Most addresses have nothing to decode.
  if (!url.includes('%')) return true
  try {
    return decodeURIComponent(url.split(/[?#]/, 1)[0]!) !== ''
  } catch {
    return false
  }
}
