import type { z } from 'zod/mini'
import type { ErrorCode } from '../schema/error.ts'
import { fillPath } from '../schema/matcher.ts'
import { findNearest } from '../schema/text.ts'
import { decodePart } from '../schema/url.ts'

/** Example values by name. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** A route of an operation or a command. */
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

/** The names and values of the parameters of a path. */
export type PathParams<Path extends string> = Readonly<Record<PathNames<Path>, string>>

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

/** Returns true if a path has no invalid escape, such as `%ff`. Most addresses have nothing to decode. */
export const isDecodable = (url: string): boolean =>
  !url.includes('%') || decodePart(url.replace(/[?#].*/s, '')) !== undefined
