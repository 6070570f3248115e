// The records of one kind in one project: a map by id, an array in the order of lists, and such an array for each group.
//
// Changes happen in place: the newest record is pushed, any other position is found by binary search. Only a collection that
// somebody keeps, as a snapshot does, is copied before its next change. Copies share the records, which are never edited.

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

export const isStoredRecord = <T>(entry: Entry<T> | undefined): entry is StoredRecord<T> =>
  entry !== undefined && 'value' in entry

export const getId = <T extends Resource>(entry: Entry<T>): string =>
  isStoredRecord(entry) ? entry.value.id : entry.id

export const toRecord = <T extends Resource>(value: T, sequence: number): StoredRecord<T> => ({
  createdAt: value.createdAt,
  sequence,
  value,
})

/** Records in the order of lists. */
type Sorted<T> = StoredRecord<T>[]

interface Grouping<T, G> {
  readonly name: G
  /** Returns the group of a record. */
  readonly getKey: (value: T) => string
  /** The records of each group. None is empty. */
  readonly lists: Map<string, Sorted<T>>
}

/** The records of one kind in one project. */
export class Collection<T extends Resource, G extends string = never> {
  readonly #byId: Map<string, Entry<T>>
  readonly #all: Sorted<T>
  readonly #groupings: readonly Grouping<T, G>[]
  #next: number
  // A new collection may be the initial state, to which a reset returns.
  #isKept = true

  private constructor(byId: Map<string, Entry<T>>, all: Sorted<T>, groupings: readonly Grouping<T, G>[], next: number) {
    this.#byId = byId
    this.#all = all
    this.#groupings = groupings
    this.#next = next
  }

  /** Creates an empty collection. `groupings` has the functions that return the group of a record, by name. */
  static create<T extends Resource, G extends string>(groupings: Record<G, (value: T) => string>): Collection<T, G> {
    const names = Object.keys(groupings) as G[]
    const empty = names.map((name) => ({ name, getKey: groupings[name], lists: new Map<string, Sorted<T>>() }))
    return new Collection(new Map(), [], empty, 0)
  }

  /** Returns a collection with other entries, in any order. */
  load(entries: readonly Entry<T>[]): Collection<T, G> {
    const groupings = this.#groupings.map((grouping) => ({ ...grouping, lists: new Map<string, Sorted<T>>() }))
    const all = entries.filter(isStoredRecord).toSorted(byPosition)
    for (const record of all) for (const grouping of groupings) replaceInGroup(grouping, undefined, record)
    const next = entries.reduce((highest, { sequence }) => Math.max(highest, sequence + 1), 0)
    return new Collection(new Map(entries.map((entry) => [getId(entry), entry])), all, groupings, next)
  }

  get size(): number {
    return this.#all.length
  }

  get(id: string): T | undefined {
    const entry = this.#byId.get(id)
    return isStoredRecord(entry) ? entry.value : undefined
  }

  /** Returns the record with its position, or the tombstone of a deleted record, whose id is not used again. */
  getEntry(id: string): Entry<T> | undefined {
    return this.#byId.get(id)
  }

  /** The sequence of the next record. */
  get next(): number {
    return this.#next
  }

  /** Keeps these records as they are: from now on, `edit` returns a copy. */
  keep(): void {
    this.#isKept = true
  }

  /** Returns these records for changes: the same collection, or a copy of one that is kept. */
  edit(): Collection<T, G> {
    if (!this.#isKept) return this
    const groupings = this.#groupings.map((grouping) => ({ ...grouping, lists: copyLists(grouping.lists) }))
    const copy = new Collection(new Map(this.#byId), [...this.#all], groupings, this.#next)
    copy.#isKept = false
    return copy
  }

  /**
   * Replaces the entry of an id, in place. Undefined: the id is unused. The same call with `from` and `to` exchanged undoes
   * the newest change.
   */
  replace(from: Entry<T> | undefined, to: Entry<T> | undefined): void {
    if (to === undefined) this.#byId.delete(getId(from!))
    else this.#byId.set(getId(to), to)
    const old = isStoredRecord(from) ? from : undefined
    const record = isStoredRecord(to) ? to : undefined
    replaceInList(this.#all, old, record)
    for (const grouping of this.#groupings) replaceInGroup(grouping, old, record)
    if (to?.sequence === this.#next) this.#next++
    // The newest record is undone.
    else if (from?.sequence === this.#next - 1 && to?.sequence !== from.sequence) this.#next--
  }

  /** Scans the records beyond a position, of all or of one group. `asc` is from old to new. */
  *scan(
    direction: Direction,
    from?: Position,
    group?: { readonly by: G; readonly key: string },
  ): Generator<StoredRecord<T>, void, undefined> {
    const list = group === undefined ? this.#all : this.#getGrouping(group.by).lists.get(group.key)
    if (list === undefined) return
    if (direction === 'asc') {
      let index = from === undefined ? 0 : findIndex(list, from)
      if (from !== undefined && index < list.length && byPosition(list[index]!, from) === 0) index++
      while (index < list.length) yield list[index++]!
    } else {
      let index = from === undefined ? list.length : findIndex(list, from)
      while (index > 0) yield list[--index]!
    }
  }

  /** Returns all tombstones, sorted by id. */
  listTombstones(): Tombstone[] {
    const tombstones: Tombstone[] = []
    for (const entry of this.#byId.values()) if (!isStoredRecord(entry)) tombstones.push(entry)
    return tombstones.toSorted((a, b) => compareTexts(a.id, b.id))
  }

  #getGrouping(name: G): Grouping<T, G> {
    return this.#groupings.find((grouping) => grouping.name === name)!
  }
}

/** Returns the index of the first record that is not before a position. */
const findIndex = (list: Sorted<unknown>, position: Position): number => {
  // From the end on, in steps that double: most changes are of the newest records.
  let step = 1
  while (step <= list.length && byPosition(list[list.length - step]!, position) >= 0) step *= 2
  let low = Math.max(0, list.length - step)
  let high = list.length - (step >> 1)
  while (low < high) {
    const middle = (low + high) >> 1
    if (byPosition(list[middle]!, position) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Replaces a record. Undefined: it is missing before, or afterwards. */
const replaceInList = <T>(list: Sorted<T>, from: StoredRecord<T> | undefined, to: StoredRecord<T> | undefined) => {
  if (from !== undefined && to !== undefined && byPosition(from, to) === 0) list[findIndex(list, from)] = to
  else {
    if (from !== undefined) list.splice(findIndex(list, from), 1)
    if (to !== undefined) list.splice(findIndex(list, to), 0, to)
  }
}

/** Replaces a record in the list of its group, which may be another group afterwards. */
const replaceInGroup = <T>(
  { getKey, lists }: Pick<Grouping<T, string>, 'getKey' | 'lists'>,
  from: StoredRecord<T> | undefined,
  to: StoredRecord<T> | undefined,
) => {
  const oldKey = from && getKey(from.value)
  const key = to && getKey(to.value)
  if (oldKey !== undefined) {
    const list = lists.get(oldKey)!
    replaceInList(list, from, oldKey === key ? to : undefined)
    if (list.length === 0) lists.delete(oldKey)
  }
  if (key === undefined || key === oldKey) return
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [to!])
  else replaceInList(list, undefined, to)
}

const copyLists = <T>(lists: ReadonlyMap<string, Sorted<T>>): Map<string, Sorted<T>> => {
  const copy = new Map<string, Sorted<T>>()
  for (const [key, list] of lists) copy.set(key, [...list])
  return copy
}
