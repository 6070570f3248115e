import type sortedBtree from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'

// The records of one kind in one project: by id and by group in maps of layers, by position in a tree.
//
// Costs, for n records: a lookup is O(1), a change O(log n), a page O(its records + log n), also within a group.
// A writer edits its indexes in place. For another writer, `replace` first forks them in O(1): the fork shares the layers and
// the nodes of the tree, and copies a node when it changes it. To keep a state, only the writer is replaced.
// Each fork adds a layer, and merges the newest two while the older has less than twice the entries of the newer. So there
// are O(log n) layers, and merging costs O(log n) for each change. The longest pause: among a million records, after half a
// million changes since a state was kept, the next fork copies a map, which takes about a second of CPU.

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

/** Whether a scan in this direction that starts after `from` includes the position. */
export const isBeyond = (position: Position, direction: Direction, from: Position | undefined): boolean =>
  from === undefined || (direction === 'asc' ? byPosition(position, from) > 0 : byPosition(position, from) < 0)

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

/** The right to edit collections in place. It must not be used any more once somebody keeps one of them. */
export type Writer = symbol

/** The records of one kind in one project. A change returns another collection. */
export class Collection<T extends Resource, G extends string = never> {
  readonly #indexes: Indexes<T>

  private constructor(indexes: Indexes<T>) {
    this.#indexes = indexes
    indexes.owner = this
  }

  /** Creates an empty collection. `groupings` has the functions that return the group of a record, by name. */
  static create<T extends Resource, G extends string>(groupings: Record<G, (value: T) => string>): Collection<T, G> {
    const groups = Object.entries<(value: T) => string>(groupings).map(([name, getKey]) => ({ name, getKey }))
    return new Collection(buildIndexes(groups, []))
  }

  /** Returns a collection with other entries, in any order. */
  load(entries: readonly Entry<T>[]): Collection<T, G> {
    return new Collection(buildIndexes(this.#indexes.groups, entries))
  }

  get size(): number {
    return this.#current.order.size
  }

  get(id: string): T | undefined {
    const entry = this.#current.byId.get(id)
    return isStoredRecord(entry) ? entry.value : undefined
  }

  /** Returns the record with its position, or the tombstone of a deleted record, whose id is not used again. */
  getEntry(id: string): Entry<T> | undefined {
    return this.#current.byId.get(id)
  }

  /** The sequence of the next record. */
  get next(): number {
    return this.#current.next
  }

  /**
   * Replaces the entry of an id. Undefined: the id is unused. Invalidates this collection if the writer owns it. The same
   * call with `from` and `to` exchanged undoes the newest change.
   */
  replace(from: Entry<T> | undefined, to: Entry<T> | undefined, writer: Writer): Collection<T, G> {
    const indexes = this.#current
    const own = indexes.writer === writer ? indexes : forkIndexes(indexes, writer)
    replaceEntry(own, from, to)
    return new Collection(own)
  }

  /** Scans the records beyond a position, of all or of one group. `asc` is from old to new. */
  *scan(
    direction: Direction,
    from?: Position,
    group?: { readonly by: G; readonly key: string },
  ): Generator<StoredRecord<T>, void, undefined> {
    const { order, groups } = this.#current
    const list = group === undefined ? order : groups.find(({ name }) => name === group.by)!.lists.get(group.key)
    if (list === undefined) return
    if ('value' in list) {
      if (isBeyond(list, direction, from)) yield list
      return
    }
    // The tree compares only the fields of a position.
    const start = from as StoredRecord<T> | undefined
    for (const [record] of direction === 'asc' ? list.entries(start, []) : list.entriesReversed(start, []))
      // The tree includes the start, and must not change during a scan.
      if (isBeyond(record, direction, from) && this.#current) yield record
  }

  /** Returns all tombstones, sorted by id. */
  listTombstones(): Tombstone[] {
    const tombstones: Tombstone[] = []
    for (const entry of this.#current.byId.values()) if (!isStoredRecord(entry)) tombstones.push(entry)
    return tombstones.toSorted((a, b) => compareTexts(a.id, b.id))
  }

  /** The indexes, unless a writer has edited them since. Reading them then is a bug of the caller, because they belong to another state. */
  get #current(): Indexes<T> {
    if (this.#indexes.owner !== this)
      throw new Error('The collection has changed: use the one that `replace` returned.')
    return this.#indexes
  }
}

type Tree<T> = InstanceType<typeof sortedBtree.default<StoredRecord<T>, undefined>>

/** A function that returns the group of a record. */
interface Grouping<T> {
  readonly name: string
  readonly getKey: (value: T) => string
}

/** The records by group. Most groups have one record. */
type Groups<T> = LayeredMap<StoredRecord<T> | Tree<T>>

interface Indexes<T> {
  readonly writer: Writer | undefined
  readonly byId: LayeredMap<Entry<T>>
  readonly order: Tree<T>
  readonly groups: readonly (Grouping<T> & { readonly lists: Groups<T> })[]
  /** The sequence of the next record. */
  next: number
  /** The newest collection with these indexes. */
  owner: unknown
}

const buildIndexes = <T extends Resource>(groupings: readonly Grouping<T>[], entries: readonly Entry<T>[]) => {
  const byId = new Map<string, Entry<T>>()
  for (const entry of entries) byId.set(getId(entry), entry)
  const sorted = entries.filter(isStoredRecord).toSorted(byPosition)
  return {
    writer: undefined,
    byId: new LayeredMap([byId]),
    order: buildTree(sorted),
    groups: groupings.map(({ name, getKey }) => ({ name, getKey, lists: buildGroups(sorted, getKey) })),
    next: entries.reduce((next, { sequence }) => Math.max(next, sequence + 1), 0),
    owner: undefined,
  }
}

const buildGroups = <T>(sorted: readonly StoredRecord<T>[], getKey: (value: T) => string): Groups<T> => {
  const groups = new Map<string, StoredRecord<T> | StoredRecord<T>[]>()
  for (const record of sorted) {
    const key = getKey(record.value)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, record)
    else if (Array.isArray(known)) known.push(record)
    else groups.set(key, [known, record])
  }
  const lists = groups as Map<string, StoredRecord<T> | Tree<T>>
  for (const [key, list] of groups) if (Array.isArray(list)) lists.set(key, buildTree(list))
  return new LayeredMap([lists])
}

const forkIndexes = <T>(indexes: Indexes<T>, writer: Writer): Indexes<T> => ({
  ...indexes,
  writer,
  byId: indexes.byId.fork(),
  order: indexes.order.clone(),
  groups: indexes.groups.map((group) => ({ ...group, lists: group.lists.fork() })),
})

const replaceEntry = <T extends Resource>(indexes: Indexes<T>, from?: Entry<T>, to?: Entry<T>) => {
  const { byId, order, groups, next } = indexes
  const old = isStoredRecord(from) ? from : undefined
  const record = isStoredRecord(to) ? to : undefined
  byId.set(getId((to ?? from)!), to)
  replaceInTree(order, old, record)
  for (const { getKey, lists } of groups) {
    const oldKey = old && getKey(old.value)
    const key = record && getKey(record.value)
    if (oldKey !== undefined) replaceInGroup(lists, oldKey, old, oldKey === key ? record : undefined)
    if (key !== undefined && key !== oldKey) replaceInGroup(lists, key, undefined, record)
  }
  if (to?.sequence === next) indexes.next++
  // The newest record is undone.
  else if (from?.sequence === next - 1 && to?.sequence !== from.sequence) indexes.next--
}

const replaceInGroup = <T>(lists: Groups<T>, key: string, from?: StoredRecord<T>, to?: StoredRecord<T>) => {
  const list = lists.get(key)
  if (list === undefined || list === from) return lists.set(key, to)
  if ('value' in list) return lists.set(key, buildTree([list, to!].toSorted(byPosition)))
  const tree = lists.owns(key) ? list : list.clone()
  replaceInTree(tree, from, to)
  lists.set(key, tree.size === 0 ? undefined : tree)
}

const replaceInTree = <T>(tree: Tree<T>, from?: StoredRecord<T>, to?: StoredRecord<T>) => {
  if (from !== undefined && (to === undefined || byPosition(from, to) !== 0)) tree.delete(from)
  if (to !== undefined) tree.set(to, undefined)
}

/** Builds a tree of sorted records. All leaves share one empty list of values. */
const buildTree = <T>(sorted: StoredRecord<T>[]): Tree<T> => {
  const noValues = { length: sorted.length, slice: () => undefined } as unknown as undefined[]
  // 32 elements in a node: the default of the package.
  return bulkLoad(sorted, noValues, 32, byPosition, 1)
}

/** A map whose forks share its entries. Once it is forked, only the fork may change. */
class LayeredMap<V> {
  /** The newest layer last. In it, a removed entry hides that of the layers below. */
  readonly #layers: Map<string, V | typeof removed>[]

  constructor(layers: Map<string, V | typeof removed>[]) {
    this.#layers = layers
  }

  get(key: string): V | undefined {
    for (let index = this.#layers.length - 1; index >= 0; index--) {
      const value = this.#layers[index]!.get(key)
      if (value !== undefined) return value === removed ? undefined : value
    }
    return undefined
  }

  /** Whether the entry was set since the fork. */
  owns(key: string): boolean {
    return this.#layers.at(-1)!.has(key)
  }

  set(key: string, value: V | undefined): void {
    this.#layers.at(-1)!.set(key, value ?? removed)
  }

  fork(): LayeredMap<V> {
    const layers = this.#layers
    // Merged in place, for all forks to come.
    while (layers.length > 1 && layers.at(-2)!.size < layers.at(-1)!.size * 2) {
      const [below, top] = layers.splice(-2) as [Map<string, V>, Map<string, V | typeof removed>]
      const merged = new Map<string, V | typeof removed>(below)
      for (const [key, value] of top)
        if (value === removed && layers.length === 0) merged.delete(key)
        else merged.set(key, value)
      layers.push(merged)
    }
    return new LayeredMap([...layers, new Map()])
  }

  *values(): Generator<V, void, undefined> {
    for (const layer of this.#layers)
      for (const [key, value] of layer) if (value !== removed && this.get(key) === value) yield value
  }
}

const removed = Symbol('removed')
