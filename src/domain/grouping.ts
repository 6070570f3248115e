import { type Compare, compareTexts } from './ordered-set.ts'
import { sortedByText } from './sorted-by-text.ts'

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

/** Rows in the order of their groups; within a group they stay as they stood. */
export const inGroups = <R, T>(rows: readonly R[], grouping: Grouping<T>, valueOf: (row: R) => T): readonly R[] =>
  grouping.reduceRight((sorted, textOf) => sortedByText(sorted, (row) => textOf(valueOf(row))), rows)
