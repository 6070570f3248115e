import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Flow, replay } from '../../src/explore/index.ts'
import { countUsers, createUser, listUsers, send } from './support/service.ts'
import { readJson, countDistinct } from '../support/read.ts'
import { explore, interleave } from './support/searches.ts'

// REPLAY_RUNS=500 for a longer run; a failure prints its seed and path.
const numRuns = Number(process.env.REPLAY_RUNS ?? 6)

const calls = {
  create: createUser,
  list: listUsers,
  remove: async (client: Parameters<Flow>[0]) => {
    const { items = [] } = await readJson(listUsers(client))
    if (items[0] !== undefined) await send(client, 'DELETE', `/users/${items[0].id}`)
  },
  link: (client: Parameters<Flow>[0]) => send(client, 'POST', '/paymentLinks', { invoice: 'inv_1', type: 'partner' }),
  rest: ({ sleep }: Parameters<Flow>[0]) => sleep(1000),
}
type CallName = keyof typeof calls
const callNames = (maxLength: number) =>
  fc.array(fc.constantFrom(...(Object.keys(calls) as CallName[])), { minLength: 1, maxLength })

/** A flow that makes these calls, whatever becomes of them. */
const flowOf =
  (names: readonly CallName[]): Flow =>
  async (client) => {
    for (const name of names) await calls[name](client).catch(() => {})
    await listUsers(client).catch(() => {})
  }

/** An invariant that some runs break, with the whole state in its message. */
const evenUsers = async (run: Parameters<typeof countUsers>[0]) => {
  if ((await countUsers(run)) % 2 === 1) throw new Error(JSON.stringify(await run.mock.state.get()))
}

describe('replay', () => {
  it(`repeats each failure of a flow to the byte, over ${numRuns} flows`, () =>
    fc.assert(
      fc.asyncProperty(callNames(3), fc.constantFrom<(1 | 2)[]>(1, 2), async (names, faults) => {
        const given = {
          flow: flowOf(names),
          faults,
          invariant: evenUsers,
          effects: { reset: { connection: 'reset' } },
        } as const
        const found = await explore(given).catch((error: Error) => {
          expect(error.message).toMatch(/^The invariant fails without a fault/)
        })
        for (const { schedule, replay: text, ...end } of found?.failures ?? [])
          for (const same of [schedule, text]) expect(await replay(given, same)).toEqual(end)
      }),
      { numRuns },
    ))

  it(`repeats each failure of actors to the byte, and tries each order once, over ${numRuns} groups of actors`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(callNames(2), { minLength: 1, maxLength: 3 }), async (scripts) => {
        const actors = Object.fromEntries(scripts.map((names, index) => [`actor${index}`, flowOf(names)]))
        const given = { actors, invariant: evenUsers, maxRuns: 60 }
        const { failures, exhausted } = await interleave(given)
        const schedules = failures.map(({ schedule }) => schedule.join())
        if (exhausted) expect(countDistinct(schedules)).toBe(schedules.length)
        for (const { schedule, replay: text, ...end } of failures.slice(-5))
          for (const same of [schedule, text]) expect(await replay(given, same)).toEqual(end)
      }),
      { numRuns },
    ))

  it('repeats failures of random runs, whose faults may be at a sleep, a command or a write', async () => {
    const actor: Flow = async (client) => {
      await client.sleep(1000)
      for (let round = 0; round < 3; round++) {
        await createUser(client).catch(() => {})
        await client.mock.project('acme').users.list()
        await listUsers(client).catch(() => {})
      }
    }
    let runs = 0
    const given = {
      actors: { first: actor, second: actor },
      effects: ['reset', 'stale'],
      faults: 2,
      invariant: () => Promise.reject(new Error(`run ${runs++}`)),
    } as const
    const { failures } = await interleave({ ...given, maxRuns: 30, maxFailures: 30 })
    expect(failures.filter(({ replay: text }) => text.includes('!')).length).toBeGreaterThan(10)
    for (const { replay: text, requests, sleeps } of failures)
      expect(await replay(given, text)).toMatchObject({ requests, sleeps })
  })
})
