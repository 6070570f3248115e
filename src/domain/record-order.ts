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

/** The fields that determine the group of a record, and its position in the group. */
export interface GroupKey<T> extends Position {
  readonly value: Partial<T>
  /** A key that is computed once for each record. Empty if the collection has none. */
  readonly foldedKey: string
}

/** A resource with its position. */
export interface StoredRecord<T> extends GroupKey<T> {
  readonly id: string
  readonly value: T
}

/** Functions that return the strings by which records are grouped, the most significant first. */
export type Grouping<T> = readonly ((key: GroupKey<T>) => string)[]

export const byId: Compare<{ id: string }> = (a, b) => compareTexts(a.id, b.id)

export const byPosition: Compare<Position> = (a, b) => compareTexts(a.createdAt, b.createdAt) || a.sequence - b.sequence

/** Returns a function that compares the groups to which two records belong. */
export const byGroup =
  <T>(grouping: Grouping<T>): Compare<GroupKey<T>> =>
  (a, b) => {
    for (const getKey of grouping) {
      const order = compareTexts(getKey(a), getKey(b))
      if (order !== 0) return order
    }
    return 0
  }

export const byGroupAndPosition = <T>(grouping: Grouping<T>): Compare<GroupKey<T>> => {
  const compare = byGroup(grouping)
  return (a, b) => compare(a, b) || byPosition(a, b)
}
