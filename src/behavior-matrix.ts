import {
  type BehaviorKey,
  behaviorKeys,
  behaviorRegistry,
  type Behaviors,
  explainUnknownKey,
} from './schema/behavior.ts'
import { MockError } from './schema/error.ts'

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
  if (!isArray(keys)) throw new MockError('invalidOptions', 'behaviorMatrix: the keys must be an array of names.')
  const varied = [...new Set(keys.map(requireKey))]
  const rows = createPairwiseRows(varied.map((key) => behaviorRegistry[key].values.length))
  return Object.freeze(rows.map((row) => toBehaviors(varied, row)))
}

const toBehaviors = <K extends BehaviorKey>(keys: readonly K[], row: readonly number[]): BehaviorRow<K> =>
  Object.freeze(
    Object.fromEntries(keys.map((key, index) => [key, behaviorRegistry[key].values[row[index] ?? 0]])),
  ) as BehaviorRow<K>

const requireKey = <K extends BehaviorKey>(key: K): K => {
  if (behaviorKeys.includes(key)) return key
  throw new MockError('invalidOptions', `behaviorMatrix: ${explainUnknownKey(key)}`)
}

// `Array.isArray` would narrow a readonly array to `any[]`.
const isArray = (value: unknown): boolean => Array.isArray(value)

/**
 * Returns few rows in which every two columns have every pair of their values. A column has `sizes[column]` values,
 * numbered from 0. The first row is all zeros. The same sizes always return the same rows.
 */
const createPairwiseRows = (sizes: readonly number[]): readonly (readonly number[])[] => {
  if (sizes.length < 2) return Array.from({ length: sizes[0] ?? 1 }, (_, value) => sizes.map(() => value))
  // The search depends on luck. Sorting makes its result independent of the order of the columns.
  const columns = sizes.map((size, index) => ({ size, index })).toSorted((a, b) => b.size - a.size)
  return findFewestRows(columns).map((row) =>
    row.toSorted((a, b) => a.index - b.index).map(({ value, first }) => value - first),
  )
}

interface Column {
  readonly index: number
  readonly size: number
}

/** A value in a row. The values of all columns have different numbers; those of this column begin with `first`. */
interface Cell extends Column {
  readonly first: number
  value: number
}

/** Finds few rows. The columns are sorted, largest first: the two largest need at least one row for each of their pairs. */
const findFewestRows = (columns: readonly Column[]): readonly (readonly Cell[])[] => {
  const [largest, second] = columns
  for (let count = (largest?.size ?? 1) * (second?.size ?? 1); ; count++) {
    const rows = search(columns, count)
    if (rows !== undefined) return rows
  }
}

// The maximum number of steps for each number of rows. One in `lossEvery` steps that lose a pair is accepted, to leave dead
// ends. With the seed below, 16 columns of two values and four of three values result in 11 rows, which is the minimum: ten
// rows can cover the four columns of three values, but then at most nine columns of two.
const maxSteps = 20_000
const lossEvery = 100
const searchSeed = 274

/** Changes one value at a time until `count` rows have every pair. Returns undefined if that fails. */
const search = (columns: readonly Column[], count: number): readonly (readonly Cell[])[] | undefined => {
  const draw = createDraw(searchSeed)
  const pick = <T>(items: readonly T[]): T => items[draw(items.length)]!
  const rows = Array.from({ length: count }, (_, row) => {
    let first = 0
    return columns.map((column): Cell => {
      const cell = { ...column, first, value: first + (row === 0 ? 0 : draw(column.size)) }
      first += column.size
      return cell
    })
  })
  const pairs = createPairs(columns, rows)
  const changeable = rows.slice(1)
  for (let step = 0; step < maxSteps; step++) {
    if (pairs.missing() === 0) return rows
    const row = pick(changeable)
    const cell = pick(row)
    const value = cell.first + ((cell.value - cell.first + 1 + draw(cell.size - 1)) % cell.size)
    const loss = pairs.countLoss(row, cell, value)
    if (loss <= 0 || (loss === 1 && draw(lossEvery) === 0)) pairs.set(row, cell, value)
  }
  return undefined
}

/** Counts how often the rows have each pair of values. */
const createPairs = (columns: readonly Column[], rows: readonly (readonly Cell[])[]) => {
  const width = sum(columns.map(({ size }) => size))
  const counts = new Uint16Array(width * width)
  let missing = (width ** 2 - sum(columns.map(({ size }) => size ** 2))) / 2

  const add = (row: readonly Cell[], cell: Cell, by: 1 | -1) => {
    for (const other of row) {
      if (other === cell) continue
      const before = counts[cell.value * width + other.value] ?? 0
      counts[cell.value * width + other.value] = counts[other.value * width + cell.value] = before + by
      if (before === 0) missing--
      else if (before + by === 0) missing++
    }
  }
  /** Returns how many more pairs would be missing with this value in the cell. */
  const countLoss = (row: readonly Cell[], cell: Cell, value: number): number => {
    let loss = 0
    for (const other of row) {
      if (other === cell) continue
      if (counts[cell.value * width + other.value] === 1) loss++
      if (counts[value * width + other.value] === 0) loss--
    }
    return loss
  }
  const set = (row: readonly Cell[], cell: Cell, value: number) => {
    add(row, cell, -1)
    cell.value = value
    add(row, cell, 1)
  }
  for (const row of rows) for (const [index, cell] of row.entries()) add(row.slice(0, index), cell, 1)
  return { missing: () => missing, countLoss, set }
}

/** Returns seeded random numbers below a bound, the same on every machine. */
const createDraw = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
