import type { Collection, Entry, Resource } from '../../src/core/domain/collection.ts'
import { isStoredRecord, toRecord } from '../../src/core/domain/collection.ts'

/** An entry before and after a change. */
export type Replacement<T> = readonly [from: Entry<T> | undefined, to: Entry<T> | undefined]

/** Adds or replaces a record as a transaction does. */
export const put = <T extends Resource, G extends string>(
  items: Collection<T, G>,
  value: T,
  log: Replacement<T>[] = [],
): Collection<T, G> => {
  const from = items.getEntry(value.id)
  const keepsPosition = from !== undefined && isStoredRecord(from) && from.createdAt === value.createdAt
  return replace(items, from, toRecord(value, keepsPosition ? from.sequence : items.nextSequence), log)
}

/** Deletes a record, if there is one. */
export const remove = <T extends Resource, G extends string>(
  items: Collection<T, G>,
  id: string,
  log: Replacement<T>[] = [],
): Collection<T, G> => {
  const from = items.getEntry(id)
  if (from === undefined || !isStoredRecord(from)) return items
  return replace(items, from, { id, createdAt: from.createdAt, sequence: from.sequence }, log)
}

const replace = <T extends Resource, G extends string>(
  items: Collection<T, G>,
  from: Entry<T> | undefined,
  to: Entry<T>,
  log: Replacement<T>[],
): Collection<T, G> => {
  log.push([from, to])
  return items.replace(from, to)
}
