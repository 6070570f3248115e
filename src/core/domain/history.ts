import type { Entry, Resource } from './collection.ts'
import type { RecordKind } from './kinds.ts'

/** `from` is undefined for a new id. A deleted record has a tombstone. */
export interface RecordChange {
  readonly kind: RecordKind
  readonly from: Entry<Resource> | undefined
  readonly to: Entry<Resource>
  /** When it happened by the clock of the project, ISO 8601. A due payment happened before its transaction. */
  readonly at: string
  /** The approximate number of characters of both records. */
  readonly size: number
}

/** An earlier state: some changes ago, or some milliseconds ago by the clock of the project. With both, the older state. */
export interface Past {
  readonly changes?: number | undefined
  readonly milliseconds?: number | undefined
}

interface KeptChange {
  /** The revision that the change led to. One transaction can change several records. */
  readonly revision: number
  readonly change: RecordChange
}

interface ProjectHistory {
  /** Oldest first. */
  readonly changes: KeptChange[]
  size: number
}

const maxRevisions = 100
/** The maximum number of characters of the changed records of a project. */
const maxChangesSize = 16 * 1024 * 1024

/** Keeps the newest changes of each project, from which its earlier states are rebuilt. */
export class History {
  /** By project. A deleted project keeps its revision. */
  readonly revisions = new Map<string, number>()
  readonly #projects = new Map<string, ProjectHistory>()

  /** Adds the changes of a transaction as one revision. */
  add(project: string, changes: readonly RecordChange[]): void {
    const revision = this.#startRevision(project)
    const history = this.#projects.get(project) ?? { changes: [], size: 0 }
    this.#projects.set(project, history)
    for (const change of changes) {
      history.changes.push({ revision, change })
      history.size += change.size
    }
    const isOverLimit = ([oldest]: readonly KeptChange[]) =>
      oldest !== undefined && (history.size > maxChangesSize || oldest.revision <= revision - maxRevisions)
    while (isOverLimit(history.changes)) dropOldestRevision(history)
  }

  /** Starts a new revision after the state of the project was replaced, and forgets its changes. */
  restart(project: string): void {
    this.#startRevision(project)
    this.#projects.delete(project)
  }

  /** Returns the changes since an earlier state, oldest first. If that state is too old, returns all kept changes. */
  listChangesSince(project: string, past: Past, now: number): readonly RecordChange[] {
    const history = this.#projects.get(project)
    if (history === undefined) return []
    return history.changes.slice(this.#findStart(project, history, past, now)).map(({ change }) => change)
  }

  /** Returns true if a record of this kind has changed between two states. `newer` is undefined for the current state. */
  isChangedBetween(project: string, kind: RecordKind, older: Past, newer: Past | undefined, now: number): boolean {
    const history = this.#projects.get(project)
    if (history === undefined) return false
    const endIndex = newer && this.#findStart(project, history, newer, now)
    return history.changes
      .slice(this.#findStart(project, history, older, now), endIndex)
      .some(({ change }) => change.kind === kind)
  }

  #startRevision(project: string): number {
    const nextRevision = (this.revisions.get(project) ?? 0) + 1
    this.revisions.set(project, nextRevision)
    return nextRevision
  }

  /** Returns the index of the first change since an earlier state. `now` is the time of the project. */
  #findStart(project: string, { changes }: ProjectHistory, past: Past, now: number): number {
    const oldestRevision = (this.revisions.get(project) ?? 0) - (past.changes ?? 0)
    const oldestTime = past.milliseconds === undefined ? undefined : new Date(now - past.milliseconds).toISOString()
    // Search from the newest: a clock that was set back does not change the order of the states.
    const findFirstChange = (isLaterChange: (kept: KeptChange) => boolean) =>
      changes.findLastIndex((kept) => !isLaterChange(kept)) + 1
    return Math.min(
      findFirstChange(({ revision }) => revision > oldestRevision),
      findFirstChange(({ change }) => oldestTime !== undefined && change.at > oldestTime),
    )
  }
}

/** Drops all changes of a revision: half of them would lead to a state that never existed. */
const dropOldestRevision = (history: ProjectHistory) => {
  const { changes } = history
  const { revision } = changes[0]!
  while (changes[0]?.revision === revision) history.size -= changes.shift()!.change.size
}

export const makeChange = (state: AnyCollections, { kind, from, to }: RecordChange): void => {
  // The collection stays the same: the assignment reports the write.
  state[kind] = state[kind].replace(from, to)
}

export const undoChanges = (state: Readonly<AnyCollections>, changes: readonly RecordChange[]): void => {
  for (const { kind, from, to } of changes.toReversed()) state[kind].replace(to, from)
}

/** Runs a function that reads an earlier state: the newest changes are undone meanwhile. */
export const runBefore = <R>(state: Readonly<AnyCollections>, changes: readonly RecordChange[], run: () => R): R => {
  undoChanges(state, changes)
  try {
    return run()
  } finally {
    for (const { kind, from, to } of changes) state[kind].replace(from, to)
  }
}

type AnyCollections = Record<RecordKind, AnyCollection>

interface AnyCollection {
  replace(from: Entry<Resource> | undefined, to: Entry<Resource> | undefined): AnyCollection
}
