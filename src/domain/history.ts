import { type Collections, type RecordKind, kinds, mapKinds } from './kinds.ts'
import {
  type Collection,
  getId,
  isStoredRecord,
  type Direction,
  isBeyond,
  type Position,
  type Resource,
  type StoredRecord,
} from './collection.ts'
import type { RecordChange } from './transaction.ts'

/** An earlier state: some changes ago, or some milliseconds ago by the clock of the project. With both, the older state. */
export interface Past {
  readonly changes?: number | undefined
  readonly milliseconds?: number | undefined
}

/** The present, from which an earlier state is reckoned. */
interface Present {
  readonly revision: number
  /** The time of the project, in milliseconds since 1970. */
  readonly now: number
}

interface KeptChange {
  /** The revision that the change led to. One transaction can change several records. */
  readonly revision: number
  readonly change: RecordChange
  /** The time of the change in milliseconds, once it was needed: each list compares that of the newest change. */
  time?: number
}

interface ProjectHistory {
  /** Oldest first. */
  readonly changes: KeptChange[]
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
    const history = this.#projects.get(project) ?? { changes: [], size: 0 }
    this.#projects.set(project, history)
    history.changes.push({ revision, change })
    history.size += change.size
    for (;;) {
      const oldest = history.changes[0]
      if (oldest === undefined || (history.size <= maxSize && oldest.revision > revision - maxRevisions)) break
      dropRevision(history, oldest.revision)
    }
  }

  /** Returns the changes since an earlier state, oldest first. All kept changes, if that state is older. */
  listChangesSince(project: string, past: Past, present: Present): readonly RecordChange[] {
    const history = this.#projects.get(project)
    if (history === undefined) return []
    return history.changes.slice(findStart(history, past, present)).map(({ change }) => change)
  }

  /** Returns true if a record of this kind has changed between two states. `newer` is undefined for the current state. */
  isChangedBetween(project: string, kind: RecordKind, older: Past, newer: Past | undefined, present: Present): boolean {
    const history = this.#projects.get(project)
    if (history === undefined) return false
    const end = newer && findStart(history, newer, present)
    return history.changes.slice(findStart(history, older, present), end).some(({ change }) => change.kind === kind)
  }

  /** Forgets the changes of a project, or of all. */
  clear(project?: string): void {
    if (project === undefined) this.#projects.clear()
    else this.#projects.delete(project)
  }
}

/** Returns the index of the first change since an earlier state. */
const findStart = ({ changes }: ProjectHistory, past: Past, { revision, now }: Present): number => {
  const oldestRevision = revision - Math.min(past.changes ?? 0, maxRevisions)
  const oldestTime = past.milliseconds === undefined ? Infinity : now - past.milliseconds
  const findFirst = (isLater: (kept: KeptChange) => boolean) => {
    // From the newest on: a clock that was set back does not change the order of the states.
    let start = changes.length
    while (start > 0 && isLater(changes[start - 1]!)) start--
    return start
  }
  return Math.min(
    findFirst((kept) => kept.revision > oldestRevision),
    findFirst((kept) => kept.revision > revision - maxRevisions && getTime(kept) > oldestTime),
  )
}

const getTime = (kept: KeptChange): number => (kept.time ??= Date.parse(kept.change.at))

/** Drops all changes of a revision: a half of them would lead to a state that never was. */
const dropRevision = (history: ProjectHistory, revision: number) => {
  const { changes } = history
  while (changes[0]?.revision === revision) history.size -= changes.shift()!.change.size
}

/**
 * Returns the records before some changes, given oldest first. It costs O(changes), whatever the number of records, and is
 * valid until the next change of the current ones.
 */
export const showEarlier = (current: Collections, changes: readonly RecordChange[]): Collections => {
  const earlier = mapKinds<Record<RecordKind, Map<string, RecordChange['from']>>>(() => new Map())
  // The oldest change of a record has the entry before all of them.
  for (const { kind, from, to } of changes) if (!earlier[kind].has(getId(to))) earlier[kind].set(getId(to), from)
  return mapKinds<Collections>((kind) =>
    earlier[kind].size === 0 ? current[kind] : new EarlierRecords(current[kind], earlier[kind], kinds[kind].groups),
  )
}

/** A collection of any kind of record, as far as operations read it. */
type ReadableRecords = Pick<Collection<Resource, string>, 'getEntry' | 'scan'>

interface Group {
  readonly by: string
  readonly key: string
}

/** A collection as it was before some changes. */
class EarlierRecords implements ReadableRecords {
  readonly #current: ReadableRecords
  /** The changed entries as they were, by id. Undefined: the id was unused. */
  readonly #earlier: ReadonlyMap<string, RecordChange['from']>
  readonly #groups: object

  constructor(current: ReadableRecords, earlier: ReadonlyMap<string, RecordChange['from']>, groups: object) {
    this.#current = current
    this.#earlier = earlier
    this.#groups = groups
  }

  get(id: string): Resource | undefined {
    const entry = this.getEntry(id)
    return isStoredRecord(entry) ? entry.value : undefined
  }

  getEntry(id: string): RecordChange['from'] {
    return this.#earlier.has(id) ? this.#earlier.get(id) : this.#current.getEntry(id)
  }

  *scan(direction: Direction, from?: Position, group?: Group): Generator<StoredRecord<Resource>, void, undefined> {
    const earlier = this.#listEarlier(direction, from, group)
    let next = 0
    for (const record of this.#current.scan(direction, from, group)) {
      if (this.#earlier.has(record.value.id)) continue
      while (next < earlier.length && isBeyond(record, direction, earlier[next])) yield earlier[next++]!
      yield record
    }
    yield* earlier.slice(next)
  }

  #listEarlier(direction: Direction, from?: Position, group?: Group): StoredRecord<Resource>[] {
    const listed: StoredRecord<Resource>[] = []
    for (const entry of this.#earlier.values())
      if (isStoredRecord(entry) && isBeyond(entry, direction, from) && this.#isIn(group, entry)) listed.push(entry)
    return listed.toSorted((a, b) => (isBeyond(b, direction, a) ? -1 : 1))
  }

  #isIn(group: Group | undefined, { value }: StoredRecord<Resource>): boolean {
    if (group === undefined) return true
    const getKey = Reflect.get(this.#groups, group.by) as (value: Resource) => string
    return getKey(value) === group.key
  }
}
