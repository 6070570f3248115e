import type { RecordKind } from '../core/mock/extension.ts'
import type { Behaviors } from '../core/schema/behavior.ts'
import { type Fields, hasSameJson, isRecord } from '../core/schema/json-value.ts'
import { closingTimes, StoredPaymentLink } from '../core/schema/payment-link.ts'
import type { ProjectDocument } from '../core/schema/seed.ts'
import { User } from '../core/schema/user.ts'
import { getCursor, isTime, parseTime, type ServiceCall, type ShownRecord } from './recorded-calls.ts'

/** The known state of a project. Immutable, because a list that lags behind is compared with earlier versions. */
export interface ProjectContent {
  readonly preferredLocale: string | undefined
  readonly invoices: ReadonlySet<string>
  /** Oldest first. */
  readonly users: readonly ShownEntry[]
  readonly paymentLinks: readonly ShownEntry[]
}

export interface ShownEntry {
  readonly id: string
  readonly createdAt: string
  /** The fields in the format of a seed. Undefined if the record was deleted and only its position remains. */
  readonly fields: Fields | undefined
}

export const emptyContent: ProjectContent = {
  preferredLocale: undefined,
  invoices: new Set(),
  users: [],
  paymentLinks: [],
}

export const findEntry = (content: ProjectContent | undefined, kind: RecordKind, id: string): ShownEntry | undefined =>
  content?.[kind].find((entry) => entry.id === id)

export const isActive = (content: ProjectContent, id: string): boolean =>
  findEntry(content, 'paymentLinks', id)?.fields?.status === 'active'

export const toDocument = (content: ProjectContent): ProjectDocument => {
  const listSeedRecords = (kind: RecordKind) => content[kind].flatMap(({ fields }) => fields ?? []) as never[]
  const listDeleted = (kind: RecordKind) =>
    content[kind].flatMap(({ id, createdAt, fields }, index) =>
      fields === undefined ? [{ id, createdAt, index }] : [],
    )
  return {
    ...(content.preferredLocale !== undefined && { preferredLocale: content.preferredLocale }),
    invoices: [...content.invoices],
    users: listSeedRecords('users'),
    paymentLinks: listSeedRecords('paymentLinks'),
    progress: { deleted: { users: listDeleted('users'), paymentLinks: listDeleted('paymentLinks') } },
  }
}

const byCreation = (a: ShownEntry, b: ShownEntry): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0

/** Removes a record, but keeps its position for cursors. */
export const removeRecord = (content: ProjectContent, kind: RecordKind, id: string): ProjectContent => {
  if (findEntry(content, kind, id)?.fields === undefined) return content
  const entries = content[kind].map((entry) => (entry.id === id ? { ...entry, fields: undefined } : entry))
  return { ...content, [kind]: entries }
}

/** Removes a record and its position, as if it had never existed. */
export const forgetRecord = (content: ProjectContent, kind: RecordKind, id: string): ProjectContent => ({
  ...content,
  [kind]: content[kind].filter((entry) => entry.id !== id),
})

export const addPosition = (content: ProjectContent, kind: RecordKind, entry: ShownEntry): ProjectContent => ({
  ...content,
  [kind]: [...content[kind], { ...entry, fields: undefined }].toSorted(byCreation),
})

/** Adds or replaces a record. A new record is placed after existing records with the same creation time. */
export const putRecord = (content: ProjectContent, kind: RecordKind, shown: ShownRecord): ProjectContent => {
  const oldEntry = findEntry(content, kind, shown.id)
  const entry = toEntry(kind, shown, oldEntry?.fields)
  if (hasSameJson(oldEntry, entry)) return content
  const entries =
    oldEntry === undefined
      ? [...content[kind], entry]
      : content[kind].map((known) => (known === oldEntry ? entry : known))
  return { ...content, [kind]: entries.toSorted(byCreation) }
}

const recordSchemas: Readonly<Record<RecordKind, { readonly shape: object }>> = {
  users: User,
  paymentLinks: StoredPaymentLink,
}

/** Placeholders for required fields that the service has not shown. */
const recordDefaults: Readonly<Record<RecordKind, Fields>> = {
  users: { email: 'unknown@service.example' },
  paymentLinks: { invoice: 'unknown', status: 'active' },
}

/** Converts a record to seed fields. For a missing or invalid field, keeps the old value or uses a placeholder. */
export const toEntry = (kind: RecordKind, shown: ShownRecord, oldFields?: Fields): ShownEntry => {
  const createdAt = new Date(parseTime(shown.createdAt)).toISOString()
  const fields: Record<string, unknown> = { ...recordDefaults[kind], ...oldFields, id: shown.id, createdAt }
  for (const [name, schema] of Object.entries(recordSchemas[kind].shape)) {
    if (name === 'id' || name === 'createdAt' || name === 'type') continue
    const seedValue = toSeedValue(name, shown[name])
    const parsedValue = seedValue === undefined ? undefined : (schema as typeof User.shape.email).safeParse(seedValue)
    if (parsedValue?.success) fields[name] = parsedValue.data
  }
  return { id: shown.id, createdAt, fields: kind === 'paymentLinks' ? repairTimes(fields) : fields }
}

const toSeedValue = (name: string, shown: unknown): unknown => {
  if (name === 'partner') return isRecord(shown) ? { redirectUrl: shown.redirectUrl ?? null } : undefined
  if (!name.endsWith('At') || shown === null) return shown
  return isTime(shown) ? new Date(parseTime(shown)).toISOString() : undefined
}

/** Makes a link valid for a seed: clears the times of other statuses, and uses `createdAt` for a missing or too early time. */
const repairTimes = (link: Fields): Fields => {
  const repairTime = (time: unknown, status: string) =>
    link.status !== status ? null : typeof time === 'string' && time >= String(link.createdAt) ? time : link.createdAt
  const times = Object.entries(closingTimes).map(([status, path]) => [path, repairTime(link[path], status)])
  return { ...link, ...Object.fromEntries(times) }
}

export const addUnseenRecords = (
  content: ProjectContent,
  kind: RecordKind,
  added: readonly ShownRecord[],
): ProjectContent => {
  const unseenRecords = added.filter(({ id }) => findEntry(content, kind, id) === undefined)
  if (unseenRecords.length === 0) return content
  // A list may show a record twice.
  const entries = new Map(unseenRecords.map((record) => [record.id, toEntry(kind, record)])).values()
  return { ...content, [kind]: [...content[kind], ...entries].toSorted(byCreation) }
}

/**
 * Sorts records that share a creation time into the order of the service's page, because any order of them is correct. A record
 * that is not on the page precedes the page if it shares the creation time of the cursor, and follows the page otherwise.
 */
export const orderTies = (
  content: ProjectContent,
  call: ServiceCall,
  { paymentLinkOrder }: Behaviors,
): ProjectContent => {
  const { kind, query, shownRecords } = call
  const isBackward = query.has('before')
  const ids = [getCursor(call), ...(isBackward ? shownRecords.toReversed() : shownRecords).map(({ id }) => id)]
  const pageRanks = new Map(ids.map((id, index) => [id, index]))
  const entries = content[kind]
  const pageTimes = new Set(entries.flatMap(({ id, createdAt }) => (pageRanks.has(id) ? createdAt : [])))
  const tiedEntries = entries.filter(({ createdAt }) => pageTimes.has(createdAt))
  if (tiedEntries.length === pageTimes.size) return content
  const cursorTime = findEntry(content, kind, getCursor(call))?.createdAt
  const getRank = ({ id, createdAt }: ShownEntry) => pageRanks.get(id) ?? (createdAt === cursorTime ? -1 : ids.length)
  const isOldestFirst = kind === 'paymentLinks' && paymentLinkOrder === 'oldestFirst'
  const direction = isOldestFirst === isBackward ? -1 : 1
  const sortedTies = tiedEntries.toSorted((a, b) => byCreation(a, b) || direction * (getRank(a) - getRank(b)))
  if (sortedTies.every((entry, index) => entry === tiedEntries[index])) return content
  let index = 0
  return { ...content, [kind]: entries.map((entry) => (pageTimes.has(entry.createdAt) ? sortedTies[index++] : entry)) }
}

/** Whether a record outside the page shares the cursor's creation time, so it may be on either side of the cursor. */
export const hasTiedCursor = (content: ProjectContent, call: ServiceCall): boolean => {
  const cursor = findEntry(content, call.kind, getCursor(call))
  const ids = new Set([cursor, ...call.shownRecords].map((entry) => entry?.id))
  return content[call.kind].some(({ id, createdAt }) => createdAt === cursor?.createdAt && !ids.has(id))
}

/** Adds the payments that a response shows. A person or another system may pay a link at any time. */
export const addPayments = (content: ProjectContent, { kind, shownRecords }: ServiceCall): ProjectContent =>
  shownRecords
    .filter(({ id, status, completedAt }) => isActive(content, id) && status === 'completed' && isTime(completedAt))
    .reduce((next, link) => putRecord(next, kind, link), content)

/** Adds the project's locale if the response reveals it: a user without a locale of its own gets the project's. */
export const addLocale = (
  content: ProjectContent,
  { operation, sentFields, shownRecords: [shownUser] }: ServiceCall,
): ProjectContent => {
  const usesProjectLocale =
    (operation === 'createUser' && (sentFields.preferredLocale ?? null) === null) ||
    (operation === 'updateUser' && sentFields.preferredLocale === null)
  if (!usesProjectLocale || content.preferredLocale !== undefined) return content
  const preferredLocale = User.shape.preferredLocale.safeParse(shownUser?.preferredLocale).data
  return preferredLocale === undefined ? content : { ...content, preferredLocale }
}
