import { customRandom } from 'nanoid'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const suffixLength = 28

/**
 * The id that (seed, project, prefix, counter) leads to: the counter is the only state, so other projects cannot shift it.
 * Spec §2.1: the prefix, then an opaque suffix, here of 28 letters and digits.
 */
export const deriveId = (seed: string, project: string, prefix: string, counter: number): string => {
  source.start(seriesOf(seed, project, prefix), `${counter}]`)
  // Joined, since a text that was put together letter by letter is a tree of its parts, kept for as long as the id is.
  return [prefix, suffix()].join('_')
}

/** The draw that (seed, project, counter) leads to, from 0 to below 1. */
export const drawAt = (seed: string, project: string, counter: number): number =>
  createDraws(JSON.stringify([seed, project, 'draw', counter]))() / 2 ** 32

/** A stream of 32-bit draws that is the same for the same seed. */
export const createDraws = (seed: string): (() => number) => {
  const draws = new Draws()
  draws.start(offsets, seed)
  return () => draws.next()
}

/** 128 bits of a text so far, by FNV-1a: four lanes that begin with four offsets. */
type Lanes = readonly [number, number, number, number]

const offsets: Lanes = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35]

const hashed = (lanes: Lanes, text: string): [number, number, number, number] => {
  let [a, b, c, d] = lanes
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ (unit + 1), 0x01000193)
    c = Math.imul(c ^ (unit + 2), 0x01000193)
    d = Math.imul(d ^ (unit + 3), 0x01000193)
  }
  return [a, b, c, d]
}

const mixed = (lane: number) => Math.imul(lane ^ (lane >>> 15), 0x2c1b3c6d)

/** sfc32, seeded by a hash. Every request draws ids, so the generator is reused. */
class Draws {
  #a = 0
  #b = 0
  #c = 0
  #counter = 0

  /** Begins the stream of a text, of which the first part may be hashed already. */
  start(lanes: Lanes, rest: string): void {
    const [a, b, c, counter] = hashed(lanes, rest)
    this.#a = mixed(a)
    this.#b = mixed(b)
    this.#c = mixed(c)
    this.#counter = mixed(counter)
    // The first draws still show the seed; they are thrown away.
    for (let i = 0; i < 12; i++) this.next()
  }

  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

const source = new Draws()

// One for all: what is drawn is read at once.
const bytes = new Uint8Array(256)

const suffix = customRandom(alphabet, suffixLength, (size) => {
  for (let i = 0; i < size; i++) bytes[i] = source.next()
  return bytes
})

/** The ids of one kind in one project: what their texts begin with is hashed once. */
interface Series {
  readonly seed: string
  readonly project: string
  readonly lanes: Lanes
}

const latest = new Map<string, Series>()

const seriesOf = (seed: string, project: string, prefix: string): Lanes => {
  const known = latest.get(prefix)
  if (known !== undefined && known.project === project && known.seed === seed) return known.lanes
  const lanes = hashed(offsets, `${JSON.stringify([seed, project, prefix]).slice(0, -1)},`)
  latest.set(prefix, { seed, project, lanes })
  return lanes
}
