/** Never cuts a character of two units in half. */
export const cut = (text: string, max: number): string =>
  text.slice(0, (text.codePointAt(max - 1) ?? 0) > 0xffff ? max - 1 : max)

export const shorten = (text: string, max: number): string =>
  toWellFormed(text.length > max ? `${cut(text, max)}...` : text)

/** Replaces lone surrogates: many languages cannot print them. */
export const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Replaces control characters, which could move the cursor of a terminal. */
export const toPrintable = (text: string): string => text.replace(/\p{Cc}/gu, '?')

export const toPrintableLines = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, '?')

/** Counts the names of fields too. The length is never more than that of the JSON. */
export const getTextLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  for (const key in value) sum += key.length + getTextLength(Reflect.get(value, key))
  return sum
}

/** For example `2025-01-01 12:00:00`. */
export const formatSeconds = (at: string): string => at.slice(0, 19).replace('T', ' ')

/** The form of a token, which is sent in a header. */
export const tokenPattern = /^[\x21-\x7e]+$/
export const tokenMessage = 'must be one or more visible ASCII characters without spaces'

/** Returns the candidate that a misspelled word probably means, if one is close enough. */
export const findNearest = (word: string, candidates: readonly string[]): string | undefined => {
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: getEditDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
  return nearest?.candidate ?? findByEnding(word, candidates)
}

/** Returns the only candidate that ends in the word, such as `adminToken` for `token`. Ignores short words. */
const findByEnding = (word: string, candidates: readonly string[]): string | undefined => {
  const [match, ...others] = candidates.filter((one) => one.toLowerCase().endsWith(word.toLowerCase()))
  return word.length > 4 && others.length === 0 ? match : undefined
}

/** Counts the letters to add, remove, change or swap with their neighbor. */
export const getEditDistance = (a: string, b: string): number => {
  // A hostile word may be long. Words whose lengths differ this much are not misspellings.
  if (Math.abs(a.length - b.length) > 16 || a.length > 64) return Infinity
  const distanceRows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const distanceAt = (i: number, j: number): number => distanceRows[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    distanceRows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const changedDistance = distanceAt(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swappedDistance = isSwapped ? distanceAt(i - 2, j - 2) + 1 : Infinity
      row.push(Math.min(distanceAt(i - 1, j) + 1, distanceAt(i, j - 1) + 1, changedDistance, swappedDistance))
    }
  }
  return distanceAt(a.length, b.length)
}
