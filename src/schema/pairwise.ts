type Rows = readonly (readonly number[])[]

/**
 * Few rows in which every two columns show every pair of their values; columns have `sizes` values, numbered from 0.
 * The first row is all zeros. The same sizes always give the same rows.
 */
export const pairwise = (sizes: readonly number[]): Rows => {
  if (sizes.length < 2) return Array.from({ length: sizes[0] ?? 1 }, (_, value) => sizes.map(() => value))
  // The search is a matter of luck, so that it must not depend on the order in which the columns are named.
  const order = sizes.map((_, column) => column).toSorted((a, b) => sizes[b]! - sizes[a]!)
  const rows = fewestRows(order.map((column) => sizes[column]!))
  const places = sizes.map((_, column) => order.indexOf(column))
  return rows.map((row) => places.map((place) => row[place]!))
}

/** `sizes` stand largest first: the two largest columns alone need as many rows as they have pairs. */
const fewestRows = (sizes: readonly number[]): Rows => {
  for (let count = sizes[0]! * sizes[1]!; ; count++) {
    const rows = search(sizes, count)
    if (rows !== undefined) return rows
  }
}

// How long to look for rows of one count, and how often to take a step that loses a pair: rarely, to leave dead ends.
// With these and the seed below, 16 columns of two values and four of three come out at 11 rows. Ten cannot do: the
// four columns of three can be covered by ten, but then no more than nine columns of two fit beside them.
const patience = 20_000
const lossEvery = 100
const luckySeed = 274

/** That many rows that show every pair, if changing one value after the other finds them. */
const search = (sizes: readonly number[], count: number): Rows | undefined => {
  const draw = createDraw(luckySeed)
  const rows = Array.from({ length: count }, (_, row) => sizes.map((size) => (row === 0 ? 0 : draw(size))))
  const pairs = createPairs(sizes, rows)
  for (let step = 0; step < patience; step++) {
    if (pairs.missing() === 0) return rows
    const row = rows[1 + draw(count - 1)]!
    const column = draw(sizes.length)
    const value = (row[column]! + 1 + draw(sizes[column]! - 1)) % sizes[column]!
    const loss = pairs.lossBy(row, column, value)
    if (loss <= 0 || (loss === 1 && draw(lossEvery) === 0)) pairs.set(row, column, value)
  }
  return undefined
}

/** How often rows show each pair of values. A value of a column has a number of its own over all columns. */
const createPairs = (sizes: readonly number[], rows: readonly number[][]) => {
  const starts = sizes.map((_, column) => sum(sizes.slice(0, column)))
  const width = sum(sizes)
  const shown = new Uint16Array(width * width)
  let missing = (width ** 2 - sum(sizes.map((size) => size ** 2))) / 2

  const add = (row: readonly number[], column: number, by: 1 | -1) => {
    const own = starts[column]! + row[column]!
    for (let other = 0; other < row.length; other++) {
      if (other === column) continue
      const theirs = starts[other]! + row[other]!
      const before = shown[own * width + theirs]!
      shown[own * width + theirs] = shown[theirs * width + own] = before + by
      if (before === 0) missing--
      else if (before + by === 0) missing++
    }
  }
  /** How many pairs more would be missing with this value in the row. */
  const lossBy = (row: readonly number[], column: number, value: number): number => {
    const [from, to] = [starts[column]! + row[column]!, starts[column]! + value]
    let loss = 0
    for (let other = 0; other < row.length; other++) {
      if (other === column) continue
      const theirs = starts[other]! + row[other]!
      if (shown[from * width + theirs] === 1) loss++
      if (shown[to * width + theirs] === 0) loss--
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

/** Numbers below a bound, drawn from a seed: the same in every run and on every machine. */
const createDraw = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
