import { type BehaviorKey, behaviorRegistry, type Behaviors } from '../../src/schema/behavior.ts'

/** Returns few combinations of behaviors that have every pair of values. The first one has the defaults. */
export const listBehaviorPairs = <K extends BehaviorKey>(keys: readonly K[]): readonly Pick<Behaviors, K>[] =>
  createPairwiseRows(keys.map((key) => behaviorRegistry[key].values.length)).map(
    (row) =>
      Object.fromEntries(keys.map((key, index) => [key, behaviorRegistry[key].values[row[index]!]])) as Pick<
        Behaviors,
        K
      >,
  )

/**
 * Returns few rows in which every two columns have every pair of their values. A column has `sizes[column]` values,
 * numbered from 0. The first row is all zeros. The rows of the two largest columns grow by one column at a time (the
 * algorithm "in parameter order").
 */
const createPairwiseRows = (sizes: readonly number[]): readonly (readonly number[])[] => {
  if (sizes.length < 2) return Array.from({ length: sizes[0] ?? 1 }, (_, value) => sizes.map(() => value))
  const order = sizes.map((_, column) => column).toSorted((a, b) => sizes[b]! - sizes[a]!)
  const [first, second, ...others] = order.map((column) => sizes[column]!) as [number, number, ...number[]]
  const rows: PartialRow[] = range(first).flatMap((a) => range(second).map((b) => [a, b]))
  for (const size of others) addColumn(rows, size)
  return rows.map((row) => sizes.map((_, column) => row[order.indexOf(column)] ?? 0))
}

/** A row whose last columns are missing, or have no value yet: any value would do. */
type PartialRow = (number | undefined)[]

const range = (size: number): number[] => Array.from({ length: size }, (_, value) => value)

/** Gives each row the value that adds the most pairs, then adds rows for the pairs that are left. */
const addColumn = (rows: PartialRow[], size: number): void => {
  const column = rows[0]!.length
  const listPairs = (row: PartialRow, value: number) =>
    row.flatMap((old, other) => (old === undefined ? [] : `${other} ${old} ${value}`))
  const missing = new Set(range(size).flatMap((value) => rows.flatMap((row) => listPairs(row, value))))
  const listMissing = (row: PartialRow, value: number) => listPairs(row, value).filter((pair) => missing.has(pair))
  const set = (row: PartialRow, value: number) => {
    for (const pair of listMissing(row, value)) missing.delete(pair)
    row[column] = value
  }
  for (const [index, row] of rows.entries()) {
    const gains = range(size).map((value) => listMissing(row, value).length)
    const best = index % size
    set(row, Math.max(...gains) > gains[best]! ? gains.indexOf(Math.max(...gains)) : best)
  }
  for (const pair of missing) {
    const [other, old, value] = pair.split(' ').map(Number) as [number, number, number]
    const fitting = rows.find((row) => row[column] === value && row[other] === undefined)
    const row = fitting ?? Array.from<undefined>({ length: column })
    if (fitting === undefined) rows.push(row)
    row[other] = old
    set(row, value)
  }
}
