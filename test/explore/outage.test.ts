import { describe, expect, it } from 'vitest'
import { type Client, type FinishedRun, type Flow, formatFailure } from '../../src/explore/index.ts'
import { createOneLink, retry } from './clients/call.js'
import { createUser, holds, listUsers, oneUser, send } from './support/service.ts'
import { explore } from './support/searches.ts'

const search = async (client: Pick<Client, 'fetch'>): Promise<unknown[]> => {
  const response = await send(client, 'POST', '/users/search', { email: 'ada@example.com' })
  if (!response.ok) throw new Error(`${response.status}`)
  return (await response.json()).items
}

/** Takes a search that failed three times for a missing user. */
const findOrCreate: Flow = async (client) => {
  const found = await retry(client.sleep, () => search(client)).catch(() => [])
  if (found.length === 0) await createUser(client)
}

const seed = { projects: { acme: { users: [{ email: 'ada@example.com' }] } } }

describe('an outage', () => {
  it('outlasts the attempts of a client, which two faults do not', async () => {
    const given = { flow: findOrCreate, invariant: oneUser, options: { seed } }
    expect((await explore({ ...given, effects: ['unavailable'], faults: 2 })).failures).toEqual([])
    const { failures, runs } = await explore({ ...given, effects: ['outage'] })
    expect({ runs, found: failures.map(({ replay }) => replay) }).toEqual({ runs: 2, found: ['1.before.outage'] })
    const line = '/users/search {"email":"ada@example.com"} -> 503 injectedFault (outage)\n'
    expect(formatFailure(failures[0]!)).toContain(line)
  })

  it('does not reach the requests of the invariant', async () => {
    const invariant = ({ mock }: FinishedRun) => search(mock)
    const flow: Flow = async (client) => void (await search(client).catch(() => {}))
    const { failures } = await explore({ flow, invariant, options: { seed }, effects: ['outage'] })
    expect(failures).toEqual([])
  })

  it('leaves other operations alone, and ends after ten calls', async () => {
    const statuses: number[][] = []
    const flow: Flow = async (client) => {
      const seen: number[] = []
      statuses.push(seen)
      for (let call = 0; call < 12; call++) seen.push((await send(client, 'GET', `/users?limit=${call}`)).status)
      seen.push((await createUser(client)).status)
    }
    await explore({ flow, invariant: holds, effects: ['outage'], only: '1.before.outage' })
    expect(statuses).toEqual([[...Array<number>(10).fill(503), 200, 200, 201]])
  })

  it('is survived by a client that makes a limited number of attempts', async () => {
    const flow: Flow = (client) => createOneLink(client, 'inv_1')
    const { failures, exhausted } = await explore({ flow, invariant: holds, effects: ['outage'], faults: 2 })
    expect({ failures, exhausted }).toEqual({ failures: [], exhausted: true })
  })

  describe('beside `unavailable`', () => {
    const once: Flow = (client) => listUsers(client)
    const again: Flow = async (client) =>
      (await listUsers(client)).ok || (await listUsers(client)).ok || Promise.reject(new Error('down'))
    const effects = ['unavailable', 'outage'] as const

    it.each<[what: string, flow: Flow, runs: number]>([
      ['is left out without a later call of the operation', once, 2],
      ['is tried with one', again, 3],
    ])('%s', async (_, flow, runs) => {
      expect(await explore({ flow, invariant: holds, effects })).toMatchObject({ runs, failures: [], exhausted: true })
    })

    it('is tried alone if its error is judged in another way', async () => {
      const strict: Flow = async (client) => {
        if (!(await listUsers(client)).ok) throw new Error('down')
      }
      const given = { flow: strict, invariant: holds, effects }
      expect((await explore({ ...given, mustSucceed: ['outage'] })).failures.map(({ replay }) => replay)).toEqual([
        '1.before.outage',
      ])
      expect(await explore({ ...given, mustSucceed: ['all'] })).toMatchObject({ runs: 2 })
    })

    it('is tried in pairs whose second fault leads to a later call', async () => {
      // Only a failed create leads to the second list.
      const flow: Flow = async (client) => {
        await listUsers(client)
        if (!(await createUser(client)).ok) await listUsers(client)
      }
      const { runs } = await explore({ flow, invariant: holds, effects, faults: 2 })
      const only = '1.before.outage+2.after.unavailable'
      expect((await explore({ flow, invariant: holds, effects, faults: 2, only })).runs).toBe(1)
      expect(runs).toBeGreaterThan(
        (await explore({ flow, invariant: holds, effects: ['unavailable'], faults: 2 })).runs,
      )
    })
  })
})
