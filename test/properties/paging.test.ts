// Proves: Paging.
/* oxlint-disable no-await-in-loop -- a walk is one page after the other */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/node/index.ts'
import { countDistinct } from '../support/count-distinct.ts'

// PAGING_WALKS=20000 for a longer run.
const walks = Number(process.env.PAGING_WALKS ?? 10)
const start = Date.UTC(2025, 0, 1)

const everyLimit = Array.from({ length: 200 }, (_, index) => index + 1)
/** Those around which a page begins, ends or is the last one of 205 records. */
const telling = [1, 41, 68, 69, 102, 103, 200]
const limits = process.env.SLOW_TESTS ? everyLimit : telling

describe('paging through a list', () => {
  it.each(['after', 'before'] as const)(
    `visits each of 205 records of one instant once and in order with ${limits.length} limits, by %s`,
    (direction) =>
      withMock({ now: start }, async (mock) => {
        const list = createList('users', mock, { now: start })
        for (let made = 0; made < 205; made++) await list.create({ variant: made, later: 0 })
        const inOrder = list.inOrder().map(({ id }) => id)
        // Paging by `before` starts at the oldest record, which it does not visit.
        const [from, expected] = direction === 'after' ? [undefined, inOrder] : [inOrder.at(-1), inOrder.slice(0, -1)]
        for (const limit of limits) {
          expect(await walk(list, { direction, limit, filter: 'none', from })).toEqual(expected)
        }
      }),
  )

  it(`visits each lasting record once and in order, while records are created and deleted (${walks} runs)`, () =>
    expect(fc.assert(fc.asyncProperty(walkCase, visitsWhatStays), { numRuns: walks })).resolves.toBeUndefined())
})

// --- The lists

/** Searching users is a list, too. */
type Kind = 'users' | 'search' | 'paymentLinks'
type Filter = 'none' | 'one' | 'status' | 'both'

interface NewRecord {
  /** Picks the email, or the invoice. */
  readonly variant: number
  /** Milliseconds after the previous record: mostly 0, and negative if the clock is set back. */
  readonly later: number
}

type Disturbance = { readonly create: NewRecord } | { readonly remove: number }

interface WalkCase {
  readonly kind: Kind
  readonly records: readonly NewRecord[]
  readonly filter: Filter
  readonly direction: 'after' | 'before'
  readonly limit: number
  /** The first cursor of paging by `before`, as an index from the oldest record, modulo the length. */
  readonly fromNth: number
  /** The changes after each page. */
  readonly disturbances: readonly (readonly Disturbance[])[]
}

const newRecord = fc.record({ variant: fc.nat({ max: 3 }), later: fc.constantFrom(0, 0, 0, 1, 1000, -1) })

const walkCase: fc.Arbitrary<WalkCase> = fc.noBias(
  fc.record({
    kind: fc.constantFrom<Kind>('users', 'search', 'paymentLinks'),
    records: fc.array(newRecord, { minLength: 1, maxLength: 30, size: 'max' }),
    filter: fc.constantFrom<Filter>('none', 'one', 'status', 'both'),
    direction: fc.constantFrom('after', 'before'),
    limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
    fromNth: fc.oneof(fc.constant(0), fc.nat({ max: 29 })),
    disturbances: fc.array(
      fc.array(
        fc.oneof(
          newRecord.map((create) => ({ create })),
          fc.nat({ max: 99 }).map((remove) => ({ remove })),
        ),
        { maxLength: 4, size: 'max' },
      ),
      { maxLength: 12, size: 'max' },
    ),
  }),
)

async function visitsWhatStays(given: WalkCase): Promise<void> {
  const clock = { now: start }
  await withMock(clock, async (mock) => {
    const list = createList(given.kind, mock, clock)
    for (const record of given.records) await list.create(record)
    const atStart = list.inOrder()
    const place = given.direction === 'before' ? atStart.length - 1 - (given.fromNth % atStart.length) : atStart.length
    const pending = [...given.disturbances]

    const visited = await walk(list, {
      ...given,
      from: atStart[place]?.id,
      disturb: async (cursor) => {
        for (const disturbance of pending.shift() ?? []) {
          if ('create' in disturbance) await list.create(disturbance.create)
          else await list.remove(disturbance.remove, cursor)
        }
      },
    })

    const stayed = atStart.slice(0, place).filter((record) => list.shows(record, given.filter))
    const expected = stayed.map(({ id }) => id)
    expect(countDistinct(visited)).toBe(visited.length)
    expect(visited.filter((id) => expected.includes(id))).toEqual(expected)
  })
}

// --- The client

interface Walk {
  readonly direction: 'after' | 'before'
  readonly limit: number
  readonly filter: Filter
  /** The cursor of the first page. */
  readonly from: string | undefined
  /** The changes before the next page. */
  readonly disturb?: (cursor: string) => Promise<void>
}

/** The visited ids, in the order of the list. */
async function walk(list: List, { direction, limit, filter, from, disturb }: Walk): Promise<string[]> {
  const batches: string[][] = []
  let cursor: string | null | undefined = from
  do {
    const page = await list.page({ limit: String(limit), ...(cursor !== undefined && { [direction]: cursor }) }, filter)
    const ids = page.items.map(({ id }) => id)
    batches.push(ids)
    cursor = direction === 'after' ? page.moreItemsAfter : page.moreItemsBefore
    // The marker is the last record of the page, and only the last page may be short.
    const outermost = direction === 'after' ? ids.at(-1) : ids.at(0)
    expect([null, outermost]).toContain(cursor)
    expect(ids.length === limit || (ids.length < limit && cursor === null)).toBe(true)
    if (cursor !== null) await disturb?.(cursor)
  } while (cursor !== null)
  return (direction === 'after' ? batches : batches.toReversed()).flat()
}

// --- The records, and the expectations of the test

interface TestRecord {
  readonly id: string
  readonly createdAt: number
  readonly variant: number
  /** True once a user is deleted, or a link canceled. */
  isGone: boolean
}

interface Page {
  readonly items: readonly { readonly id: string }[]
  readonly moreItemsAfter: string | null
  readonly moreItemsBefore: string | null
}

interface List {
  create(record: NewRecord): Promise<void>
  /** Deletes the nth user unless it is the cursor, which would be rejected; or cancels the nth link. */
  remove(nth: number, cursor: string): Promise<void>
  page(query: Record<string, string>, filter: Filter): Promise<Page>
  /** All records, including deleted ones, newest first. */
  inOrder(): readonly TestRecord[]
  /** Whether a record is in the list now. */
  shows(record: TestRecord, filter: Filter): boolean
}

const emails = ['ada@example.com', 'Ada@Example.COM', 'bob@example.com', 'ada@example.com']
const invoices = ['inv_1', 'inv_2', 'inv_1', 'inv_3']

async function withMock(clock: { now: number }, use: (mock: Mock) => Promise<void>): Promise<void> {
  await using mock = createMock({ now: () => clock.now })
  await use(mock)
}

function createList(kind: Kind, mock: Mock, clock: { now: number }): List {
  const records: TestRecord[] = []

  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await mock.fetch(`/projects/acme/${path}`, {
      method,
      headers: { authorization: 'Bearer token', accept: 'application/json', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.ok, `${method} ${path} returned ${text}`).toBe(true)
    return JSON.parse(text)
  }

  const created = async (variant: number): Promise<unknown> =>
    kind === 'paymentLinks'
      ? call('POST', 'paymentLinks', { invoice: invoices[variant % 4], type: 'partner', partner: { user: {} } })
      : call('POST', 'users', { email: emails[variant % 4] })

  return {
    async create({ variant, later }) {
      clock.now += later
      const { id } = (await created(variant)) as { id: string }
      records.push({ id, createdAt: clock.now, variant, isGone: false })
    },
    async remove(nth, cursor) {
      const present = records.filter((record) => !record.isGone && (kind === 'paymentLinks' || record.id !== cursor))
      const record = present[nth % present.length]
      if (record === undefined) return
      if (kind === 'paymentLinks') await call('POST', `paymentLinks/${record.id}/cancel`)
      else await call('DELETE', `users/${record.id}`)
      record.isGone = true
    },
    async page(query, filter) {
      const filters = {
        ...(kind === 'paymentLinks' && ['one', 'both'].includes(filter) && { invoice: 'inv_1' }),
        ...(kind === 'paymentLinks' && ['status', 'both'].includes(filter) && { status: 'active,completed' }),
      }
      const parameters = String(new URLSearchParams({ ...query, ...filters }))
      const email = filter === 'none' ? null : 'ADA@example.com'
      if (kind === 'search') return (await call('POST', `users/search?${parameters}`, { email })) as Page
      return (await call('GET', `${kind}?${parameters}`)) as Page
    },
    inOrder: () => records.toReversed().toSorted((one, other) => other.createdAt - one.createdAt),
    shows({ variant, isGone }, filter) {
      if (kind === 'users') return !isGone
      if (kind === 'search') return !isGone && (filter === 'none' || emails[variant % 4] !== 'bob@example.com')
      return (
        (filter === 'none' || filter === 'status' || invoices[variant % 4] === 'inv_1') &&
        (filter === 'none' || filter === 'one' || !isGone)
      )
    },
  }
}
