import { customRandom } from 'nanoid'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const suffixLength = 28

/**
 * The id that (seed, project, prefix, counter) leads to: the counter is the only state, so other projects cannot shift it.
 * Spec §2.1: the prefix, then an opaque suffix, here of 28 letters and digits.
 */
export const deriveId = (seed: string, project: string, prefix: string, counter: number): string => {
  const next = createDraws(JSON.stringify([seed, project, prefix, counter]))
  const suffix = customRandom(alphabet, suffixLength, (size) => Uint8Array.from({ length: size }, () => next() & 255))
  return `${prefix}_${suffix()}`
}

/** The draw that (seed, project, counter) leads to, from 0 to below 1. */
export const drawAt = (seed: string, project: string, counter: number): number =>
  createDraws(JSON.stringify([seed, project, 'draw', counter]))() / 2 ** 32

/** A stream of 32-bit draws that is the same for the same seed: sfc32, seeded by four hashes of the text. */
export const createDraws = (seed: string): (() => number) => {
  let [a, b, c, counter] = hash(seed)
  const draw = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first draws still show the seed; they are thrown away.
  for (let i = 0; i < 12; i++) draw()
  return draw
}

/** 128 bits of a text, by FNV-1a with four offsets and a final mix. */
const hash = (text: string): [number, number, number, number] => {
  const state: [number, number, number, number] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    for (let lane = 0; lane < 4; lane++) state[lane] = Math.imul(state[lane]! ^ (unit + lane), 0x01000193)
  }
  return state.map((lane) => Math.imul(lane ^ (lane >>> 15), 0x2c1b3c6d)) as typeof state
}
