import * as z from 'zod'
import { crossFieldCheck, type CrossFieldProblem } from './cross-field-check.ts'
import { described } from './documentation.ts'
import { HeaderName } from './matcher.ts'
import { recordOf } from './record.ts'

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
    hold: described(z.literal(true, 'must be true').optional(), 'Holds the request back until the test releases it.'),
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
  /** Waits until the test releases the request. */
  readonly hold?: true | undefined
  readonly status?: number | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body?: unknown
  readonly connection?: 'reset' | 'close' | 'hang' | undefined
  readonly corrupt?: 'truncated' | 'malformed' | 'empty' | undefined
  readonly rateLimit?: { readonly limit: number; readonly window: number } | undefined
}

const contradictions = (effect: Partial<Record<keyof Effect, unknown>>): CrossFieldProblem[] => {
  const has = (key: keyof Effect) => effect[key] !== undefined
  const clash = (key: keyof Effect, ...others: (keyof Effect)[]): CrossFieldProblem[] =>
    has(key) ? others.filter(has).map((other) => ({ path: other, message: `cannot be combined with ${key}.` })) : []
  return [
    ...((['delay', 'hold', 'status', 'connection', 'corrupt', 'rateLimit'] as const).some(has)
      ? []
      : [
          {
            path: [],
            message: "must do something: 'delay', 'hold', 'status', 'connection', 'corrupt' or 'rateLimit'.",
          },
        ]),
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
    ...clash('hold', 'delay', 'rateLimit'),
    ...(has('hold') && effect.connection === 'hang'
      ? [
          {
            path: 'connection',
            message: "must be 'reset' or 'close' with hold: a request that hangs is never released.",
          },
        ]
      : []),
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
