// Proves: Memory.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

// In a separate process with forced garbage collection: MB inside and outside the heap.
const script = new URL('held.js', import.meta.url).pathname
const held = JSON.parse(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' }))

it('a flood of requests fills the journal and the event buffer only up to their limits', () => {
  const { more, entries, dropped, first } = held.flood
  expect({ entries, dropped }).toEqual({ entries: 50, dropped: 4150 })
  expect(first).toEqual({ id: 3200, type: 'dropped', count: 3200 })
  expect(more, 'for 2,100 requests of a kilobyte').toBeLessThan(1.5)
})

it('requests of a megabyte leave at most 64 MB in the journal', () => {
  expect(held.large.entries).toBe(70)
  expect(held.large.dropped).toBeGreaterThanOrEqual(6)
})

it('a snapshot holds its state, and frees it when it is deleted', () => {
  expect(held.snapshots.kept).toBeGreaterThan(9)
  expect(held.snapshots.freed).toBeLessThan(1.5)
})

it('a state that is replaced or reset is freed at once', () => {
  const { loaded, replaced, again, reset } = held.state
  expect(Math.min(loaded, again)).toBeGreaterThan(9)
  expect(Math.max(replaced, reset)).toBeLessThan(1.5)
})

it('rejected uploads of 40 MB are freed', () => {
  expect(held.http.uploads).toBeLessThan(8)
})

it('abandoned requests leave nothing, in any state', () => {
  expect(held.status).toBe(200)
  expect(held.http.abandoned).toBeLessThan(4)
  expect(held.http.connections).toBe(0)
  expect(held.http.close, 'to close has nothing to wait for').toBeLessThan(1000)
})

it('rejected requests leave nothing, however many projects and sandboxes they name', () => {
  expect(held.rejected).toHaveLength(5)
  expect(Math.max(...held.rejected), 'for 5,000 requests').toBeLessThan(2)
})

it('an Idempotency-Key keeps no body', () => {
  expect(Math.max(...Object.values<number>(held.keys)), 'for 40 bodies of a megabyte').toBeLessThan(2)
})
