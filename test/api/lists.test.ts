// Proves: Paging.
import { expect, it } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { errorResponse, noon, describeMatrix } from '../support/api.ts'
import { readJson } from '../support/read.ts'

const users = '/projects/acme/users'
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `usr_${index + 1}`, email: `user${index + 1}@example.com` }))
const seedOf = (count: number) => ({
  projects: {
    acme: { users: numbered(count), paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
    beta: { users: [{ id: 'usr_beta', email: 'b@b.b' }] },
  },
})
const numbersOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => Number(id.slice(4)))

describeMatrix('GET /projects/{project}/users', (start) => {
  it('returns an empty list for a project without users [§2.4 object, items]', async () => {
    const { get } = await start()
    const { status, body } = await get(users)
    expect(status).toBe(200)
    expect(body).toEqual({ object: 'list', items: [], moreItemsAfter: null, moreItemsBefore: null })
  })

  it('lists the ten most recently created users first [§4.1 list users] [§8]', async () => {
    const { get } = await start({ seed: seedOf(12) })
    const { body } = await get(users)
    expect(numbersOf(body)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(body).toMatchObject({ moreItemsAfter: 'usr_3', moreItemsBefore: null })
  })

  // [query, items, moreItemsAfter, moreItemsBefore] of seven users
  it.each([
    ['limit=3', [7, 6, 5], 5, null],
    ['limit=7', [7, 6, 5, 4, 3, 2, 1], null, null],
    ['limit=200', [7, 6, 5, 4, 3, 2, 1], null, null],
    ['limit=3&after=usr_5', [4, 3, 2], 2, 4],
    ['limit=3&after=usr_4', [3, 2, 1], null, 3],
    ['limit=3&after=usr_2', [1], null, 1],
    ['limit=3&before=usr_1', [4, 3, 2], 2, 4],
    ['limit=3&before=usr_4', [7, 6, 5], 5, null],
    ['limit=3&before=usr_6', [7], 7, null],
    ['limit=2&before=usr_3', [5, 4], 4, 5],
    // An empty page after the last record or before the first has no markers.
    ['limit=3&after=usr_1', [], null, null],
    ['limit=3&before=usr_7', [], null, null],
    // A page of size 0 returns the cursor as marker if more records follow.
    ['limit=0', [], null, null],
    ['limit=0&after=usr_5', [], 5, null],
    ['limit=0&before=usr_5', [], null, 5],
    ['limit=0&after=usr_1', [], null, null],
    ['limit=0&before=usr_7', [], null, null],
    ['limit=007', [7, 6, 5, 4, 3, 2, 1], null, null],
  ])(
    'returns for %s the users %j [§2.4 moreItemsAfter, moreItemsBefore] [§4.1 after, before, limit] [§8]',
    async (query, items, after, before) => {
      const { get } = await start({ seed: seedOf(7) })
      const { status, body } = await get(`${users}?${query}`)
      expect(status).toBe(200)
      expect(numbersOf(body)).toEqual(items)
      expect(body.moreItemsAfter).toBe(after === null ? null : `usr_${after}`)
      expect(body.moreItemsBefore).toBe(before === null ? null : `usr_${before}`)
    },
  )

  it.each([
    ['one that never existed', 'usr_never', undefined],
    ['one of another kind', 'pml_1', /payment link/],
    ['one of another project', 'usr_beta', /belongs to project 'beta'/],
    ['an empty one', '', undefined],
  ])('rejects %s as a cursor', async (_, id, hint) => {
    const { get } = await start({ seed: seedOf(3) })
    for (const name of ['after', 'before']) {
      const response = await get(`${users}?${name}=${id}`)
      expect(response).toMatchObject(errorResponse(400, 'cursorNotFound', [name]))
      if (hint) expect(response.body.hint).toMatch(hint)
    }
  })

  it('rejects both cursors together, and a duplicate cursor', async () => {
    const { get } = await start({ seed: seedOf(3) })
    const both = await get(`${users}?after=usr_3&before=usr_1`)
    expect(both).toMatchObject(errorResponse(400, 'invalidQuery', ['after', 'before']))
    for (const query of ['after=usr_3&after=usr_2', 'after=usr_3&after=usr_2&before=usr_1'])
      expect(await get(`${users}?${query}`)).toMatchObject(errorResponse(400, 'invalidQuery', ['after']))
  })

  it('names all problems of a query at once', async () => {
    const { get } = await start()
    const response = await get('/projects/acme/paymentLinks?limit=x&status=open&after=a&after=b')
    expect(response).toMatchObject(errorResponse(400, 'invalidQuery', ['after', 'limit', 'status']))
  })
})

const everyLimit = Array.from({ length: 200 }, (_, index) => index + 1)
/** Those around which a page begins, ends or is the last one of 205 users. */
const tellingLimits = [1, 41, 68, 69, 102, 103, 200]

it.each(['after', 'before'] as const)('by %s visits each of 205 users of one time once, in order', async (cursor) => {
  const marker = cursor === 'after' ? 'moreItemsAfter' : 'moreItemsBefore'
  // Paging by `before` starts at the oldest user, which it does not visit.
  const all = numbered(205).map(({ id }) => id)
  const expected = cursor === 'after' ? all.toReversed() : all.slice(1)
  for (const limit of process.env.SLOW_TESTS ? everyLimit : tellingLimits) {
    const mock = createMock({ clock: noon, seed: seedOf(205) })
    const { users: records } = mock.project('acme')
    const visited: string[] = []
    let guest: string | undefined
    for (let from: string | null = cursor === 'after' ? '' : '&before=usr_1'; from !== null;) {
      const path = `${users}?limit=${limit}${from}`
      const page: any = await readJson(mock.fetch(path, { headers: { authorization: 'Bearer t' } }))
      const ids = page.items.map(({ id }: { id: string }) => id)
      visited.push(...(cursor === 'after' ? ids : ids.toReversed()).filter((id: string) => all.includes(id)))
      expect([null, cursor === 'after' ? ids.at(-1) : ids[0]]).toContain(page[marker])
      from = page[marker] === null ? null : `&${cursor}=${page[marker]}`
      if (guest !== undefined && guest !== page[marker]) await records.delete(guest)
      guest = (await records.create({ email: 'guest@example.com' })).id
    }
    expect(visited).toEqual(expected)
  }
})
