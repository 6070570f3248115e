import { errors } from '../schema/error.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import type { RecordKind, RecordValue } from './kinds.ts'
import { type Collections, explainUnknownId, type Transaction } from './transaction.ts'
import { isStoredRecord } from './collection.ts'
import { byPosition, type Direction, type Entry, type Position, type Resource, type StoredRecord } from './position.ts'

/** Returns a page of the records of a scan, newest first unless `direction` says otherwise. Spec §2.4, §4.1. */
export const listPage = <K extends RecordKind>(
  tx: Transaction,
  kind: K,
  query: ListQuery,
  scan: Scan<RecordValue<K>> = scanAll(tx, kind),
  direction?: () => Direction,
): Page<RecordValue<K>> => {
  const { after, before } = findCursors(tx, kind, query)
  if (after === 'nowhere' || before === 'nowhere') return emptyPage
  return getPage(scan, { after, before, limit: query.limit, direction: direction?.() })
}

/** Scans all records of a kind. */
export const scanAll = <K extends RecordKind>(tx: Transaction, kind: K): Scan<RecordValue<K>> => {
  const records: { readonly [N in RecordKind]: Pick<Collections[N], 'scan'> } = tx.state
  return (direction, from) => records[kind].scan(direction, from)
}

/** Returns the positions of the cursors. Throws for a cursor that has no position. */
export const findCursors = (
  tx: Transaction,
  kind: RecordKind,
  { after, before }: Pick<ListQuery, 'after' | 'before'>,
) => ({
  after: after === undefined ? undefined : findCursor(tx, kind, 'after', after),
  before: before === undefined ? undefined : findCursor(tx, kind, 'before', before),
})

/** The position of a cursor in the whole list, so that it stays valid when its record leaves the filter. */
const findCursor = (tx: Transaction, kind: RecordKind, name: 'after' | 'before', id: string): Cursor | 'nowhere' => {
  const entry: Entry<Resource> | undefined = tx.state[kind].getEntry(id)
  // A record that an earlier state does not have yet marks its position all the same.
  const later: Entry<Resource> | undefined = entry === undefined ? tx.current?.[kind].getEntry(id) : undefined
  if (later !== undefined) return { id, position: later }
  if (entry !== undefined && isStoredRecord(entry)) return { id, position: entry }
  const describe = () => ({ name, ...explainUnknownId(tx, kind, id) })
  if (entry === undefined) throw errors.cursorNotFound(describe())
  switch (tx.getBehavior('deletedCursor')) {
    case 'reject':
      throw errors.cursorDeleted(describe())
    case 'resume':
      return { id, position: entry }
    case 'empty':
      return 'nowhere'
  }
}

/** Yields the records beyond a position. */
export type Scan<T> = (direction: Direction, from?: Position) => Iterable<StoredRecord<T>>

/** A cursor: the id that was sent, and its position in the whole list. */
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

const emptyPage: Page<never> = { items: [], moreItemsAfter: null, moreItemsBefore: null }

/** Returns one batch of a list. Spec §2.4, §4.1. Assumed: with `limit=0`, the given cursor is returned if records follow it. */
export const getPage = <T extends Resource>(
  scan: Scan<T>,
  { after, before, limit, direction = 'desc' }: PageOptions,
): Page<T> => {
  const back = reverse(direction)
  if (before === undefined) {
    const [records, more] = take(scan(direction, after?.position), limit)
    const first = records[0]
    const precedes = after !== undefined && first !== undefined && !isEmpty(scan(back, first))
    return {
      items: records.map(({ value }) => value),
      moreItemsAfter: more ? (records.at(-1)?.value.id ?? after?.id ?? null) : null,
      moreItemsBefore: precedes ? first.value.id : null,
    }
  }
  // `before` selects the records *immediately* preceding it, so the batch is read backward from it.
  const [reversed, more] = take(scan(back, before.position), limit)
  const records = reversed.toReversed()
  const last = records.at(-1)
  const follows = last !== undefined && !isEmpty(scan(direction, last))
  return {
    items: records.map(({ value }) => value),
    moreItemsAfter: follows ? last.value.id : null,
    moreItemsBefore: more ? (records[0]?.value.id ?? before.id) : null,
  }
}

/** Merges scans without common records into one scan, in order. */
export const mergeScans = <T>(scans: readonly Scan<T>[]): Scan<T> => {
  const [only, ...others] = scans
  if (only !== undefined && others.length === 0) return only
  return (direction, from) =>
    mergeSorted(
      direction,
      scans.map((scan) => scan(direction, from)),
    )
}

/** Creates a scan that yields only the records for which `passes` returns true. */
export const filterScan =
  <T>(scan: Scan<T>, passes: (value: T) => boolean): Scan<T> =>
  (direction, from) =>
    filterRecords(scan(direction, from), passes)

const reverse = (direction: Direction): Direction => (direction === 'desc' ? 'asc' : 'desc')

/** Returns up to `limit` records, and whether there are more. */
const take = <T>(records: Iterable<StoredRecord<T>>, limit: number): [StoredRecord<T>[], boolean] => {
  const taken: StoredRecord<T>[] = []
  for (const record of records) {
    if (taken.length === limit) return [taken, true]
    taken.push(record)
  }
  return [taken, false]
}

const isEmpty = (records: Iterable<unknown>): boolean => {
  for (const _ of records) return false
  return true
}

function* filterRecords<T>(
  records: Iterable<StoredRecord<T>>,
  passes: (value: T) => boolean,
): Generator<StoredRecord<T>, void, undefined> {
  for (const record of records) if (passes(record.value)) yield record
}

function* mergeSorted<T>(
  direction: Direction,
  scans: Iterable<StoredRecord<T>>[],
): Generator<StoredRecord<T>, void, undefined> {
  const sign = direction === 'asc' ? 1 : -1
  const iterators = scans.map((scan) => scan[Symbol.iterator]())
  let heads = iterators.flatMap((iterator) => readNext(iterator))
  while (heads.length > 0) {
    const first = heads.reduce((a, b) => (sign * byPosition(a.record, b.record) <= 0 ? a : b))
    yield first.record
    heads = heads.flatMap((head) => (head === first ? readNext(head.iterator) : head))
  }
}

/** Returns the next record of an iterator in an array, which is empty at the end. */
const readNext = <T>(iterator: Iterator<StoredRecord<T>>) => {
  const next = iterator.next()
  return next.done ? [] : [{ iterator, record: next.value }]
}
