import * as z from 'zod'
import { described, documentation } from './documentation.ts'
import { canBeAt, HeaderName, Matcher, PathPattern } from './matcher.ts'
import { nearest } from './suggest.ts'
import { Method, operationIds, operationRoutes } from './operation.ts'
import { listText } from './problem.ts'
import { recordOf } from './record.ts'
import { crossFieldCheck, type CrossFieldProblem } from './cross-field-check.ts'

const hour = 3_600_000
const day = 24 * hour
// Beyond ASCII each side of a connection has its own idea of the encoding (RFC 9110, section 5.5).
const HeaderValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be one line of ASCII text')

/** The effect of a fault on the client. */
export const Effect = z
  .object({
    delay: described(
      z.object(
        {
          milliseconds: z.int().min(0).max(hour),
          jitter: described(z.int().min(0).max(hour).optional(), 'Up to so many more, by the draws of the project.'),
        },
        'must be an object such as { "milliseconds": 200 }',
      ),
      'Lets the client wait, on the clock of the machine.',
    ).optional(),
    status: described(z.int().min(200).max(599).optional(), 'Answers this in place of the operation.'),
    headers: described(recordOf(HeaderName, HeaderValue).optional(), 'Headers of that answer.'),
    body: described(z.unknown().optional(), 'The body of that answer, as JSON. Without one it is an error object.'),
    connection: described(
      z.enum(['reset', 'close', 'hang']).optional(),
      'Breaks the connection, closes it without an answer, or never answers.',
    ),
    corrupt: described(
      z.enum(['truncated', 'malformed', 'empty']).optional(),
      'Spoils the answer: fewer bytes than promised, broken JSON, or no body.',
    ),
    rateLimit: described(
      z.object({
        limit: z.int().min(0),
        window: z.int().min(1).max(day),
      }),
      'Answers 429 beyond so many requests in so many milliseconds of the mock clock, for each project by itself.',
    ).optional(),
  })
  .check(crossFieldCheck<Effect>((effect) => contradictions(effect)))
export interface Effect {
  readonly delay?: { readonly milliseconds: number; readonly jitter?: number | undefined } | undefined
  readonly status?: number | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body?: unknown
  readonly connection?: 'reset' | 'close' | 'hang' | undefined
  readonly corrupt?: 'truncated' | 'malformed' | 'empty' | undefined
  readonly rateLimit?: { readonly limit: number; readonly window: number } | undefined
}

const methodsOfAll: readonly string[] = Method.options
const methodsOfOperations: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

const FaultMatcher = Matcher.safeExtend({
  method: Matcher.shape.method.clone().register(documentation, {
    description: 'The method.',
    enum: methodsOfOperations,
  }),
  status: z.never('cannot be matched: a fault is chosen before there is an answer').optional(),
}).check(
  crossFieldCheck<Matcher>(({ operation, method, path }) => [
    ...(method !== undefined && methodsOfAll.includes(method) && !methodsOfOperations.includes(method)
      ? [{ path: 'method', message: `must be ${listText(methodsOfOperations)}: no operation is called by ${method}.` }]
      : pathProblems({ operation, method, path })),
  ]),
)

interface FaultMatcher extends Omit<Matcher, 'status' | 'query'> {
  readonly query?: Record<string, string | string[]> | undefined
  readonly status?: undefined
}

/** The rule of a fault: its requests, how often and when it applies, and its effect. */
export const FaultRule = z
  .object({
    match: FaultMatcher.optional(),
    skip: described(z.int().min(0).optional(), 'How many matching requests it lets pass first. Default 0.'),
    times: described(z.int().min(1).nullable().optional(), 'How often it strikes. Null: for ever. Default 1.'),
    probability: described(z.number().min(0).max(1).optional(), 'By the seeded draws of the project. Default 1.'),
    phase: described(
      z.enum(['before', 'after']).optional(),
      'Before the operation, which then does not happen, or after it, when the change has been made. Default before.',
    ),
    effect: Effect,
  })
  .check(crossFieldCheck<FaultRule>((fault) => limitProblems(fault)))
export interface FaultRule {
  readonly match?: FaultMatcher | undefined
  /** @default 0 */
  readonly skip?: number | undefined
  /** Null means no limit. @default 1 */
  readonly times?: number | null | undefined
  /** @default 1 */
  readonly probability?: number | undefined
  /** @default 'before' */
  readonly phase?: 'before' | 'after' | undefined
  readonly effect: Effect
}

/** A fault with its id and its hits. */
export const Fault = z.object({
  ...FaultRule.shape,
  id: z.string(),
  project: described(z.string().nullable(), 'Null: it is for all.'),
  hits: described(z.int(), 'How often it has struck.'),
  remaining: described(z.int().nullable(), 'How often it still can. Null: for ever.'),
})
export interface Fault extends FaultRule {
  readonly id: string
  readonly project: string | null
  readonly hits: number
  readonly remaining: number | null
}

const contradictions = (effect: Partial<Record<keyof Effect, unknown>>): CrossFieldProblem[] => {
  const has = (key: keyof Effect) => effect[key] !== undefined
  const clash = (key: keyof Effect, ...others: (keyof Effect)[]): CrossFieldProblem[] =>
    has(key) ? others.filter(has).map((other) => ({ path: other, message: `cannot be combined with ${key}.` })) : []
  return [
    ...((['delay', 'status', 'connection', 'corrupt', 'rateLimit'] as const).some(has)
      ? []
      : [{ path: [], message: "must do something: 'delay', 'status', 'connection', 'corrupt' or 'rateLimit'." }]),
    ...(has('status')
      ? []
      : (['headers', 'body'] as const)
          .filter(has)
          .map((key) => ({ path: key, message: 'is that of an answer: it needs a status.' }))),
    ...(isBodiless(effect.status)
      ? (['body', 'corrupt'] as const).filter(has).map((key) => ({
          path: key,
          message: `must be left out: an answer with status ${String(effect.status)} has no body.`,
        }))
      : []),
    ...framing(effect.headers),
    ...clash('connection', 'status', 'corrupt'),
    ...clash('rateLimit', 'status', 'connection', 'corrupt'),
  ]
}

/** Statuses whose answers have no body (RFC 9110). */
export const isBodiless = (status: unknown): status is 204 | 205 | 304 => [204, 205, 304].includes(status as number)

/** Headers that say where an answer ends: a wrong one would spoil the next answer on the connection too. */
const framing = (headers: unknown): CrossFieldProblem[] =>
  Object.keys(typeof headers === 'object' && headers !== null ? headers : {})
    .filter((name) => ['content-length', 'transfer-encoding', 'trailer'].includes(name.toLowerCase()))
    .map((name) => ({
      path: ['headers', name],
      message: "follows from the body: leave it out, or spoil the answer with 'corrupt'.",
    }))

const limitProblems = ({ effect, times, phase }: Partial<FaultRule>): CrossFieldProblem[] => {
  if (effect?.rateLimit === undefined) return []
  return [
    ...(times !== undefined ? [{ path: 'times', message: 'must be left out: a rate limit has none.' }] : []),
    ...(phase === 'after' ? [{ path: 'phase', message: "must be 'before' for a rate limit." }] : []),
  ]
}

const pathProblems = ({ operation, method, path }: Matcher): CrossFieldProblem[] => {
  if (typeof path !== 'string') return []
  // A route of the documentation, copied as a path.
  const parameter = path.split('/').find((part) => /^\{\w+\}$/.test(part))
  if (parameter !== undefined)
    return [{ path: 'path', message: `must have '*' in place of '${parameter}': it stands for any one part.` }]
  const leadsNowhere =
    operation === undefined && PathPattern.safeParse(path).success && !leadsToAnOperation(path, method)
  return leadsNowhere ? [{ path: 'path', message: noOperation(path) }] : []
}

const leadsToAnOperation = (path: string, method: string | undefined): boolean =>
  operationIds.some((id) => {
    const route = operationRoutes[id]
    const fits = method === undefined || method === route.method || (method === 'HEAD' && route.method === 'GET')
    return fits && canBeAt(path, route.path)
  })

const noOperation = (path: string): string => {
  const paths = [...new Set(operationIds.map((id) => filled(operationRoutes[id].path, path)))]
  const meant = nearest(path, paths)
  return `must be the path of an operation${meant === undefined ? ' (see the table of the interface)' : `; did you mean '${meant}'`}.`
}

/** The route with the parameters of the path. */
const filled = (route: string, path: string): string => {
  const segments = path.split('/')
  return route
    .split('/')
    .map((one, index) => (one.startsWith('{') ? (segments[index] ?? one) : one))
    .join('/')
}
