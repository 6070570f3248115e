import { type BehaviorKey, behaviorKeys, behaviorRegistry, type Behaviors, unknownKeyText } from './schema/behavior.ts'
import { MockError } from './schema/error.ts'

/** A row of a matrix: a value for each of its keys. */
export type BehaviorRow<K extends BehaviorKey = BehaviorKey> = Pick<Behaviors, K>

/**
 * Returns few rows of behaviors in which every two keys have every pair of their values, for `describe.each`.
 * The first row has the defaults. The same keys always return the same rows.
 *
 * @param keys The keys that vary. @default all of them
 * @throws `invalidOptions` for an unknown key, or if the keys are not an array.
 */
export const behaviorMatrix = <K extends BehaviorKey = BehaviorKey>(
  keys: readonly K[] = behaviorKeys as K[],
): readonly BehaviorRow<K>[] => {
  if (!isArray(keys)) throw new MockError('invalidOptions', 'behaviorMatrix: the keys must be an array of names.')
  const varied = [...new Set(keys.map(knownKey))]
  const rows = pairwise(varied.map((key) => behaviorRegistry[key].values.length))
  return Object.freeze(rows.map((row) => rowOf(varied, row)))
}

const rowOf = <K extends BehaviorKey>(keys: readonly K[], row: readonly number[]): BehaviorRow<K> =>
  Object.freeze(
    Object.fromEntries(keys.map((key, column) => [key, behaviorRegistry[key].values[row[column]!]])),
  ) as BehaviorRow<K>

const knownKey = <K extends BehaviorKey>(key: K): K => {
  if (behaviorKeys.includes(key)) return key
  throw new MockError('invalidOptions', `behaviorMatrix: ${unknownKeyText(key)}`)
}

// `Array.isArray` would narrow a readonly array to `any[]`.
const isArray = (value: unknown): boolean => Array.isArray(value)

type Rows = readonly (readonly number[])[]

/**
 * Returns few rows in which every two columns have every pair of their values. A column has `sizes[column]` values,
 * numbered from 0. The first row is all zeros. The same sizes always return the same rows.
 */
const pairwise = (sizes: readonly number[]): Rows => {
  if (sizes.length < 2) return Array.from({ length: sizes[0] ?? 1 }, (_, value) => sizes.map(() => value))
  // The search depends on luck. Sorting makes its result independent of the order of the columns.
  const order = sizes.map((_, column) => column).toSorted((a, b) => sizes[b]! - sizes[a]!)
  const rows = fewestRows(order.map((column) => sizes[column]!))
  const positions = sizes.map((_, column) => order.indexOf(column))
  return rows.map((row) => positions.map((position) => row[position]!))
}

/** `sizes` are sorted, largest first: the two largest columns need at least as many rows as they have pairs. */
const fewestRows = (sizes: readonly number[]): Rows => {
  for (let count = sizes[0]! * sizes[1]!; ; count++) {
    const rows = search(sizes, count)
    if (rows !== undefined) return rows
  }
}

// How many steps to search for each number of rows, and how often to accept a step that loses a pair, to leave dead ends.
// With these and the seed below, 16 columns of two values and four of three result in 11 rows. Ten are impossible: they
// can cover the four columns of three values, but then at most nine columns of two.
const maxSteps = 20_000
const lossEvery = 100
const luckySeed = 274

/** Changes one value at a time until `count` rows have every pair. Undefined if that fails. */
const search = (sizes: readonly number[], count: number): Rows | undefined => {
  const draw = createDraw(luckySeed)
  const rows = Array.from({ length: count }, (_, row) => sizes.map((size) => (row === 0 ? 0 : draw(size))))
  const pairs = createPairs(sizes, rows)
  for (let step = 0; step < maxSteps; step++) {
    if (pairs.missing() === 0) return rows
    const row = rows[1 + draw(count - 1)]!
    const column = draw(sizes.length)
    const value = (row[column]! + 1 + draw(sizes[column]! - 1)) % sizes[column]!
    const loss = pairs.lossBy(row, column, value)
    if (loss <= 0 || (loss === 1 && draw(lossEvery) === 0)) pairs.set(row, column, value)
  }
  return undefined
}

/** Counts how often the rows have each pair of values. Each value of each column has its own number. */
const createPairs = (sizes: readonly number[], rows: readonly number[][]) => {
  const starts = sizes.map((_, column) => sum(sizes.slice(0, column)))
  const width = sum(sizes)
  const counts = new Uint16Array(width * width)
  let missing = (width ** 2 - sum(sizes.map((size) => size ** 2))) / 2

  const add = (row: readonly number[], column: number, by: 1 | -1) => {
    const own = starts[column]! + row[column]!
    for (let other = 0; other < row.length; other++) {
      if (other === column) continue
      const theirs = starts[other]! + row[other]!
      const before = counts[own * width + theirs]!
      counts[own * width + theirs] = counts[theirs * width + own] = before + by
      if (before === 0) missing--
      else if (before + by === 0) missing++
    }
  }
  /** How many more pairs would be missing with this value in the row. */
  const lossBy = (row: readonly number[], column: number, value: number): number => {
    const [from, to] = [starts[column]! + row[column]!, starts[column]! + value]
    let loss = 0
    for (let other = 0; other < row.length; other++) {
      if (other === column) continue
      const theirs = starts[other]! + row[other]!
      if (counts[from * width + theirs] === 1) loss++
      if (counts[to * width + theirs] === 0) loss--
    }
    return loss
  }
  const set = (row: number[], column: number, value: number) => {
    add(row, column, -1)
    row[column] = value
    add(row, column, 1)
  }
  for (const row of rows) for (let column = 1; column < row.length; column++) add(row.slice(0, column + 1), column, 1)
  return { missing: () => missing, lossBy, set }
}

/** Returns seeded random numbers below a bound, the same on every machine. */
const createDraw = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
