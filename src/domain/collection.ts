import type sortedBtree from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'
import {
  compareTexts,
  type Direction,
  type Position,
  type Resource,
  type StoredRecord,
  type Tombstone,
} from './position.ts'

/** A sorted map that shares its unchanged nodes with older versions, so that keeping an old one costs nothing. */
type Tree<V> = InstanceType<typeof sortedBtree.default<string, V>>

/** The indexes by id, by position in the list, and by position in the groups of each grouping. */
interface Trees<T> {
  readonly byId: Tree<StoredRecord<T>>
  readonly lists: readonly Tree<StoredRecord<T>>[]
  readonly tombstones: Tree<Tombstone>
}

/** By name, the functions that return the group of a record. Groups are equal if their JSON is. */
type Groupings<T, G extends string> = Readonly<Record<G, (value: T) => unknown>>

/** The number of elements in a node: the default of the package. */
const nodeSize = 32

const buildTree = <V>(values: readonly V[], getKey: (value: V) => string): Tree<V> => {
  const sorted = values.map((value) => ({ key: getKey(value), value })).toSorted((a, b) => compareTexts(a.key, b.key))
  const [keys, inOrder] = [sorted.map(({ key }) => key), sorted.map(({ value }) => value)]
  return bulkLoad(keys, inOrder, nodeSize, compareTexts, 1)
}

/** The first group: that of all records. */
const all = ''

/** The start of the keys of a group. JSON has no zero character. */
const formatGroup = (group: unknown): string => `${JSON.stringify(group)}\0`

const formatPosition = ({ createdAt, sequence }: Position): string =>
  `${createdAt} ${String(sequence).padStart(16, '0')}`

/** The functions that return the key of a record in each list: its group and its position. */
const listKeys = <T>(groupings: Groupings<T, string>) =>
  [() => all, ...Object.values(groupings)].map(
    (getGroup) => (record: StoredRecord<T>) => formatGroup(getGroup(record.value)) + formatPosition(record),
  )

const getId = ({ id }: Tombstone): string => id

const buildTrees = <T>(
  groupings: Groupings<T, string>,
  records: readonly StoredRecord<T>[],
  tombstones: readonly Tombstone[],
): Trees<T> => ({
  byId: buildTree(records, getId),
  lists: listKeys(groupings).map((getKey) => buildTree(records, getKey)),
  tombstones: buildTree(tombstones, getId),
})

/**
 * The records of one kind in one project. It is immutable: each change returns another collection.
 * A lookup or a change is O(log n). A page costs O(its records), also within a group.
 */
export class Collection<T extends Resource, G extends string = never> {
  readonly #groupings: Groupings<T, G>
  readonly #trees: Trees<T>
  /** The next sequence. */
  readonly #next: number

  private constructor(groupings: Groupings<T, G>, trees: Trees<T>, next: number) {
    this.#groupings = groupings
    this.#trees = trees
    this.#next = next
  }

  static create<T extends Resource, G extends string>(groupings: Groupings<T, G>): Collection<T, G> {
    return new Collection(groupings, buildTrees(groupings, [], []), 0)
  }

  /** Returns a collection with other values, in the order of insertion. Tombstones keep their positions among them. */
  load(values: readonly T[], tombstones: readonly Tombstone[] = []): Collection<T, G> {
    const taken = new Set(tombstones.map(({ sequence }) => sequence))
    let next = 0
    const records = values.map((value) => {
      while (taken.has(next)) next++
      return { value, sequence: next++ }
    })
    return this.restore(records, tombstones)
  }

  /** Returns a collection with stored records and tombstones. */
  restore(
    records: readonly Pick<StoredRecord<T>, 'value' | 'sequence'>[],
    tombstones: readonly Tombstone[],
  ): Collection<T, G> {
    const stored = records.map(({ value, sequence }) => toRecord(value, sequence))
    const next = [...stored, ...tombstones].reduce((max, { sequence }) => Math.max(max, sequence + 1), 0)
    return new Collection(this.#groupings, buildTrees(this.#groupings, stored, tombstones), next)
  }

  get size(): number {
    return this.#trees.byId.size
  }

  get(id: string): T | undefined {
    return this.#trees.byId.get(id)?.value
  }

  /** Returns the record with its position, or the tombstone of a deleted record, whose id is not used again. */
  findStored(id: string): StoredRecord<T> | Tombstone | undefined {
    return this.#trees.byId.get(id) ?? this.getTombstone(id)
  }

  getPosition(id: string): Position | undefined {
    return this.#trees.byId.get(id)
  }

  getTombstone(id: string): Tombstone | undefined {
    return this.#trees.tombstones.get(id)
  }

  /**
   * Adds a record, or replaces the one with its id. With another creation time it becomes the newest of that time.
   * Returns the same collection if the record is equal.
   */
  put(value: T): Collection<T, G> {
    const old = this.#trees.byId.get(value.id)
    if (old !== undefined && isEqual(old.value, value)) return this
    const keepsPosition = old !== undefined && old.createdAt === value.createdAt
    return this.#replace(old, toRecord(value, keepsPosition ? old.sequence : this.#next), !keepsPosition)
  }

  remove(id: string): Collection<T, G> {
    const old = this.#trees.byId.get(id)
    return old === undefined ? this : this.#replace(old, undefined, false)
  }

  /** Scans the records beyond a position, of all or of one group. `asc` is from old to new. */
  *scan(
    direction: Direction,
    from?: Position,
    group?: { readonly by: G; readonly key: unknown },
  ): Generator<StoredRecord<T>, void, undefined> {
    const index = group === undefined ? 0 : Object.keys(this.#groupings).indexOf(group.by) + 1
    const tree = this.#trees.lists[index]!
    const prefix = formatGroup(group === undefined ? all : group.key)
    const start = from && prefix + formatPosition(from)
    const pairs =
      direction === 'asc' ? tree.entries(start ?? prefix) : tree.entriesReversed(start ?? `${prefix}~`, [], true)
    for (const [key, record] of pairs) {
      // `entriesReversed` skips the start, but `entries` does not.
      if (key === start) continue
      if (!key.startsWith(prefix)) return
      yield record
    }
  }

  /** Yields all tombstones, sorted by id. */
  scanTombstones(): Iterable<Tombstone> {
    return this.#trees.tombstones.values()
  }

  #replace(old: StoredRecord<T> | undefined, record: StoredRecord<T> | undefined, isNew: boolean): Collection<T, G> {
    const { byId, lists, tombstones } = this.#trees
    const keys = listKeys(this.#groupings)
    const removed = record === undefined ? old : undefined
    const trees = {
      byId: move(byId, old?.id, record?.id, record),
      lists: lists.map((tree, index) => move(tree, old && keys[index]!(old), record && keys[index]!(record), record)),
      tombstones: move(tombstones, record?.id, removed?.id, removed && toTombstone(removed)),
    }
    return new Collection(this.#groupings, trees, isNew ? this.#next + 1 : this.#next)
  }
}

const toTombstone = ({ id, createdAt, sequence }: Tombstone): Tombstone => ({ id, createdAt, sequence })

const toRecord = <T extends Resource>(value: T, sequence: number): StoredRecord<T> => {
  const { id, createdAt } = value
  return { id, createdAt, sequence, value }
}

/** Returns a tree without the old key, and with the new one. The old tree stays. */
const move = <V>(tree: Tree<V>, old: string | undefined, key: string | undefined, value: V | undefined): Tree<V> => {
  const next = tree.clone()
  if (old !== undefined && old !== key) next.delete(old)
  if (key !== undefined) next.set(key, value!)
  return next
}

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!isEqualField(a[name], b[name])) return false
  return true
}

const isEqualField = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
