import { MockError } from '../schema/error.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import type { Resource } from './record-order.ts'
import type { Direction } from './ordered-set.ts'
import { type Cursor, emptyPage, pageOf, type Scan } from './page.ts'
import { type Kind, whereabouts } from './refusals.ts'
import type { Transaction } from './transaction.ts'

/** A page of a list of users or payment links: the cursors looked up, then the batch taken. Spec §4.1. */
export const listPage = <T extends Resource>(
  work: Transaction,
  kind: Kind,
  scan: Scan<T>,
  query: ListQuery,
  direction?: () => Direction,
): Page<T> => {
  const { after, before } = cursorsOf(work, kind, query)
  if (after === 'nowhere' || before === 'nowhere') return emptyPage
  return pageOf(scan, { after, before, limit: query.limit, direction: direction?.() })
}

/** The places that the cursors of a query mark, or the refusal of one that marks none. */
export const cursorsOf = (work: Transaction, kind: Kind, query: Pick<ListQuery, 'after' | 'before'>) => ({
  after: cursorOf(work, kind, 'after', query.after),
  before: cursorOf(work, kind, 'before', query.before),
})

/** The place a cursor marks in the whole list, so that it stays good when its row leaves the filter. */
const cursorOf = (
  work: Transaction,
  kind: Kind,
  name: 'after' | 'before',
  id: string | undefined,
): Cursor | 'nowhere' | undefined => {
  if (id === undefined) return undefined
  const rows = work.state[kind.path]
  const place = rows.positionOf(id)
  if (place !== undefined) return { id, place }
  const gone = rows.tombstone(id)
  if (gone === undefined)
    throw refuse(
      work,
      kind,
      name,
      id,
      'cursorNotFound',
      `No ${kind.text} '${id}' in project '${work.project}' to list from.`,
    )
  const reading = work.behave('deletedCursor')
  if (reading === 'reject')
    throw refuse(
      work,
      kind,
      name,
      id,
      'cursorDeleted',
      `The ${kind.text} '${id}' of project '${work.project}' was deleted, so nothing can be listed from it.`,
    )
  return reading === 'resume' ? { id, place: gone } : 'nowhere'
}

const refuse = (
  work: Transaction,
  kind: Kind,
  name: string,
  id: string,
  code: 'cursorNotFound' | 'cursorDeleted',
  what: string,
): MockError => {
  const message = `${name} must be the id of a ${kind.text} of project '${work.project}' (got '${id}').`
  return new MockError(code, what, {
    hint: whereabouts(work, kind, id),
    details: [{ path: name, message }],
  })
}
