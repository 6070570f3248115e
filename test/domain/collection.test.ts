import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Collection, toRecord, compareTexts, type Position } from '../../src/core/domain/collection.ts'
import { put, remove, type Replacement } from '../support/collection.ts'

// HISTORY_RUNS=2000 for a longer run.
const numRuns = Number(process.env.HISTORY_RUNS ?? 25)

type Kind = 'tea' | 'cup' | 'pot'

interface Item {
  readonly id: string
  readonly createdAt: string
  readonly kind: Kind
  readonly note: number
}

type Items = Collection<Item, 'kind'>

const kinds = ['tea', 'cup', 'pot'] as const
const directions = ['asc', 'desc'] as const
const byKind = { kind: ({ kind }: Item) => kind }

describe('a collection', () => {
  it('equals a plain array over random histories, and copies keep their content', () => {
    const property = fc.property(
      fc.integer({ min: 0, max: 150 }),
      fc.array(fc.tuple(fc.boolean(), change), { maxLength: 40 }),
      (count, changes) => {
        const values = Array.from({ length: count }, (_, index) =>
          itemOf(`item_${index}`, { instant: Math.floor(index / 40), kind: index % 3, note: 0 }),
        )
        let items = loaded(values)
        let naive = naiveOf(values)
        const kept: [Items, Naive][] = [[items.copy(), naive]]
        for (const [isKept, step] of changes) {
          items = changed(items, step)
          naive = naivelyChanged(naive, step)
          if (isKept) kept.push([items.copy(), naive])
        }
        for (const [then, expected] of [...kept, [items, naive] as const]) expectSame(then, expected)
      },
    )
    fc.assert(property, { numRuns })
  })

  it('equals itself after its changes are undone', () => {
    const property = fc.property(
      fc.array(change, { maxLength: 20 }),
      fc.array(change, { maxLength: 20 }),
      fc.boolean(),
      (before, after, isCopied) => {
        const items = before.reduce((all, step) => changed(all, step), empty())
        const naive = before.reduce(naivelyChanged, naiveOf([]))
        const log: Replacement<Item>[] = []
        const copy = isCopied ? items.copy() : undefined
        for (const step of after) changed(items, step, log)
        for (const [from, to] of log.toReversed()) items.replace(to, from)
        for (const same of copy === undefined ? [items] : [items, copy]) {
          expectSame(same, naive)
          expect(same.nextSequence).toBe(naive.next)
        }
      },
    )
    fc.assert(property, { numRuns })
  })

  it('finds the only record of a group, and no removed one', () => {
    const property = fc.property(fc.array(fc.nat(80), { maxLength: 60 }), (numbers) => {
      const values = Array.from({ length: 60 }, (_, index) => itemOf(`item_${index}`))
      let items = Collection.create<Item, 'id'>({ id: ({ id }) => id }).load(values.map(toRecord))
      const ids = new Set(values.map(({ id }) => id))
      for (const number of numbers) {
        const id = `item_${number}`
        items = ids.has(id) ? remove(items, id) : put(items, itemOf(id))
        if (!ids.delete(id)) ids.add(id)
      }
      for (let number = 0; number <= 80; number++) {
        const found = items.scan('asc', undefined, { by: 'id', key: `item_${number}` })
        expect(idsOf(found)).toEqual([...ids].filter((id) => id === `item_${number}`))
      }
      expect(items.listTombstones()).toHaveLength(
        new Set([...values.map(({ id }) => id), ...numbers.map((number) => `item_${number}`)]).size - ids.size,
      )
    })
    fc.assert(property, { numRuns })
  })

  it.each(directions)('throws if it changes during a scan: %s', (direction) => {
    const items = put(put(empty(), itemOf('a')), itemOf('b'))
    const changeAll = () => {
      for (const { value } of items.scan(direction)) remove(items, value.id)
    }
    expect(changeAll).toThrow('The records have changed during a scan.')
  })

  it('compares no more records than a page needs, among 10,000 of a group', () => {
    let compared = 0
    const entries = Array.from({ length: 10_000 }, (_, sequence) => {
      const value = itemOf(`item_${sequence}`, { kind: sequence % 10 === 9 ? 1 : 0 })
      return {
        value,
        sequence,
        get createdAt() {
          compared++
          return value.createdAt
        },
      }
    })
    const items = empty().load(entries)
    compared = 0
    for (const direction of directions)
      for (const from of [undefined, items.getEntry('item_5000')])
        expect(take(items.scan(direction, from, groupOf('tea')), 10)).toHaveLength(10)
    expect([...items.scan('asc', items.getEntry('item_9999'), groupOf('cup'))]).toEqual([])
    expect(compared).toBeLessThan(300)
  })

  it('orders texts by their code units', () => {
    expect(['b', 'a', 'B', 'é', 'z', '', '10', '9'].toSorted(compareTexts).join()).toBe(',10,9,B,a,b,z,é')
    expect(compareTexts('a', 'a')).toBe(0)
  })
})

// --- The histories, and the array as reference

type Change =
  | {
      readonly put: { readonly number: number; readonly instant: number; readonly kind: number; readonly note: number }
    }
  | { readonly remove: number }
  | { readonly removeEvery: number }

interface Naive {
  /** Newest last. */
  readonly entries: readonly { readonly value: Item; readonly sequence: number }[]
  readonly gone: ReadonlyMap<string, Position>
  readonly next: number
}

// More ids than records, so that a put creates, replaces or restores a record.
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      put: fc.record({ number: fc.nat(170), instant: fc.nat(4), kind: fc.nat(2), note: fc.nat(1) }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ remove: fc.nat(170) }) },
  { weight: 1, arbitrary: fc.record({ removeEvery: fc.integer({ min: 2, max: 4 }) }) },
)

const changed = (items: Items, step: Change, log?: Replacement<Item>[]): Items => {
  if ('put' in step) return put(items, itemOf(`item_${step.put.number}`, step.put), log)
  if ('remove' in step) return remove(items, `item_${step.remove}`, log)
  return idsOf(items.scan('asc'))
    .filter((_, index) => index % step.removeEvery === 0)
    .reduce((all, id) => remove(all, id, log), items)
}

const naiveOf = (values: readonly Item[]): Naive => ({
  entries: values.map((value, sequence) => ({ value, sequence })),
  gone: new Map(),
  next: values.length,
})

const naivelyChanged = (naive: Naive, step: Change): Naive => {
  if ('put' in step) return naivelyPut(naive, itemOf(`item_${step.put.number}`, step.put))
  if ('remove' in step) return naivelyRemoved(naive, `item_${step.remove}`)
  return naive.entries
    .filter((_, index) => index % step.removeEvery === 0)
    .reduce((all, { value }) => naivelyRemoved(all, value.id), naive)
}

const naivelyPut = ({ entries, gone, next }: Naive, value: Item): Naive => {
  const old = entries.find((entry) => entry.value.id === value.id)
  if (old?.value.createdAt === value.createdAt)
    return { entries: entries.map((entry) => (entry === old ? { value, sequence: old.sequence } : entry)), gone, next }
  const others = entries.filter((entry) => entry !== old)
  // The sort is stable: after the others of its instant.
  const all = [...others, { value, sequence: next }].toSorted((a, b) =>
    compareTexts(a.value.createdAt, b.value.createdAt),
  )
  // A restored record is not deleted.
  return { entries: all, gone: new Map([...gone].filter(([id]) => id !== value.id)), next: next + 1 }
}

const naivelyRemoved = (naive: Naive, id: string): Naive => {
  const old = naive.entries.find((entry) => entry.value.id === id)
  if (old === undefined) return naive
  return {
    ...naive,
    entries: naive.entries.filter((entry) => entry !== old),
    gone: new Map([...naive.gone, [id, { createdAt: old.value.createdAt, sequence: old.sequence }]]),
  }
}

const expectSame = (items: Items, { entries, gone }: Naive): void => {
  expect(items.size).toBe(entries.length)
  const inOrder = entries.map((entry) => entry.value)
  expect(valuesOf(items.scan('asc'))).toEqual(inOrder)
  expect(valuesOf(items.scan('desc'))).toEqual(inOrder.toReversed())
  const expected = [...gone].toSorted(([a], [b]) => compareTexts(a, b))
  expect(items.listTombstones().map(({ id, ...position }) => [id, position])).toEqual(expected)
  for (let number = 0; number <= 170; number += 17) {
    const id = `item_${number}`
    const own = entries.find(({ value }) => value.id === id)
    expect(items.get(id)).toEqual(own?.value)
    const record = own && { ...own, createdAt: own.value.createdAt }
    expect(items.getEntry(id)).toEqual(gone.has(id) ? { id, ...gone.get(id) } : record)
  }
  for (const from of probesOf(entries, gone))
    for (const kind of [undefined, ...kinds]) {
      const there = entries.filter(({ value }) => kind === undefined || value.kind === kind)
      const group = kind && groupOf(kind)
      expect(idsOf(items.scan('asc', from, group))).toEqual(
        there.filter((entry) => from === undefined || compare(entry, from) > 0).map((entry) => entry.value.id),
      )
      expect(idsOf(items.scan('desc', from, group))).toEqual(
        there
          .filter((entry) => from === undefined || compare(entry, from) < 0)
          .map((entry) => entry.value.id)
          .toReversed(),
      )
    }
}

/** Positions of records, of deleted records, and between records. */
const probesOf = (entries: Naive['entries'], gone: Naive['gone']): (Position | undefined)[] => {
  const entry = entries[Math.floor(entries.length / 2)]
  return [
    undefined,
    entry && { createdAt: entry.value.createdAt, sequence: entry.sequence },
    [...gone.values()][0],
    { createdAt: timeAt(2), sequence: 30 },
    { createdAt: timeAt(9), sequence: 0 },
  ]
}

const compare = (entry: Naive['entries'][number], place: Position): number =>
  compareTexts(entry.value.createdAt, place.createdAt) || entry.sequence - place.sequence

// --- Helpers

const empty = (): Items => Collection.create<Item, 'kind'>(byKind)

const loaded = (values: readonly Item[]): Items => empty().load(values.map(toRecord))

const timeAt = (instant: number): string => new Date(Date.UTC(2025, 0, 1) + instant).toISOString()

const itemOf = (
  id: string,
  { instant = 0, kind = 0, note = 0 }: { instant?: number; kind?: number; note?: number } = {},
): Item => ({ id, createdAt: timeAt(instant), kind: kinds[kind]!, note })

const groupOf = (kind: Kind) => ({ by: 'kind' as const, key: kind })

const idsOf = (entries: Iterable<{ readonly value: Item }>): string[] => Array.from(entries, ({ value }) => value.id)

const valuesOf = (entries: Iterable<{ readonly value: Item }>): Item[] => Array.from(entries, (entry) => entry.value)

function take<T>(elements: Iterable<T>, count: number): T[] {
  const taken: T[] = []
  for (const element of elements) {
    taken.push(element)
    if (taken.length === count) break
  }
  return taken
}
