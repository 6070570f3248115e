// The known content of a project. It never changes: each fact makes a new one, so that the earlier ones can be
// compared too.
import type { RecordKind } from '../../mock/extension.ts'
import { type Fields, hasSameJson, isRecord } from '../../schema/json-value.ts'
import { StoredPaymentLink } from '../../schema/payment-link.ts'
import type { ProjectDocument } from '../../schema/seed.ts'
import { User } from '../../schema/user.ts'
import { isTime, parseTime, type ServiceCall, type ShownRecord } from './recorded-calls.ts'

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

/** Adds the position of a record. */
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

/** Adds records that the run has not seen, and takes over the order of records with the same creation time. */
export const addRecords = (
  content: Content,
  call: ServiceCall,
  added: readonly ShownRecord[],
  isOldestFirst: boolean,
): Content => {
  const { kind, query, shown } = call
  const isBackward = query.has('before')
  const ids = [query.get('after') ?? [], shown.map(({ id }) => id), query.get('before') ?? []].flat()
  const first = shown[0]?.createdAt ?? ''
  const last = shown.at(-1)?.createdAt ?? ''
  const isAscending = first === last ? isOldestFirst : first < last
  const isRising = isBackward !== isAscending
  const known = content[kind]
  const entries = [...known]
  for (const record of added) {
    // An earlier content may have it, and a list may show it twice.
    if (entries.some(({ id }) => id === record.id)) continue
    const entry = toEntry(kind, record)
    const at = entries.findIndex((one) => byTime(one, entry) > (isRising ? 0 : -1))
    entries.splice(at === -1 ? entries.length : at, 0, entry)
  }
  const ordered = orderTies(entries, isAscending ? ids : ids.toReversed())
  const next = moveBeyondPage(ordered, call, isRising)
  const isSame = next.length === known.length && next.every((entry, index) => entry === known[index])
  return isSame ? content : { ...content, [kind]: next }
}

/** Records of the same time take the places among them in the order of the service, which is given from old to new. */
const orderTies = (entries: readonly ShownEntry[], order: readonly string[]): ShownEntry[] => {
  const ranks = new Map(order.map((id, index) => [id, index]))
  const getRank = ({ id }: ShownEntry) => ranks.get(id) ?? 0
  const isRanked = ({ id }: ShownEntry) => ranks.has(id)
  const ranked = entries.filter(isRanked).toSorted((a, b) => byTime(a, b) || getRank(a) - getRank(b))
  return entries.map((entry) => (isRanked(entry) ? (ranked.shift() ?? entry) : entry))
}

/**
 * Moves records behind a full page that has more records after it: records with the creation time of its last record which the
 * mock would have put on the page.
 */
const moveBeyondPage = (
  entries: readonly ShownEntry[],
  { isList, shown, query, json }: ServiceCall,
  isRising: boolean,
): readonly ShownEntry[] => {
  const isBackward = query.has('before')
  const lastId = (isBackward ? shown[0] : shown.at(-1))?.id
  const last = entries.find(({ id }) => id === lastId)
  if (!isList || last === undefined) return entries
  const { moreItemsAfter, moreItemsBefore } = json as Fields
  if ((isBackward ? moreItemsBefore : moreItemsAfter) === null) return entries
  const cursor = query.get('before') ?? query.get('after')
  const near = cursor === null && !isRising ? entries.length : entries.findIndex(({ id }) => id === cursor)
  const far = entries.indexOf(last)
  const listed = new Set(shown.map(({ id }) => id))
  const moved = entries
    .slice(Math.min(near, far) + 1, Math.max(near, far))
    .filter(({ id, createdAt }) => createdAt === last.createdAt && !listed.has(id))
  const others = entries.filter((one) => !moved.includes(one))
  return others.toSpliced(others.indexOf(last) + (isRising ? 1 : 0), 0, ...moved)
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
