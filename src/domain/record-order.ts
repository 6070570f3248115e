import { type Compare, compareTexts } from './ordered-set.ts'

/** The fields of every resource. */
export interface Resource {
  readonly id: string
  readonly createdAt: string
}

/** The position in a list: by creation time, then by insertion, because a frozen clock makes ties common. */
export interface Position {
  readonly createdAt: string
  readonly sequence: number
}

/** The id and the former position of a deleted record. */
export interface Tombstone extends Position {
  readonly id: string
}

/** A resource with its position. */
export interface StoredRecord<T> extends Position {
  readonly id: string
  readonly value: T
  /** The result of `foldedKey`, or an empty string. */
  readonly folded: string
}

/** The strings that records are grouped by, the most significant first. */
export type Grouping<T> = readonly ((record: StoredRecord<T>) => string)[]

export const byId: Compare<{ id: string }> = (a, b) => compareTexts(a.id, b.id)

export const byPosition: Compare<Position> = (a, b) => compareTexts(a.createdAt, b.createdAt) || a.sequence - b.sequence

/** Compares the groups of two records. */
export const byGroup =
  <T>(grouping: Grouping<T>): Compare<StoredRecord<T>> =>
  (a, b) => {
    for (const keyOf of grouping) {
      const order = compareTexts(keyOf(a), keyOf(b))
      if (order !== 0) return order
    }
    return 0
  }

export const byGroupAndPosition = <T>(grouping: Grouping<T>): Compare<StoredRecord<T>> => {
  const compare = byGroup(grouping)
  return (a, b) => compare(a, b) || byPosition(a, b)
}
