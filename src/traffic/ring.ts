import type { Recorded } from './record.ts'

interface Item {
  readonly recorded: Recorded
  /** The place among the entries of all projects. */
  readonly sequence: number
  /** About how many characters it holds. */
  readonly size: number
}

/** The entries of one project: the newest take the place of the oldest. */
export class Ring {
  readonly #most: number
  #items: Item[] = []
  // Where the oldest stands: what lies in front of it is cut off now and then, not each time.
  #head = 0
  #size = 0
  #dropped = 0

  constructor(most: number) {
    this.#most = most
  }

  /** About how many characters it holds. */
  get size(): number {
    return this.#size
  }

  get dropped(): number {
    return this.#dropped
  }

  get items(): readonly Item[] {
    return this.#items.slice(this.#head)
  }

  /** Answers by how much the size has grown. */
  push(item: Item): number {
    const before = this.#size
    this.#items.push(item)
    this.#size += item.size
    if (this.#items.length - this.#head > this.#most) this.#dropOne()
    return this.#size - before
  }

  /** Drops the oldest until so much is freed. Answers how much was. */
  dropOldest(wanted: number): number {
    let freed = 0
    while (this.#head < this.#items.length && freed < wanted) freed += this.#dropOne()
    return freed
  }

  #dropOne(): number {
    const { size } = this.#items[this.#head]!
    this.#size -= size
    this.#dropped++
    // Freed at once, though its place stays.
    this.#items[this.#head++] = undefined as never
    if (this.#head > this.#most) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return size
  }
}
