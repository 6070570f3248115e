import * as z from 'zod/mini'
import { JsonValue, Timestamp } from './field.ts'
import { isRecord } from './json-value.ts'
import { HeaderName, canMatchOperation, findPathProblem, Matcher } from './matcher.ts'
import { formatList } from './problem.ts'
import {
  buildRecordSchema,
  crossFieldCheck,
  described,
  distinct,
  documentation,
  intFrom,
  problemAt,
} from './zod-helpers.ts'
import { Method, operationIds, readOperations } from './operation-routes.ts'

const [hour, day] = [3_600_000, 24 * 3_600_000]
/** Clients and servers disagree about the encoding of other characters (RFC 9110, section 5.5). */
const HeaderValue = z.string().check(z.regex(/^[\t\x20-\x7e]*$/, 'must be one line of ASCII text'))

/** How a later release of the service may differ. Whether new values are compatible is disputed: `true` leaves them out. */
const evolutions = ['fields', 'order', 'times', 'values'] as const
const evolutionForms = `must be true, or a list of ${formatList(evolutions)}`

const Evolutions = z
  .array(z.enum(evolutions))
  .check(z.minLength(1, evolutionForms), distinct)
  .register(documentation, { uniqueItems: true })

const EffectFields = z.object({
  delay: z.optional(
    described(
      z.object(
        {
          milliseconds: described(intFrom(0, hour), 'How long the response is delayed, by the clock of the machine.'),
          jitter: described(
            z.optional(intFrom(0, hour)),
            'The maximum of a random addition, from the seeded random numbers of the project.',
          ),
        },
        'must be an object such as { "milliseconds": 200 }',
      ),
      'Delays the response, by the clock of the machine.',
    ),
  ),
  hold: described(z.optional(z.literal(true, 'must be true')), 'Holds the request back until the test releases it.'),
  status: described(z.optional(intFrom(200, 599)), 'The status to send instead of running the operation.'),
  headers: described(z.optional(buildRecordSchema(HeaderName, HeaderValue)), 'The headers of that response.'),
  body: described(z.optional(JsonValue), 'The body of that response, as JSON. Default: an error object.'),
  connection: described(
    z.optional(z.enum(['reset', 'close', 'hang'])),
    'Resets the connection, closes it without a response, or never responds.',
  ),
  corrupt: described(
    z.optional(z.enum(['truncated', 'malformed', 'empty'])),
    'Corrupts the response: too few bytes, invalid JSON, or no body.',
  ),
  rateLimit: z.optional(
    described(
      z.object({
        limit: described(intFrom(0), 'The maximum number of requests in a window.'),
        window: described(intFrom(1, day), 'The length of the window in milliseconds, by the clock of the project.'),
      }),
      'Responds with 429 to more than `limit` requests of a project in `window` milliseconds of the mock clock.',
    ),
  ),
  stale: described(
    z.optional(
      z
        .object(
          {
            changes: described(z.optional(intFrom(1, 100)), 'How many changes of the project ago.'),
            milliseconds: described(z.optional(intFrom(1, hour)), 'How long ago, by the clock of the project.'),
          },
          'must be an object such as { "changes": 1 }',
        )
        .check(
          crossFieldCheck<{ changes?: unknown; milliseconds?: unknown }>(({ changes, milliseconds }) => [
            (changes === undefined) === (milliseconds === undefined) &&
              problemAt([], 'must have either changes or milliseconds, such as { "changes": 1 }.'),
          ]),
        ),
    ),
    'Reads an earlier state: a list, a search or a retrieve misses the newest changes. It applies to no other operation.',
  ),
  duplicate: described(
    z.optional(z.literal(true, 'must be true')),
    'Delivers the request twice, back to back. The client gets the second response.',
  ),
  evolve: described(
    z.optional(z.union([z.literal(true, evolutionForms), Evolutions], evolutionForms)),
    'Changes the response as a later release could: an unknown field in each object, another order of the fields, times with microseconds, or an unknown status and type of payment links. True: the first three.',
  ),
})
/** The effect of a fault on the client. */
export type Effect = z.infer<typeof EffectFields>
export const Effect = EffectFields.check(crossFieldCheck<Effect>((effect) => findEffectProblems(effect)))
documentation.add(Effect, { minProperties: 1 })

/** An effect has at least one of these fields. The others belong to `status`. */
const effectKeys = (Object.keys(Effect.shape) as (keyof Effect)[]).filter((key) => key !== 'headers' && key !== 'body')

/** Each list starts with the effect that cannot be combined with the others. */
const effectClashes = [
  ['connection', 'status', 'corrupt'],
  ['rateLimit', 'status', 'connection', 'corrupt'],
  ['hold', 'delay', 'rateLimit'],
  ['stale', 'status', 'rateLimit', 'duplicate'],
  ['duplicate', 'status', 'rateLimit'],
  ['evolve', 'status', 'corrupt', 'rateLimit'],
] as const satisfies (keyof Effect)[][]

const effectExamples: Partial<Record<keyof Effect, string>> = {
  stale: ': send { "stale": { "changes": 1 } }',
  duplicate: ': send { "duplicate": true }',
}

/** A wrong value would also corrupt the next response. */
const isFramingHeader = (name: string) => /^(?:content-length|transfer-encoding|trailer)$/i.test(name)

const findEffectProblems = (effect: Partial<Record<keyof Effect, unknown>>) => {
  const { status, headers, connection } = effect
  const hasEffect = (key: keyof Effect) => effect[key] !== undefined
  const rejectEffects = (keys: readonly (keyof Effect)[], message: string) =>
    keys.filter(hasEffect).map((key) => problemAt(key, message))
  return [
    !effectKeys.some(hasEffect) && problemAt([], `must do something: ${formatList(effectKeys)}.`),
    ...(hasEffect('status') ? [] : rejectEffects(['headers', 'body'], 'needs a status.')),
    ...(isBodiless(status)
      ? rejectEffects(['body', 'corrupt'], `must be omitted: a response with status ${status} has no body.`)
      : []),
    ...Object.keys(isRecord(headers) ? headers : {}).flatMap((name) => [
      isFramingHeader(name) && problemAt(['headers', name], "is derived from the body: omit it, or use 'corrupt'."),
      /^mock-/i.test(name) && problemAt(['headers', name], 'must be omitted: the mock sets its own headers.'),
    ]),
    ...effectClashes
      .filter(([key]) => hasEffect(key))
      .flatMap(([key, ...others]) =>
        rejectEffects(others, `cannot be combined with ${key}${effectExamples[key] ?? ''}.`),
      ),
    hasEffect('hold') &&
      connection === 'hang' &&
      problemAt('connection', "must be 'reset' or 'close' with hold: a hanging request is never released."),
  ]
}

// RFC 9110: a response with one of these statuses has no body.
export const isBodiless = (status: unknown): status is 204 | 205 | 304 => [204, 205, 304].includes(status as number)

const methodsOfAll: readonly string[] = Method.options
const methodsOfOperations: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

const FaultMatcher = z
  .safeExtend(Matcher, {
    method: described(Matcher.shape.method, 'The method.', { enum: methodsOfOperations }),
    status: described(
      z.optional(z.never('cannot be matched: a fault is chosen before the response exists')),
      'The status is not known when a fault is chosen.',
    ),
  })
  .check(
    crossFieldCheck<Matcher>(({ operation, method, path }) => [
      method !== undefined && methodsOfAll.includes(method) && !methodsOfOperations.includes(method)
        ? problemAt('method', `must be ${formatList(methodsOfOperations)}: no operation uses ${method}.`)
        : typeof path === 'string' && findPathProblem(path, operation, method),
    ]),
  )

const FaultRuleFields = z.object({
  match: described(z.optional(FaultMatcher), 'The requests that the fault applies to. Default: all.'),
  skip: described(z.optional(intFrom(0)), 'How many matching requests it skips first. Default 0.'),
  times: described(
    z.optional(z.nullable(z.int('must be an integer of at least 1, or null for no limit').check(z.minimum(1)))),
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
  effect: described(Effect, 'What the fault does.'),
})
/** The rule of a fault: its requests, how often and when it applies, and its effect. */
export type FaultRule = z.infer<typeof FaultRuleFields>
export const FaultRule = FaultRuleFields.check(crossFieldCheck<FaultRule>((rule) => findRuleProblems(rule)))

export const Fault = z.object({
  ...FaultRule.shape,
  id: described(z.string(), 'The id of the fault.'),
  project: described(z.nullable(z.string()), 'The project that the fault applies to. Null: all projects.'),
  hits: described(z.int(), 'How often it has applied.'),
  remaining: described(z.nullable(z.int()), 'How often it can still apply. Null: no limit.'),
  held: described(z.optional(z.int()), 'How many requests it holds now. Only with `hold`.'),
})
/** A fault with its id and its hits. */
export type Fault = z.infer<typeof Fault>

/** These change how the operation runs, or all of its responses. */
const earlyEffects = ['rateLimit', 'stale', 'duplicate', 'evolve'] as const

// The values may be invalid, and null.
const findRuleProblems = ({ effect, times, phase, match, from, until }: Partial<FaultRule>) => {
  const earlyEffect = earlyEffects.find((key) => effect?.[key] !== undefined)
  return [
    effect?.rateLimit !== undefined && times !== undefined && problemAt('times', 'must be omitted for a rate limit.'),
    phase === 'after' &&
      earlyEffect !== undefined &&
      problemAt('phase', `must be 'before' or omitted for ${earlyEffect}.`),
    effect?.stale !== undefined && findStaleProblem(match ?? {}),
    typeof from === 'string' &&
      typeof until === 'string' &&
      Date.parse(until) <= Date.parse(from) &&
      problemAt('until', `must be later than from (${from}).`),
  ]
}

/** A fault whose match no read can have would never apply. */
const findStaleProblem = ({ operation, method, path }: Matcher) => {
  const reads = formatList(readOperations)
  if (operation !== undefined) {
    const isWrite = operationIds.includes(operation) && !readOperations.includes(operation)
    return isWrite && problemAt(['match', 'operation'], `must be ${reads} or omitted for stale.`)
  }
  if (!canMatchOperation(path, method) || canMatchOperation(path, method, readOperations)) return false
  const matchField = canMatchOperation(path, undefined, readOperations) ? 'method' : 'path'
  return problemAt(['match', matchField], `must be that of ${reads}, or omitted for stale.`)
}
