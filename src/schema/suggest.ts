/** Returns the candidate that a misspelled word probably means. Undefined if no candidate is close enough. */
export const findNearest = (word: string, candidates: readonly string[]): string | undefined => {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: getEditDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
  return best?.candidate ?? findByEnding(word, candidates)
}

/** Returns the only candidate that ends in the word, such as `adminToken` for `token`. Ignores short words. */
const findByEnding = (word: string, candidates: readonly string[]): string | undefined => {
  const [found, ...others] = candidates.filter((one) => one.toLowerCase().endsWith(word.toLowerCase()))
  return word.length > 4 && others.length === 0 ? found : undefined
}

/** Counts the letters to add, remove, change or swap with their neighbor. */
const getEditDistance = (a: string, b: string): number => {
  // A hostile word may be long. Words whose lengths differ this much are not misspellings.
  if (Math.abs(a.length - b.length) > 16 || a.length > 64) return Infinity
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : Infinity
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, changed, swapped))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
