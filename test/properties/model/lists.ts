/** Lists: §2.4 and §4.1, and the choices of the mock. */
import { problem } from './bodies.ts'
import type { Json } from './formats.ts'
import type { BehaviorValues } from './behaviors.ts'
import { MockError, rejectProblems } from './errors.ts'
import { filterExisting, type ModelRecord } from './state.ts'

interface PageQuery {
  readonly after: string | null
  readonly before: string | null
  readonly limit: number
  /** A cursor is a deleted record, and the page is empty. */
  readonly nowhere: boolean
}

/** Reads `after`, `before` and `limit`, and checks the filters. Checks every format before it looks up a cursor. */
export function readPageQuery(
  query: URLSearchParams,
  records: readonly ModelRecord[],
  { deletedCursor, unknownFields }: BehaviorValues,
  filters: readonly string[] = [],
): PageQuery {
  const known = ['after', 'before', 'limit', ...filters]
  // Assumed: at most one problem for each parameter; `status` and unknown ones may also be repeated.
  const problems = known.flatMap((name) => {
    const values = query.getAll(name)
    const [value, ...more] = values
    if (name === 'status') return problem(name, values.every(isStatuses))
    return problem(name, (name !== 'limit' || value === undefined || isLimit(value)) && more.length === 0)
  })
  if (query.has('after') && query.has('before')) throw new MockError('invalidQuery', 'unspecified')
  if (unknownFields === 'reject') rejectUnknown(query, known)
  rejectProblems('invalidQuery', problems)

  const cursors = { after: query.get('after'), before: query.get('before') }
  let nowhere = false
  for (const [name, cursor] of Object.entries(cursors)) {
    if (cursor === null) continue
    const record = records.find(({ id }) => id === cursor)
    // Assumed: an empty cursor is one that never existed.
    if (record === undefined) throw new MockError('cursorNotFound', [name])
    if (record.isLater) continue
    if (record.isDeleted && deletedCursor === 'reject') throw new MockError('cursorDeleted', [name])
    nowhere ||= record.isDeleted && deletedCursor === 'empty'
  }
  return { ...cursors, limit: Number(query.get('limit') ?? 10), nowhere }
}

/** Assumed: the path of an unknown parameter in `details` is unspecified. */
export function rejectUnknown(query: URLSearchParams, known: readonly string[] = []): void {
  if ([...query.keys()].some((name) => !known.includes(name))) throw new MockError('invalidQuery', 'unspecified')
}

function isLimit(value: string): boolean {
  return /^[0-9]{1,3}$/.test(value) && Number(value) <= 200
}

function isStatuses(value: string): boolean {
  return value.split(',').every((status) => ['active', 'canceled', 'completed'].includes(status))
}

export function page<R extends ModelRecord>(
  records: readonly R[],
  matches: (record: R) => boolean,
  { after, before, limit, nowhere }: PageQuery,
  render: (record: R) => Json,
  order: BehaviorValues['paymentLinkOrder'] = 'newestFirst',
): Json {
  if (nowhere) return { object: 'list', items: [], moreItemsAfter: null, moreItemsBefore: null }
  const inOrder = order === 'newestFirst' ? newestFirst(records) : newestFirst(records).toReversed()
  const matching = filterExisting(inOrder).filter(matches)
  const findPosition = (id: string) => inOrder.findIndex((record) => record.id === id)
  // A cursor is a position in the whole list, whether its record matches or not.
  let beyond = matching
  if (after !== null) beyond = filterExisting(inOrder.slice(findPosition(after) + 1)).filter(matches)
  if (before !== null) beyond = filterExisting(inOrder.slice(0, findPosition(before))).filter(matches)
  const batch = before === null ? beyond.slice(0, limit) : beyond.slice(Math.max(0, beyond.length - limit))

  const returnedCursor = (cursor: string | null) => (limit === 0 && beyond.length > 0 ? cursor : null)
  const first = batch.at(0)
  const last = batch.at(-1)
  return {
    object: 'list',
    items: batch.map(render),
    moreItemsAfter: last === undefined ? returnedCursor(after) : last === matching.at(-1) ? null : last.id,
    moreItemsBefore: first === undefined ? returnedCursor(before) : first === matching.at(0) ? null : first.id,
  }
}

/** Of two records of the same instant the later one is newer: sorting is stable, so reverse the records first. */
function newestFirst<R extends ModelRecord>(records: readonly R[]): readonly R[] {
  return records.toReversed().toSorted((one, other) => other.createdAt - one.createdAt)
}
