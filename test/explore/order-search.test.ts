import { expect, it } from 'vitest'
import { createOrderSearch, type SearchedRun } from '../../src/extensions/explore/strategies/orders-depth-first.ts'

it.each([
  { title: 'repeats a run in which a call came late', late: 1, runs: 2, isLast: false },
  { title: 'keeps the last run if a call came late each time', late: 5, runs: 3, isLast: true },
])('$title', async ({ late, runs, isLast }) => {
  const started: SearchedRun[] = []
  const run = () => {
    const next = { steps: [], isComplete: true, error: null, isWorthRepeating: started.length < late }
    started.push(next)
    return Promise.resolve(next)
  }
  const search = createOrderSearch('all', { faults: new Map(), origin: undefined }, { run, maxTries: 3 })
  const tried = await search.getTrial().start()
  expect(started).toHaveLength(runs)
  expect(tried.repeated).toEqual(started.slice(0, -1))
  expect(tried.run).toBe(started.at(-1))
  expect(tried.run.isWorthRepeating).toBe(isLast)
})
