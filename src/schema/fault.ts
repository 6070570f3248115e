import * as z from 'zod/mini'
import { described, documentation, crossFieldCheck, intFrom, problemAt } from './zod-helpers.ts'
import { Timestamp } from './field.ts'
import { Effect, hour } from './effect.ts'
import { canMatchRoute, fillPath, listRouteMethods, Matcher, PathPattern } from './matcher.ts'
import { findNearest } from './text.ts'
import { Method, type OperationId, operationIds, operationRoutes, readOperations } from './operation-routes.ts'
import { formatList } from './problem.ts'

const methodsOfAll: readonly string[] = Method.options
const methodsOfOperations: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

const FaultMatcher = z
  .safeExtend(Matcher, {
    method: Matcher.shape.method.clone().register(documentation, {
      description: 'The method.',
      enum: methodsOfOperations,
    }),
    status: z.optional(z.never('cannot be matched: a fault is chosen before the response exists')),
  })
  .check(
    crossFieldCheck<Matcher>(({ operation, method, path }) => [
      method !== undefined && methodsOfAll.includes(method) && !methodsOfOperations.includes(method)
        ? problemAt('method', `must be ${formatList(methodsOfOperations)}: no operation uses ${method}.`)
        : typeof path === 'string' && findPathProblem(path, operation, method),
    ]),
  )

type FaultMatcher = z.infer<typeof FaultMatcher>

/** The rule of a fault: its requests, how often and when it applies, and its effect. */
export const FaultRule = z
  .object({
    match: z.optional(FaultMatcher),
    skip: described(z.optional(intFrom(0)), 'How many matching requests it skips first. Default 0.'),
    times: described(
      z.optional(z.nullable(intFrom(1))),
      'How often it applies. Null: no limit. Default 1, or null with `from` or `until`.',
    ),
    from: described(z.optional(Timestamp), 'When it starts to apply, by the clock of the project.'),
    until: described(z.optional(Timestamp), 'When it no longer applies, by the clock of the project.'),
    probability: described(
      z.optional(z.number().check(z.minimum(0), z.maximum(1))),
      'The probability that it applies, from the seeded random numbers of the project. Default 1.',
    ),
    phase: described(
      z.optional(z.enum(['before', 'after'])),
      'Before the operation, which then may not run, or after it, when the change has been made. Default before.',
    ),
    effect: Effect,
  })
  .check(crossFieldCheck<FaultRule>((rule) => findContradictions(rule)))
export type FaultRule = z.infer<typeof FaultRule>

/** A fault with its id and its hits. */
export const Fault = z.object({
  ...FaultRule.shape,
  id: z.string(),
  project: described(z.nullable(z.string()), 'Null: all projects.'),
  hits: described(z.int(), 'How often it has applied.'),
  remaining: described(z.nullable(z.int()), 'How often it can still apply. Null: no limit.'),
  held: described(z.optional(z.int()), 'How many requests it holds now. Only with `hold`.'),
})
export type Fault = z.infer<typeof Fault>

/** The effects that change how the operation runs, or any response of it. */
const early = ['rateLimit', 'stale', 'duplicate', 'evolve'] as const

// The values may be invalid, and null.
const findContradictions = ({ effect, times, phase, match, from, until }: Partial<FaultRule>) => {
  const first = early.find((key) => effect?.[key] !== undefined)
  return [
    effect?.rateLimit !== undefined && times !== undefined && problemAt('times', 'must be omitted for a rate limit.'),
    phase === 'after' && first !== undefined && problemAt('phase', `must be 'before' or omitted for ${first}.`),
    effect?.stale !== undefined && findStaleProblem(match ?? {}),
    typeof from === 'string' &&
      typeof until === 'string' &&
      Date.parse(until) <= Date.parse(from) &&
      problemAt('until', `must be later than from (${from}).`),
  ]
}

/** Finds a match that no read can have: such a fault would never apply. */
const findStaleProblem = ({ operation, method, path }: Matcher) => {
  const reads = formatList(readOperations)
  if (operation !== undefined) {
    const isWrite = operationIds.includes(operation) && !readOperations.includes(operation)
    return isWrite && problemAt(['match', 'operation'], `must be ${reads} or omitted for stale.`)
  }
  if (!canMatchOperation(path, method) || canMatchOperation(path, method, readOperations)) return false
  const name = canMatchOperation(path, undefined, readOperations) ? 'method' : 'path'
  return problemAt(['match', name], `must be that of ${reads}, or omitted for stale.`)
}

const findPathProblem = (path: string, operation: string | undefined, method: string | undefined) => {
  // The path was copied from the documentation.
  const parameter = path.split('/').find((part) => /^\{\w+\}$/.test(part))
  if (parameter !== undefined)
    return problemAt('path', `must have '*' instead of '${parameter}'; '*' matches any segment.`)
  const isUnknown = operation === undefined && PathPattern.safeParse(path).success && !canMatchOperation(path, method)
  return isUnknown && problemAt('path', explainPath(path))
}

const canMatchOperation = (
  path: string | undefined,
  method: string | undefined,
  ids: readonly OperationId[] = operationIds,
): boolean =>
  ids.some((id) => {
    const route = operationRoutes[id]
    const hasMethod = method === undefined || listRouteMethods(route).includes(method)
    return hasMethod && (typeof path !== 'string' || canMatchRoute(path, route.path))
  })

const explainPath = (path: string): string => {
  const paths = [...new Set(operationIds.map((id) => fillPath(operationRoutes[id].path, path)))]
  const meant = findNearest(path, paths)
  return `must be the path of an operation${meant === undefined ? '.' : `; did you mean '${meant}'?`}`
}

/** How many of the held requests are released. */
export const Release = z.optional(
  z.object({
    count: described(z.optional(intFrom(1)), 'The oldest ones. Default: all that wait now.'),
  }),
)

/** How many requests a fault must hold, and how long to wait for them. */
export const HeldCheck = z.optional(
  z.object({
    held: described(z.optional(intFrom(1)), 'At least so many. Default 1.'),
    within: described(z.optional(intFrom(0, hour)), 'How long to wait, in milliseconds. Default 2000.'),
  }),
)
