// Proves: Paging.
/* oxlint-disable no-await-in-loop -- a walk is one page after the other */
import { expect, it } from 'vitest'
import type { BehaviorChoices } from '../../src/node/index.ts'
import { type Api, errorResponse } from '../support/api.ts'
import { describeMatrix } from '../support/matrix.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'

// Oldest first, as a seed lists them; two of them at the same instant.
const times = ['01', '02', '03', '03', '04', '05', '06', '07', '08', '09'].map((day) => `2025-01-${day}T00:00:00.000Z`)
const statuses = ['active', 'canceled', 'active', 'completed', 'active'] as const
const linkRecords = times.map((createdAt, nth) => ({
  id: `pml_${nth}`,
  invoice: nth % 3 === 0 ? 'inv_other' : 'inv_1',
  status: statuses[nth % statuses.length]!,
  createdAt,
  ...(statuses[nth % statuses.length] === 'canceled' && { canceledAt: '2025-02-01T00:00:00.000Z' }),
  ...(statuses[nth % statuses.length] === 'completed' && { completedAt: '2025-02-01T00:00:00.000Z' }),
}))
const userRecords = times.map((createdAt, nth) => ({
  id: `usr_${nth}`,
  email: nth % 3 === 0 ? 'other@example.com' : 'ada@example.com',
  createdAt,
}))
const seed = { projects: { acme: { users: userRecords, paymentLinks: linkRecords } } }

interface Filter {
  readonly query: string
  readonly passes: (record: (typeof linkRecords)[number]) => boolean
}

const filters: readonly Filter[] = [
  { query: '', passes: () => true },
  { query: 'invoice=inv_1', passes: ({ invoice }) => invoice === 'inv_1' },
  { query: 'status=active', passes: ({ status }) => status === 'active' },
  { query: 'status=canceled,completed', passes: ({ status }) => status !== 'active' },
  {
    query: 'invoice=inv_1&status=active,completed',
    passes: ({ invoice, status }) => invoice === 'inv_1' && status !== 'canceled',
  },
]

// Without the slow tests, deleted cursors are combined with two filters.
const filtersWithCursor = process.env.SLOW_TESTS ? filters : [filters.at(-1)!]

const orders = ['newestFirst', 'oldestFirst'] as const
type Order = (typeof orders)[number]

const inOrder = <T>(records: readonly T[], order: Order): T[] =>
  order === 'oldestFirst' ? [...records] : records.toReversed()
const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)
const combinations = orders.flatMap((order) => filters.map((filter) => [order, filter.query, filter] as const))

interface Page {
  readonly items: readonly string[]
  readonly moreItemsAfter: string | null
  readonly moreItemsBefore: string | null
}

const pageAt = async (api: Api, path: string, query: readonly string[]): Promise<Page> => {
  const { status, body } = await api.get(`${path}?${query.filter((text) => text !== '').join('&')}`)
  expect(status).toBe(200)
  return { ...body, items: idsOf(body.items) }
}

describeMatrix('the payment link list', (start) => {
  it.each(combinations)(
    'visits under %s each record of the filter %j once, in both directions',
    async (order, _, filter) => {
      const api = await start({ seed, behaviors: { paymentLinkOrder: order } })
      const expected = idsOf(inOrder(linkRecords.filter(filter.passes), order))
      for (const limit of [1, 3, 10]) {
        const page = (...query: string[]) => pageAt(api, links, [filter.query, `limit=${limit}`, ...query])
        let { items, moreItemsAfter, moreItemsBefore } = await page()
        const forward = [...items]
        for (; moreItemsAfter !== null; forward.push(...items))
          ({ items, moreItemsAfter, moreItemsBefore } = await page(`after=${moreItemsAfter}`))
        expect(forward).toEqual(expected)
        const backward = [...items]
        for (; moreItemsBefore !== null; backward.unshift(...items))
          ({ items, moreItemsBefore } = await page(`before=${moreItemsBefore}`))
        expect(backward).toEqual(expected)
      }
    },
  )
})

/** The expected page: `records` are in list order, including the deleted cursor. */
const expectedPage = (
  records: readonly string[],
  visible: ReadonlySet<string>,
  name: 'after' | 'before',
  cursor: string,
  limit: number,
): Page => {
  const place = records.indexOf(cursor)
  const beyond = (name === 'after' ? records.slice(place + 1) : records.slice(0, place)).filter((id) => visible.has(id))
  const items = name === 'after' ? beyond.slice(0, limit) : beyond.slice(-limit)
  const shown = records.filter((id) => visible.has(id))
  const [first, last] = [items[0], items.at(-1)]
  return {
    items,
    moreItemsAfter: last !== undefined && shown.at(-1) !== last ? last : null,
    moreItemsBefore: first !== undefined && shown[0] !== first ? first : null,
  }
}

const deletions: readonly (readonly [where: string, nth: readonly number[]])[] = [
  ['the oldest record', [0]],
  ['the newest record', [9]],
  ['a record in the middle', [4]],
  ['one of two records of an instant', [2]],
  ['several neighbours', [3, 4, 5]],
  ['both ends and neighbours', [0, 1, 5, 6, 9]],
  ['every record', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
]
const deletedLists = deletions.flatMap(([where, nth]) => orders.map((order) => [where, order, nth] as const))

describeMatrix('a cursor that is gone', (start) => {
  const startWithout = async (nth: readonly number[], behaviors: BehaviorChoices) => {
    const api = await start({ seed, behaviors })
    const { users: records, paymentLinks } = api.mock.project('acme')
    for (const number of nth) {
      await paymentLinks.delete(`pml_${number}`)
      await records.delete(`usr_${number}`)
    }
    return api
  }

  it.each(deletedLists)('resumes at %s of the payment links, %s, with any filter', async (_, order, nth) => {
    const api = await startWithout(nth, { deletedCursor: 'resume', paymentLinkOrder: order })
    const gone = nth.map((number) => `pml_${number}`)
    const records = idsOf(inOrder(linkRecords, order))
    for (const { query, passes } of filtersWithCursor) {
      const visible = new Set(idsOf(linkRecords.filter(passes)).filter((id) => !gone.includes(id)))
      for (const cursor of gone)
        for (const name of ['after', 'before'] as const)
          expect(
            await pageAt(api, links, [query, `${name}=${cursor}`, 'limit=2']),
            `${query} ${name} ${cursor}`,
          ).toMatchObject(expectedPage(records, visible, name, cursor, 2))
    }
  })

  it.each(deletions)('resumes at %s of the users, in a list and in a search', async (_, nth) => {
    const api = await startWithout(nth, { deletedCursor: 'resume' })
    const gone = nth.map((number) => `usr_${number}`)
    const records = idsOf(inOrder(userRecords, 'newestFirst'))
    const there = userRecords.filter(({ id }) => !gone.includes(id))
    const found = there.filter(({ email }) => email === 'ada@example.com')
    for (const cursor of gone)
      for (const name of ['after', 'before'] as const) {
        const query = `${name}=${cursor}&limit=2`
        expect(await pageAt(api, users, [query])).toMatchObject(
          expectedPage(records, new Set(idsOf(there)), name, cursor, 2),
        )
        const { body } = await api.post(`${users}/search?${query}`, { email: 'Ada@Example.com' })
        expect({ ...body, items: idsOf(body.items) }).toMatchObject(
          expectedPage(records, new Set(idsOf(found)), name, cursor, 2),
        )
      }
  })

  it.each(deletedLists)('is an empty page at %s, %s, with deletedCursor=empty', async (_, order, nth) => {
    const api = await startWithout(nth, { deletedCursor: 'empty', paymentLinkOrder: order })
    const nothing = { items: [], moreItemsAfter: null, moreItemsBefore: null }
    for (const number of nth)
      for (const name of ['after', 'before'] as const) {
        for (const { query } of filtersWithCursor)
          expect(await pageAt(api, links, [query, `${name}=pml_${number}`])).toMatchObject(nothing)
        expect(await pageAt(api, users, [`${name}=usr_${number}`])).toMatchObject(nothing)
      }
  })

  it.each(orders)('is rejected by default, %s, and a cursor that never existed always is', async (paymentLinkOrder) => {
    for (const deletedCursor of ['reject', 'resume', 'empty'] as const) {
      const api = await startWithout([0, 4], { deletedCursor, paymentLinkOrder })
      if (deletedCursor === 'reject')
        for (const name of ['after', 'before'])
          expect(await api.get(`${links}?${name}=pml_4`)).toMatchObject(errorResponse(400, 'cursorDeleted', [name]))
      expect(await api.get(`${links}?after=pml_never`)).toMatchObject(errorResponse(400, 'cursorNotFound', ['after']))
    }
  })
})
