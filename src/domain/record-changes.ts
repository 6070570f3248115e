import type { Entry, Resource } from './collection.ts'
import type { Collections, RecordKind } from './kinds.ts'

/** A changed record, before and after. Undefined: its id was unused. A deleted record has a tombstone. */
export interface RecordChange {
  readonly kind: RecordKind
  readonly from: Entry<Resource> | undefined
  readonly to: Entry<Resource>
  /** When it happened by the clock of the project, ISO 8601. A due payment happened before its transaction. */
  readonly at: string
  /** The approximate number of characters of both records. */
  readonly size: number
}

/** Makes a change in a state. Records that somebody keeps are copied first. */
export const makeChange = (state: Collections, { kind, from, to }: RecordChange): void => {
  const collections: AnyCollections = state
  collections[kind] = collections[kind].edit()
  collections[kind].replace(from, to)
}

/** Undoes the newest changes of a state, in place. */
export const undoChanges = (state: AnyCollections, changes: readonly RecordChange[]): void => {
  for (const { kind, from, to } of changes.toReversed()) state[kind].replace(to, from)
}

/**
 * Runs a function while the newest changes of a state are undone: it reads an earlier state. The records are the same
 * afterwards, so also those that somebody keeps.
 */
export const runBefore = <R>(state: AnyCollections, changes: readonly RecordChange[], run: () => R): R => {
  undoChanges(state, changes)
  try {
    return run()
  } finally {
    for (const { kind, from, to } of changes) state[kind].replace(from, to)
  }
}

/** Collections, whatever their kinds of records. */
type AnyCollections = Record<RecordKind, AnyCollection>

interface AnyCollection {
  edit(): AnyCollection
  replace(from: Entry<Resource> | undefined, to: Entry<Resource> | undefined): void
}
