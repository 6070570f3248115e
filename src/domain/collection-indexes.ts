import { type Compare, OrderedSet } from './ordered-set.ts'
import {
  byGroup,
  byGroupAndPosition,
  byId,
  byPosition,
  type GroupKey,
  type Grouping,
  type Position,
  type Resource,
  type StoredRecord,
  type Tombstone,
} from './record-order.ts'

export interface CollectionOptions<T, G extends string> {
  readonly groupings: { readonly [K in G]: Grouping<T> }
  /** Computes a key once for each record, instead of at each comparison. */
  readonly computeKey?: (value: Partial<T>) => string
}

/** The orders in which a collection finds its records. */
export interface Indexes<T, G extends string> {
  readonly byId: OrderedSet<StoredRecord<T>, { readonly id: string }>
  readonly byPosition: OrderedSet<StoredRecord<T>, Position>
  readonly groups: Readonly<Record<G, OrderedSet<StoredRecord<T>, GroupKey<T>>>>
  readonly tombstones: OrderedSet<Tombstone, { readonly id: string }>
  /** The next sequence. */
  readonly next: number
}

export const buildIndexes = <T extends Resource, G extends string>(
  { groupings }: CollectionOptions<T, G>,
  records: readonly StoredRecord<T>[],
  tombstones: readonly Tombstone[],
): Indexes<T, G> => {
  const buildSet = <K>(compare: Compare<K>, sorted: readonly (StoredRecord<T> & K)[]) => {
    const set = OrderedSet.fromSorted(compare, sorted)
    return set
  }
  const inOrder = records.toSorted(byPosition)
  return {
    byId: buildSet(byId, records.toSorted(byId)),
    byPosition: buildSet(byPosition, inOrder),
    groups: mapGroups(groupings, (grouping) =>
      // The sort is stable, so the records of a group stay in order.
      buildSet(byGroupAndPosition(grouping), inOrder.toSorted(byGroup(grouping))),
    ),
    tombstones: OrderedSet.from(byId, tombstones),
    next: Math.max(getNextSequence(records), getNextSequence(tombstones)),
  }
}

const getNextSequence = (items: readonly Position[]): number =>
  items.reduce((next, { sequence }) => Math.max(next, sequence + 1), 0)

export const toRecord = <T extends Resource>(
  { computeKey = getEmptyKey }: Pick<CollectionOptions<T, never>, 'computeKey'>,
  value: T,
  sequence: number,
): StoredRecord<T> => ({ id: value.id, createdAt: value.createdAt, sequence, value, foldedKey: computeKey(value) })

export const getEmptyKey = () => ''

export const mapGroups = <G extends string, A, B>(
  groups: Readonly<Record<G, A>>,
  map: (group: A) => B,
): Record<G, B> => {
  const mapped = {} as Record<G, B>
  for (const name in groups) mapped[name] = map(groups[name])
  return mapped
}
