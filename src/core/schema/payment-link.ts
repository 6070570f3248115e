import * as z from 'zod/mini'
import { type Behaviors, defaultBehaviors } from './behavior.ts'
import { described, documentation, crossFieldCheck, intFrom } from './zod-helpers.ts'
import { type Problem, quote } from './problem.ts'
import { RedirectUrl, resourceId, StoredRedirectUrl, Timestamp } from './field.ts'
import { minTime, maxTime } from './clock-document.ts'

export const PaymentLinkStatus = z.enum(['active', 'canceled', 'completed'])
/** The state of a payment link (§3). */
export type PaymentLinkStatus = z.infer<typeof PaymentLinkStatus>

/** The identifier of an invoice. Assumed: any non-empty text. `invoiceIds` can restrict it. */
export const InvoiceId = z
  .string()
  .check(
    // Not `min(1)`: an empty array is too short as well, and would be reported twice.
    z.refine((text) => text !== '', 'must not be empty'),
  )
  .register(documentation, { minLength: 1 })

export const Payer = z.object({
  fullName: described(z.optional(z.string()), 'The full name.'),
  email: described(z.optional(z.string()), 'The email address.'),
  taxNumber: described(z.optional(z.string()), 'The tax number.'),
})
/** The payer (§2.5). Clients never receive it, but the payment page shows it. */
export type Payer = z.infer<typeof Payer>

const buildPartnerSchema = (redirectUrl: typeof RedirectUrl) =>
  z.object({
    redirectUrl: described(z.nullable(redirectUrl), 'The URL for the user after a payment attempt. Null: no redirect.'),
  })

export const StoredPaymentLink = z.object({
  object: described(z.literal('paymentLink'), 'Always `paymentLink`.'),
  id: described(resourceId('pml'), 'The id of the payment link (§2.1).'),
  canceledAt: described(z.nullable(Timestamp), 'The time of cancellation, in UTC. Null: not canceled.'),
  completedAt: described(z.nullable(Timestamp), 'The time of the payment, in UTC. Null: not paid.'),
  createdAt: described(Timestamp, 'The creation time, in UTC.'),
  partner: described(buildPartnerSchema(StoredRedirectUrl), 'The details of the provider.'),
  invoice: described(InvoiceId, 'The invoice that the link is for.'),
  status: described(PaymentLinkStatus, 'The state of the link (§3).'),
  type: described(z.literal('partner'), 'Always `partner`, even if the provider has another name in the mocked API.'),
  payer: described(Payer, 'The payer, whom the mocked API never returns (§2.5).'),
})
/** Spec §2.3 with the payer, and without `paymentUrl`. The provider is always called `partner`. */
export type StoredPaymentLink = z.infer<typeof StoredPaymentLink>

export const PaymentLinkView = z.extend(StoredPaymentLink, {
  partner: described(buildPartnerSchema(RedirectUrl), 'The details of the provider.'),
  paymentUrl: described(z.string(), 'The URL of the payment page.'),
})
/** A payment link in the control API. A `redirectUrl` that is stored as a path has the origin of `paymentUrl`. */
export type PaymentLinkView = z.infer<typeof PaymentLinkView>

const writableLink = z.partial(
  z.extend(StoredPaymentLink, {
    partner: described(
      z.nullable(z.partial(StoredPaymentLink.shape.partner)),
      'The details of the provider. Null: none.',
    ),
  }),
)

type PaymentLinkTimes = Pick<PaymentLinkPatch, 'status' | 'createdAt' | 'canceledAt' | 'completedAt'>

type ClosingTimes = Readonly<Record<Exclude<PaymentLinkStatus, 'active'>, keyof StoredPaymentLink>>
/** The field with the time of each status that closes a link. */
export const closingTimes = { canceled: 'canceledAt', completed: 'completedAt' } as const satisfies ClosingTimes

/** Finds times that spec §3 does not allow: those of another status, or before the creation. */
export const findImpossibleTimes = ({ status, createdAt, ...times }: PaymentLinkTimes): Problem[] =>
  Object.entries(closingTimes).flatMap(([endStatus, path]) => {
    const time = times[path]
    const createProblem = (expectation: string) => ({ path, message: `${expectation} (got ${quote(time)}).` })
    if (!time) return []
    if (status !== endStatus) return createProblem(`must be null while the status is not '${endStatus}'`)
    return isBefore(time, createdAt) ? createProblem(`must not be before createdAt, ${quote(createdAt)}`) : []
  })

// Other values have errors of their own.
const isBefore = (time: unknown, createdAt: unknown): boolean =>
  typeof time === 'string' && typeof createdAt === 'string' && Date.parse(time) < Date.parse(createdAt)

export const PaymentLinkSeed = z
  .extend(writableLink, { invoice: StoredPaymentLink.shape.invoice })
  .check(crossFieldCheck(findImpossibleTimes))
/** A payment link in a seed. Only `invoice` is required. */
export type PaymentLinkSeed = z.infer<typeof PaymentLinkSeed>

export const PaymentLinkPatch = z.omit(writableLink, { object: true, id: true })
/** Changes of any fields of a link, including read-only ones. */
export type PaymentLinkPatch = z.infer<typeof PaymentLinkPatch>

/** A parsed create body. */
export interface PaymentLinkCreate {
  readonly invoice: string
  readonly redirectUrl: string | null
  readonly payer: Payer
}

/** A provider cannot have one of these names. */
const linkFieldNames = new Set([...Object.keys(PaymentLinkView.shape), 'user', 'redirectUrl'])
linkFieldNames.delete('partner')

/** The name of the provider in the mocked API: the value of `type`, and the name of the object field. */
export const Provider = z.string().check(
  z.regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a name of letters, digits, - and _, such as partner'),
  z.refine((name) => !linkFieldNames.has(name), 'must not be the name of another field'),
)

/** As clients receive it. Spec §2.3. */
export const buildPaymentLinkSchema = (provider: string) => {
  const { object, id, canceledAt, completedAt, createdAt, partner, invoice, status } = PaymentLinkView.shape
  return z.object({
    object,
    id,
    canceledAt,
    completedAt,
    createdAt,
    [provider]: described(z.nullable(partner), 'The details of the provider. Null: the link has another type.'),
    invoice,
    paymentUrl: described(z.string(), 'The URL of the payment page.'),
    status,
    type: z.literal(provider),
  })
}

/** Spec §4.2, create body. The behaviors only change the documentation: the domain checks them for each project. */
export const buildPaymentLinkCreateSchema = (
  provider: string,
  { payerFields, invoiceIds }: Pick<Behaviors, 'payerFields' | 'invoiceIds'> = defaultBehaviors,
) => {
  const invoice = invoiceIds === 'prefix' ? InvoiceId.check(z.regex(/^inv_/)) : InvoiceId
  const partner = z.object({
    user: described(
      payerFields === 'required' ? z.required(Payer) : Payer,
      'The payer (§2.5). Responses never contain it.',
    ),
    redirectUrl: described(z.optional(RedirectUrl), 'The URL for the user after a payment attempt.'),
  })
  // The name of the provider is known only at run time, so its field has no static type.
  const bodyShape: Record<string, z.ZodMiniType> = {
    invoice: described(invoice, 'The invoice that the link is for.'),
    type: z.literal(provider),
    [provider]: described(partner, 'Required. Null is rejected, because no other type exists (§4.2).'),
  }
  return z.pipe(
    z.object(bodyShape),
    z.transform((body): PaymentLinkCreate => {
      const { invoice, [provider]: providerDetails } = body as { invoice: string; [word: string]: unknown }
      const { user, redirectUrl } = providerDetails as z.infer<typeof partner>
      return { invoice, redirectUrl: redirectUrl ?? null, payer: user }
    }),
  )
}

export const PaymentOutcome = z.enum(['succeeded', 'failed'])
/** The outcome of a payment attempt. A failed attempt leaves the link active. */
export type PaymentOutcome = z.infer<typeof PaymentOutcome>

const AfterReads = z.object({
  reads: described(
    intFrom(1, 1e9),
    'The number of retrieves, counted from now. The payment runs with the last of them.',
  ),
})

const AtTime = z.object({ at: described(Timestamp, 'The instant, by the clock of the project.') })

const AfterDelay = z.object({
  in: described(intFrom(0, maxTime - minTime), 'The delay in milliseconds, by the clock of the project.'),
})

export const ScheduledPayment = z.object({
  paymentLink: described(z.string(), 'The id of the payment link.'),
  outcome: described(PaymentOutcome, 'The outcome of the payment attempt.'),
  when: described(
    z.union([AfterReads, AtTime], 'must be { "reads": 3 } or { "at": "<time>" }'),
    'The remaining reads, or the instant.',
  ),
})
/** A scheduled payment. */
export type ScheduledPayment = z.infer<typeof ScheduledPayment>

const PaymentTime = z.union(
  [AfterReads, AtTime, AfterDelay],
  'must be { "reads": 3 }, { "at": "<time>" } or { "in": <milliseconds> }',
)

export const Payment = z.object({
  outcome: described(z.optional(PaymentOutcome), 'The outcome of the payment attempt. Default: succeeded.'),
  when: described(z.optional(PaymentTime), 'When the payment runs. Default: now.'),
})
/** A payment now, or a scheduled one. */
export type Payment = z.infer<typeof Payment>
