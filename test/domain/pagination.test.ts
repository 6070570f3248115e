import { describe, expect, it } from 'vitest'
import { Collection, toRecord, type Direction, type StoredRecord } from '../../src/core/domain/collection.ts'
import { mergeScans, getPage, type Scan } from '../../src/core/domain/pagination.ts'
import { put } from '../support/collection.ts'

interface Item {
  readonly id: string
  readonly createdAt: string
  readonly kind: string
}

type Items = Collection<Item, 'kind'>

// What is on a page is tested by `api/lists.test.ts`, and with each order and filter by `properties/model`.
describe('a page', () => {
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

function itemOf(id: string, instant: number, kind: string): Item {
  return { id, createdAt: new Date(Date.UTC(2025, 0, 1) + instant).toISOString(), kind }
}
