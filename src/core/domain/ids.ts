import { customRandom } from 'nanoid'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const idSuffixLength = 28

/**
 * Derives an id from (seed, project, prefix, counter). The counter is the only state, so other projects do not affect it.
 * Spec §2.1: the prefix, then an opaque suffix, here of 28 letters and digits.
 */
export const deriveId = (seed: string, project: string, prefix: string, counter: number): string =>
  createIds(seed, project, prefix)(counter)

/** Creates a function that derives the ids of one kind in one project. It hashes their common prefix once. */
export const createIds = (seed: string, project: string, prefix: string): ((counter: number) => string) => {
  const lanes = hashLanes(hashOffsets, `${JSON.stringify([seed, project, prefix]).slice(0, -1)},`)
  const idRandom = new Sfc32()
  const createSuffix = customRandom(alphabet, idSuffixLength, (size) => idRandom.draw(new Uint8Array(size)))
  return (counter) => {
    idRandom.start(lanes, `${counter}]`)
    // Joined: a concatenated string would keep its parts in memory.
    return [prefix, createSuffix()].join('_')
  }
}

/** Creates a `deriveId` that reuses the function of the last project for each prefix: every request derives an id. */
export const createDeriveId = (): typeof deriveId => {
  const lastSeries = new Map<string, { seed: string; project: string; createId: (counter: number) => string }>()
  return (seed, project, prefix, counter) => {
    let idSeries = lastSeries.get(prefix)
    if (idSeries?.project !== project || idSeries.seed !== seed) {
      idSeries = { seed, project, createId: createIds(seed, project, prefix) }
      lastSeries.set(prefix, idSeries)
    }
    return idSeries.createId(counter)
  }
}

/** Derives a random number from (seed, project, counter), from 0 to below 1. */
export const deriveDraw = (seed: string, project: string, counter: number): number =>
  createDraws(JSON.stringify([seed, project, 'draw', counter]))() / 2 ** 32

/** Creates a generator of 32-bit random numbers: the same sequence for the same seed. */
export const createDraws = (seed: string): (() => number) => {
  const randomDraws = new Sfc32()
  randomDraws.start(hashOffsets, seed)
  return () => randomDraws.next()
}

/** A 128-bit hash: four FNV-1a hashes with different offsets. */
type Lanes = readonly [number, number, number, number]

const hashOffsets: Lanes = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35]

const hashLanes = (lanes: Lanes, text: string): [number, number, number, number] => {
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

const mixLane = (lane: number) => Math.imul(lane ^ (lane >>> 15), 0x2c1b3c6d)

class Sfc32 {
  #a = 0
  #b = 0
  #c = 0
  #counter = 0

  /** @param lanes the hash of the part before `textRest` */
  start(lanes: Lanes, textRest: string): void {
    const [a, b, c, counter] = hashLanes(lanes, textRest)
    this.#a = mixLane(a)
    this.#b = mixLane(b)
    this.#c = mixLane(c)
    this.#counter = mixLane(counter)
    // The first numbers still show the seed.
    for (let i = 0; i < 12; i++) this.next()
  }

  next(): number {
    const laneSum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + laneSum) | 0
    return laneSum >>> 0
  }

  draw(bytes: Uint8Array): Uint8Array {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.next()
    return bytes
  }
}
