import { isEqual } from './is-equal.ts'
import { type Compare, type Direction, OrderedSet } from './ordered-set.ts'
import {
  byGroup,
  byGroupAndPosition,
  byId,
  byPosition,
  type Grouping,
  type Position,
  type Resource,
  type StoredRecord,
  type Tombstone,
} from './record-order.ts'

/** One group: the name of its grouping, and the fields that its records have. */
export interface Group<T, G extends string> {
  readonly by: G
  readonly key: Partial<T>
}

export interface CollectionOptions<T, G extends string> {
  readonly groupings: { readonly [K in G]: Grouping<T> }
  /** A key that is computed once for each record, instead of at each comparison. */
  readonly foldedKey?: (value: Partial<T>) => string
}

type Indexes<T, G extends string> = { readonly [K in G]: OrderedSet<StoredRecord<T>> }

// Before the first record and behind the last one: a scan without a position starts there.
const sentinel = { asc: { createdAt: '', sequence: -1 }, desc: { createdAt: '~', sequence: 0 } } as const

/**
 * The records of one kind in one project. It is immutable: each change returns another collection.
 * A lookup or a change is O(log n), and a page costs O(its records), also within a group.
 */
export class Collection<T extends Resource, G extends string = never> {
  readonly #options: CollectionOptions<T, G>
  readonly #records: OrderedSet<StoredRecord<T>>
  readonly #order: OrderedSet<StoredRecord<T>>
  readonly #groups: Indexes<T, G>
  readonly #tombstones: OrderedSet<Tombstone>
  readonly #next: number
  // One request looks up the same record several times.
  #lastLookup: { readonly id: string; readonly record: StoredRecord<T> | undefined } | undefined

  private constructor(
    options: CollectionOptions<T, G>,
    records: OrderedSet<StoredRecord<T>>,
    order: OrderedSet<StoredRecord<T>>,
    groups: Indexes<T, G>,
    tombstones: OrderedSet<Tombstone>,
    next: number,
  ) {
    this.#options = options
    this.#records = records
    this.#order = order
    this.#groups = groups
    this.#tombstones = tombstones
    this.#next = next
  }

  /** `values` are in the order of insertion. The tombstones have positions among them. */
  static of<T extends Resource, G extends string>(
    options: CollectionOptions<T, G>,
    values: readonly T[] = [],
    tombstones: readonly Tombstone[] = [],
    onProgress: (records: number) => void = () => {},
  ): Collection<T, G> {
    const taken = new Set(tombstones.map(({ sequence }) => sequence))
    let next = 0
    const records = values.map((value) => {
      while (taken.has(next)) next++
      return stored(options, value, next++)
    })
    for (const sequence of taken) next = Math.max(next, sequence + 1)
    const ordered = (compare: Compare<StoredRecord<T>>, sorted: readonly StoredRecord<T>[]) => {
      const order = OrderedSet.ofSorted(compare, sorted)
      onProgress(records.length)
      return order
    }
    const inOrder = records.toSorted(byPosition)
    const groups = Object.entries<Grouping<T>>(options.groupings).map(([name, grouping]) => [
      name,
      // The sort is stable, so the records of a group stay in order.
      ordered(byGroupAndPosition(grouping), inOrder.toSorted(byGroup(grouping))),
    ])
    return new Collection(
      options,
      ordered(byId, records.toSorted(byId)),
      ordered(byPosition, inOrder),
      Object.fromEntries(groups) as Indexes<T, G>,
      OrderedSet.of(byId, tombstones),
      next,
    )
  }

  get size(): number {
    return this.#records.size
  }

  get(id: string): T | undefined {
    return this.#find(id)?.value
  }

  /** Whether a record has or had the id, so that it is never used again. */
  has(id: string): boolean {
    return this.#find(id) !== undefined || this.tombstone(id) !== undefined
  }

  positionOf(id: string): Position | undefined {
    return this.#find(id)
  }

  tombstone(id: string): Tombstone | undefined {
    return this.#tombstones.size === 0 ? undefined : this.#tombstones.find({ id, createdAt: '', sequence: 0 })
  }

  /**
   * Adds a record, or replaces the one with its id. With another creation time it becomes the newest of that time.
   * Returns the same collection if the record is equal.
   */
  put(value: T): Collection<T, G> {
    const old = this.#find(value.id)
    if (old !== undefined && isEqual(old.value, value)) return this
    const stays = old !== undefined && old.createdAt === value.createdAt
    const record = stored(this.#options, value, stays ? old.sequence : this.#next)
    const tombstone = this.tombstone(value.id)
    const tombstones = tombstone === undefined ? this.#tombstones : this.#tombstones.replace(tombstone, undefined)
    return this.#replace(old, record, tombstones, stays ? this.#next : this.#next + 1)
  }

  remove(id: string): Collection<T, G> {
    const old = this.#find(id)
    if (old === undefined) return this
    const { createdAt, sequence } = old
    return this.#replace(old, undefined, this.#tombstones.replace(undefined, { id, createdAt, sequence }), this.#next)
  }

  /** The records beyond a position, of all or of one group. `asc` is from old to new. */
  *scan(direction: Direction, from?: Position, group?: Group<T, G>): Generator<StoredRecord<T>, void, undefined> {
    if (group === undefined) {
      yield* this.#order.scan(direction, from && { ...from, id: '', value: {} as T, folded: '' })
      return
    }
    const { groupings, foldedKey = unfolded } = this.#options
    const compare = byGroup(groupings[group.by])
    // A probe has only the fields that the order compares.
    const probe = {
      ...(from ?? sentinel[direction]),
      id: '',
      value: group.key as T,
      folded: foldedKey(group.key),
    }
    for (const record of this.#groups[group.by].scan(direction, probe)) {
      if (compare(record, probe) !== 0) return
      yield record
    }
  }

  /** All tombstones, by id. */
  tombstones(): Generator<Tombstone, void, undefined> {
    return this.#tombstones.scan('asc')
  }

  #find(id: string): StoredRecord<T> | undefined {
    if (this.#lastLookup?.id !== id) this.#lastLookup = { id, record: this.#records.find({ id } as StoredRecord<T>) }
    return this.#lastLookup.record
  }

  #replace(
    old: StoredRecord<T> | undefined,
    record: StoredRecord<T> | undefined,
    tombstones: OrderedSet<Tombstone>,
    next: number,
  ) {
    const groups = {} as Record<G, OrderedSet<StoredRecord<T>>>
    for (const name in this.#groups) groups[name] = this.#groups[name].replace(old, record)
    const records = this.#records.replace(old, record)
    return new Collection<T, G>(this.#options, records, this.#order.replace(old, record), groups, tombstones, next)
  }
}

const stored = <T extends Resource>(
  { foldedKey = unfolded }: Pick<CollectionOptions<T, never>, 'foldedKey'>,
  value: T,
  sequence: number,
): StoredRecord<T> => ({ id: value.id, createdAt: value.createdAt, sequence, value, folded: foldedKey(value) })

const unfolded = () => ''
