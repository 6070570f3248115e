import { errors } from '../schema/error.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import type { RecordKind, RecordValue } from './kinds.ts'
import type { Transaction } from './transaction.ts'
import {
  isStoredRecord,
  byPosition,
  type Direction,
  type Position,
  type Resource,
  type StoredRecord,
} from './collection.ts'

/** Returns a page of a scan, newest first by default. Spec §2.4, §4.1. */
export const listPage = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  query: ListQuery,
  scan: Scan<RecordValue<K>> = scanAll(tx, kind),
  direction?: Direction,
): Page<RecordValue<K>> => {
  const { after, before } = findCursors(tx, kind, query)
  if (after === 'nowhere' || before === 'nowhere') return { items: [], moreItemsAfter: null, moreItemsBefore: null }
  return getPage(scan, { after, before, limit: query.limit, direction })
}

export const scanAll = <K extends RecordKind>(tx: Transaction, kind: K): Scan<RecordValue<K>> => {
  const records = tx.getRecords(kind)
  return (direction, from) => records.scan(direction, from)
}

/** Throws `cursorNotFound` or `cursorDeleted` for a cursor without a position. */
export const findCursors = (tx: Transaction, kind: RecordKind, query: Pick<ListQuery, 'after' | 'before'>) => ({
  after: findCursor(tx, kind, 'after', query.after),
  before: findCursor(tx, kind, 'before', query.before),
})

/** Returns a position in the whole list, so that a cursor stays valid when its record leaves the filter. */
const findCursor = (
  tx: Transaction,
  kind: RecordKind,
  name: 'after' | 'before',
  id: string | undefined,
): Cursor | 'nowhere' | undefined => {
  if (id === undefined) return undefined
  const entry = tx.state[kind].getEntry(id)
  // A record that is newer than an earlier state still marks a position in it.
  const position = entry ?? tx.findLater(kind, id)
  const describeWrongCursor = () => ({ name, ...tx.explainUnknownId(kind, id) })
  if (position === undefined) throw errors.cursorNotFound(describeWrongCursor())
  if (entry === undefined || isStoredRecord<Resource>(entry)) return { id, position }
  const deletedCursor = tx.getBehavior('deletedCursor')
  if (deletedCursor === 'reject') throw errors.cursorDeleted(describeWrongCursor())
  return deletedCursor === 'resume' ? { id, position } : 'nowhere'
}

/** Yields the records beyond a position. */
export type Scan<T> = (direction: Direction, from?: Position) => Iterable<StoredRecord<T>>

export interface Cursor {
  readonly id: string
  readonly position: Position
}

export interface PageOptions {
  readonly after?: Cursor | undefined
  readonly before?: Cursor | undefined
  readonly limit: number
  /** The order of the list. @default 'desc', newest first */
  readonly direction?: Direction | undefined
}

/** Returns one batch of a list. Spec §2.4, §4.1. Assumed: with `limit=0`, the given cursor is returned if records follow it. */
export const getPage = <T extends Resource>(
  scan: Scan<T>,
  { after, before, limit, direction = 'desc' }: PageOptions,
): Page<T> => {
  // `before` selects the records *immediately* preceding it: the page after it in the reverse order.
  const cursor = before ?? after
  const reverseDirection = direction === 'desc' ? 'asc' : 'desc'
  const isForward = before === undefined
  const [records, hasNext] = takeRecords(scan(isForward ? direction : reverseDirection, cursor?.position), limit)
  const [firstRecord] = records
  const hasPrevious =
    cursor !== undefined &&
    firstRecord !== undefined &&
    takeRecords(scan(isForward ? reverseDirection : direction, firstRecord), 0)[1]
  const items = records.map(({ value }) => value)
  const nextCursor = hasNext ? (items.at(-1)?.id ?? cursor?.id ?? null) : null
  const previousCursor = hasPrevious ? firstRecord.value.id : null
  return isForward
    ? { items, moreItemsAfter: nextCursor, moreItemsBefore: previousCursor }
    : { items: items.toReversed(), moreItemsAfter: previousCursor, moreItemsBefore: nextCursor }
}

/** Merges scans without common records into one scan, in order. */
export const mergeScans = <T>(scans: readonly Scan<T>[]): Scan<T> =>
  function* merge(direction, from) {
    const directionSign = direction === 'asc' ? 1 : -1
    const iterators = scans.map((scan) => scan(direction, from)[Symbol.iterator]())
    let heads = iterators.flatMap((iterator) => readNext(iterator))
    while (heads.length > 0) {
      const firstHead = heads.reduce((a, b) => (directionSign * byPosition(a.record, b.record) <= 0 ? a : b))
      yield firstHead.record
      heads = heads.flatMap((head) => (head === firstHead ? readNext(head.iterator) : head))
    }
  }

export const filterScan = <T>(scan: Scan<T>, passesFilter: (value: T) => boolean): Scan<T> =>
  function* filter(direction, from) {
    for (const record of scan(direction, from)) if (passesFilter(record.value)) yield record
  }

/** Returns up to `limit` records, and whether there are more. */
const takeRecords = <T>(records: Iterable<StoredRecord<T>>, limit: number): [StoredRecord<T>[], boolean] => {
  const taken: StoredRecord<T>[] = []
  for (const record of records) {
    if (taken.length === limit) return [taken, true]
    taken.push(record)
  }
  return [taken, false]
}

const readNext = <T>(iterator: Iterator<StoredRecord<T>>) => {
  const nextRecord = iterator.next()
  return nextRecord.done ? [] : [{ iterator, record: nextRecord.value }]
}
