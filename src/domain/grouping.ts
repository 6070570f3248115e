import { type Compare, compareTexts } from './ordered-set.ts'

/** The texts that values are grouped by, the weightiest first: those that have all of them in common are one group. */
export type Grouping<T> = readonly ((value: T) => string)[]

/** Compares the groups that values belong to. */
export const byGroup =
  <T>(grouping: Grouping<T>): Compare<T> =>
  (a, b) => {
    for (const textOf of grouping) {
      const order = compareTexts(textOf(a), textOf(b))
      if (order !== 0) return order
    }
    return 0
  }
