import * as z from 'zod/mini'
import { described, documentation, crossFieldCheck, intFrom, problemAt } from './zod-helpers.ts'
import { Matcher } from './matcher.ts'

const Count = intFrom(0)

const isMore = (min: unknown, max: unknown) => typeof min === 'number' && typeof max === 'number' && min > max

/** The expected number of requests. */
export const Times = z
  .object({ exactly: z.optional(Count), atLeast: z.optional(Count), atMost: z.optional(Count) })
  .check(
    crossFieldCheck<Times>((times) => [
      Object.values(times).every((count) => count === undefined) &&
        problemAt([], "must have 'exactly', 'atLeast' or 'atMost'."),
      isMore(times.atLeast, times.atMost) && problemAt('atLeast', 'must not exceed atMost.'),
      times.exactly !== undefined &&
        (times.atLeast ?? times.atMost) !== undefined &&
        problemAt('exactly', 'cannot be combined with atLeast or atMost.'),
    ]),
  )
export type Times = z.infer<typeof Times>
// A separate statement: in the definition, its type would refer to itself.
documentation.add(Times, { minProperties: 1 })

const NumberOrTimes = z.pipe(
  z.union([Count, Times], 'must be a number or an object such as { "exactly": 1 }'),
  z.transform((times): Times => (typeof times === 'number' ? { exactly: times } : times)),
)

const Within = described(
  z.optional(intFrom(0, 600_000)),
  'How long to wait for the expected requests, in milliseconds.',
)

/** An expectation: a number of matching requests, or a sequence of them. */
export const Verification = z
  .object({
    match: z.optional(Matcher),
    times: described(z.optional(NumberOrTimes), 'The expected number of requests. Default: at least one.'),
    sequence: described(
      z.optional(z.array(Matcher).check(z.minLength(1), z.maxLength(1000))),
      'The expected order. Other requests may come between.',
    ),
    within: Within,
  })
  .check(
    crossFieldCheck<{ match?: unknown; times?: unknown; sequence?: unknown }>(({ match, times, sequence }) => [
      match === undefined && sequence === undefined && problemAt([], "must have 'match' or 'sequence'."),
      sequence !== undefined &&
        (match ?? times) !== undefined &&
        problemAt('sequence', 'cannot be combined with match or times.'),
    ]),
  )
export type Verification = z.input<typeof Verification>

/** A parsed verification. */
export type ParsedVerification = z.output<typeof Verification>

const Expected = z.union([
  z.object({ exactly: z.int() }),
  z.object({ atLeast: z.optional(z.int()), atMost: z.optional(z.int()) }),
  z.object({ sequence: z.int() }),
])

/** The result. For a sequence, `actual` is the number of steps that were found in order. */
export const VerificationSuccess = z.object({ ok: z.literal(true), expected: Expected, actual: z.int() })
export type VerificationSuccess = z.infer<typeof VerificationSuccess>

/** A request that almost matched, and its differences. */
export const NearMiss = z.object({
  id: z.string(),
  method: z.string(),
  path: z.string(),
  status: described(z.nullable(z.int()), 'Null: no response was sent.'),
  differences: z.array(z.string()),
})
export type NearMiss = z.infer<typeof NearMiss>

/** The additional fields of a `verificationFailed` error. */
export const VerificationFailureFields = z.object({
  expected: Expected,
  actual: z.int(),
  nearMisses: described(z.array(NearMiss), 'The requests with the fewest differences, at most five.'),
})
