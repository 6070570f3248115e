import * as z from 'zod/mini'
import { intFrom } from './zod-helpers.ts'
import { Timestamp } from './field.ts'

/** The default step of a stepping clock, in milliseconds. */
export const defaultStep = 1000

/** The default start of a frozen or stepping clock. Seeded records are older, also with a real clock. */
export const defaultStart = '2025-01-01T00:00:00.000Z'

/** The range of times with a four-digit year in ISO 8601, in milliseconds since 1970. */
export const minTime = Date.parse('0000-01-01T00:00:00.000Z')
export const maxTime = Date.parse('9999-12-31T23:59:59.999Z')

const Real = z.object({ mode: z.literal('real'), offset: z.optional(intFrom(minTime, maxTime)) })
const Frozen = z.object({ mode: z.literal('frozen'), now: z.optional(Timestamp) })
const Stepping = z.object({ mode: z.literal('stepping'), now: z.optional(Timestamp), step: z.optional(intFrom(0)) })

/** Builds the schema of a clock in a document. `otherwise` is the message for a value that is not an object. */
export const buildClockSchema = (otherwise?: string) =>
  z.discriminatedUnion('mode', [Real, Frozen, Stepping], {
    error: ({ code }) => (code === 'invalid_union' ? "must be 'real', 'frozen' or 'stepping'" : otherwise),
  })

/** A clock in a document. `offset` and `step` are milliseconds. */
export const ClockDocument = buildClockSchema()
export type ClockDocument = z.infer<typeof ClockDocument>

/** A clock with its current time. */
export const ClockStatus = z.object({
  mode: z.enum(['real', 'frozen', 'stepping']),
  now: z.string(),
  step: z.optional(z.int()),
})
export type ClockStatus = z.infer<typeof ClockStatus>

/** The body that advances a clock. */
export const Advance = z.object({ milliseconds: intFrom(0, maxTime - minTime) })
