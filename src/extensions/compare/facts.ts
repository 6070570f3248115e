// Adds the facts of a response to the content of a project: records of others, their order, payments and overlapping calls.
import type { Fields } from '../../schema/json-value.ts'
import { StoredPaymentLink } from '../../schema/payment-link.ts'
import { type ServiceCall, isTime, type ShownRecord } from './service-call.ts'
import {
  type ShownEntry,
  findRecord,
  forgetRecord,
  putRecord,
  removeRecord,
  setEntries,
  toEntry,
  type Content,
} from './project-content.ts'

/** Adds records that the run has not seen, and takes over the order of records with the same creation time. */
export const addRecords = (
  content: Content,
  call: ServiceCall,
  added: readonly ShownRecord[],
  isOldestFirst: boolean,
  provider: string,
): Content => {
  const { kind, query } = call
  const before = query.get('before')
  const after = query.get('after')
  const ids = call.shown.map(({ id }) => id)
  if (after !== null) ids.unshift(after)
  if (before !== null) ids.push(before)
  const first = call.shown[0]?.createdAt ?? ''
  const last = call.shown.at(-1)?.createdAt ?? ''
  const isAscending = first === last ? isOldestFirst : first < last
  // From old to new.
  const order = isAscending ? ids : ids.toReversed()
  const entries = [...content[kind]]
  const present = new Set(entries.map(({ id }) => id))
  for (const shown of added) {
    // An earlier content may have it, and a list may show it twice.
    if (present.has(shown.id)) continue
    present.add(shown.id)
    const entry = toEntry(kind, shown, undefined, provider)
    const isNewer = (before !== null) !== isAscending
    const at = entries.findIndex((one) =>
      isNewer ? one.createdAt > entry.createdAt : one.createdAt >= entry.createdAt,
    )
    entries.splice(at === -1 ? entries.length : at, 0, entry)
  }
  const isOrdered = orderTies(entries, order)
  const isChanged = moveBeyondPage(entries, call, (before === null) === isAscending) || isOrdered
  return added.length > 0 || isChanged ? setEntries(content, kind, entries) : content
}

/** Records of the same time take the places among them in the order of the service. */
const orderTies = (entries: ShownEntry[], order: readonly string[]): boolean => {
  const rank = new Map(order.map((id, index) => [id, index]))
  const byTime = new Map<string, number[]>()
  entries.forEach((entry, index) => {
    if (rank.has(entry.id)) byTime.set(entry.createdAt, [...(byTime.get(entry.createdAt) ?? []), index])
  })
  let isChanged = false
  for (const places of byTime.values()) {
    const ranked = places.map((place) => entries[place]!).toSorted((a, b) => rank.get(a.id)! - rank.get(b.id)!)
    places.forEach((place, index) => {
      isChanged ||= entries[place] !== ranked[index]
      entries[place] = ranked[index]!
    })
  }
  return isChanged
}

/**
 * More records follow a full page. Of those with the creation time of its last record, the ones that the mock would have put
 * on the page follow it.
 */
const moveBeyondPage = (
  entries: ShownEntry[],
  { isList, shown, query, json }: ServiceCall,
  isRising: boolean,
): boolean => {
  const before = query.get('before')
  const cursor = before ?? query.get('after')
  const last = before === null ? shown.at(-1) : shown[0]
  if (!isList || last === undefined) return false
  const { moreItemsAfter, moreItemsBefore } = json as Fields
  const far = entries.findIndex(({ id }) => id === last.id)
  if (far === -1 || (before === null ? moreItemsAfter : moreItemsBefore) === null) return false
  const near = cursor === null ? (isRising ? -1 : entries.length) : entries.findIndex(({ id }) => id === cursor)
  const listed = new Set(shown.map(({ id }) => id))
  const { createdAt } = entries[far]!
  const isWithin = (index: number) => index > Math.min(near, far) && index < Math.max(near, far)
  const moved = entries.filter((one, index) => isWithin(index) && one.createdAt === createdAt && !listed.has(one.id))
  if (moved.length === 0) return false
  const others = entries.filter((one) => !moved.includes(one))
  others.splice(others.findIndex(({ id }) => id === last.id) + (isRising ? 1 : 0), 0, ...moved)
  entries.splice(0, entries.length, ...others)
  return true
}

/** Adds the invoices of the links: the project has them. */
export const addInvoices = (content: Content, call: ServiceCall): Content => {
  const links = call.kind === 'paymentLinks' ? call.shown : []
  const invoices = links.flatMap(({ invoice }) => StoredPaymentLink.shape.invoice.safeParse(invoice).data ?? [])
  return invoices.every((invoice) => content.invoices.has(invoice))
    ? content
    : { ...content, invoices: new Set([...content.invoices, ...invoices]) }
}

/** A person or another system may pay a link at any time. */
export const addPayments = (content: Content, call: ServiceCall, provider: string): Content => {
  if (call.kind !== 'paymentLinks') return content
  const isActive = (id: string) => findRecord(content, 'paymentLinks', id)?.status === 'active'
  const paid = call.shown.filter(
    ({ id, status, completedAt }) => isActive(id) && status === 'completed' && isTime(completedAt),
  )
  return paid.reduce((next, link) => putRecord(next, 'paymentLinks', link, provider), content)
}

/** Calls at the same time may have been in any order: what they changed is as the response shows it. */
export const resolveRaces = (
  content: Content,
  call: ServiceCall,
  raced: readonly ServiceCall[],
  provider: string,
): Content => {
  let next = content
  for (const { operation, isCreate, shown: changed, kind, id } of raced) {
    const target = id ?? changed[0]?.id
    const record = call.shown.find((one) => one.id === target)
    if (target === undefined) continue
    if (record !== undefined) next = call.isCreate ? next : putRecord(next, kind, record, provider)
    else if (call.isList ? isCreate || operation === 'deleteUser' : call.status === 404)
      next = isCreate ? forgetRecord(next, kind, target) : removeRecord(next, kind, target)
  }
  return next
}
