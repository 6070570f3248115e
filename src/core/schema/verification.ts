import * as z from 'zod/mini'
import { described, documentation, crossFieldCheck, intFrom, problemAt } from './zod-helpers.ts'
import { Matcher } from './matcher.ts'

const Count = intFrom(0)

const isMore = (min: unknown, max: unknown) => typeof min === 'number' && typeof max === 'number' && min > max

const TimesFields = z.object({
  exactly: described(z.optional(Count), 'Exactly so many.'),
  atLeast: described(z.optional(Count), 'At least this many.'),
  atMost: described(z.optional(Count), 'At most so many.'),
})
/** The expected number of requests. */
export type Times = z.infer<typeof TimesFields>
export const Times = TimesFields.check(
  crossFieldCheck<Times>((times) => [
    Object.values(times).every((count) => count === undefined) &&
      problemAt([], "must have 'exactly', 'atLeast' or 'atMost'."),
    isMore(times.atLeast, times.atMost) && problemAt('atLeast', 'must not exceed atMost.'),
    times.exactly !== undefined &&
      (times.atLeast ?? times.atMost) !== undefined &&
      problemAt('exactly', 'cannot be combined with atLeast or atMost.'),
  ]),
)
documentation.add(Times, { minProperties: 1 })

const NumberOrTimes = z.pipe(
  z.union([Count, Times], 'must be a number or an object such as { "exactly": 1 }'),
  z.transform((times): Times => (typeof times === 'number' ? { exactly: times } : times)),
)

export const Verification = z
  .object({
    match: described(z.optional(Matcher), 'The requests to count.'),
    times: described(z.optional(NumberOrTimes), 'The expected number of requests. Default: at least one.'),
    sequence: described(
      z.optional(z.array(Matcher).check(z.minLength(1), z.maxLength(1000))),
      'The expected order. Other requests may come between.',
    ),
    within: described(
      z.optional(intFrom(0, 600_000)),
      'How long to wait for the expected requests, in milliseconds: at most 600000. Default 0.',
    ),
  })
  .check(
    crossFieldCheck<{ match?: unknown; times?: unknown; sequence?: unknown }>(({ match, times, sequence }) => [
      match === undefined && sequence === undefined && problemAt([], "must have 'match' or 'sequence'."),
      sequence !== undefined &&
        (match ?? times) !== undefined &&
        problemAt('sequence', 'cannot be combined with match or times.'),
    ]),
  )
/** An expectation: a number of matching requests, or a sequence of them. */
export type Verification = z.input<typeof Verification>

export type ParsedVerification = z.output<typeof Verification>

const Expected = z.union([
  z.object({ exactly: described(z.int(), 'Exactly so many.') }),
  z.object({
    atLeast: described(z.optional(z.int()), 'At least this many.'),
    atMost: described(z.optional(z.int()), 'At most so many.'),
  }),
  z.object({ sequence: described(z.int(), 'The number of steps.') }),
])

export const VerificationSuccess = z.object({
  ok: described(z.literal(true), 'Always true: a verification that fails rejects.'),
  expected: described(Expected, 'What was expected.'),
  actual: described(
    z.int(),
    'The number of matching requests, or of the steps of a sequence that were found in order.',
  ),
})
/** The result of a verification that succeeded. */
export type VerificationSuccess = z.infer<typeof VerificationSuccess>

export const NearMiss = z.object({
  id: described(z.string(), 'The id of the request.'),
  method: described(z.string(), 'The method.'),
  path: described(z.string(), 'The path as it was sent.'),
  status: described(z.nullable(z.int()), 'The status of the response. Null: no response was sent.'),
  differences: described(z.array(z.string()), 'What differs, as sentences.'),
})
/** A request that almost matched, and its differences. */
export type NearMiss = z.infer<typeof NearMiss>

/** The additional fields of a `verificationFailed` error. */
export const VerificationFailureFields = z.object({
  expected: Expected,
  actual: z.int(),
  nearMisses: described(z.array(NearMiss), 'The requests with the fewest differences, at most five.'),
})
