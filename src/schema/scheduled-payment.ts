import * as z from 'zod/mini'
import { minTime, maxTime } from './clock-document.ts'
import { Timestamp } from './field.ts'

/** The outcome of a payment attempt. A failed attempt leaves the link active. */
export const PaymentOutcome = z.enum(['succeeded', 'failed'])
export type PaymentOutcome = z.infer<typeof PaymentOutcome>

/** When a scheduled payment runs: with the n-th retrieve from now, or at an instant of the project's clock. */
const Reads = z.object({ reads: z.int().check(z.minimum(1), z.maximum(1e9)) })
const At = z.object({ at: Timestamp })
const In = z.object({
  in: z.int().check(z.minimum(0), z.maximum(maxTime - minTime)),
})

/** A scheduled payment, with the remaining reads or the instant. */
export const ScheduledPayment = z.object({
  paymentLink: z.string(),
  outcome: PaymentOutcome,
  when: z.union([Reads, At]),
})
export type ScheduledPayment = z.infer<typeof ScheduledPayment>

/** A payment now, or a scheduled one. `in` is milliseconds from now, by the clock of the project. */
export const Payment = z.object({
  outcome: z.optional(PaymentOutcome),
  when: z.optional(z.union([Reads, At, In], 'must be { "reads": 3 }, { "at": "<time>" } or { "in": <milliseconds> }')),
})
export type Payment = z.infer<typeof Payment>
