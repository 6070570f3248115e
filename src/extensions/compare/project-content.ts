// The known content of a project. It never changes: each fact makes a new one, so that the earlier ones can be
// compared too.
import type { RecordKind } from '../../mock/extension.ts'
import type { Behaviors } from '../../schema/behavior.ts'
import { type Fields, hasSameJson, isRecord } from '../../schema/json-value.ts'
import { StoredPaymentLink } from '../../schema/payment-link.ts'
import type { ProjectDocument } from '../../schema/seed.ts'
import { User } from '../../schema/user.ts'
import { getCursor, isTime, parseTime, type ServiceCall, type ShownRecord } from './recorded-calls.ts'

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

export const emptyContent: Content = { preferredLocale: undefined, invoices: new Set(), users: [], paymentLinks: [] }

export const findEntry = (content: Content | undefined, kind: RecordKind, id: string): ShownEntry | undefined =>
  content?.[kind].find((entry) => entry.id === id)

export const isActive = (content: Content, id: string): boolean =>
  findEntry(content, 'paymentLinks', id)?.fields?.status === 'active'

/** Returns the document of a project with these records. */
export const toDocument = (content: Content): ProjectDocument => {
  const list = (kind: RecordKind) => content[kind].flatMap(({ fields }) => fields ?? []) as never[]
  const listDeleted = (kind: RecordKind) =>
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

/** Removes a record. Its position stays, for cursors. */
export const removeRecord = (content: Content, kind: RecordKind, id: string): Content => {
  if (findEntry(content, kind, id)?.fields === undefined) return content
  const entries = content[kind].map((entry) => (entry.id === id ? { ...entry, fields: undefined } : entry))
  return { ...content, [kind]: entries }
}

/** Removes a record with its position, as if it had never existed. */
export const forgetRecord = (content: Content, kind: RecordKind, id: string): Content => ({
  ...content,
  [kind]: content[kind].filter((entry) => entry.id !== id),
})

export const addPosition = (content: Content, kind: RecordKind, entry: ShownEntry): Content => ({
  ...content,
  [kind]: [...content[kind], { ...entry, fields: undefined }].toSorted(byTime),
})

/** Stores a record of the service. A new record follows the records with the same creation time. */
export const putRecord = (content: Content, kind: RecordKind, shown: ShownRecord): Content => {
  const old = findEntry(content, kind, shown.id)
  const entry = toEntry(kind, shown, old?.fields)
  if (hasSameJson(old, entry)) return content
  const entries =
    old === undefined ? [...content[kind], entry] : content[kind].map((one) => (one === old ? entry : one))
  return { ...content, [kind]: entries.toSorted(byTime) }
}

const schemas: Readonly<Record<RecordKind, { readonly shape: object }>> = {
  users: User,
  paymentLinks: StoredPaymentLink,
}

/** Without values of their own, records have these. */
const defaults: Readonly<Record<RecordKind, Fields>> = {
  users: { email: 'unknown@service.example' },
  paymentLinks: { invoice: 'unknown', status: 'active' },
}

/**
 * Reads the fields that the service shows. A field that the response leaves out, or whose value the specification does not
 * allow, keeps its value.
 */
export const toEntry = (kind: RecordKind, shown: ShownRecord, old?: Fields): ShownEntry => {
  const createdAt = new Date(parseTime(shown.createdAt)).toISOString()
  const fields: Record<string, unknown> = { ...defaults[kind], ...old, id: shown.id, createdAt }
  for (const [name, schema] of Object.entries(schemas[kind].shape)) {
    if (name === 'id' || name === 'createdAt' || name === 'type') continue
    const sent = toStored(name, shown[name])
    const parsed = sent === undefined ? undefined : (schema as typeof User.shape.email).safeParse(sent)
    if (parsed?.success) fields[name] = parsed.data
  }
  return { id: shown.id, createdAt, fields: kind === 'paymentLinks' ? repairTimes(fields) : fields }
}

/** Returns the value that a seed has for a field that the service shows. */
const toStored = (name: string, shown: unknown): unknown => {
  if (name === 'partner') return isRecord(shown) ? { redirectUrl: shown.redirectUrl ?? null } : undefined
  if (!name.endsWith('At') || shown === null) return shown
  return isTime(shown) ? new Date(parseTime(shown)).toISOString() : undefined
}

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

/** Adds records that the run has not seen. */
export const addRecords = (content: Content, kind: RecordKind, added: readonly ShownRecord[]): Content => {
  const missing = added.filter(({ id }) => findEntry(content, kind, id) === undefined)
  // A list may show a record twice.
  const entries = new Map(missing.map((record) => [record.id, toEntry(kind, record)])).values()
  return missing.length === 0 ? content : { ...content, [kind]: [...content[kind], ...entries].toSorted(byTime) }
}

/**
 * Records of the same creation time may be in any order. Puts them in that of a page of the service: unlisted records with the
 * time of the cursor are before it, and those with the time of the last item follow, if more items follow.
 */
export const orderTies = (content: Content, call: ServiceCall, { paymentLinkOrder }: Behaviors): Content => {
  const { kind, isList, query, shown, json } = call
  const isBackward = query.has('before')
  const ids = [getCursor(call), ...(isBackward ? shown.toReversed() : shown).map(({ id }) => id)]
  const ranks = new Map(ids.map((id, index) => [id, index]))
  const entries = content[kind]
  const times = new Set(entries.flatMap(({ id, createdAt }) => (ranks.has(id) ? createdAt : [])))
  const tied = entries.filter(({ createdAt }) => times.has(createdAt))
  if (!isList || tied.length === times.size) return content
  const [cursor, last] = [ids[0], ids.at(-1)].map((id) => findEntry(content, kind, id ?? '')?.createdAt)
  const hasMore = isRecord(json) && (isBackward ? json.moreItemsBefore : json.moreItemsAfter) !== null
  const isBeforeCursor = (time: string) => time === cursor && !(hasMore && cursor === last)
  const getRank = ({ id, createdAt }: ShownEntry) => ranks.get(id) ?? (isBeforeCursor(createdAt) ? -1 : ids.length)
  const isOldestFirst = kind === 'paymentLinks' && paymentLinkOrder === 'oldestFirst'
  const direction = isOldestFirst === isBackward ? -1 : 1
  const sorted = tied.toSorted((a, b) => byTime(a, b) || direction * (getRank(a) - getRank(b)))
  if (sorted.every((entry, index) => entry === tied[index])) return content
  let index = 0
  return { ...content, [kind]: entries.map((one) => (times.has(one.createdAt) ? sorted[index++] : one)) }
}

/** Whether a record that the page does not have may be on either side of the cursor, because their times are equal. */
export const hasTiedCursor = (content: Content, call: ServiceCall): boolean => {
  const cursor = findEntry(content, call.kind, getCursor(call))
  const ids = new Set([cursor, ...call.shown].map((one) => one?.id))
  return content[call.kind].some(({ id, createdAt }) => createdAt === cursor?.createdAt && !ids.has(id))
}

/** A person or another system may pay a link at any time. */
export const addPayments = (content: Content, { kind, shown }: ServiceCall): Content =>
  shown
    .filter(({ id, status, completedAt }) => isActive(content, id) && status === 'completed' && isTime(completedAt))
    .reduce((next, link) => putRecord(next, kind, link), content)

/** A user without a locale shows that of the project. */
export const addLocale = (content: Content, { operation, sent, shown: [first] }: ServiceCall): Content => {
  const takesDefault =
    (operation === 'createUser' && (sent.preferredLocale ?? null) === null) ||
    (operation === 'updateUser' && sent.preferredLocale === null)
  if (!takesDefault || content.preferredLocale !== undefined) return content
  const preferredLocale = User.shape.preferredLocale.safeParse(first?.preferredLocale).data
  return preferredLocale === undefined ? content : { ...content, preferredLocale }
}
