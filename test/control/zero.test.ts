import { describe, expect, it } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { createMock, type FaultRule } from '../../src/node/index.ts'
import { describeControl } from '../support/control.ts'
import { readJson } from '../support/read.ts'

const headers = { authorization: 'Bearer any', accept: 'application/json' }
const users = '/projects/acme/users'

describe('an option of 0', () => {
  it('has its effect: journalSize records nothing', async () => {
    const mock = createMock({ journalSize: 0 })
    await mock.fetch(users, { headers })
    expect(await mock.requests.list()).toMatchObject({ items: [], dropped: 1 })
  })

  it('has its effect: step leaves a stepping clock where it is', async () => {
    const mock = createMock({ clock: { mode: 'stepping', now: '2025-01-01T00:00:00.000Z', step: 0 } })
    const acme = mock.project('acme')
    await acme.users.create({ email: 'ada@example.com' })
    expect(await acme.clock.get()).toEqual({ mode: 'stepping', now: '2025-01-01T00:00:00.000Z', step: 0 })
  })

  it('has its effect: now is the start of 1970', async () => {
    const mock = createMock({ now: () => 0 })
    expect((await mock.project('acme').users.create({ email: 'ada@example.com' })).createdAt).toBe(
      '1970-01-01T00:00:00.000Z',
    )
  })

  it('differs from the default: an empty idSeed, as an option and in a seed', async () => {
    const idOf = async (options: object) =>
      (await createMock(options).project('acme').users.create({ email: 'ada@example.com' })).id
    const empty = await idOf({ idSeed: '' })
    expect(empty).not.toBe(await idOf({}))
    expect(await idOf({ seed: { idSeed: '' } })).toBe(empty)
    expect(await idOf({ idSeed: '', seed: { idSeed: 'mine' } })).toBe(empty)
    expect(await idOf({ seed: { idSeed: 'mine', projects: { acme: { idSeed: '' } } } })).toBe(empty)
  })

  it('differs from the default: empty tokens replace those of the seed', async () => {
    const seed = { tokens: [{ token: 'secret' }] }
    const status = async (options: object) => (await createMock(options).fetch(users, { headers })).status
    expect([await status({ seed }), await status({ seed, tokens: [] })]).toEqual([401, 200])
  })
})

describeControl('a number of 0', (start) => {
  const createUsers = async (control: ReturnType<typeof connect>, count: number) => {
    const acme = control.project('acme')
    for (let i = 0; i < count; i++) await acme.users.create({ email: `user${i}@example.com` })
    return acme
  }

  it('lists no users and no payment links', async () => {
    const acme = await createUsers((await start()).control, 2)
    await acme.paymentLinks.create({ invoice: 'inv_1' })
    const query = { limit: 0 }
    expect((await acme.users.list(query)).items).toEqual([])
    expect((await acme.paymentLinks.list(query)).items).toEqual([])
  })

  it('lists no requests', async () => {
    const { mock, control } = await start()
    await mock.fetch(users, { headers })
    expect((await control.requests.list({ limit: 0 })).items).toEqual([])
  })

  it.each<[string, FaultRule, number[]]>([
    ['skip', { skip: 0, effect: { status: 503 } }, [503, 200]],
    ['probability', { probability: 0, times: null, effect: { status: 503 } }, [200, 200]],
    ['rateLimit.limit', { effect: { rateLimit: { limit: 0, window: 1000 } } }, [429, 429]],
    ['delay.milliseconds', { effect: { delay: { milliseconds: 0 }, status: 503 } }, [503, 200]],
    ['delay.jitter', { effect: { delay: { milliseconds: 0, jitter: 0 }, status: 503 } }, [503, 200]],
  ])('has its effect in a fault: %s', async (_, rule, statuses) => {
    const { mock, control } = await start()
    const fault = await control.faults.add(rule)
    expect(fault).toMatchObject(rule)
    const ask = async () => (await mock.fetch(users, { headers })).status
    expect([await ask(), await ask()]).toEqual(statuses)
  })

  it.each([
    ['exactly', 409],
    ['atMost', 409],
    ['atLeast', 200],
  ])('is a bound of a verification: %s', async (bound, status) => {
    const { mock, control } = await start()
    const verification = { match: { operation: 'listUsers' }, times: { [bound]: 0 } } as const
    expect(await control.requests.verify(verification)).toMatchObject({ ok: true, actual: 0 })
    await mock.fetch(users, { headers })
    const verified = control.requests.verify({ ...verification, within: 0 }).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
    expect(await verified).toBe(status)
  })

  it('moves a clock by nothing, and steps by nothing', async () => {
    const { control } = await start()
    const { now } = await control.clock.get()
    expect(await control.clock.advance(0)).toMatchObject({ now })
    expect(await control.clock.set({ mode: 'stepping', step: 0 })).toEqual({ mode: 'stepping', now, step: 0 })
    const acme = await createUsers(control, 1)
    expect(await acme.clock.get()).toEqual({ mode: 'stepping', now, step: 0 })
  })

  it('schedules a payment for this instant', async () => {
    const acme = (await start()).control.project('acme')
    const { id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    await acme.paymentLinks.pay(id, { when: { in: 0 } })
    expect(await acme.paymentLinks.get(id)).toMatchObject({ status: 'completed' })
  })

  it('generates nothing, also where the template generates', async () => {
    const generate = { users: 2, paymentLinks: { active: 1, completed: 1, canceled: 1 } }
    const none = { users: 0, paymentLinks: { active: 0, completed: 0, canceled: 0 } }
    const { control } = await start({ seed: { template: { generate }, projects: { acme: { generate: none } } } })
    expect(await control.project('acme').summary()).toMatchObject({ users: 0, paymentLinks: 0 })
    expect(await control.project('beta').summary()).toMatchObject({ users: 2, paymentLinks: 3 })
  })

  it('is a value of metadata like any other, as are false and the empty text', async () => {
    const { control, mock } = await start()
    const metadata = { zero: 0, no: false, empty: '', list: [], object: {} }
    const acme = control.project('acme')
    const { id } = await acme.users.create({ email: 'ada@example.com', metadata })
    expect((await acme.users.get(id)).metadata).toEqual(metadata)
    expect((await acme.users.patch(id, { metadata: { zero: 0 } })).metadata).toEqual({ zero: 0 })
    const body = JSON.stringify({ metadata: { zero: '', more: 0 } })
    const init = { method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' }, body }
    expect(await readJson(mock.fetch(`${users}/${id}`, init))).toMatchObject({ metadata: { zero: '', more: 0 } })
  })

  it('names the first event, and all that follow', async () => {
    const { control } = await start()
    await createUsers(control, 1)
    for await (const { id } of control.events({ after: 0 })) {
      expect(id).toBe(1)
      break
    }
  })
})
