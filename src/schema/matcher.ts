import * as z from 'zod'
import { described } from './documentation.ts'
import { Method, OperationId, operationIds, operationRoutes } from './operation.ts'
import { recordOf } from './record.ts'
import { crossFieldCheck, type CrossFieldProblem } from './cross-field-check.ts'
import { ProjectId } from './seed.ts'

const Values = z.union([z.string(), z.array(z.string())], 'must be a text, or a list of texts')

/** The name of a header (RFC 9110, section 5.1). */
export const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header')

/** A path without a query. `*` matches one segment. */
export const PathPattern = z.string().regex(/^\/[^?#]*$/, "must start with '/' and end where the query begins")

/** Which requests are meant: those that have all that is named. Empty, it means every one. */
export const Matcher = z
  .object({
    operation: described(OperationId.optional(), 'The operation, by its id.'),
    method: described(Method.optional(), 'The method.'),
    path: described(PathPattern.optional(), 'The path as it was sent; `*` stands for one segment.'),
    project: described(ProjectId.optional(), 'The project.'),
    status: described(z.int().min(100).max(599).optional(), 'The status of the answer.'),
    headers: described(recordOf(HeaderName, z.string()).optional(), 'Headers of the request, and their values.'),
    query: described(recordOf(z.string(), Values).optional(), 'Parameters of the query, and their values.'),
    body: described(z.unknown().optional(), 'A part of the body: what is named must be equal.'),
  })
  .check(crossFieldCheck<Matcher>((matcher) => impossible(matcher)))
export interface Matcher {
  readonly operation?: OperationId | undefined
  readonly method?: Method | undefined
  readonly path?: string | undefined
  readonly project?: string | undefined
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | readonly string[]>> | undefined
  readonly body?: unknown
}

/** Combinations that no request can have. */
const impossible = ({ operation, method, path, project }: Matcher): CrossFieldProblem[] => {
  const otherProject =
    typeof path === 'string' && isProjectId(project) && !isOfProject(path, project)
      ? [{ path: 'project', message: 'must be the one that the path names.' }]
      : []
  if (operation === undefined || !operationIds.includes(operation)) return otherProject
  const route = operationRoutes[operation]
  const methods: readonly string[] = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
  return [
    ...(method !== undefined && !methods.includes(method)
      ? [{ path: 'method', message: `must be ${methods.join(' or ')}: that is how ${operation} is called.` }]
      : []),
    ...(typeof path === 'string' && !canBeAt(path, route.path)
      ? [{ path: 'path', message: `must be able to be ${route.path}: that is where ${operation} is.` }]
      : []),
    ...otherProject,
  ]
}

const isProjectId = (project: unknown): project is string => ProjectId.safeParse(project).success

/** Whether a path with `*` segments can match a route, with or without a base path. */
export const canBeAt = (path: string, route: string): boolean => {
  const expected = route.split('/').slice(1)
  const segments = path.split('/').slice(-expected.length)
  return (
    segments.length === expected.length &&
    expected.every((one, index) => one.startsWith('{') || segments[index] === '*' || segments[index] === one)
  )
}

/** Whether a path can be one of a project. */
export const isOfProject = (path: string, project: string): boolean => {
  const named = /\/projects\/([^/]+)/.exec(path)?.[1]
  return named === undefined || named === '*' || named === encodeURIComponent(project) || named === project
}
