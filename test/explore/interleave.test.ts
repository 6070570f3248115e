import { describe, expect, it } from 'vitest'
import { type Flow, type InterleaveOptions, RunError } from '../../src/explore/index.ts'
import { atMostOneUser, countUsers, createUser, holds, listUsers, send } from './support/service.ts'
import { readJson } from '../support/read.ts'
import { interleave } from './support/searches.ts'

/** An actor that makes calls and notes each in `order`. */
const noting =
  (order: string[], name: string, calls: number): Flow =>
  async (client) => {
    for (let call = 1; call <= calls; call++) {
      await listUsers(client)
      order.push(`${name}${call}`)
    }
  }

/** The order of each run. */
const ordersOf = async (given: Omit<InterleaveOptions, 'invariant' | 'actors'> & { calls: Record<string, number> }) => {
  const orders: string[] = []
  const order: string[] = []
  const { calls, ...rest } = given
  const actors = Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, noting(order, name, count)]))
  const invariant = () => void orders.push(order.splice(0).join(' '))
  const result = await interleave({ ...rest, actors, invariant })
  return { ...result, orders }
}

describe('interleave', () => {
  it('tries every order of the calls', async () => {
    const { orders, ...result } = await ordersOf({ calls: { a: 2, b: 1 } })
    expect(orders).toEqual(['a1 a2 b1', 'a1 b1 a2', 'b1 a1 a2'])
    const end = { exhausted: true, stopped: false, endedBy: 'complete', isolated: false, notTried: [], caveats: [] }
    expect(result).toEqual({ runs: 3, calls: 9, failures: [], ...end })
  })

  it('spends half of the runs depth-first, and half on random orders, which are the same each time', async () => {
    const given = { calls: { a: 5, b: 5, c: 5 }, maxRuns: 20 }
    const { orders, ...result } = await ordersOf(given)
    expect(result).toMatchObject({ runs: 20, exhausted: false, stopped: false, endedBy: 'maxRuns' })
    expect(orders.slice(0, 10).every((order) => order.startsWith('a1 a2 a3 a4 a5'))).toBe(true)
    expect(orders.slice(10).filter((order) => order.startsWith('a1 a2 a3 a4 a5'))).toEqual([])
    expect((await ordersOf(given)).orders).toEqual(orders)
  })

  it('finds the order in which two workers create the same user', async () => {
    const worker: Flow = async (client) => {
      const { items } = await readJson(listUsers(client))
      if (items.length === 0) await createUser(client)
    }
    const actors = { first: worker, second: worker }
    const { failures, exhausted } = await interleave({ actors, invariant: atMostOneUser })
    expect(exhausted).toBe(true)
    expect(failures.map(({ schedule }) => schedule.join(' '))).toEqual([
      'first second second first',
      'second first first second',
      'first second first second',
      'second first second first',
    ])
    expect(failures[0]!.error).toEqual(new Error('2 users'))
    expect(failures[0]!.requests.map(({ actor, operation, status }) => `${actor} ${operation} ${status}`)).toEqual([
      'first listUsers 200',
      'second listUsers 200',
      'second createUser 201',
      'first createUser 201',
    ])
  })

  it('treats a command of the control API as a call', async () => {
    const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }
    const seen = new Set<string>()
    const { failures } = await interleave({
      options: { seed },
      actors: {
        poller: async (client) => void seen.add((await readJson(send(client, 'GET', '/paymentLinks/pml_1'))).status),
        customer: ({ mock }) => mock.project('acme').paymentLinks.pay('pml_1'),
        late: ({ mock }) =>
          mock
            .project('acme')
            .paymentLinks.cancel('pml_1')
            .catch(() => {}),
      },
      invariant: async ({ mock }) => {
        if ((await mock.project('acme').paymentLinks.get('pml_1')).status === 'canceled') throw new Error('canceled')
      },
    })
    expect([...seen].toSorted()).toEqual(['active', 'canceled', 'completed'])
    expect(
      failures[0]!.requests.map(({ actor, method, path, body, status }) => [actor, method, path, body, status]),
    ).toEqual([
      ['poller', 'GET', '/projects/acme/paymentLinks/pml_1', null, 200],
      ['late', 'POST', '/__admin/projects/acme/paymentLinks/pml_1/cancel', null, 200],
      ['customer', 'POST', '/__admin/projects/acme/paymentLinks/pml_1/pay', '{}', 409],
    ])
  })

  it('does not choose an actor that waits for another', async () => {
    let release = () => {}
    let released = Promise.resolve()
    const schedules: string[][] = []
    const { exhausted, runs } = await interleave({
      actors: {
        holder: async (client) => {
          released = new Promise((resolve) => (release = resolve))
          await listUsers(client)
          await listUsers(client)
          release()
        },
        waiter: async (client) => {
          await released
          await createUser(client)
        },
      },
      invariant: async (run) => {
        schedules.push([`${await countUsers(run)}`])
      },
    })
    expect({ exhausted, runs, schedules }).toEqual({ exhausted: true, runs: 1, schedules: [['1']] })
  })

  it('fails with deadlock when no actor can continue', async () => {
    const actors = {
      shop: listUsers,
      stuck: async (client: Parameters<Flow>[0]) => {
        await listUsers(client)
        await new Promise(() => {})
      },
    }
    const { failures, runs } = await interleave({ actors, invariant: holds })
    expect({ runs, failed: failures.length }).toEqual({ runs: 2, failed: 2 })
    expect(failures[0]!.error).toBeInstanceOf(RunError)
    expect(failures[0]!.error).toMatchObject({
      code: 'deadlock',
      message: expect.stringMatching(
        /^deadlock: no actor can continue, and these have not ended: stuck\. .* not for timers, files, WebCrypto or `setImmediate`: do that work before the search, or synchronously\.$/,
      ),
    })
  })

  it('first tries calls before sleeps, ends the earliest sleep first, and moves the clock', async () => {
    const order: string[] = []
    const sleeper =
      (name: string, milliseconds: number): Flow =>
      async ({ sleep, now }) => {
        const start = now()
        await sleep(milliseconds)
        order.push(`${name} after ${now() - start}`)
      }
    const [long, short, none] = [sleeper('long', 2000), sleeper('short', 1000), sleeper('none', 0)]
    const actors = { long, short, none, busy: noting(order, 'busy', 2) }
    const { endedBy } = await interleave({ maxRuns: 1, actors, invariant: holds })
    expect(endedBy).toBe('maxRuns')
    expect(order).toEqual(['busy1', 'busy2', 'none after 0', 'short after 1000', 'long after 2000'])
  })

  it('tries both orders of sleeps that end at once', async () => {
    const order: string[] = []
    const sleeper =
      (name: string): Flow =>
      async (client) => {
        await client.sleep(1000)
        order.push(name)
        await listUsers(client)
      }
    const { runs } = await interleave({ actors: { a: sleeper('a'), b: sleeper('b') }, invariant: holds })
    expect(runs).toBe(6)
    expect(order.join('')).toBe('abababbababa')
  })

  it('lets an actor throw in some orders', async () => {
    const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }
    const customer: Flow = ({ mock }) => mock.project('acme').paymentLinks.pay('pml_1')
    const shop: Flow = ({ mock }) => mock.project('acme').paymentLinks.cancel('pml_1')
    const { failures, runs } = await interleave({ options: { seed }, actors: { customer, shop }, invariant: holds })
    expect({ failures, runs }).toEqual({ failures: [], runs: 2 })
  })

  it('lets an actor throw in every order that was tried, if others were not', async () => {
    const reader: Flow = async (client) => {
      const { items } = await (await listUsers(client)).json()
      if (items.length === 0) throw new Error('none yet')
    }
    const search = { actors: { reader, writer: createUser }, invariant: holds, maxRuns: 1 }
    expect(await interleave(search)).toMatchObject({ endedBy: 'maxRuns', exhausted: false, failures: [] })
  })

  it('tries one effect in each order if effects are given', async () => {
    const search = { actors: { writer: createUser }, invariant: atMostOneUser, effects: ['crash'] } as const
    const { failures } = await interleave(search)
    expect(failures.map(({ replay }) => replay)).toEqual(['writer!after.crash,writer'])
    expect(await interleave({ ...search, faults: 0 })).toMatchObject({ runs: 1, failures: [] })
  })
})

it('commands of a sandbox wait for their turn like all others', async () => {
  const { failures, exhausted } = await interleave({
    actors: {
      shop: async ({ mock }) => {
        const { users } = mock.sandbox('eu').project('acme')
        if ((await users.list()).items.length === 0) await users.create({ email: 'ada@example.com' })
      },
      other: ({ mock }) => mock.sandbox('eu').project('acme').users.create({ email: 'ada@example.com' }),
    },
    invariant: async ({ mock }) => {
      const { items } = await mock.sandbox('eu').project('acme').users.list()
      if (items.length !== 1) throw new Error(`${items.length} users`)
    },
  })
  expect(exhausted).toBe(true)
  expect(failures.map(({ replay, requests }) => [replay, requests[0]!.path])).toEqual([
    ['shop*2,other', '/@eu/__admin/projects/acme/users'],
    ['shop,other,shop', '/@eu/__admin/projects/acme/users'],
  ])
})
