import * as z from 'zod'
import { earliest, latest } from './clock.ts'
import { Timestamp } from './field.ts'

/** What an attempt to pay comes to. A failed one leaves the link active. */
const Outcome = z.enum(['succeeded', 'failed'])
type Outcome = 'succeeded' | 'failed'

/** When a planned payment comes true: with the n-th retrieve from now, or when the clock of the project gets there. */
const Reads = z.object({ reads: z.int().min(1).max(1e9) })
const At = z.object({ at: Timestamp })
const In = z.object({
  in: z
    .int()
    .min(0)
    .max(latest - earliest),
})

/** A planned payment, with the reads that are left or the instant. */
export const ScheduledPayment = z.object({ paymentLink: z.string(), outcome: Outcome, when: z.union([Reads, At]) })
export interface ScheduledPayment {
  readonly paymentLink: string
  readonly outcome: Outcome
  readonly when: { readonly reads: number } | { readonly at: string }
}

/** How a link is paid: at once, or as planned. `in` is milliseconds from now, by the clock of the project. */
export const Payment = z.object({
  outcome: Outcome.optional(),
  when: z.union([Reads, At, In], 'must be { "reads": 3 }, { "at": "<time>" } or { "in": <milliseconds> }').optional(),
})
export interface Payment {
  /** @default 'succeeded' */
  readonly outcome?: Outcome | undefined
  /** @default at once */
  readonly when?: ScheduledPayment['when'] | { readonly in: number } | undefined
}
