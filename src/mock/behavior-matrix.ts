import {
  type BehaviorKey,
  behaviorKeys,
  behaviorRegistry,
  type Behaviors,
  explainUnknownKey,
} from '../schema/behavior.ts'
import { errors } from '../schema/error.ts'

/** A combination of behavior values. */
export type BehaviorRow<K extends BehaviorKey = BehaviorKey> = Pick<Behaviors, K>

/**
 * Returns a small set of combinations in which every two behaviors have every pair of their values, for `describe.each`.
 * The first combination has the defaults. The same keys always return the same combinations.
 *
 * @param keys the behaviors that vary
 * @default all behaviors
 * @returns frozen objects with a value for each key
 * @throws `invalidOptions` for an unknown key, or if the keys are not an array
 * @example
 * describe.each(behaviorMatrix(['cancelInactive', 'createStatus']))('with %o', (behaviors) => {})
 */
export const behaviorMatrix = <K extends BehaviorKey = BehaviorKey>(
  keys: readonly K[] = behaviorKeys as K[],
): readonly BehaviorRow<K>[] => {
  if (!isArray(keys)) throw errors.invalidOptions({ message: 'behaviorMatrix: the keys must be an array of names.' })
  const varied = [...new Set(keys.map(requireBehaviorKey))]
  const rows = createPairwiseRows(varied.map((key) => behaviorRegistry[key].values.length))
  return Object.freeze(rows.map((row) => toBehaviors(varied, row)))
}

const toBehaviors = <K extends BehaviorKey>(keys: readonly K[], row: readonly number[]): BehaviorRow<K> =>
  Object.freeze(
    Object.fromEntries(keys.map((key, index) => [key, behaviorRegistry[key].values[row[index] ?? 0]])),
  ) as BehaviorRow<K>

const requireBehaviorKey = <K extends BehaviorKey>(key: K): K => {
  if (behaviorKeys.includes(key)) return key
  throw errors.invalidOptions({ message: `behaviorMatrix: ${explainUnknownKey(key)}` })
}

// `Array.isArray` would narrow a readonly array to `any[]`.
const isArray = (value: unknown): boolean => Array.isArray(value)

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
