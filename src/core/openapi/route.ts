import type { z } from 'zod/mini'
import type { ErrorCode } from '../schema/error.ts'
import { getEditDistance } from '../schema/text.ts'
import { toPathPattern } from '../schema/operation-routes.ts'
import { decodePart, trimSlashes } from '../schema/url.ts'

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

export interface Route {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In the form of the specification: `/projects/{project}/users/{user}`. */
  readonly path: string
  readonly summary: string
  readonly status: number
  readonly query?: z.ZodMiniObject
  readonly body?: z.ZodMiniType
  readonly response?: z.ZodMiniType
  /** The response as text, if the query has a `format` for it. */
  readonly text?: z.ZodMiniType
  /** The response with 202, if the route can schedule something instead. */
  readonly accepted?: z.ZodMiniType
  /** The events that the route streams. */
  readonly event?: z.ZodMiniType
  /** Its errors, besides those of its path and those that every route can have. */
  readonly errors?: readonly ErrorCode[]
}

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

export type PathParams<Path extends string> = Readonly<Record<PathNames<Path>, string>>

/** Converts a path to Hono's form: `/projects/:project/users/:user`. */
export const toHonoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

export const listMethods = (routes: readonly Pick<Route, 'method' | 'path'>[], pathname: string): string[] => {
  const methods = new Set(routes.filter(({ path }) => toPathPattern(path).test(pathname)).map(({ method }) => method))
  if (methods.size === 0) return []
  return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Returns the routes with the nearest paths, which the client probably meant. Each has the given method if the path has it. */
export const findNearestRoutes = (
  routes: readonly Pick<Route, 'method' | 'path'>[],
  method: string,
  pathname: string,
): string[] => {
  const pathSegments = trimSlashes(pathname).split('/')
  const methodsByPath = new Map<string, string>()
  for (const route of routes)
    if (!methodsByPath.has(route.path) || route.method === method) methodsByPath.set(route.path, route.method)
  return [...methodsByPath]
    .map(([path, routeMethod]) => ({
      route: `${routeMethod} ${path}`,
      distance: getPathDistance(path.split('/'), pathSegments),
    }))
    .filter(({ distance }) => distance <= maxPathDistance)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ route }) => route)
}

const maxPathDistance = 4

/** Counts 1 for a wrong letter or a missing parameter, 3 for another missing segment, 2 for an extra segment. */
const getPathDistance = (route: readonly string[], path: readonly string[]): number => {
  const [routeSegment, ...routeRest] = route
  const [pathSegment, ...pathRest] = path
  if (Math.abs(route.length - path.length) > 2) return Infinity
  if (routeSegment === undefined) return 2 * path.length
  const isParameter = routeSegment.startsWith('{')
  const missingDistance = (isParameter ? 1 : 3) + getPathDistance(routeRest, path)
  if (pathSegment === undefined) return missingDistance
  const distance = isParameter ? 0 : getEditDistance(routeSegment.toLowerCase(), pathSegment.toLowerCase())
  // Where a segment matches exactly, no other alignment is tried.
  if (distance === 0 && !isParameter) return getPathDistance(routeRest, pathRest)
  const isAlike = isParameter || distance <= routeSegment.length / 2
  const alikeDistance = isAlike ? distance + getPathDistance(routeRest, pathRest) : Infinity
  return Math.min(alikeDistance, missingDistance, 2 + getPathDistance(route, pathRest))
}

/** Returns true if a path has no invalid escape, such as `%ff`. */
export const isDecodable = (url: string): boolean =>
  !url.includes('%') || decodePart(url.replace(/[?#].*/s, '')) !== undefined
