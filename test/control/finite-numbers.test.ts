import { expect, it } from 'vitest'
import type { ServerControl } from '../../src/client/control.ts'
import { describeControl } from '../support/control.ts'

type Call = (control: ServerControl, value: number) => Promise<unknown>

const effect = { status: 503 }
const acme = (control: ServerControl) => control.project('acme')
const pay = async (control: ServerControl, when: { reads: number } | { in: number }) => {
  const { id } = await acme(control).paymentLinks.create({ invoice: 'inv_1' })
  return acme(control).paymentLinks.pay(id, { when })
}

/** Numbers in calls of the library: JSON would turn an infinite one into null, which often has a meaning of its own. */
const calls: readonly [path: string, call: Call][] = [
  ['effect.delay', ({ faults }, value) => faults.add({ effect: { delay: value as never } })],
  ['effect.delay.milliseconds', ({ faults }, value) => faults.add({ effect: { delay: { milliseconds: value } } })],
  ['effect.body.a[1]', ({ faults }, value) => faults.add({ effect: { ...effect, body: { a: [0, value] } } })],
  ['effect.rateLimit.limit', ({ faults }, limit) => faults.add({ effect: { rateLimit: { limit, window: 1 } } })],
  ['skip', ({ faults }, skip) => faults.add({ effect, skip })],
  ['times', ({ faults }, times) => faults.add({ effect, times })],
  ['probability', ({ faults }, probability) => faults.add({ effect, probability })],
  ['held', async ({ faults }, held) => (await faults.add({ effect: { hold: true } })).waitForHeld(held)],
  ['count', async ({ faults }, count) => (await faults.add({ effect: { hold: true } })).release(count)],
  ['milliseconds', (control, value) => acme(control).clock.advance(value)],
  ['offset', ({ clock }, offset) => clock.set({ mode: 'real', offset })],
  ['step', ({ clock }, step) => clock.set({ mode: 'stepping', step })],
  ['when.reads', (control, reads) => pay(control, { reads })],
  ['when.in', (control, value) => pay(control, { in: value })],
  ['metadata.a', (control, a) => acme(control).users.create({ email: 'ada@example.com', metadata: { a } })],
  ['times', ({ requests }, times) => requests.verify({ match: {}, times })],
  ['times.atMost', ({ requests }, atMost) => requests.verify({ match: {}, times: { atMost } })],
  ['within', ({ requests }, within) => requests.verify({ match: {}, within })],
  ['match.body.a', ({ requests }, a) => requests.verify({ match: { body: { a } }, times: 0 })],
  ['generate.users', (control, users) => acme(control).state.put({ generate: { users } })],
  ['users[0].metadata.a', (control, a) => acme(control).state.patch({ users: [{ email: 'a@b.c', metadata: { a } }] })],
  [
    'projects.acme.users[1].metadata.a',
    ({ state }, a) =>
      state.put({ projects: { acme: { users: [{ email: 'a@b.c' }, { email: 'a@b.c', metadata: { a } }] } } }),
  ],
]

describeControl('a number that JSON does not have', (start) => {
  it.each(calls)('is rejected, and changes nothing: %s', async (path, call) => {
    const { control } = await start()
    for (const value of [Infinity, -Infinity, Number.NaN])
      await expect(call(control, value)).rejects.toMatchObject({
        code: 'invalidBody',
        status: 422,
        message: `${path} must be a finite number (got ${value}).`,
        details: [{ path, message: `${path} must be a finite number (got ${value}).` }],
      })
    expect((await acme(control).summary()).users).toBe(0)
    expect((await control.faults.list()).filter((fault) => fault.effect.hold === undefined)).toEqual([])
  })

  it('is reported together with others', async () => {
    const { control } = await start()
    const adding = control.faults.add({ effect, skip: Infinity, probability: Number.NaN })
    await expect(adding).rejects.toMatchObject({ details: [{ path: 'skip' }, { path: 'probability' }] })
  })

  it('is reported once in a part that two fields share', async () => {
    const { control } = await start()
    const part = { n: Number.NaN }
    const creating = acme(control).users.create({ email: 'ada@example.com', metadata: { a: part, b: part } })
    await expect(creating).rejects.toMatchObject({ details: [{ path: 'metadata.a.n' }] })
  })

  it('is allowed in an object that converts itself', async () => {
    const { control } = await start()
    const when = { n: Number.NaN, toJSON: () => 'noon' }
    const { metadata } = await acme(control).users.create({ email: 'ada@example.com', metadata: { when } })
    expect(metadata).toEqual({ when: 'noon' })
  })

  it('is left to the mock where a value is no data', async () => {
    const { control } = await start()
    const knot: Record<string, unknown> = { email: 'ada@example.com' }
    knot['metadata'] = { knot }
    await expect(acme(control).users.create(knot as never)).rejects.toThrow()
  })
})
