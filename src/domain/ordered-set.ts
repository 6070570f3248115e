import type sortedBtree from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'

type Tree<T> = InstanceType<typeof sortedBtree.default<T, undefined>>

export type Compare<T> = (a: T, b: T) => number
export type Direction = 'asc' | 'desc'

/** Orders texts by their code units: the same on every machine and in every locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The number of elements in a node: the default of the package. */
const nodeSize = 32

/** The values of a map, which a set does not need. All leaves share one empty list. */
const noValues = (length: number) => ({ length, slice: () => undefined }) as unknown as undefined[]

/**
 * An immutable sorted set: `replace` returns another set, which shares the unchanged nodes. A step costs O(log n), and
 * keeping an old set costs nothing, so a snapshot of a million records is free. `K` has the fields that are compared.
 */
export class OrderedSet<T extends K, K = T> {
  readonly #tree: Tree<T>
  readonly #compare: Compare<K>

  private constructor(tree: Tree<T>, compare: Compare<K>) {
    this.#tree = tree
    this.#compare = compare
  }

  /** Builds a set. Throws if two elements are equal. */
  static from<T extends K, K = T>(compare: Compare<K>, elements: readonly T[]): OrderedSet<T, K> {
    return OrderedSet.fromSorted(compare, elements.toSorted(compare))
  }

  /** Builds a set of sorted elements. Throws if they are not sorted, or if two are equal. */
  static fromSorted<T extends K, K = T>(compare: Compare<K>, sorted: readonly T[]): OrderedSet<T, K> {
    // Adding the elements one by one would take several times as long.
    const tree = bulkLoad<T, undefined>(sorted as T[], noValues(sorted.length), nodeSize, compare, 1)
    return new OrderedSet(tree, compare)
  }

  get size(): number {
    return this.#tree.size
  }

  /** Returns the element that is equal to the key, if any. */
  find(key: K): T | undefined {
    // The tree only compares the key.
    const found = this.#tree.getPairOrNextHigher(key as T)?.[0]
    return found !== undefined && this.#compare(found, key) === 0 ? found : undefined
  }

  /** Removes the old element, if given, and adds the new one. */
  replace(old: T | undefined, element: T | undefined): OrderedSet<T, K> {
    const tree = this.#tree.clone()
    const keepsPlace = old !== undefined && element !== undefined && this.#compare(old, element) === 0
    if (old !== undefined && !keepsPlace) tree.delete(old)
    if (element !== undefined) tree.set(element, undefined)
    return new OrderedSet(tree, this.#compare)
  }

  /** Yields the elements beyond `from`, without `from` itself. */
  *scan(direction: Direction, from?: K): Generator<T, void, undefined> {
    const key = from as T | undefined
    const pairs = direction === 'desc' ? this.#tree.entriesReversed(key, [], true) : this.#tree.entries(key, [])
    for (const [element] of pairs) {
      // `entriesReversed` skips `from`, but `entries` does not.
      if (from !== undefined && direction === 'asc' && this.#compare(element, from) === 0) continue
      yield element
    }
  }
}
