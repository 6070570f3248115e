import type { Metadata } from '../schema/field.ts'
import type { StoredPaymentLink, PaymentLinkSeed } from '../schema/payment-link.ts'
import type { User, UserSeed } from '../schema/user.ts'

/** The default values of the fields that a seed leaves out. */
interface Defaults {
  readonly id: string
  readonly createdAt: string
}

// One for all who have none: rows are never edited.
const none: Metadata = {}

/** A user with everything filled in that was left out. */
export const userWithDefaults = (seed: UserSeed, defaults: Defaults & { readonly preferredLocale: string }): User => ({
  object: 'user',
  id: seed.id ?? defaults.id,
  metadata: withoutNulls(seed.metadata ?? none),
  birthday: seed.birthday ?? null,
  createdAt: seed.createdAt ?? defaults.createdAt,
  email: seed.email,
  emailVerified: seed.emailVerified ?? true,
  fullName: seed.fullName ?? null,
  preferredLocale: seed.preferredLocale ?? defaults.preferredLocale,
})

/**
 * A link with everything filled in. Assumed: a link seeded as canceled or completed was so from its creation on; and
 * one that was closed before the default of its creation was created when it was closed.
 */
export const paymentLinkWithDefaults = (seed: PaymentLinkSeed, defaults: Defaults): StoredPaymentLink => {
  const closedAt = seed.canceledAt ?? seed.completedAt ?? defaults.createdAt
  const createdAt = seed.createdAt ?? (closedAt < defaults.createdAt ? closedAt : defaults.createdAt)
  const status = seed.status ?? 'active'
  return {
    object: 'paymentLink',
    id: seed.id ?? defaults.id,
    canceledAt: status === 'canceled' ? (seed.canceledAt ?? createdAt) : null,
    completedAt: status === 'completed' ? (seed.completedAt ?? createdAt) : null,
    createdAt,
    partner: { redirectUrl: seed.partner?.redirectUrl ?? null },
    invoice: seed.invoice,
    status,
    type: 'partner',
    payer: seed.payer ?? {},
  }
}

/** Assumed: null as a value of metadata means no value, so it is never stored. */
export const withoutNulls = (metadata: Metadata): Metadata =>
  Object.values(metadata).includes(null)
    ? Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
    : metadata
