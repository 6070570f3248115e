import { z } from 'zod'
import type { Problem } from './error.ts'
import { quote } from './problem.ts'
import { rule } from './rule.ts'
import { RedirectUrl, resourceId, Timestamp } from './field.ts'

export const PaymentLinkStatus = z.enum(['active', 'canceled', 'completed'])
export type PaymentLinkStatus = z.infer<typeof PaymentLinkStatus>

/** Spec §2.5: who pays. Never echoed to a client; the payment page shows it. */
export const Payer = z.object({
  fullName: z.string().optional(),
  email: z.string().optional(),
  taxNumber: z.string().optional(),
})
export type Payer = Readonly<z.infer<typeof Payer>>

/**
 * A payment link as documents and the admin plane write it: spec §2.3 with the payer, and without `paymentUrl`,
 * which is made when a row is rendered. `partner` is the word here, whatever the word on the wire.
 */
export const PaymentLinkRow = z.object({
  object: z.literal('paymentLink'),
  id: resourceId('pml'),
  canceledAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  partner: z.object({ redirectUrl: RedirectUrl.nullable() }),
  invoice: z.string(),
  status: PaymentLinkStatus,
  type: z.literal('partner'),
  payer: Payer,
})
export type PaymentLinkRow = Readonly<z.infer<typeof PaymentLinkRow>>

/** What the admin plane answers: the row, and where it can be paid. */
export const PaymentLinkView = PaymentLinkRow.extend({ paymentUrl: z.string() })
export type PaymentLinkView = z.infer<typeof PaymentLinkView>

const writable = PaymentLinkRow.extend({
  partner: z.object({ redirectUrl: RedirectUrl.nullable().optional() }).nullable(),
}).partial()

interface Times {
  readonly status?: PaymentLinkStatus | undefined
  readonly canceledAt?: string | null | undefined
  readonly completedAt?: string | null | undefined
}

/** What the states of spec §3 do not allow of a link: a time that belongs to another state. */
export const impossibleTimes = ({ status = 'active', canceledAt, completedAt }: Times): Problem[] => [
  ...(canceledAt && status !== 'canceled' ? [misplaced('canceledAt', canceledAt, 'canceled')] : []),
  ...(completedAt && status !== 'completed' ? [misplaced('completedAt', completedAt, 'completed')] : []),
]

const misplaced = (path: string, time: unknown, right: PaymentLinkStatus): Problem => ({
  path,
  message: `must be null while the status is not '${right}' (got ${quote(time)}).`,
})

/** A payment link in a seed: `invoice`, and whatever else shall be pinned. */
export const PaymentLinkSeed = writable.required({ invoice: true }).check(rule(impossibleTimes))
export type PaymentLinkSeed = z.infer<typeof PaymentLinkSeed>

/** Any field of a link, also the read-only ones: how a test edits a row. */
export const PaymentLinkPatch = writable.omit({ object: true, id: true })
export type PaymentLinkPatch = z.infer<typeof PaymentLinkPatch>

/** A valid create body, as the domain takes it. */
export interface PaymentLinkCreate {
  readonly invoice: string
  readonly redirectUrl: string | null
  readonly payer: Payer
}

/** Words that are fields of a payment link already, so that no provider can be called so. */
const taken = new Set([...Object.keys(PaymentLinkView.shape), 'user', 'redirectUrl'])
taken.delete('partner')

/** The wire word for the one provider: the value of `type` and the name of the object field. */
export const Provider = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, - and _, such as partner')
  .refine((name) => !taken.has(name), 'must not be the name of another field')

/** Spec §2.3, as a client sees it. */
export const wirePaymentLinkOf = (provider: string) => {
  const { object, id, canceledAt, completedAt, createdAt, partner, invoice, status } = PaymentLinkRow.shape
  return z.object({
    object,
    id,
    canceledAt,
    completedAt,
    createdAt,
    [provider]: partner.nullable(),
    invoice,
    paymentUrl: z.string(),
    status,
    type: z.literal(provider),
  })
}

/** Spec §4.2, create body: what a client sends under the provider's word, as the domain takes it. */
export const paymentLinkCreateOf = (provider: string) => {
  const partner = z.object({
    user: Payer,
    redirectUrl: RedirectUrl.optional(),
  })
  // The provider's word is known at run time only, so that its field has no type of its own.
  const shape: Record<string, z.ZodType> = { invoice: z.string(), type: z.literal(provider), [provider]: partner }
  return z.object(shape).transform((body): PaymentLinkCreate => {
    const { invoice, [provider]: given } = body as { invoice: string; [word: string]: unknown }
    const { user, redirectUrl } = given as z.infer<typeof partner>
    return { invoice, redirectUrl: redirectUrl ?? null, payer: user }
  })
}
