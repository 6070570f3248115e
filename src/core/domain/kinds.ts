import {
  type PaymentLinkPatch,
  type PaymentLinkSeed,
  StoredPaymentLink,
  closingTimes,
  findImpossibleTimes,
} from '../schema/payment-link.ts'
import type { Generate } from '../schema/seed.ts'
import { User, type UserPatch, type UserSeed } from '../schema/user.ts'
import { Collection } from './collection.ts'
import { generateUsers, generatePaymentLinks } from './generate.ts'
import type { Metadata } from '../schema/field.ts'
import { omitUndefined, omitValue } from '../schema/json-value.ts'
import { errors } from '../schema/error.ts'

export interface RecordTypes {
  readonly users: { value: User; seed: UserSeed; patch: UserPatch; prefix: 'usr'; group: 'email' }
  readonly paymentLinks: {
    value: StoredPaymentLink
    seed: PaymentLinkSeed
    patch: PaymentLinkPatch
    prefix: 'pml'
    group: 'status' | 'invoice'
  }
}

export type RecordKind = keyof RecordTypes
export type RecordValue<K extends RecordKind = RecordKind> = RecordTypes[K]['value']
export type RecordSeed<K extends RecordKind = RecordKind> = RecordTypes[K]['seed']
export type Prefix = RecordTypes[RecordKind]['prefix']

interface RecordDefaults {
  readonly id: string
  readonly createdAt: string
  readonly preferredLocale: string
}

export interface ViewSettings {
  readonly provider: string
  readonly timestampPrecision: 'milliseconds' | 'seconds'
  /** The address of the project's payment pages. It is not stored, so that a restored state works on another port. */
  readonly payUrl: string
}

export type KindCollection<K extends RecordKind> = Collection<RecordValue<K>, RecordTypes[K]['group']>
export type Collections = { [K in RecordKind]: KindCollection<K> }

export interface Kind<K extends RecordKind> {
  /** The name in paths and documents. */
  readonly path: K
  /** The start of its ids. Spec §2.1. */
  readonly prefix: RecordTypes[K]['prefix']
  readonly object: RecordValue<K>['object']
  /** The name in messages. */
  readonly text: string
  readonly schema: { readonly parse: (value: unknown) => RecordValue<K> }
  readonly groups: Record<RecordTypes[K]['group'], (record: RecordValue<K>) => string>
  readonly empty: KindCollection<K>
  /** The same `draws` generate the same seeds. */
  readonly generate: (counts: Generate, draws: string) => RecordSeed<K>[]
  readonly defaults: (seed: RecordSeed<K>, defaults: RecordDefaults) => RecordValue<K>
  /** Sets the given fields, including read-only ones. Throws if the result is impossible. */
  readonly update: (record: RecordValue<K>, patch: RecordTypes[K]['patch'], now: string) => RecordValue<K>
  readonly view: (record: RecordValue<K>, settings: ViewSettings) => object
  /** Whether storing the record cancels its scheduled payments. @default false */
  readonly cancelsPayments?: (record: RecordValue<K>) => boolean
}

const defineKind = <K extends RecordKind>(kind: Omit<Kind<K>, 'empty'>): Kind<K> => ({
  ...kind,
  empty: Collection.create(kind.groups),
})

const formatTime = <T extends string | null>(time: T, { timestampPrecision }: ViewSettings) =>
  time === null || timestampPrecision === 'milliseconds' ? time : time.replace(/\.\d+Z$/, 'Z')

/** Spec §2.2. */
const userKind = defineKind({
  path: 'users',
  prefix: 'usr',
  object: 'user',
  text: 'user',
  schema: User,
  groups: { email: ({ email }) => foldEmail(email) },
  generate: ({ users = 0 }, draws) => generateUsers(users, draws),
  // Field by field, so that all users have one shape: spreading would cost several times as much.
  defaults: (seed, { id, createdAt, preferredLocale }) => ({
    object: 'user',
    id: seed.id ?? id,
    metadata: omitNulls(seed.metadata ?? noMetadata),
    birthday: seed.birthday ?? null,
    createdAt: seed.createdAt ?? createdAt,
    email: seed.email,
    emailVerified: seed.emailVerified ?? true,
    fullName: seed.fullName ?? null,
    preferredLocale: seed.preferredLocale ?? preferredLocale,
  }),
  // Metadata is replaced as a whole.
  update: (user, patch) => ({ ...user, ...omitUndefined(patch), metadata: omitNulls(patch.metadata ?? user.metadata) }),
  view: (user, settings) => {
    const createdAt = formatTime(user.createdAt, settings)
    return createdAt === user.createdAt ? user : { ...user, createdAt }
  },
})

// Shared: an object for each of many generated users would need 56 bytes.
const noMetadata: Metadata = {}

export const foldEmail = (email: string): string => email.toLowerCase()

/** Removes null values. Assumed: null in metadata means no value, so it is never stored. */
export const omitNulls = (metadata: Metadata): Metadata => omitValue(metadata, null)

/** The links of an invoice are grouped by status, so that a list filtered by both costs only its records. */
export const groupByInvoice = ({ invoice, status }: Pick<StoredPaymentLink, 'invoice' | 'status'>): string =>
  `${status} ${invoice}`

/** Spec §2.3. */
const paymentLinkKind = defineKind({
  path: 'paymentLinks',
  prefix: 'pml',
  object: 'paymentLink',
  text: 'payment link',
  schema: StoredPaymentLink,
  groups: { status: ({ status }) => status, invoice: groupByInvoice },
  generate: ({ paymentLinks = {} }, draws) => generatePaymentLinks(paymentLinks, draws),
  // Assumed: a canceled or completed link was closed when it was created. A link that was closed before its default creation
  // time was created when it was closed.
  defaults: (seed, { id, ...linkDefaults }) => {
    const closedAt = seed.canceledAt ?? seed.completedAt ?? linkDefaults.createdAt
    const createdAt = seed.createdAt ?? (closedAt < linkDefaults.createdAt ? closedAt : linkDefaults.createdAt)
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
    const { status = link.status, createdAt = link.createdAt } = patch
    const getTimeIf = (closedStatus: typeof status) =>
      status === closedStatus ? getClosingTime({ createdAt }, now) : null
    const newTimes = { canceledAt: getTimeIf('canceled'), completedAt: getTimeIf('completed') }
    const times = status === link.status ? {} : newTimes
    const redirectUrl = patch.partner?.redirectUrl
    const partner = redirectUrl === undefined ? link.partner : { redirectUrl }
    const patchedLink: StoredPaymentLink = { ...link, ...times, ...omitUndefined(patch), partner, type: 'partner' }
    rejectImpossibleTimes(patchedLink)
    return patchedLink
  },
  // Without the payer, and with the name of the provider.
  view: (link, settings) => ({
    object: link.object,
    id: link.id,
    canceledAt: formatTime(link.canceledAt, settings),
    completedAt: formatTime(link.completedAt, settings),
    createdAt: formatTime(link.createdAt, settings),
    [settings.provider]: resolvePartner(settings.payUrl, link),
    invoice: link.invoice,
    paymentUrl: formatPaymentUrl(settings.payUrl, link),
    status: link.status,
    type: settings.provider,
  }),
  cancelsPayments: ({ status }) => status !== 'active',
})

export const formatPaymentUrl = (payUrl: string, { id }: Pick<StoredPaymentLink, 'id'>): string =>
  `${payUrl}/${encodeURIComponent(id)}`

/** Resolves a redirect path against the origin of the payment page. */
export const resolvePartner = (
  payUrl: string,
  { partner }: Pick<StoredPaymentLink, 'partner'>,
): StoredPaymentLink['partner'] =>
  partner.redirectUrl?.startsWith('/') ? { redirectUrl: new URL(payUrl).origin + partner.redirectUrl } : partner

/** Assumed: a link is not closed before it is created, even if the clock was set back. */
export const getClosingTime = ({ createdAt }: Pick<StoredPaymentLink, 'createdAt'>, at: string): string =>
  at < createdAt ? createdAt : at

const rejectImpossibleTimes = (link: StoredPaymentLink) => {
  const path = link.status === 'active' ? undefined : closingTimes[link.status]
  const problems = findImpossibleTimes(link).map((one) => ({ ...one, message: `${one.path} ${one.message}` }))
  if (path !== undefined && link[path] === null)
    problems.push({ path, message: `${path} must be a time while the status is '${link.status}' (got null).` })
  if (problems.length > 0) throw errors.invalidBody({ what: `Payment link '${link.id}'`, problems })
}

export const kinds: { readonly [K in RecordKind]: Kind<K> } = { users: userKind, paymentLinks: paymentLinkKind }

/** In the order of documents. */
export const recordKinds = Object.keys(kinds) as readonly RecordKind[]

export type RecordCounts = Record<RecordKind, number>

/** The caller names the result type, because the type of each value depends on its kind. */
export const mapKinds = <V extends Record<RecordKind, unknown>>(map: <K extends RecordKind>(kind: K) => unknown): V =>
  Object.fromEntries(recordKinds.map((kind) => [kind, map(kind)])) as V
