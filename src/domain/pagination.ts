import { MockError } from '../schema/error.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import { type Kind, notFoundHint } from './not-found.ts'
import type { Direction } from './ordered-set.ts'
import { byPosition, type Position, type Resource, type StoredRecord } from './record-order.ts'
import type { Transaction } from './transaction.ts'

/** A page of a list of users or payment links: the cursors looked up, then the batch taken. Spec §4.1. */
export const listPage = <T extends Resource>(
  tx: Transaction,
  kind: Kind,
  scan: Scan<T>,
  query: ListQuery,
  direction?: () => Direction,
): Page<T> => {
  const { after, before } = cursorsOf(tx, kind, query)
  if (after === 'nowhere' || before === 'nowhere') return emptyPage
  return pageOf(scan, { after, before, limit: query.limit, direction: direction?.() })
}

/** The positions of the cursors. Throws for a cursor that has no position. */
export const cursorsOf = (tx: Transaction, kind: Kind, query: Pick<ListQuery, 'after' | 'before'>) => ({
  after: cursorOf(tx, kind, 'after', query.after),
  before: cursorOf(tx, kind, 'before', query.before),
})

/** The place a cursor marks in the whole list, so that it stays good when its row leaves the filter. */
const cursorOf = (
  tx: Transaction,
  kind: Kind,
  name: 'after' | 'before',
  id: string | undefined,
): Cursor | 'nowhere' | undefined => {
  if (id === undefined) return undefined
  const rows = tx.state[kind.path]
  const place = rows.positionOf(id)
  if (place !== undefined) return { id, place }
  const gone = rows.tombstone(id)
  if (gone === undefined)
    throw refuse(
      tx,
      kind,
      name,
      id,
      'cursorNotFound',
      `No ${kind.text} '${id}' in project '${tx.project}' to list from.`,
    )
  const reading = tx.getBehavior('deletedCursor')
  if (reading === 'reject')
    throw refuse(
      tx,
      kind,
      name,
      id,
      'cursorDeleted',
      `The ${kind.text} '${id}' of project '${tx.project}' was deleted, so it is no cursor any more.`,
    )
  return reading === 'resume' ? { id, place: gone } : 'nowhere'
}

const refuse = (
  tx: Transaction,
  kind: Kind,
  name: string,
  id: string,
  code: 'cursorNotFound' | 'cursorDeleted',
  what: string,
): MockError => {
  const message = `${name} must be the id of a ${kind.text} of project '${tx.project}' (got '${id}').`
  return new MockError(code, what, {
    hint: notFoundHint(tx, kind, id),
    details: [{ path: name, message }],
  })
}

/** Rows beyond a place, one after the other. */
export type Scan<T> = (direction: Direction, from?: Position) => Iterable<StoredRecord<T>>

/** A cursor: the id that was sent, and the place it marks in the whole list. */
export interface Cursor {
  readonly id: string
  readonly place: Position
}

export interface PageRequest {
  readonly after?: Cursor | undefined
  readonly before?: Cursor | undefined
  readonly limit: number
  /** Which way the list runs. @default 'desc', newest first */
  readonly direction?: Direction | undefined
}

export const emptyPage: Page<never> = { items: [], moreItemsAfter: null, moreItemsBefore: null }

/** One batch of a list. Spec §2.4 and §4.1. Assumed: with `limit=0` the cursor is handed back when rows lie beyond it. */
export const pageOf = <T>(scan: Scan<T>, { after, before, limit, direction = 'desc' }: PageRequest): Page<T> => {
  const back = opposite(direction)
  if (before === undefined) {
    const [rows, more] = take(scan(direction, after?.place), limit)
    const first = rows[0]
    const precedes = after !== undefined && first !== undefined && !isEmpty(scan(back, first))
    return {
      items: rows.map((row) => row.value),
      moreItemsAfter: more ? (rows.at(-1)?.id ?? after?.id ?? null) : null,
      moreItemsBefore: precedes ? first.id : null,
    }
  }
  // `before` asks for the rows *immediately* preceding it, so that batch is taken backward from it.
  const [reversed, more] = take(scan(back, before.place), limit)
  const rows = reversed.toReversed()
  const last = rows.at(-1)
  const follows = last !== undefined && !isEmpty(scan(direction, last))
  return {
    items: rows.map((row) => row.value),
    moreItemsAfter: follows ? last.id : null,
    moreItemsBefore: more ? (rows[0]?.id ?? before.id) : null,
  }
}

/** Several scans as one, in order: the rows of several groups that have none in common. */
export const merge =
  <T>(scans: readonly Scan<T>[]): Scan<T> =>
  (direction, from) =>
    scans.length === 1
      ? scans[0]!(direction, from)
      : interleave(
          direction,
          scans.map((scan) => scan(direction, from)),
        )

/** Only the rows that pass. */
export const filter =
  <T>(scan: Scan<T>, passes: (value: T) => boolean): Scan<T> =>
  (direction, from) =>
    passing(scan(direction, from), passes)

const opposite = (direction: Direction): Direction => (direction === 'desc' ? 'asc' : 'desc')

/** Up to `limit` rows, and whether there are more. */
const take = <T>(rows: Iterable<StoredRecord<T>>, limit: number): [StoredRecord<T>[], boolean] => {
  const taken: StoredRecord<T>[] = []
  for (const row of rows) {
    if (taken.length === limit) return [taken, true]
    taken.push(row)
  }
  return [taken, false]
}

const isEmpty = (rows: Iterable<unknown>): boolean => {
  for (const _ of rows) return false
  return true
}

function* passing<T>(
  rows: Iterable<StoredRecord<T>>,
  passes: (value: T) => boolean,
): Generator<StoredRecord<T>, void, undefined> {
  for (const row of rows) if (passes(row.value)) yield row
}

function* interleave<T>(
  direction: Direction,
  scans: Iterable<StoredRecord<T>>[],
): Generator<StoredRecord<T>, void, undefined> {
  const sign = direction === 'asc' ? 1 : -1
  const heads = scans.map((scan) => {
    const rows = scan[Symbol.iterator]()
    return { rows, row: rows.next() }
  })
  for (;;) {
    const open = heads.filter((head) => !head.row.done)
    if (open.length === 0) return
    const next = open.reduce((a, b) =>
      sign * byPosition(a.row.value as StoredRecord<T>, b.row.value as StoredRecord<T>) <= 0 ? a : b,
    )
    yield next.row.value as StoredRecord<T>
    next.row = next.rows.next()
  }
}
