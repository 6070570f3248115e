import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Collection,
  toRecord,
  type Direction,
  type Position,
  type StoredRecord,
} from '../../src/core/domain/collection.ts'
import { filterScan, mergeScans, getPage, type Scan } from '../../src/core/domain/pagination.ts'
import { put, remove } from '../support/collection.ts'

type Kind = 'tea' | 'cup' | 'pot'

interface Item {
  readonly id: string
  readonly createdAt: string
  readonly kind: Kind
}

type Items = Collection<Item, 'kind'>

const kinds = ['tea', 'cup', 'pot'] as const

describe('a page', () => {
  it('equals a slice of a plain array: every limit, cursor and direction, over all, filtered and merged records', () => {
    const property = fc.property(lists, fc.constantFrom<Direction>('desc', 'asc'), ({ items, places }, direction) => {
      for (const [shown, scan] of walksOver(items))
        for (const limit of [0, 1, 2, places.length, places.length + 1])
          for (const cursor of [undefined, ...places])
            for (const side of ['after', 'before'] as const) {
              const request = { [side]: cursor && { id: cursor.id, position: cursor }, limit, direction }
              const order = direction === 'asc' ? places : places.toReversed()
              const page = getPage(scan, request)
              expect({ ...page, items: page.items.map(({ id }) => id) }).toEqual(
                naivePage(
                  order.map(({ id, gone, kind }) => ({ id, there: !gone && shown.includes(kind) })),
                  { [side]: cursor?.id, limit },
                ),
              )
            }
    })
    fc.assert(property, { numRuns: Number(process.env.HISTORY_RUNS ?? 25) })
  })

  it('reads only its records and one more from a scan', () => {
    const { scan, cursor } = listOf(26)
    let taken = 0
    const counting: Scan<Item> = function* counting(direction, from) {
      for (const record of scan(direction, from)) {
        taken++
        yield record
      }
    }
    getPage(counting, { limit: 10 })
    expect(taken).toBe(11)

    taken = 0
    getPage(counting, { after: cursor('t'), limit: 10 })
    // One more, to find whether a record precedes.
    expect(taken).toBe(12)
  })

  // Looking back in a list with few matches may scan all of it.
  it('looks back only from a cursor', () => {
    const { scan, cursor } = listOf(5)
    const walked: Direction[] = []
    const recorded: Scan<Item> = (direction, from) => {
      walked.push(direction)
      return scan(direction, from)
    }
    getPage(recorded, { limit: 2 })
    expect(walked).toEqual(['desc'])
    getPage(recorded, { after: cursor('e'), limit: 2 })
    expect(walked).toEqual(['desc', 'desc', 'asc'])
  })
})

describe('a merged scan', () => {
  it.each(['asc', 'desc'] as const)('of no scans is empty (%s)', (direction) => {
    expect([...mergeScans([])(direction)]).toEqual([])
  })

  it.each(['asc', 'desc'] as const)('reads one record ahead from each of its scans, %s', (direction) => {
    let taken = 0
    const records = Array.from({ length: 100 }, (_, sequence) =>
      toRecord(itemOf(`item_${sequence}`, 0, 'tea'), sequence),
    )
    const part = (own: number): Scan<Item> =>
      function* part(way) {
        const mine = records.filter((_, index) => index % 3 === own)
        for (const record of way === 'asc' ? mine : mine.toReversed()) {
          taken++
          yield record
        }
      }
    const merged = mergeScans([part(0), part(1), part(2)])(direction)[Symbol.iterator]()
    const first = Array.from({ length: 10 }, () => (merged.next().value as StoredRecord<Item>).value.id)

    const inOrder = direction === 'asc' ? records : records.toReversed()
    expect(first).toEqual(inOrder.slice(0, 10).map(({ value }) => value.id))
    expect(taken).toBeLessThanOrEqual(10 + 3)
  })
})

// --- The plain array as reference

interface Entry {
  readonly id: string
  readonly there: boolean
}

/** §2.4 and §4.1, for an array in list order. */
function naivePage(
  order: readonly Entry[],
  { after, before, limit }: { after?: string | undefined; before?: string | undefined; limit: number },
) {
  const at = order.findIndex(({ id }) => id === (after ?? before))
  const beyond = before === undefined ? order.slice(at + 1) : order.slice(0, at)
  const candidates = beyond.filter(({ there }) => there).map(({ id }) => id)
  const items =
    before === undefined ? candidates.slice(0, limit) : candidates.slice(Math.max(0, candidates.length - limit))
  const more = candidates.length > items.length
  const first = items[0]
  const last = items.at(-1)
  // With a limit of 0 the given cursor is returned.
  if (before === undefined)
    return {
      items,
      moreItemsAfter: more ? (last ?? after ?? null) : null,
      moreItemsBefore: first !== undefined && precedes(order, first) ? first : null,
    }
  return {
    items,
    moreItemsAfter: last !== undefined && precedes(order.toReversed(), last) ? last : null,
    moreItemsBefore: more ? (first ?? before) : null,
  }
}

function precedes(order: readonly Entry[], id: string): boolean {
  const index = order.findIndex((entry) => entry.id === id)
  return order.slice(0, index).some(({ there }) => there)
}

// --- Lists

interface ItemPlace extends Item, Position {
  readonly gone: boolean
}

/** Records and deleted records in ascending order, and their collection. */
const lists = fc
  .array(fc.record({ kind: fc.constantFrom(...kinds), gone: fc.boolean(), later: fc.boolean() }), { maxLength: 9 })
  .map((steps) => {
    let instant = 0
    const made = steps.map(({ kind, later }, index) => itemOf(`item_${index}`, (instant += later ? 1 : 0), kind))
    const all = made.reduce<Items>((items, item) => put(items, item), empty())
    const items = made.filter((_, index) => steps[index]!.gone).reduce((rest, { id }) => remove(rest, id), all)
    const places = made.map((item, index): ItemPlace => ({
      ...item,
      sequence: all.getEntry(item.id)!.sequence,
      gone: steps[index]!.gone,
    }))
    return { items, places }
  })

/** Each scan over some kinds, and the kinds in its results. */
function walksOver(items: Items): [readonly Kind[], Scan<Item>][] {
  const all: Scan<Item> = (direction, from) => items.scan(direction, from)
  const only =
    (kind: Kind): Scan<Item> =>
    (direction, from) =>
      items.scan(direction, from, { by: 'kind', key: kind })
  return [
    [kinds, all],
    [['tea'], only('tea')],
    [['tea', 'pot'], mergeScans([only('tea'), only('pot')])],
    [['tea', 'pot'], mergeScans([only('pot'), only('tea')])],
    [kinds, mergeScans(kinds.map(only))],
    [['cup'], mergeScans([only('cup')])],
    [['cup', 'pot'], filterScan(all, ({ kind }) => kind !== 'tea')],
    [['pot'], filterScan(mergeScans([only('tea'), only('pot')]), ({ kind }) => kind === 'pot')],
    [[], filterScan(all, () => false)],
    [[], mergeScans([])],
  ]
}

/** Records a, b, c, ... of one instant, the last one the newest. */
function listOf(count: number) {
  const letters = Array.from({ length: count }, (_, index) => itemOf(String.fromCharCode(97 + index), 0, 'tea'))
  const items = letters.reduce<Items>((all, item) => put(all, item), empty())
  return {
    scan: ((way, from) => items.scan(way, from)) satisfies Scan<Item>,
    cursor: (id: string) => ({ id, position: items.getEntry(id)! }),
  }
}

const empty = (): Items => Collection.create<Item, 'kind'>({ kind: ({ kind }) => kind })

function itemOf(id: string, instant: number, kind: Kind): Item {
  return { id, createdAt: new Date(Date.UTC(2025, 0, 1) + instant).toISOString(), kind }
}
