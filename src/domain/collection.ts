import { byGroup, type Grouping } from './grouping.ts'
import { type Compare, compareTexts, type Direction, OrderedSet } from './ordered-set.ts'
import { saysTheSame } from './says-the-same.ts'

/** What every resource has. */
export interface Resource {
  readonly id: string
  readonly createdAt: string
}

/** Where a row stands in the list: by creation time, then by insertion, because a frozen clock makes ties common. */
export interface Place {
  readonly createdAt: string
  readonly sequence: number
}

/** Where a deleted row stood. */
export interface Gone extends Place {
  readonly id: string
}

/** A resource and its place. */
export interface Row<T> extends Place {
  readonly id: string
  readonly value: T
}

/** A group: the grouping, and a value that is equal to its members. */
export interface Group<T, G extends string> {
  readonly by: G
  readonly like: T
}

type Indexes<T, G extends string> = { readonly [K in G]: OrderedSet<Row<T>> }

const byId: Compare<{ id: string }> = (a, b) => compareTexts(a.id, b.id)
export const byPlace: Compare<Place> = (a, b) => compareTexts(a.createdAt, b.createdAt) || a.sequence - b.sequence
const byGroupAndPlace = <T>(grouping: Grouping<T>): Compare<Row<T>> => {
  const compare = byGroup(grouping)
  return (a, b) => compare(a.value, b.value) || byPlace(a, b)
}

// Beyond every row of a group, at the side where a walk begins.
const edge = { rising: { createdAt: '', sequence: -1 }, falling: { createdAt: '~', sequence: 0 } } as const

/**
 * The rows of one kind in one project, never edited: each change answers the next collection.
 * Finding, inserting and removing are O(log n), a page is O(its rows), also within a group.
 */
export class Collection<T extends Resource, G extends string = never> {
  readonly #groupings: { readonly [K in G]: Grouping<T> }
  readonly #rows: OrderedSet<Row<T>>
  readonly #order: OrderedSet<Row<T>>
  readonly #groups: Indexes<T, G>
  readonly #gone: OrderedSet<Gone>
  readonly #next: number
  // What was asked for last, found or not: one request asks for it several times.
  #latest: { readonly id: string; readonly row: Row<T> | undefined } | undefined

  private constructor(
    groupings: { readonly [K in G]: Grouping<T> },
    rows: OrderedSet<Row<T>>,
    order: OrderedSet<Row<T>>,
    groups: Indexes<T, G>,
    gone: OrderedSet<Gone>,
    next: number,
  ) {
    this.#groupings = groupings
    this.#rows = rows
    this.#order = order
    this.#groups = groups
    this.#gone = gone
    this.#next = next
  }

  /** `values` stand oldest first. `gone` says where deleted rows stood among them. */
  static of<T extends Resource, G extends string>(
    groupings: { readonly [K in G]: Grouping<T> },
    values: readonly T[] = [],
    gone: readonly Gone[] = [],
    onProgress: (rows: number) => void = () => {},
  ): Collection<T, G> {
    const taken = new Set(gone.map((place) => place.sequence))
    let next = 0
    const rows = values.map((value): Row<T> => {
      while (taken.has(next)) next++
      return { id: value.id, createdAt: value.createdAt, sequence: next++, value }
    })
    for (const sequence of taken) next = Math.max(next, sequence + 1)
    const ordered = (compare: Compare<Row<T>>, sorted: readonly Row<T>[]) => {
      const order = OrderedSet.ofSorted(compare, sorted)
      onProgress(rows.length)
      return order
    }
    const inPlace = rows.toSorted(byPlace)
    const groups = Object.entries<Grouping<T>>(groupings).map(([name, grouping]) => {
      const compare = byGroup(grouping)
      // The sort is stable, so that the rows of a group stay in place.
      const sorted = inPlace.toSorted((a, b) => compare(a.value, b.value))
      return [name, ordered(byGroupAndPlace(grouping), sorted)]
    })
    return new Collection(
      groupings,
      ordered(byId, rows.toSorted(byId)),
      ordered(byPlace, inPlace),
      Object.fromEntries(groups) as Indexes<T, G>,
      OrderedSet.of(byId, gone),
      next,
    )
  }

  get size(): number {
    return this.#rows.size
  }

  get(id: string): T | undefined {
    return this.#row(id)?.value
  }

  /** Whether the id is or was a row's, so that it is never given to another. */
  has(id: string): boolean {
    return this.#row(id) !== undefined || this.gone(id) !== undefined
  }

  /** Where the row stands. */
  placeOf(id: string): Place | undefined {
    return this.#row(id)
  }

  /** Where the deleted row stood. */
  gone(id: string): Gone | undefined {
    return this.#gone.size === 0 ? undefined : this.#gone.find({ id, createdAt: '', sequence: 0 })
  }

  /**
   * With the row, new or in place of the one that has its id. A row whose creation moves is the newest of that instant.
   * A row that says the same leaves the collection as it is.
   */
  put(value: T): Collection<T, G> {
    const old = this.#row(value.id)
    if (old !== undefined && saysTheSame(old.value, value)) return this
    const stays = old !== undefined && old.createdAt === value.createdAt
    const sequence = stays ? old.sequence : this.#next
    const row: Row<T> = { id: value.id, createdAt: value.createdAt, sequence, value }
    const gone = this.gone(value.id)
    const stillGone = gone === undefined ? this.#gone : this.#gone.replace(gone, undefined)
    return this.#change(old, row, stillGone, stays ? this.#next : this.#next + 1)
  }

  remove(id: string): Collection<T, G> {
    const old = this.#row(id)
    if (old === undefined) return this
    const { createdAt, sequence } = old
    return this.#change(old, undefined, this.#gone.replace(undefined, { id, createdAt, sequence }), this.#next)
  }

  /** The rows beyond a place, all or of one group. Rising is from old to new. */
  *walk(direction: Direction, from?: Place, group?: Group<T, G>): Generator<Row<T>, void, undefined> {
    if (group === undefined) {
      yield* this.#order.walk(direction, from && probe(from))
      return
    }
    const compare = byGroup(this.#groupings[group.by])
    for (const row of this.#groups[group.by].walk(direction, probe(from ?? edge[direction], group.like))) {
      if (compare(row.value, group.like) !== 0) return
      yield row
    }
  }

  /** Where deleted rows stood, by id. */
  *allGone(): Generator<Gone, void, undefined> {
    yield* this.#gone.walk('rising')
  }

  #row(id: string): Row<T> | undefined {
    if (this.#latest?.id !== id) this.#latest = { id, row: this.#rows.find({ id } as Row<T>) }
    return this.#latest.row
  }

  #change(old: Row<T> | undefined, row: Row<T> | undefined, gone: OrderedSet<Gone>, next: number) {
    const groups = Object.fromEntries(
      Object.entries<OrderedSet<Row<T>>>(this.#groups).map(([name, rows]) => [name, rows.replace(old, row)]),
    ) as Indexes<T, G>
    const rows = this.#rows.replace(old, row)
    return new Collection<T, G>(this.#groupings, rows, this.#order.replace(old, row), groups, gone, next)
  }
}

// Only what the order looks at: enough to find the row that stands there, or the gap where it would.
const probe = <T>(place: Place, like?: T): Row<T> => ({ ...place, id: '', value: like as T })
