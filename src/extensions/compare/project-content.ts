// The known content of a project. It never changes: each fact makes a new one, so that the earlier ones can be
// compared too.
import { type Fields, hasSameJson, isRecord } from '../../schema/json-value.ts'
import { StoredPaymentLink } from '../../schema/payment-link.ts'
import type { ProjectDocument } from '../../schema/seed.ts'
import { User } from '../../schema/user.ts'
import { isTime, parseTime, type ResourceKind, type ShownRecord } from './service-call.ts'

export interface Content {
  readonly preferredLocale: string | undefined
  readonly invoices: ReadonlySet<string>
  /** Oldest first. */
  readonly users: readonly ShownEntry[]
  readonly paymentLinks: readonly ShownEntry[]
}

/** A record, or the position of a deleted one. */
export interface ShownEntry {
  readonly id: string
  readonly createdAt: string
  /** The fields as a seed has them. Undefined: the record was deleted. */
  readonly fields: Fields | undefined
}

/** The content of a project of which nothing is known. */
export const emptyContent: Content = { preferredLocale: undefined, invoices: new Set(), users: [], paymentLinks: [] }

export const findEntry = (content: Content, kind: ResourceKind, id: string): ShownEntry | undefined =>
  content[kind].find((entry) => entry.id === id)

export const findRecord = (content: Content | undefined, kind: ResourceKind, id: string): Fields | undefined =>
  content && findEntry(content, kind, id)?.fields

/** Returns the document of a project with these records. */
export const toDocument = (content: Content): ProjectDocument => {
  const list = (kind: ResourceKind) => content[kind].flatMap(({ fields }) => fields ?? []) as never[]
  const listDeleted = (kind: ResourceKind) =>
    content[kind].flatMap(({ id, createdAt, fields }, index) =>
      fields === undefined ? [{ id, createdAt, index }] : [],
    )
  return {
    ...(content.preferredLocale !== undefined && { preferredLocale: content.preferredLocale }),
    invoices: [...content.invoices],
    users: list('users'),
    paymentLinks: list('paymentLinks'),
    progress: { deleted: { users: listDeleted('users'), paymentLinks: listDeleted('paymentLinks') } },
  }
}

const byTime = (a: ShownEntry, b: ShownEntry): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0

export const setEntries = (content: Content, kind: ResourceKind, entries: readonly ShownEntry[]): Content => ({
  ...content,
  [kind]: entries,
})

/** Removes a record. Its position stays, for cursors. */
export const removeRecord = (content: Content, kind: ResourceKind, id: string): Content =>
  findRecord(content, kind, id) === undefined
    ? content
    : setEntries(
        content,
        kind,
        content[kind].map((entry) => (entry.id === id ? { ...entry, fields: undefined } : entry)),
      )

/** Removes a record with its position, as if it had never existed. */
export const forgetRecord = (content: Content, kind: ResourceKind, id: string): Content =>
  setEntries(
    content,
    kind,
    content[kind].filter((entry) => entry.id !== id),
  )

/** Adds the position of a record. */
export const addPosition = (content: Content, kind: ResourceKind, { id, createdAt }: ShownEntry): Content =>
  setEntries(content, kind, [...content[kind], { id, createdAt, fields: undefined }].toSorted(byTime))

/** Stores a record of the service. A new record follows the records with the same creation time. */
export const putRecord = (content: Content, kind: ResourceKind, shown: ShownRecord, provider: string): Content => {
  const old = findEntry(content, kind, shown.id)
  const entry = toEntry(kind, shown, old?.fields, provider)
  if (old === undefined) return setEntries(content, kind, [...content[kind], entry].toSorted(byTime))
  if (hasSameJson(old, entry)) return content
  return setEntries(content, kind, content[kind].map((one) => (one === old ? entry : one)).toSorted(byTime))
}

const schemas: Readonly<Record<ResourceKind, { readonly shape: object }>> = {
  users: User,
  paymentLinks: StoredPaymentLink,
}

/** Without values of their own, records have these. */
const defaults: Readonly<Record<ResourceKind, Fields>> = {
  users: { email: 'unknown@service.example' },
  paymentLinks: { invoice: 'unknown', status: 'active' },
}

/**
 * Reads the fields that the service shows. A field that the response leaves out, or whose value the specification does not
 * allow, keeps its value.
 */
export const toEntry = (
  kind: ResourceKind,
  shown: ShownRecord,
  old: Fields | undefined,
  provider: string,
): ShownEntry => {
  const createdAt = new Date(parseTime(shown.createdAt)).toISOString()
  const fields: Record<string, unknown> = { ...defaults[kind], ...old, id: shown.id, createdAt }
  for (const [name, schema] of Object.entries(schemas[kind].shape)) {
    if (name === 'id' || name === 'createdAt' || name === 'type') continue
    const sent =
      name === 'partner' ? toPartner(shown[provider]) : name.endsWith('At') ? toInstant(shown[name]) : shown[name]
    if (sent === undefined) continue
    const parsed = (schema as typeof User.shape.email).safeParse(sent)
    if (parsed.success) fields[name] = parsed.data
  }
  return { id: shown.id, createdAt, fields: kind === 'paymentLinks' ? repairTimes(fields) : fields }
}

const toPartner = (value: unknown) => (isRecord(value) ? { redirectUrl: value.redirectUrl ?? null } : undefined)

const toInstant = (time: unknown): string | null | undefined =>
  time === null ? null : isTime(time) ? new Date(parseTime(time)).toISOString() : undefined

/** The mock has no link with the time of another status, or with one before the creation. */
const repairTimes = (link: Fields): Fields => {
  const repair = (time: unknown, status: string) =>
    link.status !== status ? null : typeof time === 'string' && time >= String(link.createdAt) ? time : link.createdAt
  return {
    ...link,
    canceledAt: repair(link.canceledAt, 'canceled'),
    completedAt: repair(link.completedAt, 'completed'),
  }
}
