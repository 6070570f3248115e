import * as z from 'zod/mini'
import { described, intFrom } from './zod-helpers.ts'
import { Timestamp } from './field.ts'

/** The default step of a stepping clock, in milliseconds. */
export const defaultStep = 1000

/** The default start of a frozen or stepping clock. Seeded records are older, also with a real clock. */
export const defaultStart = '2025-01-01T00:00:00.000Z'

/** The range of times with a four-digit year in ISO 8601, in milliseconds since 1970. */
export const minTime = Date.parse('0000-01-01T00:00:00.000Z')
export const maxTime = Date.parse('9999-12-31T23:59:59.999Z')

const RealClock = z.object({
  mode: described(z.literal('real'), 'A clock that runs like that of the machine.'),
  offset: described(
    z.optional(intFrom(minTime, maxTime)),
    'How far it is ahead of the machine, in milliseconds. Default 0.',
  ),
})

const FrozenClock = z.object({
  mode: described(z.literal('frozen'), 'A clock that stands still.'),
  now: described(z.optional(Timestamp), 'Its time. Default: the current time of the clock it replaces, or 2025-01-01.'),
})

const SteppingClock = z.object({
  mode: described(z.literal('stepping'), 'A clock that advances with each change.'),
  now: described(z.optional(Timestamp), 'Its time. Default: the current time of the clock it replaces, or 2025-01-01.'),
  step: described(z.optional(intFrom(0)), 'How far it advances, in milliseconds. Default 1000.'),
})

// `otherwise` is the message for a value that is not an object.
export const buildClockSchema = (
  otherwise = `must be an object such as { "mode": "frozen", "now": "${defaultStart}" }`,
) =>
  z.discriminatedUnion('mode', [RealClock, FrozenClock, SteppingClock], {
    error: ({ code }) => (code === 'invalid_union' ? "must be 'real', 'frozen' or 'stepping'" : otherwise),
  })

export const ClockDocument = buildClockSchema()
/** A clock in a document. */
export type ClockDocument = z.infer<typeof ClockDocument>

export const ClockStatus = z.object({
  mode: described(
    z.enum(['real', 'frozen', 'stepping']),
    'Whether the clock runs, stands still, or advances with each change.',
  ),
  now: described(z.string(), 'The current time.'),
  step: described(z.optional(z.int()), 'How far a stepping clock advances, in milliseconds.'),
})
/** A clock with its current time. */
export type ClockStatus = z.infer<typeof ClockStatus>
