import { describe, expect, it } from 'vitest'
import type { BehaviorChoices, MockOptions } from '../../src/node/index.ts'
import { describeMatrix, type Api } from '../support/api.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
const email = 'ada@example.com'

const shorten = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id.slice(4)).join(' ')
const ids = ({ body }: Awaited<ReturnType<Api['get']>>) => shorten(body.items)
const assumed = ({ headers }: Awaited<ReturnType<Api['get']>>) => headers.get('mock-assumed') ?? ''

describeMatrix('listFreshness=delayed', (start) => {
  const startLate = async (options: MockOptions = {}) => {
    const api = await start({ ...options, behaviors: { listFreshness: 'delayed', ...options.behaviors } })
    return { ...api, acme: api.mock.project('acme') }
  }

  it('lists a new record after 2,000 ms of the mock clock', async () => {
    const { get, post, acme } = await startLate()
    const { body: user } = await post(users, { email })
    expect((await get(users)).body.items).toEqual([])
    await acme.clock.advance(1999)
    expect((await get(users)).body.items).toEqual([])
    await acme.clock.advance(1)
    expect((await get(users)).body.items).toEqual([user])
  })

  it('searches and filters the state of 2,000 ms ago', async () => {
    const { get, post, patch, acme } = await startLate()
    const { body: user } = await post(users, { email })
    const { body: active } = await post(links, link)
    await acme.clock.advance(2000)
    await patch(`${users}/${user.id}`, { email: 'new@example.com' })
    await post(`${links}/${active.id}/cancel`)
    expect((await post(`${users}/search`, { email })).body.items).toEqual([user])
    expect((await post(`${users}/search`, { email: 'new@example.com' })).body.items).toEqual([])
    expect((await get(`${links}?status=active`)).body.items).toEqual([active])
    expect((await get(`${links}?invoice=inv_1`)).body.items).toEqual([active])
    expect((await get(`${links}?status=canceled`)).body.items).toEqual([])
  })

  it('retrieves the current state', async () => {
    const { get, post, patch, delete: remove } = await startLate()
    const { body: user } = await post(users, { email })
    await patch(`${users}/${user.id}`, { fullName: 'Ada' })
    expect((await get(`${users}/${user.id}`)).body.fullName).toBe('Ada')
    const { body: active } = await post(links, link)
    await post(`${links}/${active.id}/cancel`)
    expect((await get(`${links}/${active.id}`)).body.status).toBe('canceled')
    await remove(`${users}/${user.id}`)
    expect((await get(`${users}/${user.id}`)).status).toBe(404)
  })

  it('lists a deleted record for 2,000 ms, and accepts it as a cursor', async () => {
    const { get, acme, delete: remove } = await startLate()
    for (const name of ['a', 'b', 'c']) await acme.users.create({ id: `usr_${name}`, email })
    await acme.clock.advance(2000)
    await remove(`${users}/usr_b`)
    expect(ids(await get(users))).toBe('c b a')
    expect(ids(await get(`${users}?after=usr_b`))).toBe('a')
    await acme.clock.advance(2000)
    expect(ids(await get(users))).toBe('c a')
    expect((await get(`${users}?after=usr_b`)).body.code).toBe('cursorDeleted')
  })

  it('completes scheduled payments when they are due, and lists them later', async () => {
    const { get, acme } = await startLate()
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_1', { when: { in: 3000 } })
    const listed = async () => (await get(links)).body.items.map(({ status }: { status: string }) => status)
    await acme.clock.advance(3000)
    expect(await listed()).toEqual(['active'])
    expect((await get(`${links}/pml_1`)).body.status).toBe('completed')
    await acme.clock.advance(2000)
    expect(await listed()).toEqual(['completed'])
  })

  it('shows a seed, a reset, a load and a restore at once', async () => {
    const seed = { projects: { acme: { users: [{ id: 'usr_a', email }] } } }
    const { get, acme } = await startLate({ seed })
    expect(ids(await get(users))).toBe('a')
    await acme.users.create({ id: 'usr_b', email })
    await acme.snapshots.save('two')
    await acme.reset()
    expect(ids(await get(users))).toBe('a')
    await acme.snapshots.restore('two')
    expect(ids(await get(users))).toBe('b a')
    await acme.users.delete('usr_a')
    await acme.state.put({ users: [{ id: 'usr_c', email }] })
    expect(ids(await get(users))).toBe('c')
  })

  it('shows the older of two earlier states under a fault', async () => {
    const { get, acme } = await startLate()
    for (const name of ['a', 'b', 'c', 'd']) {
      await acme.users.create({ id: `usr_${name}`, email })
      await acme.clock.advance(1000)
    }
    const listUnder = async (stale: object) => {
      await acme.faults.add({ effect: { stale } })
      return ids(await get(users))
    }
    expect(ids(await get(users))).toBe('c b a')
    expect(await listUnder({ changes: 1 })).toBe('c b a')
    expect(await listUnder({ changes: 3 })).toBe('a')
    expect(await listUnder({ milliseconds: 1 })).toBe('c b a')
    expect(await listUnder({ milliseconds: 3000 })).toBe('b a')
  })

  it('changes neither the control API nor the state', async () => {
    const { get, acme } = await startLate()
    await acme.users.create({ id: 'usr_a', email })
    const before = await acme.state.get()
    expect(ids(await get(users))).toBe('')
    expect(shorten((await acme.users.list()).items)).toBe('a')
    expect(await acme.state.get()).toEqual(before)
  })
})

describeMatrix('Mock-Assumed', (start) => {
  describe.each(['immediate', 'delayed'] as const)('with listFreshness=%s', (listFreshness) => {
    const named = `listFreshness=${listFreshness}`
    const startWithUsers = async (behaviors: BehaviorChoices = {}) => {
      const api = await start({ behaviors: { listFreshness, ...behaviors } })
      const acme = api.mock.project('acme')
      for (const name of ['a', 'b', 'c']) await acme.users.create({ id: `usr_${name}`, email: `${name}@example.com` })
      await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
      await acme.clock.advance(2000)
      return { ...api, acme }
    }

    it('names it for 2,000 ms after a change', async () => {
      const { get, acme } = await startWithUsers()
      expect(assumed(await get(users))).toBe('')
      await acme.users.create({ id: 'usr_d', email })
      expect(assumed(await get(users))).toBe(named)
      await acme.clock.advance(1999)
      expect(assumed(await get(users))).toBe(named)
      await acme.clock.advance(1)
      expect(assumed(await get(users))).toBe('')
    })

    it('names it for a cursor that only one state rejects', async () => {
      const { get, acme } = await startWithUsers()
      await acme.users.delete('usr_b')
      const response = await get(`${users}?after=usr_b`)
      expect(response.status).toBe(listFreshness === 'delayed' ? 200 : 400)
      expect(assumed(response)).toBe(listFreshness === 'delayed' ? named : `deletedCursor=reject, ${named}`)
    })

    it('names it for HEAD, and never for other operations', async () => {
      const { get, post, patch, send, acme } = await startWithUsers()
      await acme.users.create({ id: 'usr_d', email })
      expect(assumed(await send('HEAD', users))).toBe(named)
      expect(assumed(await get(`${users}/usr_d`))).toBe('')
      expect(assumed(await post(users, { email: 'e@example.com' }))).not.toContain('listFreshness')
      expect(assumed(await patch(`${users}/usr_d`, { fullName: 'D' }))).toBe('')
    })

    it('judges a list of payment links that are due', async () => {
      const { get, acme } = await startWithUsers()
      await acme.paymentLinks.pay('pml_1', { when: { in: 1000 } })
      await acme.clock.advance(1000)
      expect(assumed(await get(links))).toContain(named)
      await acme.clock.advance(2000)
      expect(assumed(await get(links))).not.toContain(named)
    })

    it('notes each violation of the request once', async () => {
      const { get, acme } = await startWithUsers()
      await acme.users.create({ id: 'usr_d', email })
      await get(`${users}?page=2`)
      const { items } = await acme.requests.list()
      expect(items.at(-1)!.violations).toHaveLength(1)
      expect(items.at(-1)!.assumed).toHaveProperty('listFreshness')
    })

    it('compares with the state that a fault shows', async () => {
      const { get, acme } = await startWithUsers()
      await acme.users.create({ id: 'usr_d', email })
      await acme.users.create({ id: 'usr_e', email })
      await acme.faults.add({ effect: { stale: { changes: 1 } } })
      expect(assumed(await get(users))).toBe(named)
      await acme.faults.add({ effect: { stale: { changes: 2 } } })
      expect(assumed(await get(users))).toBe('')
    })

    it('says nothing of a project that did not exist', async () => {
      const { get } = await start({ behaviors: { listFreshness } })
      expect(assumed(await get('/projects/new/users'))).toBe('unknownProject=create')
      expect(assumed(await get('/projects/new/users'))).toBe('')
    })
  })
})
