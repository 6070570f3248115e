import {
  type Collection,
  type Writer,
  isStoredRecord,
  toRecord,
  type Entry,
  type Resource,
} from '../../src/domain/collection.ts'

/** An entry before and after a change. */
export type Replacement<T> = readonly [from: Entry<T> | undefined, to: Entry<T> | undefined]

/** Adds or replaces a record as a transaction does. Without a writer, the old collection stays valid. */
export const put = <T extends Resource, G extends string>(
  items: Collection<T, G>,
  value: T,
  writer: Writer = Symbol('writer'),
  log: Replacement<T>[] = [],
): Collection<T, G> => {
  const from = items.getEntry(value.id)
  const keepsPosition = from !== undefined && isStoredRecord(from) && from.createdAt === value.createdAt
  const to = toRecord(value, keepsPosition ? from.sequence : items.next)
  log.push([from, to])
  return items.replace(from, to, writer)
}

/** Deletes a record, if there is one. */
export const remove = <T extends Resource, G extends string>(
  items: Collection<T, G>,
  id: string,
  writer: Writer = Symbol('writer'),
  log: Replacement<T>[] = [],
): Collection<T, G> => {
  const from = items.getEntry(id)
  if (from === undefined || !isStoredRecord(from)) return items
  const to = { id, createdAt: from.createdAt, sequence: from.sequence }
  log.push([from, to])
  return items.replace(from, to, writer)
}
