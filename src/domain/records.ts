import { type Problem, MockError } from '../schema/error.ts'
import {
  findImpossibleTimes,
  type PaymentLinkPatch,
  type StoredPaymentLink,
  type PaymentLinkSeed,
} from '../schema/payment-link.ts'
import { formatProblems } from '../schema/problem.ts'
import type { User, UserPatch, UserSeed } from '../schema/user.ts'
import { buildPaymentLink, buildUser, omitNulls } from './seeding.ts'
import { getClosingTime, removeScheduledPayments, requirePaymentLink } from './payment-links.ts'
import { requireUser } from './users.ts'
import type { RecordKind } from './projects.ts'
import type { Transaction } from './transaction.ts'
import { omitUndefined } from '../schema/is-record.ts'

/** Adds a user with any fields, including read-only ones. */
export const insertUser = (tx: Transaction, seed: UserSeed): User => {
  if (seed.id !== undefined) rejectTakenId(tx, 'users', seed.id)
  const { preferredLocale } = tx.state
  const user = buildUser(seed, { id: seed.id ?? tx.newId('usr'), createdAt: tx.now, preferredLocale })
  return tx.put('users', user)
}

/** Sets the given fields, including read-only ones. Metadata is replaced as a whole. */
export const patchUser = (tx: Transaction, id: string, patch: UserPatch): User => {
  const user = requireUser(tx, id)
  const metadata = omitNulls(patch.metadata ?? user.metadata)
  const next: User = { ...user, ...omitUndefined(patch), metadata }
  return tx.put('users', next)
}

/** Adds a payment link with any fields, including read-only ones. */
export const insertPaymentLink = (tx: Transaction, seed: PaymentLinkSeed): StoredPaymentLink => {
  if (seed.id !== undefined) rejectTakenId(tx, 'paymentLinks', seed.id)
  const link = buildPaymentLink(seed, { id: seed.id ?? tx.newId('pml'), createdAt: tx.now })
  return tx.put('paymentLinks', link)
}

/** Sets the given fields. A new status sets its times, unless they are given. */
export const patchPaymentLink = (tx: Transaction, id: string, patch: PaymentLinkPatch): StoredPaymentLink => {
  const link = requirePaymentLink(tx, id)
  const isStatusNew = patch.status !== undefined && patch.status !== link.status
  const closedAt = getClosingTime({ createdAt: patch.createdAt ?? link.createdAt }, tx.now)
  const times = isStatusNew
    ? {
        canceledAt: patch.status === 'canceled' ? closedAt : null,
        completedAt: patch.status === 'completed' ? closedAt : null,
      }
    : {}
  const redirectUrl = patch.partner?.redirectUrl
  const partner = redirectUrl === undefined ? link.partner : { redirectUrl }
  const next: StoredPaymentLink = { ...link, ...times, ...omitUndefined(patch), partner, type: 'partner' }
  rejectImpossible(id, next)
  return putPaymentLink(tx, next)
}

/** Adds the user, or replaces the one with its id. Missing fields get their defaults. */
export const overwriteUser = (tx: Transaction, seed: UserSeed): User => {
  const old = seed.id === undefined ? undefined : tx.state.users.get(seed.id)
  if (old === undefined) return insertUser(tx, seed)
  const { preferredLocale } = tx.state
  const user = buildUser(seed, { id: old.id, createdAt: old.createdAt, preferredLocale })
  return tx.put('users', user)
}

/** Adds the payment link, or replaces the one with its id. */
export const overwritePaymentLink = (tx: Transaction, seed: PaymentLinkSeed): StoredPaymentLink => {
  const old = seed.id === undefined ? undefined : tx.state.paymentLinks.get(seed.id)
  if (old === undefined) return insertPaymentLink(tx, seed)
  return putPaymentLink(tx, buildPaymentLink(seed, { id: old.id, createdAt: old.createdAt }))
}

/** Replaces a link. A link that is not active loses its scheduled payments. */
const putPaymentLink = (tx: Transaction, link: StoredPaymentLink): StoredPaymentLink => {
  if (link.status !== 'active') removeScheduledPayments(tx, link.id)
  return tx.put('paymentLinks', link)
}

const rejectTakenId = (tx: Transaction, kind: RecordKind, id: string) => {
  if (tx.state[kind].get(id) === undefined) return
  const text = kind === 'users' ? 'user' : 'payment link'
  const message = `The id '${id}' belongs to another ${text} of project '${tx.project}'.`
  throw new MockError('idTaken', message, { hint: 'Omit the id, or change the record with PATCH.' })
}

const rejectImpossible = (id: string, link: StoredPaymentLink) => {
  const details: Problem[] = [
    ...findImpossibleTimes(link).map(({ path, message }) => ({ path, message: `${path} ${message}` })),
    ...(link.status === 'canceled' && link.canceledAt === null
      ? [createMissingTimeProblem('canceledAt', 'canceled')]
      : []),
    ...(link.status === 'completed' && link.completedAt === null
      ? [createMissingTimeProblem('completedAt', 'completed')]
      : []),
  ]
  if (details.length > 0)
    throw new MockError('invalidBody', formatProblems(`Payment link '${id}'`, details), { details })
}

const createMissingTimeProblem = (path: string, status: string): Problem => ({
  path,
  message: `${path} must be a time while the status is '${status}' (got null).`,
})
