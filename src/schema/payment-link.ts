import * as z from 'zod'
import { type Behaviors, defaultBehaviors } from './behavior.ts'
import { described, documentation } from './documentation.ts'
import type { Problem } from './error.ts'
import { quote } from './problem.ts'
import { crossFieldCheck } from './cross-field-check.ts'
import type { Optional } from './is-record.ts'
import { RedirectUrl, resourceId, Timestamp } from './field.ts'

export const PaymentLinkStatus = z.enum(['active', 'canceled', 'completed'])
export type PaymentLinkStatus = 'active' | 'canceled' | 'completed'

/** The identifier of an invoice. Assumed: any text but the empty one; `invoiceIds` may ask for more. */
export const InvoiceId = z
  .string()
  // Not `min(1)`: an empty array is too short as well, and would be reported twice.
  .refine((text) => text !== '', 'must not be empty')
  .register(documentation, { minLength: 1 })

/** Spec §2.5: who pays. Never echoed to a client; the payment page shows it. */
export const Payer = z.object({
  fullName: z.string().optional(),
  email: z.string().optional(),
  taxNumber: z.string().optional(),
})
export interface Payer {
  readonly fullName?: string | undefined
  readonly email?: string | undefined
  readonly taxNumber?: string | undefined
}

/**
 * A payment link as documents and the control API write it: spec §2.3 with the payer, and without `paymentUrl`,
 * which is made when a row is rendered. `partner` is the word here, whatever the word on the wire.
 */
export const StoredPaymentLink = z.object({
  object: z.literal('paymentLink'),
  id: described(resourceId('pml'), 'Names the payment link (§2.1).'),
  canceledAt: described(Timestamp.nullable(), 'When it was canceled, in UTC. Null: it was not.'),
  completedAt: described(Timestamp.nullable(), 'When it was used for a payment, in UTC. Null: it was not.'),
  createdAt: described(Timestamp, 'When the link came to be, in UTC.'),
  partner: z.object({
    redirectUrl: described(RedirectUrl.nullable(), 'Where the user goes after a try to pay. Null: nowhere.'),
  }),
  invoice: described(InvoiceId, 'The invoice that is paid through the link.'),
  status: described(PaymentLinkStatus, 'What can still become of the link (§3).'),
  type: z.literal('partner'),
  payer: Payer,
})
export interface StoredPaymentLink {
  readonly object: 'paymentLink'
  readonly id: string
  readonly canceledAt: string | null
  readonly completedAt: string | null
  readonly createdAt: string
  readonly partner: { readonly redirectUrl: string | null }
  readonly invoice: string
  readonly status: PaymentLinkStatus
  readonly type: 'partner'
  readonly payer: Payer
}

/** A payment link in the control API, with its payment URL. */
export const PaymentLinkView = StoredPaymentLink.extend({ paymentUrl: z.string() })
export interface PaymentLinkView extends StoredPaymentLink {
  readonly paymentUrl: string
}

const writable = StoredPaymentLink.extend({
  partner: z.object({ redirectUrl: RedirectUrl.nullable().optional() }).nullable(),
}).partial()
type Writable = Optional<Omit<StoredPaymentLink, 'partner'>> & {
  readonly partner?: { readonly redirectUrl?: string | null | undefined } | null | undefined
}

interface Times {
  readonly status?: PaymentLinkStatus | undefined
  readonly createdAt?: string | undefined
  readonly canceledAt?: string | null | undefined
  readonly completedAt?: string | null | undefined
}

/** The times that spec §3 does not allow: those of another state, or before the creation. */
export const impossibleTimes = (times: Times): Problem[] => [
  ...timeProblems(times, 'canceled', 'canceledAt'),
  ...timeProblems(times, 'completed', 'completedAt'),
]

const timeProblems = (times: Times, status: PaymentLinkStatus, path: 'canceledAt' | 'completedAt'): Problem[] => {
  const { createdAt, [path]: time } = times
  const problem = (expectation: string) => [{ path, message: `${expectation} (got ${quote(time)}).` }]
  if (!time) return []
  if (times.status !== status) return problem(`must be null while the status is not '${status}'`)
  return isBefore(time, createdAt) ? problem(`must not be before createdAt, ${quote(createdAt)}`) : []
}

// Any values: those that are not times have errors of their own.
const isBefore = (time: unknown, other: unknown): boolean =>
  typeof time === 'string' && typeof other === 'string' && Date.parse(time) < Date.parse(other)

/** A payment link in a seed: `invoice`, and whatever else shall be pinned. */
export const PaymentLinkSeed = writable.required({ invoice: true }).check(crossFieldCheck(impossibleTimes))
export type PaymentLinkSeed = Writable & Pick<StoredPaymentLink, 'invoice'>

/** Any field of a link, also the read-only ones: how a test edits a row. */
export const PaymentLinkPatch = writable.omit({ object: true, id: true })
export type PaymentLinkPatch = Omit<Writable, 'object' | 'id'>

/** A valid create body, as the domain takes it. */
export interface PaymentLinkCreate {
  readonly invoice: string
  readonly redirectUrl: string | null
  readonly payer: Payer
}

/** The fields of a payment link, which no provider can have as its name. */
const taken = new Set([...Object.keys(PaymentLinkView.shape), 'user', 'redirectUrl'])
taken.delete('partner')

/** The wire word for the one provider: the value of `type` and the name of the object field. */
export const Provider = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, - and _, such as partner')
  .refine((name) => !taken.has(name), 'must not be the name of another field')

/** Spec §2.3, as a client sees it. */
export const wirePaymentLinkOf = (provider: string) => {
  const { object, id, canceledAt, completedAt, createdAt, partner, invoice, status } = StoredPaymentLink.shape
  return z.object({
    object,
    id,
    canceledAt,
    completedAt,
    createdAt,
    [provider]: described(partner.nullable(), 'What the provider was told. Null: the link is of another type.'),
    invoice,
    paymentUrl: described(z.string(), 'Where the payment page is shown.'),
    status,
    type: z.literal(provider),
  })
}

/**
 * Spec §4.2, create body: what a client sends under the provider's word, as the domain takes it. For documents, with
 * what the behaviors require; the domain checks that for each project.
 */
export const paymentLinkCreateOf = (
  provider: string,
  { payerFields, invoiceIds }: Pick<Behaviors, 'payerFields' | 'invoiceIds'> = defaultBehaviors,
) => {
  const invoice = invoiceIds === 'prefix' ? InvoiceId.regex(/^inv_/) : InvoiceId
  const partner = z.object({
    user: described(
      payerFields === 'required' ? Payer.required() : Payer,
      'Who pays (§2.5). Shown on the payment page, and never answered.',
    ),
    redirectUrl: described(RedirectUrl.optional(), 'Where the user goes after a try to pay.'),
  })
  // The provider's word is known at run time only, so that its field has no type of its own.
  const shape: Record<string, z.ZodType> = {
    invoice: described(invoice, 'The invoice to pay through the link.'),
    type: z.literal(provider),
    [provider]: described(partner, 'Null is refused, since no other type does without it (§4.2).'),
  }
  return z.object(shape).transform((body): PaymentLinkCreate => {
    const { invoice, [provider]: given } = body as { invoice: string; [word: string]: unknown }
    const { user, redirectUrl } = given as z.infer<typeof partner>
    return { invoice, redirectUrl: redirectUrl ?? null, payer: user }
  })
}
