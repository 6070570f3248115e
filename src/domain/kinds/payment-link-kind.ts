import { errors } from '../../schema/error.ts'
import { omitUndefined } from '../../schema/is-record.ts'
import { findImpossibleTimes, StoredPaymentLink } from '../../schema/payment-link.ts'
import type { Problem } from '../../schema/problem.ts'
import { generatePaymentLinks } from '../generate.ts'
import { defineKind, formatTime } from './kind.ts'

/** The links of an invoice are grouped by status, so that a list filtered by both costs only its records. */
export const groupByInvoice = ({ invoice, status }: Pick<StoredPaymentLink, 'invoice' | 'status'>): string =>
  `${status} ${invoice}`

/** Spec §2.3. */
export const paymentLinkKind = defineKind({
  path: 'paymentLinks',
  prefix: 'pml',
  object: 'paymentLink',
  text: 'payment link',
  notFoundCode: 'paymentLinkNotFound',
  schema: StoredPaymentLink,
  groups: { status: ({ status }) => status, invoice: groupByInvoice },
  generate: ({ paymentLinks }, draws) => generatePaymentLinks(paymentLinks, draws),
  // Assumed: a canceled or completed link was closed when it was created. A link that was closed before its default creation
  // time was created when it was closed.
  defaults: (seed, { id, ...defaults }) => {
    const closedAt = seed.canceledAt ?? seed.completedAt ?? defaults.createdAt
    const createdAt = seed.createdAt ?? (closedAt < defaults.createdAt ? closedAt : defaults.createdAt)
    const status = seed.status ?? 'active'
    return {
      object: 'paymentLink',
      id: seed.id ?? id,
      canceledAt: status === 'canceled' ? (seed.canceledAt ?? createdAt) : null,
      completedAt: status === 'completed' ? (seed.completedAt ?? createdAt) : null,
      createdAt,
      partner: { redirectUrl: seed.partner?.redirectUrl ?? null },
      invoice: seed.invoice,
      status,
      type: 'partner',
      payer: seed.payer ?? {},
    }
  },
  // A new status sets its times, unless they are given.
  update: (link, patch, now) => {
    const isStatusNew = patch.status !== undefined && patch.status !== link.status
    const closedAt = getClosingTime({ createdAt: patch.createdAt ?? link.createdAt }, now)
    const times = isStatusNew
      ? {
          canceledAt: patch.status === 'canceled' ? closedAt : null,
          completedAt: patch.status === 'completed' ? closedAt : null,
        }
      : {}
    const redirectUrl = patch.partner?.redirectUrl
    const partner = redirectUrl === undefined ? link.partner : { redirectUrl }
    const next: StoredPaymentLink = { ...link, ...times, ...omitUndefined(patch), partner, type: 'partner' }
    rejectImpossible(next)
    return next
  },
  // Without the payer, and with the name of the provider.
  view: (link, settings) => ({
    object: link.object,
    id: link.id,
    canceledAt: formatTime(link.canceledAt, settings),
    completedAt: formatTime(link.completedAt, settings),
    createdAt: formatTime(link.createdAt, settings),
    [settings.provider]: link.partner,
    invoice: link.invoice,
    paymentUrl: formatPaymentUrl(settings.payUrl, link),
    status: link.status,
    type: settings.provider,
  }),
  cancelsPayments: ({ status }) => status !== 'active',
})

/** Formats the address of a link's payment page. `payUrl` is that of all payment pages of the project. */
export const formatPaymentUrl = (payUrl: string, { id }: Pick<StoredPaymentLink, 'id'>): string =>
  `${payUrl}/${encodeURIComponent(id)}`

/** Assumed: a link is not closed before it is created, even if the clock was set back. */
export const getClosingTime = ({ createdAt }: Pick<StoredPaymentLink, 'createdAt'>, at: string): string =>
  at < createdAt ? createdAt : at

const rejectImpossible = (link: StoredPaymentLink) => {
  const problems: Problem[] = [
    ...findImpossibleTimes(link).map(({ path, message }) => ({ path, message: `${path} ${message}` })),
    ...findMissingTime(link, 'canceled', 'canceledAt'),
    ...findMissingTime(link, 'completed', 'completedAt'),
  ]
  if (problems.length > 0) throw errors.invalidBody({ what: `Payment link '${link.id}'`, problems })
}

const findMissingTime = (
  link: StoredPaymentLink,
  status: StoredPaymentLink['status'],
  path: 'canceledAt' | 'completedAt',
): Problem[] =>
  link.status === status && link[path] === null
    ? [{ path, message: `${path} must be a time while the status is '${status}' (got null).` }]
    : []
