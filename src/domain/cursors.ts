import { MockError } from '../schema/error.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import type { Resource } from './record-order.ts'
import type { Direction } from './ordered-set.ts'
import { type Cursor, emptyPage, pageOf, type Scan } from './page.ts'
import { type Kind, notFoundHint } from './not-found.ts'
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
      `The ${kind.text} '${id}' of project '${tx.project}' was deleted, so nothing can be listed from it.`,
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
