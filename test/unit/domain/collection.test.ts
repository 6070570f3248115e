import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { Collection } from '../../../src/domain/collection.ts'
import { compareTexts, type Position, type Tombstone } from '../../../src/domain/position.ts'

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
  it('equals a plain array over random histories, and old versions keep their content', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 150 }), fc.array(change, { maxLength: 40 }), (count, changes) => {
        const values = Array.from({ length: count }, (_, index) =>
          itemOf(`row_${index}`, { instant: Math.floor(index / 40), kind: index % 3, note: 0 }),
        )
        let items: Items = Collection.create<Item, 'kind'>(byKind).load(values)
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
    expect(items.findStored('a')).toBeDefined()
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
        const items: Items = Collection.create<Item, 'kind'>(byKind).load(values, gone.toReversed())

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

  it('reads no more records than a page shows, among 10,000 of a group', () => {
    const values = Array.from({ length: 10_000 }, (_, n) => itemOf(`row_${n}`, { kind: n % 10 === 9 ? 1 : 0 }))
    const items = Collection.create<Item, 'kind'>(byKind).load(values)
    const compared = vi.spyOn(String.prototype, 'startsWith')
    for (const direction of directions)
      for (const from of [undefined, items.getPosition('row_5000')])
        expect(take(items.scan(direction, from, groupOf('tea')), 10)).toHaveLength(10)
    expect([...items.scan('asc', items.getPosition('row_9999'), groupOf('cup'))]).toEqual([])
    expect(compared.mock.calls.length).toBeLessThan(50)
    compared.mockRestore()
  })

  it('keeps groups apart whose names contain each other', () => {
    const items = Collection.create({ kind: ({ kind }: Item) => kind as unknown })
      .put({ ...itemOf('a'), kind: 'a' as Kind })
      .put({ ...itemOf('b'), kind: 'a"\0"b' as Kind })
    expect(idsOf(items.scan('asc', undefined, { by: 'kind', key: 'a' }))).toEqual(['a'])
    expect(idsOf(items.scan('desc', undefined, { by: 'kind', key: 'a' }))).toEqual(['a'])
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
    expect(items.findStored(id) !== undefined).toBe(own !== undefined || gone.has(id))
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

function empty(): Items {
  return Collection.create<Item, 'kind'>(byKind)
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
  return { by: 'kind' as const, key: kind }
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
