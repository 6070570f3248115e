import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { History } from '../../../src/domain/history.ts'
import type { RecordChange } from '../../../src/domain/record-changes.ts'

const mebibyte = 1024 * 1024
const createdAt = '2025-01-01T00:00:00.000Z'

/** Adds a change of this size, and returns a reference that does not keep it. */
const add = (history: History, revision: number, size: number): WeakRef<RecordChange> => {
  const to = { createdAt, sequence: revision, value: { id: `usr_${revision}`, createdAt } }
  const change: RecordChange = { kind: 'users', from: undefined, to, at: createdAt, size }
  history.add('acme', revision, change)
  return new WeakRef(change)
}

it.each([
  ['100 changes', 1000, 100],
  ['16 MiB', mebibyte, 16],
])('keeps the newest %s, and nothing else', async (_, size, kept) => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const history = new History()
  const changes = Array.from({ length: 350 }, (_unused, index) => add(history, index + 1, size))
  // A reference of this turn keeps its target until the next.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(changes.filter((change) => change.deref() !== undefined)).toEqual(changes.slice(-kept))
  const present = { revision: 350, now: Date.parse(createdAt) }
  expect([...history.listChangesSince('acme', { changes: 100 }, present)]).toHaveLength(kept)
})

it('keeps whole revisions', () => {
  const history = new History()
  for (const revision of [1, 2, 2, 2, 3]) add(history, revision, 4 * mebibyte)
  const list = (changes: number) => [
    ...history.listChangesSince('acme', { changes }, { revision: 3, now: Date.parse(createdAt) }),
  ]
  // With the third change of revision 2 there would be 20 MiB, so revision 1 is forgotten.
  expect(list(100).map(({ to }) => to.sequence)).toEqual([2, 2, 2, 3])
  add(history, 4, mebibyte)
  expect(list(100).map(({ to }) => to.sequence)).toEqual([3, 4])
})
