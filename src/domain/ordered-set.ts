import type sortedBtree from 'sorted-btree'
import { bulkLoad } from 'sorted-btree/extended/bulkLoad.js'

type Tree<T> = InstanceType<typeof sortedBtree.default<T, undefined>>

export type Compare<T> = (a: T, b: T) => number
export type Direction = 'asc' | 'desc'

/** Orders texts by their code units: the same on every machine and in every locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** How many elements a node holds: the default of the package. */
const nodeSize = 32

/** No values for this many elements. All leaves share one empty list. */
const nothing = (length: number) => ({ length, slice: () => undefined }) as unknown as undefined[]

/**
 * An immutable sorted set: `replace` returns another one, which shares the unchanged nodes.
 * A step costs O(log n) and keeping an old set costs nothing, so a snapshot of a million rows is free.
 */
export class OrderedSet<T> {
  readonly #tree: Tree<T>
  readonly #compare: Compare<T>

  private constructor(tree: Tree<T>, compare: Compare<T>) {
    this.#tree = tree
    this.#compare = compare
  }

  /** Builds a set of elements of which no two are equal. */
  static of<T>(compare: Compare<T>, elements: readonly T[]): OrderedSet<T> {
    return OrderedSet.ofSorted(compare, elements.toSorted(compare))
  }

  /** Builds a set of sorted elements. Throws if they are not sorted, or if two are equal. */
  static ofSorted<T>(compare: Compare<T>, sorted: readonly T[]): OrderedSet<T> {
    // All leaves at once: to set one after the other takes several times as long.
    const tree = bulkLoad<T, undefined>(sorted as T[], nothing(sorted.length), nodeSize, compare, 1)
    return new OrderedSet(tree, compare)
  }

  get size(): number {
    return this.#tree.size
  }

  /** The element that is equal to the probe, if any. */
  find(probe: T): T | undefined {
    const found = this.#tree.getPairOrNextHigher(probe)?.[0]
    return found !== undefined && this.#compare(found, probe) === 0 ? found : undefined
  }

  /** The first elements in its order, at most so many. */
  first(most = Infinity): T[] {
    const found: T[] = []
    for (const element of this.scan('asc')) if (found.push(element) >= most) break
    return found
  }

  /** Removes the old element, if given, and adds the new one. */
  replace(old: T | undefined, element: T | undefined): OrderedSet<T> {
    const tree = this.#tree.clone()
    const stays = old !== undefined && element !== undefined && this.#compare(old, element) === 0
    if (old !== undefined && !stays) tree.delete(old)
    if (element !== undefined) tree.set(element, undefined)
    return new OrderedSet(tree, this.#compare)
  }

  /** The elements beyond `from`, itself left out, one after the other: a page costs what it holds. */
  *scan(direction: Direction, from?: T): Generator<T, void, undefined> {
    const pairs = direction === 'desc' ? this.#tree.entriesReversed(from, [], true) : this.#tree.entries(from, [])
    for (const [element] of pairs) {
      // Rising iteration starts *at* `from`; falling has been told to skip it.
      if (from !== undefined && direction === 'asc' && this.#compare(element, from) === 0) continue
      yield element
    }
  }
}
