// The records of one kind in one project: a map by id, an array in the order of lists, and such an array for each group.
//
// Changes happen in place: the newest record is pushed, any other position is found by binary search. So whoever has a
// collection reads its current records. A snapshot has a copy of its own: copies share everything until one of them changes.

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
  /** The records of each group. An empty group has no list. */
  readonly lists: Map<string, Sorted<T>>
}

interface RecordIndex<T, G> {
  readonly byId: Map<string, Entry<T>>
  readonly all: Sorted<T>
  readonly groupings: readonly Grouping<T, G>[]
  /** The sequence of the next record. */
  next: number
  /** Whether several collections have these records. The next change of one copies them first. */
  isShared: boolean
}

export class Collection<T extends Resource, G extends string = never> {
  #records: RecordIndex<T, G>
  /** The number of changes, so that a scan notices them. */
  #changes = 0

  private constructor(records: RecordIndex<T, G>) {
    this.#records = records
  }

  /** Creates an empty collection. `groupings` has the functions that return the group of a record, by name. */
  static create<T extends Resource, G extends string>(groupings: Record<G, (value: T) => string>): Collection<T, G> {
    const names = Object.keys(groupings) as G[]
    const empty = names.map((name) => ({ name, getKey: groupings[name], lists: new Map<string, Sorted<T>>() }))
    return new Collection({ byId: new Map(), all: [], groupings: empty, next: 0, isShared: false })
  }

  /** Returns a collection with other entries, in any order. */
  load(entries: readonly Entry<T>[]): Collection<T, G> {
    const groupings = this.#records.groupings.map((grouping) => ({ ...grouping, lists: new Map<string, Sorted<T>>() }))
    const all = entries.filter(isStoredRecord).toSorted(byPosition)
    for (const record of all) for (const grouping of groupings) replaceInGroup(grouping, undefined, record)
    const next = entries.reduce((highest, { sequence }) => Math.max(highest, sequence + 1), 0)
    const byId = new Map(entries.map((entry) => [getId(entry), entry]))
    return new Collection({ byId, all, groupings, next, isShared: false })
  }

  /** Returns a copy, which does not change with this collection. Only the first change after it costs time. */
  copy(): Collection<T, G> {
    this.#records.isShared = true
    return new Collection(this.#records)
  }

  get size(): number {
    return this.#records.all.length
  }

  get(id: string): T | undefined {
    const entry = this.#records.byId.get(id)
    return isStoredRecord(entry) ? entry.value : undefined
  }

  /** Returns the record with its position, or the tombstone of a deleted record, whose id is not used again. */
  getEntry(id: string): Entry<T> | undefined {
    return this.#records.byId.get(id)
  }

  /** The sequence of the next record. */
  get next(): number {
    return this.#records.next
  }

  /**
   * Replaces the entry of an id, and returns the collection. Undefined: the id is unused. The same call with `from` and `to`
   * exchanged undoes the newest change.
   */
  replace(from: Entry<T> | undefined, to: Entry<T> | undefined): this {
    if (this.#records.isShared) this.#records = copyIndex(this.#records)
    const records = this.#records
    this.#changes++
    if (to === undefined) records.byId.delete(getId(from!))
    else records.byId.set(getId(to), to)
    const old = isStoredRecord(from) ? from : undefined
    const record = isStoredRecord(to) ? to : undefined
    replaceInList(records.all, old, record)
    for (const grouping of records.groupings) replaceInGroup(grouping, old, record)
    if (to?.sequence === records.next) records.next++
    // The newest record is undone.
    else if (from?.sequence === records.next - 1 && to?.sequence !== from.sequence) records.next--
    return this
  }

  /** Scans the records beyond a position, of all or of one group. `asc` is from old to new. A change during a scan throws. */
  *scan(
    direction: Direction,
    from?: Position,
    group?: { readonly by: G; readonly key: string },
  ): Generator<StoredRecord<T>, void, undefined> {
    const list = group === undefined ? this.#records.all : this.#getGrouping(group.by).lists.get(group.key)
    if (list === undefined) return
    const changes = this.#changes
    const step = direction === 'asc' ? 1 : -1
    let index = from === undefined ? (direction === 'asc' ? 0 : list.length) : findIndex(list, from)
    // Downwards, the record before the index is the first one. Upwards, the position itself is left out.
    if (direction === 'desc') index--
    else if (from !== undefined && index < list.length && byPosition(list[index]!, from) === 0) index++
    for (; index >= 0 && index < list.length; index += step) {
      yield list[index]!
      if (changes !== this.#changes) throw new Error('The records have changed during a scan. Collect them first.')
    }
  }

  /** Returns all tombstones, sorted by id. */
  listTombstones(): Tombstone[] {
    const tombstones: Tombstone[] = []
    for (const entry of this.#records.byId.values()) if (!isStoredRecord(entry)) tombstones.push(entry)
    return tombstones.toSorted((a, b) => compareTexts(a.id, b.id))
  }

  #getGrouping(name: G): Grouping<T, G> {
    return this.#records.groupings.find((grouping) => grouping.name === name)!
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

const copyIndex = <T, G>({ byId, all, groupings, next }: RecordIndex<T, G>): RecordIndex<T, G> => ({
  byId: new Map(byId),
  all: [...all],
  groupings: groupings.map((grouping) => ({ ...grouping, lists: copyLists(grouping.lists) })),
  next,
  isShared: false,
})

const copyLists = <T>(lists: ReadonlyMap<string, Sorted<T>>): Map<string, Sorted<T>> => {
  const copy = new Map<string, Sorted<T>>()
  for (const [key, list] of lists) copy.set(key, [...list])
  return copy
}
