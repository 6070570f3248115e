import * as z from 'zod'
import { Timestamp } from './field.ts'

/** Milliseconds that a stepping clock moves with each write, unless it says otherwise. */
export const defaultStep = 1000

/** Where a frozen or stepping clock starts, and what seeded rows come before when the clock is real. */
export const defaultStart = '2025-01-01T00:00:00.000Z'

/** The times that ISO 8601 writes with four digits for the year, in milliseconds since 1970. */
export const earliest = Date.parse('0000-01-01T00:00:00.000Z')
export const latest = Date.parse('9999-12-31T23:59:59.999Z')

const Real = z.object({ mode: z.literal('real'), offset: z.int().min(earliest).max(latest).optional() })
const Frozen = z.object({ mode: z.literal('frozen'), now: Timestamp.optional() })
const Stepping = z.object({
  mode: z.literal('stepping'),
  now: Timestamp.optional(),
  step: z.int().min(0).optional(),
})

/** A clock in a document, with an error for other values. */
export const clockDocument = (otherwise?: string) =>
  z.discriminatedUnion('mode', [Real, Frozen, Stepping], {
    error: ({ code }) => (code === 'invalid_union' ? "must be 'real', 'frozen' or 'stepping'" : otherwise),
  })

/** A clock as documents write it. `offset` and `step` are milliseconds. */
export const ClockDocument = clockDocument()
export type ClockDocument =
  | { readonly mode: 'real'; readonly offset?: number | undefined }
  | { readonly mode: 'frozen'; readonly now?: string | undefined }
  | { readonly mode: 'stepping'; readonly now?: string | undefined; readonly step?: number | undefined }

/** A clock with its current time. */
export const ClockReading = z.object({
  mode: z.enum(['real', 'frozen', 'stepping']),
  now: z.string(),
  step: z.int().optional(),
})
export interface ClockReading {
  readonly mode: 'real' | 'frozen' | 'stepping'
  readonly now: string
  readonly step?: number | undefined
}

/** How far a clock is moved. */
export const Advance = z.object({
  milliseconds: z
    .int()
    .min(0)
    .max(latest - earliest),
})
