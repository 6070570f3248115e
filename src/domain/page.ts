import type { Page } from '../schema/list.ts'
import { byPlace, type Place, type Row } from './collection.ts'
import type { Direction } from './ordered-set.ts'

/** Rows beyond a place, one after the other. */
export type Walk<T> = (direction: Direction, from?: Place) => Iterable<Row<T>>

/** A cursor: the id that was sent, and the place it marks in the whole list. */
export interface Cursor {
  readonly id: string
  readonly place: Place
}

export interface PageRequest {
  readonly after?: Cursor | undefined
  readonly before?: Cursor | undefined
  readonly limit: number
  /** Which way the list runs. @default 'falling', newest first */
  readonly direction?: Direction | undefined
}

export const emptyPage: Page<never> = { items: [], moreItemsAfter: null, moreItemsBefore: null }

/** One batch of a list. Spec §2.4 and §4.1. Assumed: with `limit=0` the cursor is handed back when rows lie beyond it. */
export const pageOf = <T>(walk: Walk<T>, { after, before, limit, direction = 'falling' }: PageRequest): Page<T> => {
  const back = opposite(direction)
  if (before === undefined) {
    const [rows, more] = take(walk(direction, after?.place), limit)
    const first = rows[0]
    const precedes = after !== undefined && first !== undefined && !isEmpty(walk(back, first))
    return {
      items: rows.map((row) => row.value),
      moreItemsAfter: more ? (rows.at(-1)?.id ?? after?.id ?? null) : null,
      moreItemsBefore: precedes ? first.id : null,
    }
  }
  // `before` asks for the rows *immediately* preceding it, so that batch is taken backward from it.
  const [reversed, more] = take(walk(back, before.place), limit)
  const rows = reversed.toReversed()
  const last = rows.at(-1)
  const follows = last !== undefined && !isEmpty(walk(direction, last))
  return {
    items: rows.map((row) => row.value),
    moreItemsAfter: follows ? last.id : null,
    moreItemsBefore: more ? (rows[0]?.id ?? before.id) : null,
  }
}

/** Several walks as one, in order: the rows of several groups that have none in common. */
export const merge =
  <T>(walks: readonly Walk<T>[]): Walk<T> =>
  (direction, from) =>
    walks.length === 1
      ? walks[0]!(direction, from)
      : interleave(
          direction,
          walks.map((walk) => walk(direction, from)),
        )

/** Only the rows that pass. */
export const filter =
  <T>(walk: Walk<T>, passes: (value: T) => boolean): Walk<T> =>
  (direction, from) =>
    passing(walk(direction, from), passes)

const opposite = (direction: Direction): Direction => (direction === 'falling' ? 'rising' : 'falling')

/** Up to `limit` rows, and whether there are more. */
const take = <T>(rows: Iterable<Row<T>>, limit: number): [Row<T>[], boolean] => {
  const taken: Row<T>[] = []
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

function* passing<T>(rows: Iterable<Row<T>>, passes: (value: T) => boolean): Generator<Row<T>, void, undefined> {
  for (const row of rows) if (passes(row.value)) yield row
}

function* interleave<T>(direction: Direction, walks: Iterable<Row<T>>[]): Generator<Row<T>, void, undefined> {
  const sign = direction === 'rising' ? 1 : -1
  const heads = walks.map((walk) => {
    const rows = walk[Symbol.iterator]()
    return { rows, row: rows.next() }
  })
  for (;;) {
    const open = heads.filter((head) => !head.row.done)
    if (open.length === 0) return
    const next = open.reduce((a, b) => (sign * byPlace(a.row.value as Row<T>, b.row.value as Row<T>) <= 0 ? a : b))
    yield next.row.value as Row<T>
    next.row = next.rows.next()
  }
}
