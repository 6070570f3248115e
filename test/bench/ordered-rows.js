// Which structure holds the rows? Run after `npm run build`: node test/bench/ordered-rows.js
// Every candidate keeps old versions alive, as a snapshot needs. Time per call, median of the rounds.
import { OrderedSet } from '../../dist/domain/ordered-set.js'

const compare = (a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.sequence - b.sequence)
const rowAt = (index) => ({ createdAt: new Date(1_700_000_000_000 + index * 1000).toISOString(), sequence: index })

const indexOf = (rows, row) => {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(rows[middle], row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** A B+ tree whose copies share their nodes. */
const tree = {
  build: (rows) => OrderedSet.of(compare, rows),
  insert: (set, row) => set.replace(undefined, row),
  remove: (set, row) => set.replace(row, undefined),
  page: (set, row) => {
    const page = []
    for (const one of set.walk('falling', row)) if (page.push(one) === 10) break
    return page
  },
}

/** A sorted array, copied by each write. */
const array = {
  build: (rows) => rows.toSorted(compare),
  insert: (rows, row) => rows.toSpliced(indexOf(rows, row), 0, row),
  remove: (rows, row) => rows.toSpliced(indexOf(rows, row), 1),
  page: (rows, row) => {
    const end = indexOf(rows, row)
    return rows.slice(Math.max(0, end - 10), end).toReversed()
  },
}

/** A map by id, copied by each write and sorted by each list: what most mocks do. */
const map = {
  build: (rows) => new Map(rows.map((row) => [row.sequence, row])),
  insert: (rows, row) => new Map(rows).set(row.sequence, row),
  remove: (rows, row) => {
    const rest = new Map(rows)
    rest.delete(row.sequence)
    return rest
  },
  page: (rows, row) => {
    const sorted = [...rows.values()].toSorted(compare)
    const end = indexOf(sorted, row)
    return sorted.slice(Math.max(0, end - 10), end).toReversed()
  },
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

for (const size of [1000, 100_000]) {
  const rows = Array.from({ length: size }, (_, index) => rowAt(index * 2))
  for (const [name, candidate] of Object.entries({ tree, array, map })) {
    const built = candidate.build(rows)
    const calls = name === 'tree' || size === 1000 ? 500 : 5
    const work = {
      insert: (i) => candidate.insert(built, rowAt(((i * 7919) % size) * 2 + 1)),
      remove: (i) => candidate.remove(built, rows[(i * 7919) % size]),
      page: (i) => candidate.page(built, rows[(i * 7919) % size]),
    }
    const cells = Object.entries(work).map(([label, run]) => {
      const times = Array.from({ length: 9 }, () => {
        const start = performance.now()
        for (let i = 0; i < calls; i++) run(i)
        return ((performance.now() - start) * 1000) / calls
      })
      return `${label} ${median(times).toFixed(1)} µs`
    })
    process.stdout.write(`${size} rows, ${name.padEnd(5)}: ${cells.join(', ')}\n`)
  }
}
