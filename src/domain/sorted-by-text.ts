import { compareTexts } from './ordered-set.ts'

/** So few are ordered by comparing them. */
const few = 16

/**
 * Elements ordered by the code units of a text that each has; those with the same text stay as they stood.
 * To compare a million of them one by one takes seconds. Here the next units of each text become a number whose last digits
 * are the place of the element: the engine sorts numbers by itself, and what goes on alike is sorted by what comes then.
 */
export const sortedByText = <T>(elements: readonly T[], textOf: (element: T) => string): readonly T[] => {
  const texts = elements.map(textOf)
  if (texts.every((text, place) => place === 0 || texts[place - 1]! <= text)) return elements
  const order = orderOf(texts)
  return elements.map((_, place) => elements[order[place]!]!)
}

/** Texts that begin alike: where they stand in the order, and how many units they have in common at least. */
interface Run {
  readonly start: number
  readonly end: number
  readonly same: number
}

/** The place of each text, in the order of the texts. */
const orderOf = (texts: readonly string[]): Float64Array => {
  const count = texts.length
  const { width, keyOf } = keysFor(texts)
  const order = new Float64Array(count).map((_, place) => place)
  const runs: Run[] = [{ start: 0, end: count, same: 0 }]
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const part = order.subarray(run.start, run.end)
    if (part.length <= few) {
      part.sort((a, b) => compareTexts(texts[a]!, texts[b]!) || a - b)
      continue
    }
    const same = commonLength(texts, part, run.same)
    for (let i = 0; i < part.length; i++) part[i]! += keyOf(texts[part[i]!]!, same) * count
    part.sort()
    for (let from = 0, i = 0; i < part.length; from = i) {
      const key = Math.floor(part[i]! / count)
      for (; i < part.length && Math.floor(part[i]! / count) === key; i++) part[i]! -= key * count
      // One is in order, and so are those that end here, all of them.
      if (i > from + 1 && key > 0) runs.push({ start: run.start + from, end: run.start + i, same: same + width })
    }
  }
  return order
}

/** How many units all texts of a run begin with in common. */
const commonLength = (texts: readonly string[], run: Float64Array, same: number): number => {
  const first = texts[run[0]!]!
  let common = first.length
  for (let i = 1; i < run.length && common > same; i++) {
    const text = texts[run[i]!]!
    let length = same
    while (length < common && text.charCodeAt(length) === first.charCodeAt(length)) length++
    common = length
  }
  return common
}

/** How some units of a text become a number, as many as there is room for beside a place. */
const keysFor = (texts: readonly string[]) => {
  let [lowest, highest] = [0xffff, 0]
  for (const text of texts)
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit < lowest) lowest = unit
      if (unit > highest) highest = unit
    }
  // Zero is where a text has ended: before all that go on.
  const base = highest - lowest + 2
  const width = Math.floor(Math.log(Number.MAX_SAFE_INTEGER / texts.length) / Math.log(base))
  const keyOf = (text: string, from: number): number => {
    let key = 0
    for (let i = from; i < from + width; i++) key = key * base + (i < text.length ? text.charCodeAt(i) - lowest + 1 : 0)
    return key
  }
  return { width, keyOf }
}
