import type { Recorded } from './record.ts'

/** An entry, and its place among the entries of all projects. */
interface Item {
  readonly recorded: Recorded
  readonly sequence: number
}

/**
 * The entries of one project: the newest take the place of the oldest. They stand in columns, so that each request makes one
 * object less for the collector of garbage to move.
 */
export class Ring {
  readonly #most: number
  #recorded: (Recorded | undefined)[] = []
  #sequences: number[] = []
  #sizes: number[] = []
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

  get items(): Item[] {
    const items: Item[] = []
    for (let i = this.#head; i < this.#recorded.length; i++)
      items.push({ recorded: this.#recorded[i]!, sequence: this.#sequences[i]! })
    return items
  }

  /** Answers by how much the size has grown. */
  push(recorded: Recorded, sequence: number, size: number): number {
    const before = this.#size
    this.#recorded.push(recorded)
    this.#sequences.push(sequence)
    this.#sizes.push(size)
    this.#size += size
    if (this.#recorded.length - this.#head > this.#most) this.#dropOne()
    return this.#size - before
  }

  /** Drops the oldest until so much is freed. Answers how much was. */
  dropOldest(wanted: number): number {
    let freed = 0
    while (this.#head < this.#recorded.length && freed < wanted) freed += this.#dropOne()
    return freed
  }

  #dropOne(): number {
    const size = this.#sizes[this.#head]!
    this.#size -= size
    this.#dropped++
    // Freed at once, though its place stays.
    this.#recorded[this.#head++] = undefined
    if (this.#head > this.#most) {
      this.#recorded = this.#recorded.slice(this.#head)
      this.#sequences = this.#sequences.slice(this.#head)
      this.#sizes = this.#sizes.slice(this.#head)
      this.#head = 0
    }
    return size
  }
}
