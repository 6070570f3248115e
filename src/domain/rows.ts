import { type Problem, MockError } from '../schema/error.ts'
import {
  impossibleTimes,
  type PaymentLinkPatch,
  type PaymentLinkRow,
  type PaymentLinkSeed,
} from '../schema/payment-link.ts'
import { problemsText } from '../schema/problem.ts'
import type { User, UserPatch, UserSeed } from '../schema/user.ts'
import { fillPaymentLink, fillUser, withoutNulls } from './fill.ts'
import { closingTime, removeScheduledPayments, paymentLinkOf } from './payment-links.ts'
import { userOf } from './users.ts'
import type { Transaction } from './transaction.ts'

/** Adds a user as a test wants it, read-only fields included. */
export const insertUser = (work: Transaction, seed: UserSeed): User => {
  if (seed.id !== undefined) rejectTaken(work, 'user', seed.id)
  const { preferredLocale } = work.state
  const user = fillUser(seed, { id: seed.id ?? work.newId('usr'), createdAt: work.now, preferredLocale })
  return work.putUser(user)
}

/** Sets what is passed, read-only fields included. Metadata is replaced as a whole. */
export const patchUser = (work: Transaction, id: string, patch: UserPatch): User => {
  const user = userOf(work, id)
  const metadata = withoutNulls(patch.metadata ?? user.metadata)
  const next: User = { ...user, ...withoutUndefined(patch), metadata }
  return work.putUser(next)
}

/** Adds a payment link as a test wants it, read-only fields included. */
export const insertPaymentLink = (work: Transaction, seed: PaymentLinkSeed): PaymentLinkRow => {
  if (seed.id !== undefined) rejectTaken(work, 'payment link', seed.id)
  const link = fillPaymentLink(seed, { id: seed.id ?? work.newId('pml'), createdAt: work.now })
  return work.putPaymentLink(link)
}

/** Sets what is passed. The times of a status that is set follow it, unless they are passed as well. */
export const patchPaymentLink = (work: Transaction, id: string, patch: PaymentLinkPatch): PaymentLinkRow => {
  const link = paymentLinkOf(work, id)
  const moved = patch.status !== undefined && patch.status !== link.status
  const closedAt = closingTime({ createdAt: patch.createdAt ?? link.createdAt }, work.now)
  const times = moved
    ? {
        canceledAt: patch.status === 'canceled' ? closedAt : null,
        completedAt: patch.status === 'completed' ? closedAt : null,
      }
    : {}
  const redirectUrl = patch.partner?.redirectUrl
  const partner = redirectUrl === undefined ? link.partner : { redirectUrl }
  const next: PaymentLinkRow = { ...link, ...times, ...withoutUndefined(patch), partner, type: 'partner' }
  rejectImpossible(id, next)
  return put(work, next)
}

/** Adds the user, or puts it in the place of the one that has its id: what it leaves out is filled in anew. */
export const overwriteUser = (work: Transaction, seed: UserSeed): User => {
  const old = seed.id === undefined ? undefined : work.state.users.get(seed.id)
  if (old === undefined) return insertUser(work, seed)
  const { preferredLocale } = work.state
  const user = fillUser(seed, { id: old.id, createdAt: old.createdAt, preferredLocale })
  return work.putUser(user)
}

/** Adds the payment link, or puts it in the place of the one that has its id. */
export const overwritePaymentLink = (work: Transaction, seed: PaymentLinkSeed): PaymentLinkRow => {
  const old = seed.id === undefined ? undefined : work.state.paymentLinks.get(seed.id)
  if (old === undefined) return insertPaymentLink(work, seed)
  return put(work, fillPaymentLink(seed, { id: old.id, createdAt: old.createdAt }))
}

/** Puts a link in the place of the one that has its id. Nothing can come of a plan for one that is not active. */
const put = (work: Transaction, link: PaymentLinkRow): PaymentLinkRow => {
  if (link.status !== 'active') removeScheduledPayments(work, link.id)
  return work.putPaymentLink(link)
}

const rejectTaken = (work: Transaction, kind: 'user' | 'payment link', id: string) => {
  const rows = kind === 'user' ? work.state.users : work.state.paymentLinks
  if (rows.get(id) === undefined) return
  const message = `The id '${id}' is that of another ${kind} of project '${work.project}'.`
  throw new MockError('idTaken', message, { hint: 'Leave the id out, or change the row with PATCH.' })
}

const rejectImpossible = (id: string, link: PaymentLinkRow) => {
  const details: Problem[] = [
    ...impossibleTimes(link).map(({ path, message }) => ({ path, message: `${path} ${message}` })),
    ...(link.status === 'canceled' && link.canceledAt === null ? [missing('canceledAt', 'canceled')] : []),
    ...(link.status === 'completed' && link.completedAt === null ? [missing('completedAt', 'completed')] : []),
  ]
  if (details.length > 0) throw new MockError('invalidBody', problemsText(`Payment link '${id}'`, details), { details })
}

const missing = (path: string, status: string): Problem => ({
  path,
  message: `${path} must be a time while the status is '${status}' (got null).`,
})

const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
