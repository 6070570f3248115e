/** Orders texts by their code units: the same on every machine and in every locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export type Direction = 'asc' | 'desc'

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
export interface StoredRecord<T> extends Tombstone {
  readonly value: T
}

export const byPosition = (a: Position, b: Position): number =>
  compareTexts(a.createdAt, b.createdAt) || a.sequence - b.sequence
