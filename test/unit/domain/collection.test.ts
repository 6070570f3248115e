import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Collection } from '../../../src/domain/collection.ts'
import { type Compare, compareTexts, OrderedSet } from '../../../src/domain/ordered-set.ts'
import type { Grouping, Position, Tombstone } from '../../../src/domain/record-order.ts'

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
const byKind: Grouping<Item> = [({ value: { kind = '' } }) => kind]

describe('a collection', () => {
  it('equals a plain array over random histories, and old versions keep their content', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 150 }), fc.array(change, { maxLength: 40 }), (count, changes) => {
        const values = Array.from({ length: count }, (_, index) =>
          itemOf(`row_${index}`, { instant: Math.floor(index / 40), kind: index % 3, note: 0 }),
        )
        let items: Items = Collection.create({ groupings: { kind: byKind } }, values)
        let naive = naiveOf(values)
        const history: [Items, Naive][] = [[items, naive]]
        for (const step of changes) {
          items = changed(items, step)
          naive = naivelyChanged(naive, step)
          history.push([items, naive])
        }
        for (const [then, expected] of history) expectSame(then, expected)
      }),
      { numRuns: 60 },
    )
  })

  it('lists records of one instant by insertion, and keeps the position of a replaced record', () => {
    const items = ['a', 'b', 'c'].reduce<Items>((all, id) => all.put(itemOf(id)), empty())

    expect(idsOf(items.scan('asc'))).toEqual(['a', 'b', 'c'])
    expect(idsOf(items.put(itemOf('a', { note: 1 })).scan('asc'))).toEqual(['a', 'b', 'c'])
    expect(idsOf(items.scan('desc'))).toEqual(['c', 'b', 'a'])
  })

  it('lists a record last in its instant when its creation time changes', () => {
    const items = ['a', 'b', 'c'].reduce<Items>((all, id) => all.put(itemOf(id)), empty())
    const away = items.put(itemOf('a', { instant: 1 }))

    expect(idsOf(away.scan('asc'))).toEqual(['b', 'c', 'a'])
    expect(idsOf(away.put(itemOf('a')).scan('asc'))).toEqual(['b', 'c', 'a'])
  })

  it('returns itself when an equal record is put, or an unknown one removed', () => {
    const items = empty().put(itemOf('a'))

    expect(items.put(itemOf('a'))).toBe(items)
    expect(items.remove('b')).toBe(items)
  })

  it('returns a new collection when a record is put with a missing or changed field', () => {
    const { note: _, ...silent } = itemOf('a')
    const items = empty().put(itemOf('a'))

    expect(items.put(silent as Item).get('a')).toEqual(silent)
    expect(items.put(itemOf('a', { note: 1 })).get('a')).toEqual(itemOf('a', { note: 1 }))
  })

  it('keeps the id of a removed record reserved, without the record', () => {
    const items = empty().put(itemOf('a')).remove('a')

    expect(items.size).toBe(0)
    expect(items.get('a')).toBeUndefined()
    expect(items.getPosition('a')).toBeUndefined()
    expect(items.has('a')).toBe(true)
    expect(items.getTombstone('a')).toMatchObject({ id: 'a', createdAt: timeAt(0) })
  })

  it('moves a record to the group of its new value', () => {
    const items = empty()
      .put(itemOf('a', { kind: 0 }))
      .put(itemOf('b', { kind: 0 }))
    const next = items.put(itemOf('a', { kind: 1 }))

    expect(idsOf(next.scan('asc', undefined, groupOf('tea')))).toEqual(['b'])
    expect(idsOf(next.scan('asc', undefined, groupOf('cup')))).toEqual(['a'])
    expect(idsOf(items.scan('asc', undefined, groupOf('tea')))).toEqual(['a', 'b'])
  })

  it('keeps the positions of deleted records, and continues after them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 80 }), (plan) => {
        // Each entry is a record, oldest first: whether it is deleted, and whether its instant is later.
        let instant = 0
        const places = plan.map(([gone, later], sequence) => ({
          ...itemOf(`row_${sequence}`, { instant: (instant += later ? 1 : 0) }),
          gone,
          sequence,
        }))
        const values = places.filter(({ gone }) => !gone).map(({ id }) => itemOf(id, placeIn(places, id)))
        const gone: Tombstone[] = places
          .filter((place) => place.gone)
          .map(({ id, createdAt, sequence }) => ({ id, createdAt, sequence }))
        const items: Items = Collection.create({ groupings: { kind: byKind } }, values, gone.toReversed())

        expect([...items.scanTombstones()].map(({ id }) => id)).toEqual(gone.map(({ id }) => id).toSorted(compareTexts))
        for (const [index, { id }] of places.entries()) {
          const place = (items.getPosition(id) ?? items.getTombstone(id))!
          const newer = places.slice(index + 1).filter((one) => !one.gone)
          const older = places.slice(0, index).filter((one) => !one.gone)
          expect(idsOf(items.scan('asc', place))).toEqual(newer.map((one) => one.id))
          expect(idsOf(items.scan('desc', place))).toEqual(older.map((one) => one.id).toReversed())
        }
        const next = items.put(itemOf('next', { instant }))
        expect(next.size).toBe(items.size + 1)
        expect(idsOf(next.scan('desc'))[0]).toBe('next')
        for (const { id } of gone) expect(idsOf(next.scan('asc', items.getTombstone(id))).at(-1)).toBe('next')
      }),
      { numRuns: 60 },
    )
  })

  it('costs fewer than 100 comparisons for a page of 10 among 10,000 records of a group, from either end or the middle', () => {
    const { items, comparisons } = counted(10_000)

    for (const direction of directions)
      for (const from of [undefined, items.getPosition('row_5000')]) {
        const before = comparisons()
        expect(take(items.scan(direction, from, groupOf('tea')), 10)).toHaveLength(10)
        expect(comparisons() - before).toBeLessThan(100)
      }
  })

  it('does no work after the last record of a group, however many records other groups have', () => {
    const { items, comparisons } = counted(10_000)
    const before = comparisons()

    expect([...items.scan('asc', undefined, groupOf('cup'))]).toHaveLength(1000)
    expect([...items.scan('asc', items.getPosition('row_9999'), groupOf('cup'))]).toEqual([])
    expect(comparisons() - before).toBeLessThan(2000 + 100)
  })

  it('costs fewer than 200 comparisons to insert, replace, move or remove a record among 10,000', () => {
    const { items, comparisons } = counted(10_000)
    const cost = (act: () => unknown) => {
      const before = comparisons()
      act()
      return comparisons() - before
    }

    expect(cost(() => items.put(itemOf('new', { instant: 9 })))).toBeLessThan(200)
    expect(cost(() => items.put(itemOf('row_5000', { note: 1 })))).toBeLessThan(200)
    expect(cost(() => items.put(itemOf('row_5000', { kind: 1 })))).toBeLessThan(200)
    expect(cost(() => items.remove('row_5000'))).toBeLessThan(200)
    expect(cost(() => items.get('row_5000'))).toBe(0)
  })
})

describe('an ordered set', () => {
  it('costs fewer than 100 comparisons for a page of 10 among 10,000, and fewer than 200 to insert', () => {
    let comparisons = 0
    const compare = (a: number, b: number) => {
      comparisons++
      return a - b
    }
    const numbers = OrderedSet.from(
      compare,
      Array.from({ length: 10_000 }, (_, index) => index * 2),
    )
    const cost = (act: () => unknown) => {
      const before = comparisons
      act()
      return comparisons - before
    }

    for (const direction of directions) {
      expect(cost(() => take(numbers.scan(direction, 9_000), 10))).toBeLessThan(100)
      expect(cost(() => take(numbers.scan(direction, 9_001), 10))).toBeLessThan(100)
    }
    expect(cost(() => numbers.find(9_001))).toBeLessThan(50)
    expect(cost(() => numbers.replace(undefined, 9_001))).toBeLessThan(200)
    expect(cost(() => numbers.replace(9_000, undefined))).toBeLessThan(200)
    expect(cost(() => numbers.replace(9_000, 15_001))).toBeLessThan(200)
  })

  it('is created from 10,000 elements in any order with about n log n comparisons', () => {
    let comparisons = 0
    const compare = (a: number, b: number) => {
      comparisons++
      return a - b
    }
    const shuffled = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_000)

    expect([...OrderedSet.from(compare, shuffled).scan('asc')]).toEqual(shuffled.toSorted((a, b) => a - b))
    expect(comparisons).toBeLessThan(10_000 * 40)
  })

  it.each([
    ['asc', undefined, [1, 3, 5]],
    ['asc', 0, [1, 3, 5]],
    ['asc', 3, [5]],
    ['asc', 4, [5]],
    ['asc', 5, []],
    ['asc', 6, []],
    ['desc', undefined, [5, 3, 1]],
    ['desc', 6, [5, 3, 1]],
    ['desc', 3, [1]],
    ['desc', 2, [1]],
    ['desc', 1, []],
    ['desc', 0, []],
  ] as const)('scans %s from %s over what lies beyond it', (direction, from, expected) => {
    expect([...OrderedSet.from(byNumber, [5, 1, 3]).scan(direction, from)]).toEqual(expected)
  })

  it('finds an element at exactly its position, and no neighbor', () => {
    const numbers = OrderedSet.from(byNumber, [1, 3, 5])

    expect([0, 1, 2, 3, 4, 5, 6].map((probe) => numbers.find(probe))).toEqual([
      undefined,
      1,
      undefined,
      3,
      undefined,
      5,
      undefined,
    ])
  })

  it('orders texts by their code units', () => {
    expect(['b', 'a', 'B', 'é', 'z', '', '10', '9'].toSorted(compareTexts)).toEqual([
      '',
      '10',
      '9',
      'B',
      'a',
      'b',
      'z',
      'é',
    ])
    expect(compareTexts('a', 'a')).toBe(0)
  })
})

// --- The histories, and the array as reference

type Change =
  | { readonly put: { readonly row: number; readonly instant: number; readonly kind: number; readonly note: number } }
  | { readonly remove: number }
  | { readonly removeEvery: number }

interface Naive {
  /** Newest last. */
  readonly rows: readonly { readonly value: Item; readonly sequence: number }[]
  readonly gone: ReadonlyMap<string, Position>
  readonly next: number
}

// More ids than records, so that a put creates, replaces or restores a record.
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      put: fc.record({
        row: fc.nat(170),
        instant: fc.nat(4),
        kind: fc.nat(2),
        note: fc.nat(1),
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ remove: fc.nat(170) }) },
  { weight: 1, arbitrary: fc.record({ removeEvery: fc.integer({ min: 2, max: 4 }) }) },
)

const changed = (items: Items, step: Change): Items => {
  if ('put' in step) return items.put(itemOf(`row_${step.put.row}`, step.put))
  if ('remove' in step) return items.remove(`row_${step.remove}`)
  return idsOf(items.scan('asc'))
    .filter((_, index) => index % step.removeEvery === 0)
    .reduce((all, id) => all.remove(id), items)
}

const naiveOf = (values: readonly Item[]): Naive => ({
  rows: values.map((value, sequence) => ({ value, sequence })),
  gone: new Map(),
  next: values.length,
})

const naivelyChanged = (naive: Naive, step: Change): Naive => {
  if ('put' in step) return naivelyPut(naive, itemOf(`row_${step.put.row}`, step.put))
  if ('remove' in step) return naivelyRemoved(naive, `row_${step.remove}`)
  return naive.rows
    .filter((_, index) => index % step.removeEvery === 0)
    .reduce((all, { value }) => naivelyRemoved(all, value.id), naive)
}

const naivelyPut = ({ rows, gone, next }: Naive, value: Item): Naive => {
  const old = rows.find((row) => row.value.id === value.id)
  if (old?.value.createdAt === value.createdAt)
    return { rows: rows.map((row) => (row === old ? { value, sequence: old.sequence } : row)), gone, next }
  const others = rows.filter((row) => row !== old)
  // The sort is stable: after the others of its instant.
  const all = [...others, { value, sequence: next }].toSorted((a, b) =>
    compareTexts(a.value.createdAt, b.value.createdAt),
  )
  // A restored record is not deleted.
  return { rows: all, gone: new Map([...gone].filter(([id]) => id !== value.id)), next: next + 1 }
}

const naivelyRemoved = (naive: Naive, id: string): Naive => {
  const old = naive.rows.find((row) => row.value.id === id)
  if (old === undefined) return naive
  return {
    ...naive,
    rows: naive.rows.filter((row) => row !== old),
    gone: new Map([...naive.gone, [id, { createdAt: old.value.createdAt, sequence: old.sequence }]]),
  }
}

const expectSame = (items: Items, { rows, gone }: Naive): void => {
  expect(items.size).toBe(rows.length)
  const inOrder = rows.map((row) => row.value)
  expect(valuesOf(items.scan('asc'))).toEqual(inOrder)
  expect(valuesOf(items.scan('desc'))).toEqual(inOrder.toReversed())
  expect(
    [...items.scanTombstones()].map(({ id, createdAt, sequence }) => [id, { createdAt, sequence }] as const),
  ).toEqual([...gone].toSorted(([a], [b]) => compareTexts(a, b)))
  for (let row = 0; row <= 170; row += 17) {
    const id = `row_${row}`
    const own = rows.find(({ value }) => value.id === id)
    expect(items.get(id)).toEqual(own?.value)
    expect(items.getPosition(id)?.sequence).toBe(own?.sequence)
    expect(items.getTombstone(id)).toEqual(gone.has(id) ? { id, ...gone.get(id) } : undefined)
    expect(items.has(id)).toBe(own !== undefined || gone.has(id))
  }
  for (const from of probesOf(rows, gone))
    for (const kind of [undefined, ...kinds]) {
      const there = rows.filter(({ value }) => kind === undefined || value.kind === kind)
      const group = kind && groupOf(kind)
      expect(idsOf(items.scan('asc', from, group))).toEqual(
        there.filter((row) => from === undefined || compare(row, from) > 0).map((row) => row.value.id),
      )
      expect(idsOf(items.scan('desc', from, group))).toEqual(
        there
          .filter((row) => from === undefined || compare(row, from) < 0)
          .map((row) => row.value.id)
          .toReversed(),
      )
    }
}

/** Positions of records, of deleted records, and between records. */
const probesOf = (rows: Naive['rows'], gone: Naive['gone']): (Position | undefined)[] => {
  const row = rows[Math.floor(rows.length / 2)]
  return [
    undefined,
    row && { createdAt: row.value.createdAt, sequence: row.sequence },
    [...gone.values()][0],
    { createdAt: timeAt(2), sequence: 30 },
    { createdAt: timeAt(9), sequence: 0 },
  ]
}

const compare = (row: Naive['rows'][number], place: Position): number =>
  compareTexts(row.value.createdAt, place.createdAt) || row.sequence - place.sequence

// --- Helpers

const byNumber: Compare<number> = (a, b) => a - b

function empty(): Items {
  return Collection.create({ groupings: { kind: byKind } })
}

function timeAt(instant: number): string {
  return new Date(Date.UTC(2025, 0, 1) + instant).toISOString()
}

function itemOf(
  id: string,
  { instant = 0, kind = 0, note = 0 }: { instant?: number; kind?: number; note?: number } = {},
): Item {
  return { id, createdAt: timeAt(instant), kind: kinds[kind]!, note }
}

function placeIn(places: readonly Item[], id: string): { instant: number } {
  return { instant: Date.parse(places.find((place) => place.id === id)!.createdAt) - Date.UTC(2025, 0, 1) }
}

function groupOf(kind: Kind) {
  return { by: 'kind' as const, key: { kind } as Item }
}

function idsOf(rows: Iterable<{ readonly id: string }>): string[] {
  return Array.from(rows, (row) => row.id)
}

function valuesOf(rows: Iterable<{ readonly value: Item }>): Item[] {
  return Array.from(rows, (row) => row.value)
}

function take<T>(elements: Iterable<T>, count: number): T[] {
  const taken: T[] = []
  for (const element of elements) {
    taken.push(element)
    if (taken.length === count) break
  }
  return taken
}

/** Many records of one group and some of another, in a collection that counts comparisons. */
function counted(count: number): { items: Items; comparisons: () => number } {
  let texts = 0
  const counting: Grouping<Item> = [
    ({ value: { kind = '' } }) => {
      texts++
      return kind
    },
  ]
  const values = Array.from({ length: count }, (_, index) => itemOf(`row_${index}`, { kind: index % 10 === 9 ? 1 : 0 }))
  return { items: Collection.create({ groupings: { kind: counting } }, values), comparisons: () => texts / 2 }
}
