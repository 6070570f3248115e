import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { History, type RecordChange } from '../../src/core/domain/history.ts'

const mebibyte = 1024 * 1024
const createdAt = '2025-01-01T00:00:00.000Z'

const createChange = (sequence: number, size: number): RecordChange => {
  const to = { createdAt, sequence, value: { id: `usr_${sequence}`, createdAt } }
  return { kind: 'users', from: undefined, to, at: createdAt, size }
}

/** Adds a change of this size, and returns a reference that does not keep it. */
const add = (history: History, sequence: number, size: number): WeakRef<RecordChange> => {
  const change = createChange(sequence, size)
  history.add('acme', [change])
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
  expect(history.listChangesSince('acme', { changes: 100 }, Date.parse(createdAt))).toHaveLength(kept)
})

it('keeps whole revisions', () => {
  const history = new History()
  for (const sequences of [[1], [2, 3, 4], [5]])
    history.add(
      'acme',
      sequences.map((sequence) => createChange(sequence, 4 * mebibyte)),
    )
  const list = () => history.listChangesSince('acme', { changes: 100 }, Date.parse(createdAt))
  // With the third revision there would be 20 MiB, so the first is forgotten.
  expect(list().map(({ to }) => to.sequence)).toEqual([2, 3, 4, 5])
  add(history, 6, mebibyte)
  expect(list().map(({ to }) => to.sequence)).toEqual([5, 6])
})
