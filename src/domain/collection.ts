import {
  buildIndexes,
  type CollectionOptions,
  type Indexes,
  mapGroups,
  getEmptyKey,
  toRecord,
} from './collection-indexes.ts'
import type { Direction } from './ordered-set.ts'
import { byGroup, type Position, type Resource, type StoredRecord, type Tombstone } from './record-order.ts'

/** The name of a grouping, and the fields of the records in one group. */
interface Group<T, G extends string> {
  readonly by: G
  readonly key: Partial<T>
}

// Before the first record and after the last one. A scan without a position starts there.
const sentinel = { asc: { createdAt: '', sequence: -1 }, desc: { createdAt: '~', sequence: 0 } } as const

/**
 * The records of one kind in one project. It is immutable: each change returns another collection.
 * A lookup or a change is O(log n). A page costs O(its records), also within a group.
 */
export class Collection<T extends Resource, G extends string = never> {
  readonly #options: CollectionOptions<T, G>
  readonly #indexes: Indexes<T, G>
  // One request looks up the same record several times.
  #lastLookup: { readonly id: string; readonly record: StoredRecord<T> | undefined } | undefined

  private constructor(options: CollectionOptions<T, G>, indexes: Indexes<T, G>) {
    this.#options = options
    this.#indexes = indexes
  }

  /** Creates a collection. `values` are in the order of insertion. Tombstones keep their positions among them. */
  static create<T extends Resource, G extends string>(
    options: CollectionOptions<T, G>,
    values: readonly T[] = [],
    tombstones: readonly Tombstone[] = [],
  ): Collection<T, G> {
    const taken = new Set(tombstones.map(({ sequence }) => sequence))
    let next = 0
    const records = values.map((value) => {
      while (taken.has(next)) next++
      return toRecord(options, value, next++)
    })
    return new Collection(options, buildIndexes(options, records, tombstones))
  }

  /** Returns a collection with stored records and tombstones. */
  restore(
    records: readonly Pick<StoredRecord<T>, 'value' | 'sequence'>[],
    tombstones: readonly Tombstone[],
  ): Collection<T, G> {
    const restored = records.map(({ value, sequence }) => toRecord(this.#options, value, sequence))
    return new Collection(this.#options, buildIndexes(this.#options, restored, tombstones))
  }

  get size(): number {
    return this.#indexes.byId.size
  }

  get(id: string): T | undefined {
    return this.#find(id)?.value
  }

  /** Returns true if a record has or had the id, so that it is not used again. */
  has(id: string): boolean {
    return this.findStored(id) !== undefined
  }

  /** Returns the record with its position, or the tombstone of a deleted record. */
  findStored(id: string): StoredRecord<T> | Tombstone | undefined {
    return this.#find(id) ?? this.getTombstone(id)
  }

  getPosition(id: string): Position | undefined {
    return this.#find(id)
  }

  getTombstone(id: string): Tombstone | undefined {
    const { tombstones } = this.#indexes
    return tombstones.size === 0 ? undefined : tombstones.find({ id })
  }

  /**
   * Adds a record, or replaces the one with its id. With another creation time it becomes the newest of that time.
   * Returns the same collection if the record is equal.
   */
  put(value: T): Collection<T, G> {
    const { tombstones, next } = this.#indexes
    const old = this.#find(value.id)
    if (old !== undefined && isEqual(old.value, value)) return this
    const keepsPosition = old !== undefined && old.createdAt === value.createdAt
    const record = toRecord(this.#options, value, keepsPosition ? old.sequence : next)
    const tombstone = this.getTombstone(value.id)
    return this.#replace(old, record, {
      tombstones: tombstone === undefined ? tombstones : tombstones.replace(tombstone, undefined),
      next: keepsPosition ? next : next + 1,
    })
  }

  remove(id: string): Collection<T, G> {
    const { tombstones, next } = this.#indexes
    const old = this.#find(id)
    if (old === undefined) return this
    const tombstone = { id, createdAt: old.createdAt, sequence: old.sequence }
    return this.#replace(old, undefined, { tombstones: tombstones.replace(undefined, tombstone), next })
  }

  /** Scans the records beyond a position, of all or of one group. `asc` is from old to new. */
  scan(direction: Direction, from?: Position, group?: Group<T, G>): Generator<StoredRecord<T>, void, undefined> {
    return group === undefined
      ? this.#indexes.byPosition.scan(direction, from)
      : this.#scanGroup(direction, from ?? sentinel[direction], group)
  }

  *#scanGroup(direction: Direction, from: Position, { by, key }: Group<T, G>) {
    const { groupings, computeKey = getEmptyKey } = this.#options
    const start = { ...from, value: key, foldedKey: computeKey(key) }
    const compare = byGroup(groupings[by])
    for (const record of this.#indexes.groups[by].scan(direction, start)) {
      if (compare(record, start) !== 0) return
      yield record
    }
  }

  /** Yields all tombstones, sorted by id. */
  scanTombstones(): Generator<Tombstone, void, undefined> {
    return this.#indexes.tombstones.scan('asc')
  }

  #find(id: string): StoredRecord<T> | undefined {
    if (this.#lastLookup?.id !== id) this.#lastLookup = { id, record: this.#indexes.byId.find({ id }) }
    return this.#lastLookup.record
  }

  #replace(
    old: StoredRecord<T> | undefined,
    record: StoredRecord<T> | undefined,
    rest: Pick<Indexes<T, G>, 'tombstones' | 'next'>,
  ): Collection<T, G> {
    const indexes = this.#indexes
    return new Collection(this.#options, {
      byId: indexes.byId.replace(old, record),
      byPosition: indexes.byPosition.replace(old, record),
      groups: mapGroups(indexes.groups, (group) => group.replace(old, record)),
      ...rest,
    })
  }
}

const isEqual = <T extends object>(a: T, b: T): boolean => {
  if (Object.keys(a).length !== Object.keys(b).length) return false
  for (const name in b) if (!isEqualField(a[name], b[name])) return false
  return true
}

const isEqualField = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
