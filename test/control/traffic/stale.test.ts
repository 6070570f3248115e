import { describe, expect, it } from 'vitest'
import type { FaultRule } from '../../../src/node/index.ts'
import { startClient } from './support/client.ts'

type Stale = FaultRule['effect']['stale']

describe('The effect `stale`', () => {
  /** A project with the users a, b, c and d, one second apart. */
  const start = async (stale?: Stale, rule: Partial<FaultRule> = {}) => {
    const client = await startClient('in process', { clock: '2025-01-01T00:00:00Z' })
    const { acme, ask } = client
    for (const name of ['a', 'b', 'c', 'd']) {
      await acme.users.create({ id: `usr_${name}`, email: `${name}@example.com` })
      await acme.clock.advance(1000)
    }
    if (stale !== undefined) await acme.faults.add({ times: null, ...rule, effect: { ...rule.effect, stale } })
    const list = async (query = '') => {
      const { status, body } = await ask(`/users${query}`)
      return status === 200 ? body.items.map(({ id }: { id: string }) => id.slice(-1)).join('') : body.code
    }
    return { ...client, list }
  }

  it.each<[Stale, string]>([
    [{ changes: 1 }, 'cba'],
    [{ changes: 3 }, 'a'],
    [{ changes: 4 }, ''],
    [{ changes: 100 }, ''],
    // The users were created 4, 3, 2 and 1 second ago.
    [{ milliseconds: 1 }, 'dcba'],
    [{ milliseconds: 1000 }, 'dcba'],
    [{ milliseconds: 1001 }, 'cba'],
    [{ milliseconds: 3000 }, 'ba'],
    [{ milliseconds: 4001 }, ''],
    [{ milliseconds: 3_600_000 }, ''],
  ])('shows a list as it was %j ago, with the changes of that instant', async (stale, names) => {
    const { list } = await start(stale)
    expect(await list()).toBe(names)
  })

  it('does not find a record that did not exist yet', async () => {
    const { ask } = await start({ changes: 1 })
    expect(await ask('/users/usr_d')).toMatchObject({ status: 404, body: { code: 'userNotFound' } })
    expect((await ask('/users/usr_c')).status).toBe(200)
  })

  it('finds a record that was deleted since, and shows one as it was before an update', async () => {
    const { acme, ask } = await start()
    const before = (await ask('/users/usr_b')).body
    await acme.users.patch('usr_b', { fullName: 'New' })
    await acme.users.delete('usr_a')
    await acme.faults.add({ times: null, effect: { stale: { changes: 2 } } })
    expect((await ask('/users/usr_a')).status).toBe(200)
    expect((await ask('/users/usr_b')).body).toEqual(before)
    expect((await acme.users.get('usr_b')).fullName).toBe('New')
  })

  it('searches and filters in the earlier state', async () => {
    const { acme, ask } = await start()
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.users.patch('usr_a', { email: 'new@example.com' })
    await acme.paymentLinks.cancel('pml_1')
    await acme.faults.add({ times: null, effect: { stale: { changes: 2 } } })
    const search = await ask('/users/search', { method: 'POST', body: { email: 'a@example.com' } })
    expect(search.body.items).toMatchObject([{ id: 'usr_a' }])
    expect((await ask('/paymentLinks?status=active&invoice=inv_1')).body.items).toMatchObject([{ id: 'pml_1' }])
    expect((await ask('/paymentLinks?status=canceled')).body.items).toEqual([])
  })

  it('pages through the earlier state, also from a record that it does not have yet', async () => {
    const { list } = await start({ changes: 1 })
    expect(await list('?limit=1')).toBe('c')
    expect(await list('?after=usr_d&limit=2')).toBe('cb')
    expect(await list('?before=usr_a')).toBe('cb')
    expect(await list('?before=usr_d')).toBe('')
    expect(await list('?after=usr_x')).toBe('cursorNotFound')
  })

  it('counts a step of the revision as one change, whatever it changes', async () => {
    const { acme, list } = await start()
    await acme.patch({ preferredLocale: 'pt-BR' })
    await acme.clock.advance(1)
    await acme.behaviors.set({ createStatus: 200 })
    await acme.faults.add({ times: null, effect: { stale: { changes: 2 } } })
    expect(await list()).toBe('cba')
  })

  it('applies to reads only, and uses up no times on a write', async () => {
    const { acme, ask, list, create } = await start({ changes: 1 }, { times: 1 })
    expect((await create()).status).toBe(201)
    await acme.users.delete((await acme.users.list()).items[0]!.id)
    expect((await ask('/users/usr_b', { method: 'PATCH', body: { fullName: 'B' } })).status).toBe(200)
    expect((await ask('/users/usr_b')).body.fullName).toBeNull()
    expect(await list()).toBe('dcba')
  })

  it('leaves writes after it as they are', async () => {
    const { acme, list } = await start({ changes: 2 })
    expect(await list()).toBe('ba')
    await acme.users.create({ id: 'usr_e', email: 'e@example.com' })
    expect(await list()).toBe('cba')
    const { items } = await acme.users.list()
    expect(items.map(({ id }) => id.slice(-1)).join('')).toBe('edcba')
    expect((await acme.summary()).revision).toBe(5)
  })

  it('counts a read for scheduled payments, and shows the link as it was', async () => {
    const { acme, ask } = await start({ changes: 1 })
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 2 } })
    const statuses = async () => [
      (await ask('/paymentLinks/pml_1')).body.status,
      (await acme.paymentLinks.get('pml_1')).status,
    ]
    expect(await statuses()).toEqual(['active', 'active'])
    expect(await statuses()).toEqual(['active', 'completed'])
  })

  it('keeps the time at which a scheduled payment was due', async () => {
    const { acme, ask } = await start({ milliseconds: 3000 })
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_1', { when: { in: 1000 } })
    await acme.clock.advance(3999)
    expect((await ask('/paymentLinks/pml_1')).body.status).toBe('active')
    await acme.clock.advance(1)
    expect((await ask('/paymentLinks/pml_1')).body.status).toBe('completed')
  })

  it('shows what is earlier than the release of a hold', async () => {
    const { acme, list } = await start()
    const fault = await acme.faults.add({ effect: { stale: { changes: 1 }, hold: true } })
    const response = list()
    await fault.waitForHeld(1)
    await acme.users.delete('usr_a')
    await fault.release()
    expect(await response).toBe('dcba')
  })

  it('is combined with corruption and with a broken connection', async () => {
    const { acme, ask } = await start()
    await acme.faults.add({ effect: { stale: { changes: 1 }, corrupt: 'empty' } })
    expect(await ask('/users')).toMatchObject({ status: 200, text: '' })
    await acme.faults.add({ effect: { stale: { changes: 1 }, connection: 'reset' } })
    await expect(ask('/users')).rejects.toThrow(TypeError)
  })

  it('uses the tokens, behaviors and faults of today', async () => {
    const { acme, ask } = await start()
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.create({ id: 'pml_2', invoice: 'inv_1' })
    await acme.users.patch('usr_a', { fullName: 'Ada' })
    await acme.behaviors.set({ paymentLinkOrder: 'oldestFirst' })
    await acme.faults.add({ times: null, effect: { stale: { changes: 1 } } })
    const { items } = (await ask('/paymentLinks')).body
    expect(items.map(({ id }: { id: string }) => id)).toEqual(['pml_1', 'pml_2'])
    await acme.faults.add({ match: { operation: 'listPaymentLinks' }, effect: { status: 503 } })
    expect((await ask('/paymentLinks')).status).toBe(503)
    await acme.tokens.replace([{ token: 'other' }])
    expect((await ask('/paymentLinks')).status).toBe(401)
  })

  it('does not count the creation of the project as a change', async () => {
    const seed = { template: { users: [{ id: 'usr_t', email: 't@example.com' }] } }
    const { acme, ask } = await startClient('in process', { seed })
    await ask('/users')
    await acme.faults.add({ times: null, effect: { stale: { changes: 1 } } })
    expect((await ask('/users')).body.items).toMatchObject([{ id: 'usr_t' }])
  })

  it.each<Stale>([{ changes: 100 }, { milliseconds: 3_600_000 }])('never predates a loaded state %j', async (stale) => {
    const { mock, acme, list } = await start()
    await acme.snapshots.save('four')
    await mock.snapshots.save('all')
    const addFault = () => acme.faults.add({ times: null, effect: { stale } })
    const replacements = [
      () => acme.reset(),
      () => acme.snapshots.restore('four'),
      () => mock.snapshots.restore('all'),
      async () => acme.state.put(await acme.state.get()),
      async () => mock.state.put(await mock.state.get()),
      () => mock.reset(),
    ]
    for (const replace of replacements) {
      await acme.users.create({ id: 'usr_x', email: 'x@example.com' })
      await replace()
      await addFault()
      const names = (await acme.users.list()).items.map(({ id }) => id.slice(-1)).join('')
      expect(await list()).toBe(names)
      await acme.users.create({ id: 'usr_y', email: 'y@example.com' })
      expect(await list()).toBe(names)
      await acme.users.delete('usr_y')
      expect(await list()).toBe(names)
      await acme.snapshots.restore('four')
    }
  })

  it('shows nothing of a project that was deleted', async () => {
    const { acme, list } = await start()
    await acme.delete()
    await acme.users.create({ id: 'usr_n', email: 'n@example.com' })
    await acme.faults.add({ effect: { stale: { changes: 2 } } })
    expect(await list()).toBe('')
  })

  it('shows the oldest kept state if less is kept than asked for, also by milliseconds', async () => {
    const { acme, list } = await start()
    // The users a, b and c are older than the last 100 changes.
    for (let count = 0; count < 99; count++) await acme.users.patch('usr_a', { fullName: `${count}` })
    const showing = async (stale: Stale) => {
      await acme.faults.add({ effect: { stale } })
      return list()
    }
    expect(await showing({ milliseconds: 3_600_000 })).toBe('cba')
    expect(await showing({ changes: 100 })).toBe('cba')
    // Changes of other data than records count, too.
    for (const preferredLocale of ['pt-BR', 'de-DE', 'fr-FR']) await acme.patch({ preferredLocale })
    expect(await showing({ milliseconds: 3_600_000 })).toBe('dcba')
  })

  it('keeps 16 MiB of the records before and after each change', async () => {
    const { acme, ask } = await start()
    const text = 'x'.repeat(512 * 1024)
    for (let count = 0; count < 18; count++) await acme.users.patch('usr_a', { metadata: { text, count } })
    await acme.faults.add({ effect: { stale: { changes: 18 } } })
    // 15 changes of 1 MiB each fit, since a record is a little larger than its text.
    expect((await ask('/users/usr_a')).body.metadata.count).toBe(2)
  })

  it('keeps the current state if one change is larger than the limit', async () => {
    const { acme, list } = await start({ changes: 1 })
    const metadata = { text: 'x'.repeat(900 * 1024) }
    const users = Array.from({ length: 20 }, (_, n) => ({ id: `usr_${n}`, email: `${n}@example.com`, metadata }))
    await acme.state.patch({ users })
    expect(await list('?limit=1&after=usr_a')).toBe('')
    expect((await acme.users.list({ limit: 1 })).items).toHaveLength(1)
    expect(await list('?before=usr_d&limit=2')).toBe('10')
  })

  it('counts no read for a scheduled payment if the retrieve is rejected, or HEAD', async () => {
    const { acme, ask } = await start()
    await acme.behaviors.set({ unknownFields: 'reject' })
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 1 } })
    const isPaid = async () => (await acme.paymentLinks.get('pml_1')).status === 'completed'
    await acme.faults.add({ times: 2, effect: { stale: { changes: 1 } } })
    expect((await ask('/paymentLinks/pml_1?x=1')).status).toBe(400)
    expect((await ask('/paymentLinks/pml_1', { method: 'HEAD' })).status).toBe(200)
    await acme.faults.add({ effect: { stale: { changes: 2 } } })
    expect((await ask('/paymentLinks/pml_1', { method: 'HEAD' })).status).toBe(404)
    expect(await isPaid()).toBe(false)
    await acme.faults.add({ effect: { stale: { changes: 1 } } })
    expect((await ask('/paymentLinks/pml_1')).status).toBe(200)
    expect(await isPaid()).toBe(true)
  })

  it('counts a read for a scheduled payment of a link that the earlier state does not have', async () => {
    const { acme, ask } = await start({ milliseconds: 1 })
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 2 } })
    const statuses = async () => [
      (await ask('/paymentLinks/pml_1')).status,
      (await acme.paymentLinks.get('pml_1')).status,
    ]
    expect(await statuses()).toEqual([404, 'active'])
    expect(await statuses()).toEqual([404, 'completed'])
    const { items } = await acme.requests.list({ operation: 'retrievePaymentLink' })
    expect(items.map(({ changes }) => changes.length)).toEqual([0, 1])
    expect((await ask('/paymentLinks/pml_2')).status).toBe(404)
  })

  it('finds a cursor whose record is deleted by now, or was at that time', async () => {
    const { acme, list } = await start()
    await acme.users.delete('usr_b')
    await acme.users.delete('usr_c')
    await acme.faults.add({ times: null, effect: { stale: { changes: 1 } } })
    expect(await list('?after=usr_c')).toBe('a')
    expect(await list('?after=usr_b')).toBe('cursorDeleted')
    await acme.behaviors.set({ deletedCursor: 'resume' })
    expect(await list('?after=usr_b')).toBe('a')
  })
})
