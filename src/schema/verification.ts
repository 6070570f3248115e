import * as z from 'zod/mini'
import { described, documentation, crossFieldCheck, intFrom, problemAt, type SchemasOf } from './zod-helpers.ts'
import { Matcher } from './matcher.ts'

const Count = intFrom(0)

const isMore = (min: unknown, max: unknown) => typeof min === 'number' && typeof max === 'number' && min > max

/** The expected number of requests. */
export interface Times {
  /** Exactly so many. */
  exactly?: number | undefined
  /** At least so many. */
  atLeast?: number | undefined
  /** At most so many. */
  atMost?: number | undefined
}
export const Times = z
  .object({
    exactly: z.optional(Count),
    atLeast: z.optional(Count),
    atMost: z.optional(Count),
  } satisfies SchemasOf<Times>)
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
// A separate statement: in the definition, its type would refer to itself.
documentation.add(Times, { minProperties: 1 })

const NumberOrTimes = z.pipe(
  z.union([Count, Times], 'must be a number or an object such as { "exactly": 1 }'),
  z.transform((times): Times => (typeof times === 'number' ? { exactly: times } : times)),
)

/** An expectation: a number of matching requests, or a sequence of them. */
export interface Verification {
  /** The requests to count. */
  match?: Matcher | undefined
  /** The expected number of requests. Default: at least one. */
  times?: number | Times | undefined
  /** The expected order. Other requests may come between. */
  sequence?: Matcher[] | undefined
  /** How long to wait for the expected requests, in milliseconds: at most 600000. Default 0. */
  within?: number | undefined
}
export const Verification = z
  .object({
    match: z.optional(Matcher),
    times: described(z.optional(NumberOrTimes), 'The expected number of requests. Default: at least one.'),
    sequence: described(
      z.optional(z.array(Matcher).check(z.minLength(1), z.maxLength(1000))),
      'The expected order. Other requests may come between.',
    ),
    within: described(z.optional(intFrom(0, 600_000)), 'How long to wait for the expected requests, in milliseconds.'),
  })
  .check(
    crossFieldCheck<{ match?: unknown; times?: unknown; sequence?: unknown }>(({ match, times, sequence }) => [
      match === undefined && sequence === undefined && problemAt([], "must have 'match' or 'sequence'."),
      sequence !== undefined &&
        (match ?? times) !== undefined &&
        problemAt('sequence', 'cannot be combined with match or times.'),
    ]),
  ) satisfies z.ZodMiniType<unknown, Verification>

/** A parsed verification. */
export type ParsedVerification = z.output<typeof Verification>

/** What was expected: a number of requests, or the number of steps of a sequence. */
type Expected = ExactCount | CountRange | SequenceLength
/** An exact number of requests. */
interface ExactCount {
  /** Exactly so many. */
  exactly: number
}
/** A range for the number of requests. */
interface CountRange {
  /** At least so many. */
  atLeast?: number | undefined
  /** At most so many. */
  atMost?: number | undefined
}
/** The length of a sequence. */
interface SequenceLength {
  /** The number of steps. */
  sequence: number
}
const Expected = z.union([
  z.object({ exactly: z.int() } satisfies SchemasOf<ExactCount>),
  z.object({ atLeast: z.optional(z.int()), atMost: z.optional(z.int()) } satisfies SchemasOf<CountRange>),
  z.object({ sequence: z.int() } satisfies SchemasOf<SequenceLength>),
])

/** The result of a verification that succeeded. */
export interface VerificationSuccess {
  /** Always true: a verification that fails rejects. */
  ok: true
  /** What was expected. */
  expected: Expected
  /** The number of matching requests, or of the steps of a sequence that were found in order. */
  actual: number
}
export const VerificationSuccess = z.object({
  ok: z.literal(true),
  expected: Expected,
  actual: z.int(),
} satisfies SchemasOf<VerificationSuccess>)

/** A request that almost matched, and its differences. */
export interface NearMiss {
  /** The id of the request. */
  id: string
  /** The method. */
  method: string
  /** The path as it was sent. */
  path: string
  /** The status of the response. Null: no response was sent. */
  status: number | null
  /** What differs, as sentences. */
  differences: string[]
}
export const NearMiss = z.object({
  id: z.string(),
  method: z.string(),
  path: z.string(),
  status: described(z.nullable(z.int()), 'Null: no response was sent.'),
  differences: z.array(z.string()),
} satisfies SchemasOf<NearMiss>)

/** The additional fields of a `verificationFailed` error. */
export const VerificationFailureFields = z.object({
  expected: Expected,
  actual: z.int(),
  nearMisses: described(z.array(NearMiss), 'The requests with the fewest differences, at most five.'),
})
