import type { Entry, Resource } from './collection.ts'
import type { RecordKind } from './kinds.ts'

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

/** Makes a change of a record, in place. */
export const makeChange = (state: AnyCollections, { kind, from, to }: RecordChange): void => {
  // It is the same collection: the assignment reports the write.
  state[kind] = state[kind].replace(from, to)
}

/** Undoes the newest changes of a state, in place. */
export const undoChanges = (state: Readonly<AnyCollections>, changes: readonly RecordChange[]): void => {
  for (const { kind, from, to } of changes.toReversed()) state[kind].replace(to, from)
}

/** Runs a function while the newest changes of a state are undone: it reads an earlier state. */
export const runBefore = <R>(state: Readonly<AnyCollections>, changes: readonly RecordChange[], run: () => R): R => {
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
  replace(from: Entry<Resource> | undefined, to: Entry<Resource> | undefined): AnyCollection
}
