import * as z from 'zod/mini'
import { intFrom, type SchemasOf } from './zod-helpers.ts'
import { Timestamp } from './field.ts'

/** The default step of a stepping clock, in milliseconds. */
export const defaultStep = 1000

/** The default start of a frozen or stepping clock. Seeded records are older, also with a real clock. */
export const defaultStart = '2025-01-01T00:00:00.000Z'

/** The range of times with a four-digit year in ISO 8601, in milliseconds since 1970. */
export const minTime = Date.parse('0000-01-01T00:00:00.000Z')
export const maxTime = Date.parse('9999-12-31T23:59:59.999Z')

/** A clock that runs like that of the machine. */
interface RealClock {
  /** A clock that runs like that of the machine. */
  mode: 'real'
  /** How far it is ahead of the machine, in milliseconds. Default 0. */
  offset?: number | undefined
}
const RealClock = z.object({
  mode: z.literal('real'),
  offset: z.optional(intFrom(minTime, maxTime)),
} satisfies SchemasOf<RealClock>)

/** A clock that stands still. */
interface FrozenClock {
  /** A clock that stands still. */
  mode: 'frozen'
  /** Its time. Default: the current time of the clock it replaces, or 2025-01-01. */
  now?: string | undefined
}
const FrozenClock = z.object({ mode: z.literal('frozen'), now: z.optional(Timestamp) } satisfies SchemasOf<FrozenClock>)

/** A clock that advances with each change. */
interface SteppingClock {
  /** A clock that advances with each change. */
  mode: 'stepping'
  /** Its time. Default: the current time of the clock it replaces, or 2025-01-01. */
  now?: string | undefined
  /** How far it advances, in milliseconds. Default 1000. */
  step?: number | undefined
}
const SteppingClock = z.object({
  mode: z.literal('stepping'),
  now: z.optional(Timestamp),
  step: z.optional(intFrom(0)),
} satisfies SchemasOf<SteppingClock>)

// `otherwise` is the message for a value that is not an object.
export const buildClockSchema = (
  otherwise = `must be an object such as { "mode": "frozen", "now": "${defaultStart}" }`,
) =>
  z.discriminatedUnion('mode', [RealClock, FrozenClock, SteppingClock], {
    error: ({ code }) => (code === 'invalid_union' ? "must be 'real', 'frozen' or 'stepping'" : otherwise),
  })

/** A clock in a document. */
export type ClockDocument = RealClock | FrozenClock | SteppingClock
export const ClockDocument = buildClockSchema() satisfies z.ZodMiniType<ClockDocument>

/** A clock with its current time. */
export interface ClockStatus {
  /** Whether the clock runs, stands still, or advances with each change. */
  mode: 'real' | 'frozen' | 'stepping'
  /** The current time. */
  now: string
  /** How far a stepping clock advances, in milliseconds. */
  step?: number | undefined
}
export const ClockStatus = z.object({
  mode: z.enum(['real', 'frozen', 'stepping']),
  now: z.string(),
  step: z.optional(z.int()),
} satisfies SchemasOf<ClockStatus>)
