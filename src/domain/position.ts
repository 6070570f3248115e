/** Orders texts by their code units: the same on every machine and in every locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The direction of a scan. `asc` is from old to new. */
export type Direction = 'asc' | 'desc'

/** The position in a list: by creation time, then by insertion, because a frozen clock makes ties common. */
export interface Position {
  readonly createdAt: string
  readonly sequence: number
}

export const byPosition = (a: Position, b: Position): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.sequence - b.sequence

/** Whether a scan in this direction that starts after `from` includes the position. */
export const isBeyond = (position: Position, direction: Direction, from: Position | undefined): boolean =>
  from === undefined || (direction === 'asc' ? byPosition(position, from) > 0 : byPosition(position, from) < 0)

/** The fields of every resource. */
export interface Resource {
  readonly id: string
  readonly createdAt: string
}

/** The id and the former position of a deleted record. */
export interface Tombstone extends Position {
  readonly id: string
}

/** A resource with its position. */
export interface StoredRecord<T> extends Position {
  readonly value: T
}

/** The record or the tombstone of an id. The id of a deleted record is not used again. */
export type Entry<T> = StoredRecord<T> | Tombstone
