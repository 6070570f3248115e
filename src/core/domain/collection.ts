// The records of one kind in one project: a map by id, a sorted array, and a sorted array for each group.
//
// Changes happen in place: the newest record is pushed, any other position is found by binary search. So every holder of a
// collection sees its current records. Copies, such as those of snapshots, share their data until one of them changes.

/** Compares by code units, which gives the same order on every machine and in every locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** `asc` is from old to new. */
export type Direction = 'asc' | 'desc'

/** The position in a list: by creation time, then by insertion, because a frozen clock makes ties common. */
export interface Position {
  readonly createdAt: string
  readonly sequence: number
}

export const byPosition = (a: Position, b: Position): number =>
  compareTexts(a.createdAt, b.createdAt) || a.sequence - b.sequence

export interface Resource {
  readonly id: string
  readonly createdAt: string
}

export interface Tombstone extends Position {
  readonly id: string
}

export interface StoredRecord<T> extends Position {
  readonly value: T
}

/** A deleted record leaves a tombstone, so that its id is not used again. */
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

type SortedRecords<T> = StoredRecord<T>[]

interface Grouping<T, G> {
  readonly name: G
  readonly getKey: (value: T) => string
  /** By group. An empty group has no list. */
  readonly lists: Map<string, SortedRecords<T>>
}

interface RecordIndex<T, G> {
  readonly byId: Map<string, Entry<T>>
  readonly all: SortedRecords<T>
  readonly groupings: readonly Grouping<T, G>[]
  nextSequence: number
  /** Whether several collections share these records. The next change of one copies them first. */
  isShared: boolean
}

export class Collection<T extends Resource, G extends string = never> {
  #records: RecordIndex<T, G>
  #changeCount = 0

  private constructor(records: RecordIndex<T, G>) {
    this.#records = records
  }

  static create<T extends Resource, G extends string>(groupings: Record<G, (value: T) => string>): Collection<T, G> {
    const names = Object.keys(groupings) as G[]
    const emptyGroupings = names.map((name) => ({ name, getKey: groupings[name], lists: new Map() }))
    return new Collection({ byId: new Map(), all: [], groupings: emptyGroupings, nextSequence: 0, isShared: false })
  }

  /** Returns a new collection with the same groupings. The entries may have any order. */
  load(entries: readonly Entry<T>[]): Collection<T, G> {
    const groupings: Grouping<T, G>[] = this.#records.groupings.map((one) => ({ ...one, lists: new Map() }))
    const sortedRecords = entries.filter(isStoredRecord).toSorted(byPosition)
    for (const record of sortedRecords) for (const grouping of groupings) replaceInGroup(grouping, undefined, record)
    const nextSequence = entries.reduce((highest, { sequence }) => Math.max(highest, sequence + 1), 0)
    const byId = new Map(entries.map((entry) => [getId(entry), entry]))
    return new Collection({ byId, all: sortedRecords, groupings, nextSequence, isShared: false })
  }

  /** Copies lazily, with the first change of either collection. */
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

  getEntry(id: string): Entry<T> | undefined {
    return this.#records.byId.get(id)
  }

  get nextSequence(): number {
    return this.#records.nextSequence
  }

  /** Replaces the entry of an id. Undefined means that the id is unused. Swapping `from` and `to` undoes the newest change. */
  replace(from: Entry<T> | undefined, to: Entry<T> | undefined): this {
    if (this.#records.isShared) this.#records = copyIndex(this.#records)
    const records = this.#records
    this.#changeCount++
    if (to === undefined) records.byId.delete(getId(from!))
    else records.byId.set(getId(to), to)
    const oldRecord = isStoredRecord(from) ? from : undefined
    const newRecord = isStoredRecord(to) ? to : undefined
    replaceInList(records.all, oldRecord, newRecord)
    for (const grouping of records.groupings) replaceInGroup(grouping, oldRecord, newRecord)
    if (to?.sequence === records.nextSequence) records.nextSequence++
    // The newest record is undone.
    else if (from?.sequence === records.nextSequence - 1 && to?.sequence !== from.sequence) records.nextSequence--
    return this
  }

  /** Yields the records beyond a position. Throws if the collection changes during the scan. */
  *scan(
    direction: Direction,
    from?: Position,
    group?: { readonly by: G; readonly key: string },
  ): Generator<StoredRecord<T>, void, undefined> {
    const { all, groupings } = this.#records
    const records = group === undefined ? all : groupings.find(({ name }) => name === group.by)!.lists.get(group.key)
    if (records === undefined) return
    const countAtStart = this.#changeCount
    const scanStep = direction === 'asc' ? 1 : -1
    let index = from === undefined ? (direction === 'asc' ? 0 : records.length) : findIndex(records, from)
    // Downwards, the record before the index is the first one. Upwards, the position itself is left out.
    if (direction === 'desc') index--
    else if (from !== undefined && index < records.length && byPosition(records[index]!, from) === 0) index++
    for (; index >= 0 && index < records.length; index += scanStep) {
      yield records[index]!
      if (countAtStart !== this.#changeCount)
        throw new Error('The records have changed during a scan. Collect them first.')
    }
  }

  listTombstones(): Tombstone[] {
    const tombstones = [...this.#records.byId.values()].flatMap((entry) => (isStoredRecord(entry) ? [] : entry))
    return tombstones.toSorted((a, b) => compareTexts(a.id, b.id))
  }
}

/** Returns the index of the first record at or after a position. */
const findIndex = (sortedRecords: SortedRecords<unknown>, position: Position): number => {
  let lowIndex = 0
  let highIndex = sortedRecords.length
  // Most changes add the newest record, which needs no search.
  if (highIndex > 0 && byPosition(sortedRecords[highIndex - 1]!, position) < 0) return highIndex
  while (lowIndex < highIndex) {
    const middleIndex = (lowIndex + highIndex) >> 1
    if (byPosition(sortedRecords[middleIndex]!, position) < 0) lowIndex = middleIndex + 1
    else highIndex = middleIndex
  }
  return lowIndex
}

const replaceInList = <T>(
  sortedRecords: SortedRecords<T>,
  from: StoredRecord<T> | undefined,
  to: StoredRecord<T> | undefined,
) => {
  if (from !== undefined && to !== undefined && byPosition(from, to) === 0)
    sortedRecords[findIndex(sortedRecords, from)] = to
  else {
    if (from !== undefined) sortedRecords.splice(findIndex(sortedRecords, from), 1)
    if (to !== undefined) sortedRecords.splice(findIndex(sortedRecords, to), 0, to)
  }
}

const replaceInGroup = <T>(
  { getKey, lists }: Pick<Grouping<T, string>, 'getKey' | 'lists'>,
  from: StoredRecord<T> | undefined,
  to: StoredRecord<T> | undefined,
) => {
  const oldGroupKey = from && getKey(from.value)
  const newGroupKey = to && getKey(to.value)
  if (oldGroupKey !== undefined) {
    const groupRecords = lists.get(oldGroupKey)!
    replaceInList(groupRecords, from, oldGroupKey === newGroupKey ? to : undefined)
    if (groupRecords.length === 0) lists.delete(oldGroupKey)
  }
  if (newGroupKey === undefined || newGroupKey === oldGroupKey) return
  const list = lists.get(newGroupKey)
  if (list === undefined) lists.set(newGroupKey, [to!])
  else replaceInList(list, undefined, to)
}

const copyIndex = <T, G>({ byId, all, groupings, nextSequence }: RecordIndex<T, G>): RecordIndex<T, G> => ({
  byId: new Map(byId),
  all: [...all],
  groupings: groupings.map((grouping) => ({
    ...grouping,
    lists: new Map([...grouping.lists].map(([key, list]) => [key, [...list]])),
  })),
  nextSequence,
  isShared: false,
})
