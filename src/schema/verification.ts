import * as z from 'zod'
import { described } from './documentation.ts'
import { Matcher } from './matcher.ts'
import { rule } from './rule.ts'

const Count = z.int().min(0).optional()

/** How often: any of these. None means at least once. */
export const Times = z
  .object({ exactly: Count, atLeast: Count, atMost: Count })
  .check(
    rule<Times>((times) => [
      ...(Object.values(times).every((count) => count === undefined)
        ? [{ path: [], message: "must have 'exactly', 'atLeast' or 'atMost'." }]
        : []),
      ...((times.atLeast ?? 0) > (times.atMost ?? Infinity)
        ? [{ path: 'atLeast', message: 'must not be more than atMost.' }]
        : []),
      ...(times.exactly !== undefined && (times.atLeast ?? times.atMost) !== undefined
        ? [{ path: 'exactly', message: 'says all: leave atLeast and atMost out.' }]
        : []),
    ]),
  )
export interface Times {
  readonly exactly?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
}

const Within = described(
  z.int().min(0).max(600_000).optional(),
  'How many milliseconds to wait, at most, until it is so.',
)

/** What must have been called: so many requests that match, or some in this order. */
export const Verification = z
  .object({
    match: Matcher.optional(),
    times: Times.optional(),
    sequence: described(z.array(Matcher).min(1).max(1000).optional(), 'In this order; others may stand between.'),
    within: Within,
  })
  .check(
    rule<{ match?: unknown; times?: unknown; sequence?: unknown }>(({ match, times, sequence }) => [
      ...(match === undefined && sequence === undefined
        ? [{ path: [], message: "must have 'match' or 'sequence'." }]
        : []),
      ...(sequence !== undefined && (match ?? times) !== undefined
        ? [{ path: 'sequence', message: 'stands alone: leave match and times out.' }]
        : []),
    ]),
  )
export interface Verification {
  readonly match?: Matcher | undefined
  readonly times?: Times | undefined
  readonly sequence?: readonly Matcher[] | undefined
  readonly within?: number | undefined
}

const Expected = z.union([
  z.object({ exactly: z.int() }),
  z.object({ atLeast: z.int().optional(), atMost: z.int().optional() }),
  z.object({ sequence: z.int() }),
])

/** What was found. Of a sequence, `actual` is how many of its steps were, in order. */
export const Verified = z.object({ ok: z.literal(true), expected: Expected, actual: z.int() })
export type Verified = z.infer<typeof Verified>

/** A request that almost matched, and in what it differs. */
export interface NearMiss {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly differences: readonly string[]
}
