import * as z from 'zod/mini'
import {
  type CrossFieldProblem,
  described,
  buildRecordSchema,
  crossFieldCheck,
  intFrom,
  problemAt,
} from './zod-helpers.ts'
import { JsonValue } from './field.ts'
import { Method, OperationId, operationIds, operationRoutes } from './operation-routes.ts'
import { ProjectId } from './seed.ts'
import { formatList } from './problem.ts'
import { findNearest } from './text.ts'
import { decodePart } from './url.ts'

// As long as the head of a request: each text is compared with many requests.
const maxMatchText = 16 * 1024
const MatchText = z.string().check(z.maxLength(maxMatchText))
const MatchValues = z.union([MatchText, z.array(MatchText)], 'must be a string or an array of strings')

/** RFC 9110, section 5.1. */
export const HeaderName = z
  .string()
  .check(z.maxLength(maxMatchText), z.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be a header name'))

/** A path without a query. `*` matches one segment. */
export const PathPattern = z
  .string()
  .check(
    z.maxLength(maxMatchText),
    z.regex(/^(?:\/(?:\*|[^/?#*]*))+$/, "must start with '/' and have no query, and '*' must be a whole segment"),
  )

const MatcherFields = z.object({
  operation: described(z.optional(OperationId), 'The id of the operation.'),
  method: described(z.optional(Method), 'The method.'),
  path: described(z.optional(PathPattern), 'The path. `*` matches one segment.'),
  project: described(z.optional(ProjectId), 'The project.'),
  status: described(z.optional(intFrom(100, 599)), 'The status of the response.'),
  headers: described(z.optional(buildRecordSchema(HeaderName, MatchText)), 'Headers of the request.'),
  query: described(z.optional(buildRecordSchema(MatchText, MatchValues)), 'Query parameters.'),
  body: described(z.optional(JsonValue), 'A part of the body. The given fields must be equal.'),
})
/**
 * Matches requests that have all of these fields. An empty matcher matches every request. Rejected requests match too:
 * `status: 201` matches only those that have created a record.
 */
export type Matcher = z.infer<typeof MatcherFields>
export const Matcher = MatcherFields.check(crossFieldCheck<Matcher>((matcher) => findContradictions(matcher)))

/** Finds fields that contradict each other. The values may be invalid. */
const findContradictions = ({ operation, method, path, project }: Matcher) => {
  const route = operation !== undefined && operationIds.includes(operation) && operationRoutes[operation]
  return [
    route &&
      method !== undefined &&
      !listRouteMethods(route).includes(method) &&
      problemAt('method', `must be ${listRouteMethods(route).join(' or ')}, the method of ${operation}.`),
    route &&
      typeof path === 'string' &&
      !canMatchRoute(path, route.path) &&
      problemAt('path', `must match ${route.path}, the path of ${operation}.`),
    typeof path === 'string' &&
      project !== undefined &&
      ProjectId.safeParse(project).success &&
      !isOfProject(path, project) &&
      problemAt('project', 'must be the project of the path.'),
  ]
}

const listRouteMethods = ({ method }: { readonly method: string }): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method]

/** Returns true if a path with `*` segments can match a route, with or without a base path. */
const canMatchRoute = (path: string, route: string): boolean => {
  const routeSegments = route.split('/').slice(1)
  const pathSegments = path.split('/').slice(-routeSegments.length)
  return (
    pathSegments.length === routeSegments.length &&
    routeSegments.every(
      (routeSegment, index) =>
        routeSegment.startsWith('{') || pathSegments[index] === '*' || pathSegments[index] === routeSegment,
    )
  )
}

/** Returns true if a path with `*` segments can match an operation below a base path. */
export const isOperationPath = (path: string, basePath: string): boolean =>
  operationIds.some((id) => {
    const route = `${basePath}${operationRoutes[id].path}`
    return path.split('/').length === route.split('/').length && canMatchRoute(path, route)
  })

export const isOfProject = (path: string, project: string): boolean => {
  const [, pathProject = '*'] = /\/projects\/([^/]+)/.exec(path) ?? []
  return pathProject === '*' || pathProject === project || (decodePart(pathProject) ?? project) === project
}

/** Replaces the parameters of a route by the segments of a path. */
const fillPath = (route: string, path: string): string => {
  const pathSegments = path.split('/')
  return route
    .split('/')
    .map((expected, index) => (expected.startsWith('{') ? (pathSegments[index] ?? expected) : expected))
    .join('/')
}

/** Returns true if a path and a method, or one of them, can match an operation. */
export const canMatchOperation = (
  path: string | undefined,
  method: string | undefined,
  ids: readonly OperationId[] = operationIds,
): boolean =>
  ids.some((id) => {
    const route = operationRoutes[id]
    const hasMethod = method === undefined || listRouteMethods(route).includes(method)
    return hasMethod && (typeof path !== 'string' || canMatchRoute(path, route.path))
  })

/** Finds a path that no operation has, or a method that no operation has for the path. */
export const findPathProblem = (
  path: string,
  operation: string | undefined,
  method: string | undefined,
): CrossFieldProblem | false => {
  // The path was copied from the documentation.
  const parameter = path.split('/').find((segment) => /^\{\w+\}$/.test(segment))
  if (parameter !== undefined)
    return problemAt('path', `must have '*' instead of '${parameter}'; '*' matches any segment.`)
  if (operation !== undefined || !PathPattern.safeParse(path).success || canMatchOperation(path, method)) return false
  const routes = operationIds.map((id) => operationRoutes[id])
  const methods = routes.filter((route) => canMatchRoute(path, route.path)).flatMap(listRouteMethods)
  if (methods.length > 0) return problemAt('method', `must be ${formatList([...new Set(methods)])}, for this path.`)
  const nearestPath = findNearest(path, [...new Set(routes.map((route) => fillPath(route.path, path)))])
  return problemAt(
    'path',
    `must be the path of an operation${nearestPath === undefined ? '.' : `; did you mean '${nearestPath}'?`}`,
  )
}
