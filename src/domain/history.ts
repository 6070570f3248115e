import type { RecordChange } from './transaction.ts'

/** An earlier state: some changes ago, or else as it was some milliseconds ago by the clock of the project. */
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
  /** Oldest first. The first `dropped` are forgotten. */
  changes: KeptChange[]
  dropped: number
  size: number
}

const maxRevisions = 100
/** The maximum number of characters of the changed records of a project. */
const maxSize = 16 * 1024 * 1024

/** The newest changes of each project, from which its earlier states follow. It shares the records with the journal. */
export class History {
  readonly #projects = new Map<string, ProjectHistory>()

  /** Adds a change that led to a revision. Forgets the oldest revisions beyond the limits. */
  add(project: string, revision: number, change: RecordChange): void {
    const history = this.#projects.get(project) ?? { changes: [], dropped: 0, size: 0 }
    this.#projects.set(project, history)
    history.changes.push({ revision, change })
    history.size += change.size
    for (;;) {
      const oldest = history.changes[history.dropped]
      if (oldest === undefined || (history.size <= maxSize && oldest.revision > revision - maxRevisions)) break
      dropRevision(history, oldest.revision)
    }
  }

  /**
   * Returns the changes since an earlier state, oldest first. All kept changes, if that state is older.
   *
   * @param revision the current one
   * @param now the current time of the project, in milliseconds since 1970
   */
  listChangesSince(project: string, past: Past, revision: number, now: number): RecordChange[] {
    const { changes: count, milliseconds = 0 } = past
    const { changes, dropped } = this.#projects.get(project) ?? { changes: [], dropped: 0 }
    const isLater = (kept: KeptChange) =>
      count === undefined ? Date.parse(kept.change.at) > now - milliseconds : kept.revision > revision - count
    // From the newest on: a clock that was set back does not change the order of the states.
    let start = changes.length
    while (start > dropped && isLater(changes[start - 1]!)) start--
    return changes.slice(start).map(({ change }) => change)
  }

  /** Forgets the changes of a project, or of all. */
  clear(project?: string): void {
    if (project === undefined) this.#projects.clear()
    else this.#projects.delete(project)
  }
}

/** Drops all changes of a revision: a half of them would lead to a state that never was. */
const dropRevision = (history: ProjectHistory, revision: number) => {
  while (history.changes[history.dropped]?.revision === revision)
    history.size -= history.changes[history.dropped++]!.change.size
  // Copied seldom, so that dropping costs O(1) for each change.
  if (history.dropped < maxRevisions || history.dropped * 2 < history.changes.length) return
  history.changes = history.changes.slice(history.dropped)
  history.dropped = 0
}
