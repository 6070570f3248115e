import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

interface Held {
  readonly flood: { readonly more: number; readonly entries: number; readonly dropped: number; readonly first: unknown }
  readonly large: { readonly entries: number; readonly dropped: number }
  readonly snapshots: Readonly<Record<'kept' | 'freed', number>>
  readonly state: Readonly<Record<'loaded' | 'replaced' | 'again' | 'reset', number>>
  readonly status: number
  readonly http: Readonly<Record<'uploads' | 'abandoned' | 'connections' | 'close', number>>
}

// In a process of its own, where the garbage can be collected: in MB, of the heap and beside it.
const script = new URL('held.js', import.meta.url).pathname
const held = JSON.parse(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' })) as Held

it('a flood of requests leaves so many in the journal, and so many events, as fit', () => {
  const { more, entries, dropped, first } = held.flood
  expect({ entries, dropped }).toEqual({ entries: 50, dropped: 4150 })
  expect(first).toEqual({ id: 3000, type: 'dropped', count: 3000 })
  expect(more, 'for 2,100 requests of a kilobyte').toBeLessThan(1.5)
})

it('requests of a megabyte leave no more in the journal than 64', () => {
  expect(held.large.entries).toBe(70)
  expect(held.large.dropped).toBeGreaterThanOrEqual(6)
})

it('a snapshot holds what it has saved, and frees it when it is dropped', () => {
  expect(held.snapshots.kept).toBeGreaterThan(9)
  expect(held.snapshots.freed).toBeLessThan(1.5)
})

it('a state that is replaced or reset is freed at once', () => {
  const { loaded, replaced, again, reset } = held.state
  expect(Math.min(loaded, again)).toBeGreaterThan(9)
  expect(Math.max(replaced, reset)).toBeLessThan(1.5)
})

it('uploads of 40 MB that are refused do not stay', () => {
  expect(held.http.uploads).toBeLessThan(8)
})

it('requests that their clients have abandoned leave nothing, in whatever they were', () => {
  expect(held.status).toBe(200)
  expect(held.http.abandoned).toBeLessThan(4)
  expect(held.http.connections).toBe(0)
  expect(held.http.close, 'to close has nothing to wait for').toBeLessThan(1000)
})
