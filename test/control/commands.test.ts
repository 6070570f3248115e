import { expect, it } from 'vitest'
import { noon } from '../support/api.ts'
import { token } from '../support/canary.ts'
import { ask, describeControl } from '../support/control.ts'
import { errors } from '../../src/core/schema/error.ts'

const users = [{ id: 'usr_1', email: 'a@b.c' }]
const acme = { preferredLocale: 'pt-BR', users, paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
const beta = { paymentLinks: [{ id: 'pml_2', invoice: 'inv_2' }] }
const seed = { tokens: [{ token: 'tok_seed' }], projects: { acme, beta } }
const at = (milliseconds: number) => new Date(Date.parse(noon) + milliseconds).toISOString()
const links = '/projects/acme/paymentLinks'

describeControl('projects', (start) => {
  it('are listed, changed and deleted', async () => {
    const { control, acme } = await start({ seed })
    expect((await control.projects()).map(({ id }) => id)).toEqual(['acme', 'beta'])
    expect(await acme.patch({ preferredLocale: 'de-AT' })).toMatchObject({ preferredLocale: 'de-AT', revision: 1 })
    await acme.delete()
    expect((await control.projects()).map(({ id }) => id)).toEqual(['beta'])
    await expect(acme.delete()).rejects.toMatchObject({ code: 'projectNotFound' })
    // The project is created from the template again, and its revision continues.
    await acme.users.create({ email: 'new@b.c' })
    expect(await acme.summary()).toMatchObject({ users: 1, preferredLocale: 'en-US', revision: 3 })
  })
})

describeControl('snapshots', (start) => {
  it('of a project are saved, listed, restored and deleted, and survive a reset', async () => {
    const { acme } = await start({ seed })
    const user = await acme.users.create({ email: 'new@b.c' })
    const saved = { name: 'two users', createdAt: noon, users: 2, paymentLinks: 1 }
    expect(await acme.snapshots.save('two users')).toEqual(saved)
    await acme.reset()
    expect(await acme.snapshots.list()).toEqual([saved])
    const { revision } = await acme.summary()
    expect(await acme.snapshots.restore('two users')).toMatchObject({ users: 2, revision: revision + 1 })
    expect(await acme.users.get(user.id)).toEqual(user)
    await acme.snapshots.delete('two users')
    await expect(acme.snapshots.restore('two users')).rejects.toMatchObject({ code: 'snapshotNotFound' })
  })

  it('of all projects are separate from those of one project', async () => {
    const { control } = await start({ seed })
    const saved = { name: 'start', createdAt: noon, users: 1, paymentLinks: 2 }
    expect(await control.snapshots.save('start')).toEqual(saved)
    expect([await control.snapshots.list(), await control.project('acme').snapshots.list()]).toEqual([[saved], []])
    await control.project('acme').users.delete('usr_1')
    await control.project('beta').paymentLinks.cancel('pml_2')
    await control.project('gamma').users.create({ email: 'g@b.c' })
    await expect(control.project('acme').snapshots.restore('start')).rejects.toMatchObject({ code: 'snapshotNotFound' })
    expect((await control.snapshots.restore('start')).map(({ id }) => id)).toEqual(['acme', 'beta'])
    expect(await control.project('acme').users.get('usr_1')).toMatchObject({ email: 'a@b.c' })
    expect((await control.project('beta').paymentLinks.get('pml_2')).status).toBe('active')
  })

  it('report an unknown name with the saved names', async () => {
    const { control, acme } = await start()
    const { message, hint } = errors.snapshotNotFound({ name: 'x', project: undefined, known: [] })
    await expect(control.snapshots.delete('x')).rejects.toMatchObject({ message, hint })
    for (const name of ['a', 'b']) await acme.snapshots.save(name)
    await control.snapshots.save('a')
    for (const [from, project, known] of [
      [control.snapshots, undefined, ['a']],
      [acme.snapshots, 'acme', ['a', 'b']],
    ] as const) {
      const error = errors.snapshotNotFound({ name: 'x', project, known })
      await expect(from.delete('x')).rejects.toMatchObject({ message: error.message, hint: error.hint })
    }
  })

  it('snapshots are deleted with their project, and only with theirs', async () => {
    const { control } = await start({ seed })
    const [acme, other] = [control.project('acme'), control.project('other')]
    for (const { snapshots } of [control, acme, other]) await snapshots.save('one')
    await acme.delete()
    expect(await acme.snapshots.list()).toEqual([])
    await expect(acme.snapshots.restore('one')).rejects.toMatchObject({ code: 'snapshotNotFound' })
    expect(await other.snapshots.list()).toMatchObject([{ name: 'one' }])
    expect(await control.snapshots.list()).toMatchObject([{ name: 'one' }])
  })

  it('replace the snapshot of the same name, and keep its id sequence', async () => {
    const { users, snapshots } = (await start()).acme
    await snapshots.save('x')
    const first = await users.create({ email: 'a@b.c' })
    await snapshots.save('x')
    const second = await users.create({ email: 'b@b.c' })
    await snapshots.restore('x')
    expect((await users.list()).items).toEqual([first])
    expect(await users.create({ email: 'b@b.c' })).toEqual(second)
  })

  it('are listed in the order in which they were saved last', async () => {
    const { control } = await start()
    for (const { snapshots } of [control, control.project('acme')]) {
      for (const name of ['b', 'a', 'c', 'b']) await snapshots.save(name)
      expect((await snapshots.list()).map(({ name }) => name)).toEqual(['a', 'c', 'b'])
    }
  })
})

describeControl('the clock', (start) => {
  it('is frozen, stepping or real, for one project', async () => {
    let now = Date.parse('2030-01-01T00:00:00.000Z')
    const { mock, acme } = await start({ now: () => now, clock: 'real' })
    expect(await acme.clock.get()).toEqual({ mode: 'real', now: '2030-01-01T00:00:00.000Z' })
    now += 1000
    expect((await acme.users.create({ email: 'a@b.c' })).createdAt).toBe('2030-01-01T00:00:01.000Z')
    // Without `now` it starts at the time it shows.
    expect(await acme.clock.set({ mode: 'frozen' })).toEqual({ mode: 'frozen', now: '2030-01-01T00:00:01.000Z' })
    now += 1000
    expect((await acme.clock.get()).now).toBe('2030-01-01T00:00:01.000Z')
    const stepping = { mode: 'stepping', now: noon, step: 500 } as const
    expect(await acme.clock.set(stepping)).toEqual(stepping)
    const created = async () => (await ask(mock, '/projects/acme/users', 'POST', { email: 'x@b.c' })).body.createdAt
    expect([await created(), await created(), (await acme.clock.get()).now]).toEqual([noon, at(500), at(1000)])
    await acme.clock.set({ mode: 'real', offset: -1000 })
    expect((await acme.clock.get()).now).toBe('2030-01-01T00:00:01.000Z')
  })

  it('of all projects overrides the clocks of single projects, present and future', async () => {
    const { control } = await start({ seed })
    await control.project('acme').clock.set({ mode: 'frozen', now: at(1) })
    await control.clock.set({ mode: 'frozen', now: at(2) })
    for (const name of ['acme', 'beta', 'new']) expect((await control.project(name).clock.get()).now).toBe(at(2))
    await control.project('acme').clock.advance(3)
    expect([(await control.clock.get()).now, (await control.project('acme').clock.get()).now]).toEqual([at(2), at(5)])
    await control.clock.advance(10)
    expect([(await control.clock.get()).now, (await control.project('acme').clock.get()).now]).toEqual([at(12), at(15)])
  })

  it('is never moved back by an advance', async () => {
    const { control } = await start()
    for (const milliseconds of [-1, 1.5, null, undefined])
      await expect(control.clock.advance(milliseconds as number)).rejects.toMatchObject({ code: 'invalidBody' })
  })
})

describeControl('scheduled payments', (start) => {
  const retrieve = async (mock: Parameters<typeof ask>[0]) => (await ask(mock, `${links}/pml_1`)).body

  it('are completed by the n-th retrieve of a client, whose response shows it', async () => {
    const { mock, acme } = await start({ seed: { ...seed, tokens: [] } })
    const scheduled = { paymentLink: 'pml_1', outcome: 'succeeded', when: { reads: 3 } }
    expect(await acme.paymentLinks.pay('pml_1', { when: { reads: 3 } })).toEqual(scheduled)
    // Only a client's retrieve counts.
    await acme.paymentLinks.get('pml_1')
    await ask(mock, links)
    expect([(await retrieve(mock)).status, (await retrieve(mock)).status]).toEqual(['active', 'active'])
    expect(await acme.scheduledPayments.list()).toEqual([{ ...scheduled, when: { reads: 1 } }])
    expect(await retrieve(mock)).toMatchObject({ status: 'completed', completedAt: noon })
    expect(await acme.scheduledPayments.list()).toEqual([])
  })

  it('do not count a HEAD as a retrieve', async () => {
    const { control, mock } = await start({ seed: { ...seed, tokens: [] } })
    const { paymentLinks, scheduledPayments } = control.project('acme')
    await paymentLinks.pay('pml_1', { when: { reads: 1 } })
    const { revision } = await control.project('acme').summary()
    const headers = { authorization: 'Bearer t', accept: 'application/json' }
    for (let i = 0; i < 3; i++)
      expect((await mock.fetch(`${links}/pml_1`, { method: 'HEAD', headers })).status).toBe(200)
    expect(await scheduledPayments.list()).toEqual([{ paymentLink: 'pml_1', outcome: 'succeeded', when: { reads: 1 } }])
    expect(await control.project('acme').summary()).toMatchObject({ revision })
    expect(await retrieve(mock)).toMatchObject({ status: 'completed' })
  })

  it('are dropped when the link is canceled, paid or deleted, and when they are canceled themselves', async () => {
    const { paymentLinks, scheduledPayments } = (await start({ seed })).acme
    const ids = await Promise.all([1, 2, 3, 4].map(async () => (await paymentLinks.create({ invoice: 'inv_1' })).id))
    for (const id of ids) await paymentLinks.pay(id, { when: { reads: 1 } })
    await paymentLinks.cancel(ids[0]!)
    await paymentLinks.pay(ids[1]!)
    await paymentLinks.delete(ids[2]!)
    expect((await scheduledPayments.list()).map(({ paymentLink }) => paymentLink)).toEqual([ids[3]])
    await scheduledPayments.cancel(ids[3])
    const again = scheduledPayments.cancel(ids[3])
    await expect(again).rejects.toMatchObject({ code: 'scheduledPaymentNotFound', status: 404 })
  })

  it('count from one to 1,000,000,000 reads', async () => {
    const { paymentLinks } = (await start()).acme
    await paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    for (const reads of [1, 1e9])
      expect(await paymentLinks.pay('pml_1', { when: { reads } })).toMatchObject({ when: { reads } })
    for (const reads of [0, 1e9 + 1])
      await expect(paymentLinks.pay('pml_1', { when: { reads } })).rejects.toMatchObject({ code: 'invalidBody' })
  })

  it('count only the reads of their own link', async () => {
    const { mock, acme } = await start()
    for (const id of ['pml_1', 'pml_2']) await acme.paymentLinks.create({ id, invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_2', { when: { reads: 2 } })
    await acme.paymentLinks.pay('pml_1', { outcome: 'failed', when: { at: at(1000) } })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 3 } })
    const plans = async () => (await acme.scheduledPayments.list()).map(({ when }) => Object.values(when)[0])
    await ask(mock, '/projects/acme/paymentLinks/pml_1')
    expect(await plans()).toEqual([2, at(1000), 2])
    await ask(mock, '/projects/acme/paymentLinks/pml_2')
    expect(await plans()).toEqual([1, at(1000), 2])
  })

  it('are completed in the order of their times once they are due, and each link is paid once', async () => {
    const { mock, acme } = await start()
    for (const id of ['pml_1', 'pml_2', 'pml_3']) await acme.paymentLinks.create({ id, invoice: 'inv_1' })
    const scheduled = [
      ['pml_1', { in: 9000 }],
      ['pml_2', { at: at(3000) }],
      ['pml_1', { in: 2000 }],
      ['pml_3', { in: 1000 }],
      ['pml_1', { in: 4000 }],
    ] as const
    for (const [id, when] of scheduled) await acme.paymentLinks.pay(id, { when })
    const times = [9000, 3000, 2000, 1000, 4000].map(at)
    expect((await acme.scheduledPayments.list()).map(({ when }) => when)).toEqual(times.map((time) => ({ at: time })))
    await acme.clock.advance(999)
    expect((await ask(mock, `${links}/pml_3`)).body.status).toBe('active')
    const changes: unknown[] = []
    const following = mock.events()[Symbol.asyncIterator]()
    const next = following.next()
    await acme.clock.advance(4001)
    changes.push((await next).value, (await following.next()).value, (await following.next()).value)
    await following.return!()
    expect(changes.map((event: any) => [event.change.id, event.change.to.completedAt])).toEqual([
      ['pml_3', at(1000)],
      ['pml_1', at(2000)],
      ['pml_2', at(3000)],
    ])
    expect(await acme.scheduledPayments.list()).toEqual([])
  })

  it('are canceled in every project that has them', async () => {
    const { control } = await start()
    for (const name of ['a', 'b', 'c']) {
      const { paymentLinks } = control.project(name)
      for (const id of ['pml_1', 'pml_2']) await paymentLinks.create({ id, invoice: 'inv_1' })
      if (name !== 'c') await paymentLinks.pay('pml_1', { when: { reads: 1 } })
      await paymentLinks.pay('pml_2', { when: { reads: 1 } })
    }
    await control.scheduledPayments.cancel('pml_1')
    const left = (await control.scheduledPayments.list()).map(({ paymentLink }) => paymentLink)
    expect(left).toEqual(['pml_2', 'pml_2', 'pml_2'])
    await expect(control.scheduledPayments.cancel('pml_1')).rejects.toMatchObject({ code: 'scheduledPaymentNotFound' })
    await control.project('b').scheduledPayments.cancel()
    expect(await control.scheduledPayments.list()).toHaveLength(2)
    await control.scheduledPayments.cancel()
    expect(await control.scheduledPayments.list()).toEqual([])
  })

  it('are rejected for a link that is not active, and without a condition', async () => {
    const { paymentLinks } = (await start({ seed })).acme
    for (const when of [{}, { read: 1 }])
      await expect(paymentLinks.pay('pml_1', { when: when as never })).rejects.toMatchObject({ code: 'invalidBody' })
    await paymentLinks.cancel('pml_1')
    const paying = paymentLinks.pay('pml_1', { when: { reads: 1 } })
    await expect(paying).rejects.toMatchObject({ code: 'paymentLinkNotActive' })
  })

  it('for a time before the creation of the link have the creation time as timestamp', async () => {
    const { control } = await start()
    const { paymentLinks } = control.project('acme')
    const { id, createdAt } = await paymentLinks.create({ invoice: 'inv_1' })
    await paymentLinks.pay(id, { when: { at: '2020-01-01T00:00:00Z' } })
    expect(await paymentLinks.get(id)).toMatchObject({ status: 'completed', completedAt: createdAt })
  })
})

describeControl('the state', (start) => {
  it('is extended and overwritten by a patch', async () => {
    const { control } = await start({ seed })
    const acme = control.project('acme')
    await acme.state.patch({
      preferredLocale: 'de-AT',
      invoices: ['inv_7'],
      users: [{ id: 'usr_1', email: 'new@b.c' }, { email: 'more@b.c' }],
      paymentLinks: [{ id: 'pml_9', invoice: 'inv_7', status: 'canceled' }],
    })
    expect(await acme.users.get('usr_1')).toMatchObject({ email: 'new@b.c', createdAt: at(-1000) })
    expect(await acme.summary()).toMatchObject({ users: 2, paymentLinks: 2, preferredLocale: 'de-AT' })
    const projects = { gamma: { users: [{ email: 'g@b.c' }] } }
    await control.state.patch({ $schema: './seed.schema.json', clock: { mode: 'frozen', now: at(9) }, projects })
    expect(await control.project('gamma').summary()).toMatchObject({ users: 1, clock: { now: at(9) } })
    expect((await acme.clock.get()).now).toBe(at(9))
    expect(await acme.summary()).toMatchObject({ users: 2, paymentLinks: 2 })
  })

  it('keeps the list position of a link that a patch overwrites, and gets the new links', async () => {
    const { control } = await start({ seed })
    const acme = control.project('acme')
    const { createdAt } = await acme.paymentLinks.get('pml_1')
    await acme.paymentLinks.pay('pml_1', { when: { in: 1000 } })
    const canceled = { id: 'pml_1', invoice: 'inv_8', status: 'canceled' } as const
    await acme.state.patch({ paymentLinks: [canceled, { invoice: 'inv_9' }] })
    const { items } = await acme.paymentLinks.list()
    expect(items.map(({ invoice }) => invoice)).toEqual(['inv_9', 'inv_8'])
    expect(items[1]).toMatchObject({ id: 'pml_1', createdAt, status: 'canceled', canceledAt: createdAt })
    // The canceled link has no scheduled payment, and the state can be loaded again.
    expect(await acme.scheduledPayments.list()).toEqual([])
    const exported = await control.state.get()
    await control.state.put(exported)
    expect(await control.state.get()).toEqual(exported)
  })

  it('gets the invoices of a patch without duplicates', async () => {
    const { acme } = await start({ seed: { projects: { acme: { invoices: ['inv_1'] } } } })
    await acme.state.patch({ invoices: ['inv_1', 'inv_2'] })
    await acme.state.patch({ invoices: ['inv_2', 'inv_3'] })
    await acme.state.patch({ invoices: ['inv_3'] })
    expect((await acme.state.get()).invoices).toEqual(['inv_1', 'inv_2', 'inv_3'])
    expect((await acme.summary()).revision).toBe(2)
    await acme.state.patch({ preferredLocale: 'fr' })
    expect((await acme.summary()).revision).toBe(3)
  })

  it('uses the patched template for new projects', async () => {
    const { control } = await start({ seed: { ...seed, template: { preferredLocale: 'fr', invoices: ['inv_1'] } } })
    const before = await control.project('acme').state.get()
    await control.state.patch({ template: { users: [{ email: 't@b.c' }], preferredLocale: 'de-AT' } })
    expect(await control.project('new').summary()).toMatchObject({ users: 1, preferredLocale: 'de-AT' })
    expect((await control.project('new').state.get()).invoices).toEqual(['inv_1'])
    expect(await control.project('acme').state.get()).toEqual(before)
  })

  it('has the same export after an import, whatever a patch added to the template', async () => {
    const { control } = await start({ seed: { template: { users: [{ email: 't@b.c' }] } } })
    await control.state.patch({ template: { generate: { users: 1 } } })
    await control.state.patch({ template: { invoices: ['inv_1'], preferredLocale: 'fr' } })
    const before = await control.state.get()
    await control.state.put(before)
    expect(JSON.stringify(await control.state.get())).toBe(JSON.stringify(before))
  })

  it('gets no generated records by a patch of a project', async () => {
    const { control } = await start({ seed })
    const patching = control.state.patch({ projects: { acme: { generate: { users: 1 } } } } as never)
    await expect(patching).rejects.toMatchObject({ details: [{ path: 'projects.acme.generate' }] })
  })
})

describeControl('tokens', (start) => {
  const statusOf = async (mock: Parameters<typeof ask>[0], token: string, project = 'acme') =>
    (await mock.fetch(`/projects/${project}/users`, { headers: { authorization: `Bearer ${token}` } })).status

  it('are replaced at run time, for all projects or for one, and restored by a reset', async () => {
    const { control, mock } = await start({ seed })
    await control.project('acme').tokens.replace([{ token: 'tok_acme' }])
    expect([await statusOf(mock, 'tok_acme'), await statusOf(mock, 'tok_seed')]).toEqual([200, 401])
    expect(await statusOf(mock, 'tok_seed', 'beta')).toBe(200)
    await control.tokens.replace([])
    expect([await statusOf(mock, 'any'), await statusOf(mock, 'any', 'beta')]).toEqual([200, 200])
    await control.project('acme').reset()
    expect([await statusOf(mock, 'any'), await statusOf(mock, 'any', 'beta')]).toEqual([401, 200])
    await control.project('acme').tokens.replace([{ token: 'tok_acme' }])
    await control.reset()
    expect([await statusOf(mock, 'tok_acme'), await statusOf(mock, 'tok_seed')]).toEqual([401, 200])
  })

  it('for all projects also apply to a deleted project that is created again', async () => {
    const { control, mock, acme } = await start({ tokens: ['tok_start'] })
    await control.tokens.replace([{ token }])
    await acme.tokens.replace([{ token: 'tok_acme' }])
    await acme.patch({})
    await acme.delete()
    expect((await ask(mock, '/projects/acme/users')).status).toBe(200)
    expect(await acme.tokens.get()).toEqual(await control.tokens.get())
  })

  it('expire by the clock of the project', async () => {
    const { control, mock } = await start()
    await control.tokens.replace([{ token: 'tok_short', expiresAt: at(1000) }])
    expect(await statusOf(mock, 'tok_short')).toBe(200)
    await control.project('acme').clock.advance(1000)
    expect([await statusOf(mock, 'tok_short'), await statusOf(mock, 'tok_short', 'beta')]).toEqual([401, 200])
  })

  it('are never shown: a short hash distinguishes them', async () => {
    const { control } = await start()
    const tokens = await control.tokens.replace([{ token: 'tok_one', projects: ['acme'] }, { token: 'tok_two' }])
    expect(JSON.stringify(tokens)).not.toContain('tok_')
    expect(tokens).toEqual([
      { hash: expect.stringMatching(/^[0-9a-f]{8}$/), projects: ['acme'], expiresAt: null },
      { hash: expect.not.stringMatching(tokens[0]!.hash), projects: null, expiresAt: null },
    ])
  })
})
