import { describe, expect, it } from 'vitest'
import type { Client, FinishedRun, Flow } from '../../src/explore/index.ts'
import { formatFailure, paidOnce, replay } from '../../src/explore/index.ts'
import { createUser, headers, holds, listUsers, oneUser, send } from './support/service.ts'
import { explore, interleave } from './support/searches.ts'

const link = { invoice: 'inv_7', type: 'partner', partner: { user: {} } }
const createLink = (client: Client) => send(client, 'POST', '/paymentLinks', link)
const listLinks = async (client: Client, query = ''): Promise<{ id: string; status: string }[]> =>
  (await (await send(client, 'GET', `/paymentLinks?invoice=inv_7${query}`)).json()).items

describe('crash', () => {
  it('starts the flow again with a new client', async () => {
    const clients = new Set<Client>()
    const flow: Flow = async (client) => {
      clients.add(client)
      await createUser(client)
      return client.now()
    }
    const { failures, runs } = await explore({ flow, invariant: oneUser, effects: ['crash'] })
    expect({ runs, clients: clients.size }).toEqual({ runs: 3, clients: 5 })
    expect(failures.map(({ replay, error }) => [replay, error])).toEqual([['1.after.crash', new Error('2 users')]])
    expect(formatFailure(failures[0]!)).toContain(
      'With crash after call 1, createUser:\n! 1. 00:00:00.000  POST /projects/acme/users {"email":"ada@example.com"} -> no response (crash after the operation)\n' +
        '      created usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ\n     00:00:00.000  the code is killed, and starts again\n  2. ',
    )
  })

  it('ends code whose call another actor aborts', async () => {
    let controller = new AbortController()
    const aborter: Flow = async (client) => {
      const own = (controller = new AbortController())
      await createUser(client)
      own.abort()
    }
    const undoing: Flow = async ({ fetch, mock }) => {
      const init = { headers, signal: controller.signal }
      await fetch('/projects/acme/users', init).catch(() =>
        mock.project('acme').paymentLinks.create({ invoice: 'undo' }),
      )
    }
    const only = 'undoing!before.crash,aborter,undoing*2'
    const search = { actors: { aborter, undoing }, invariant: holds, effects: ['crash'], faults: 1, only } as const
    expect((await interleave(search)).failures).toEqual([])
  })

  it('ends all calls and sleeps of the code that it kills', async () => {
    const ends: string[] = []
    let starts = 0
    const flow: Flow = async (client) => {
      const start = ++starts
      const note = (what: string) => void ends.push(`${what} ${start}`)
      void client.sleep(1).then(() => note('sleep'))
      await createUser(client).finally(() => note('call'))
    }
    await explore({ flow, invariant: holds, effects: ['crash'] })
    // The first run is undisturbed, and the others start twice.
    expect(starts).toBe(5)
    expect(ends.toSorted()).toEqual(['call 1', 'call 3', 'call 5', 'sleep 1', 'sleep 3', 'sleep 5'])
  })

  it('is tried with a second fault, also in the code that starts again', async () => {
    const flow: Flow = async (client) => {
      if ((await (await listUsers(client)).json()).items.length === 0) await createUser(client)
    }
    const { failures, exhausted } = await explore({ flow, invariant: oneUser, effects: ['crash', 'stale'], faults: 2 })
    expect(exhausted).toBe(true)
    expect(failures.map(({ replay }) => replay)).toEqual(['2.after.crash+3.before.stale'])
  })

  it('judges the result and the error of the second start', async () => {
    let starts = 0
    const results: unknown[] = []
    const flow: Flow = async (client) => {
      const start = ++starts
      await createUser(client)
      if (start === 3) throw new Error('no')
      return start
    }
    const invariant = ({ result }: { readonly result?: unknown }) => void results.push(result)
    const { failures } = await explore({ flow, invariant, effects: ['crash'], mustSucceed: ['crash'] })
    expect(results).toEqual([1, undefined, 5])
    expect(failures.map(({ replay, error }) => [replay, (error as Error).message])).toEqual([
      ['1.before.crash', 'The flow must succeed, but threw: no'],
    ])
  })

  it('starts one of several actors again', async () => {
    const worker: Flow = async (client) => {
      if ((await (await listUsers(client)).json()).items.length === 0) await createUser(client)
    }
    const actors = { first: worker, second: listUsers }
    const given = { actors, invariant: oneUser, effects: ['crash'], faults: 1 } as const
    const { failures, exhausted } = await interleave(given)
    expect({ exhausted, failures }).toEqual({ exhausted: true, failures: [] })
    const careless = { first: createUser, second: listUsers }
    const found = await interleave({ ...given, actors: careless, maxFailures: 99 })
    expect(found.failures.map(({ replay }) => replay)).toContain('first!after.crash,first,second')
  })
})

describe('paid and canceled', () => {
  const replace: Flow = async (client) => {
    await createLink(client)
    const [old] = await listLinks(client)
    await send(client, 'POST', `/paymentLinks/${old!.id}/cancel`)
    await createLink(client)
  }

  const flow: Flow = async (client) => {
    await createLink(client)
    await createLink(client)
    await listLinks(client)
  }

  it('happen before each call, to each active link that the code has named', async () => {
    const given = { flow: replace, invariant: paidOnce, effects: ['paid', 'canceled'] } as const
    const { failures, exhausted, runs } = await explore(given)
    // Before the second and the third call, and not before the others.
    expect({ exhausted, runs }).toEqual({ exhausted: true, runs: 5 })
    expect(failures.map(({ replay, error }) => [replay, (error as Error).message])).toEqual([
      ['2.before.paid', 'inv_7 is paid, and still has a link to pay.'],
      ['3.before.paid', 'inv_7 is paid, and still has a link to pay.'],
    ])
    const text = expect.stringMatching(/^the customer pays pml_\w+ of inv_7$/) as string
    expect(failures[0]!.events).toEqual([{ actor: null, calls: 1, time: '2025-01-01T00:00:00.000Z', text }])
    const again = await explore({ ...given, only: '3.before.paid' })
    expect(again.failures).toEqual([failures[1]])
  })

  it('number the links from the oldest, and happen in an order', async () => {
    const seen: string[] = []
    const { runs } = await explore({
      flow,
      invariant: async ({ mock }) => {
        const { items } = await mock.project('acme').paymentLinks.list()
        seen.push(items.map(({ status }) => status).join())
      },
      effects: ['paid'],
    })
    expect(runs).toBe(4)
    expect(seen).toEqual(['active,active', 'active,completed', 'active,completed', 'completed,active'])
    const limits = { faults: 1, isolated: true, maxFailures: 99 } as const
    const actors = { first: replace, second: listUsers }
    const orders = await interleave({ actors, invariant: paidOnce, effects: ['paid'], ...limits })
    expect(orders.failures.every(({ replay }) => replay.includes('first!before.paid'))).toBe(true)
  })

  it('to each of two links are two failures', async () => {
    const invariant: Parameters<typeof explore>[0]['invariant'] = async ({ mock }) => {
      const { items } = await mock.project('acme').paymentLinks.list()
      if (items.some(({ status }) => status === 'completed')) throw new Error('paid')
    }
    const { failures } = await explore({ flow, invariant, effects: ['paid'] })
    expect(failures.map(({ replay }) => replay)).toEqual(['2.before.paid', '3.before.paid', '3.before.paid:2'])
    const { schedule } = failures[2]!
    expect(schedule).toMatchObject([{ call: 3, link: 2 }])
    expect((await replay({ flow, invariant, effects: ['paid'] }, schedule)).error).toEqual(new Error('paid'))
  })

  it('concern no link that the code does not know', async () => {
    const seed = { projects: { acme: { paymentLinks: [{ invoice: 'inv_1' }] } } }
    const { runs } = await explore({ flow: listUsers, invariant: holds, options: { seed }, effects: ['paid'] })
    expect(runs).toBe(1)
  })
})

it('random runs pay one link at most', async () => {
  const shop: Flow = async (client) => {
    await createLink(client)
    await createLink(client)
    for (let read = 0; read < 4; read++) await listLinks(client)
  }
  const reader: Flow = async (client) => {
    for (let read = 0; read < 4; read++) await listUsers(client)
  }
  const invariant = async ({ mock }: FinishedRun) => {
    const { items } = await mock.project('acme').paymentLinks.list({ status: 'completed' })
    if (items.length > 1) throw new Error('two payments')
  }
  const maxRuns = process.env.SLOW_TESTS ? 80 : 20
  const search = { actors: { shop, reader }, invariant, effects: ['paid'], faults: 2, maxRuns } as const
  expect(await interleave(search)).toMatchObject({ endedBy: 'maxRuns', failures: [] })
})

it('paidOnce throws if an invoice is paid twice', async () => {
  const flow: Flow = async (client) => {
    await createLink(client)
    await createLink(client)
    const { paymentLinks } = client.mock.project('acme')
    for (const { id } of (await paymentLinks.list()).items) await paymentLinks.pay(id)
  }
  await expect(explore({ flow, invariant: paidOnce })).rejects.toThrow('inv_7 is paid twice.')
})

it('paidOnce allows one payment in each of two projects', async () => {
  const flow: Flow = async (client) => {
    await createLink(client)
    await client.mock.project('shop').paymentLinks.create({ invoice: 'inv_7' })
    for (const project of ['acme', 'shop']) {
      const { paymentLinks } = client.mock.project(project)
      for (const { id } of (await paymentLinks.list()).items) await paymentLinks.pay(id)
    }
  }
  expect(await explore({ flow, invariant: paidOnce, effects: ['reset'] })).toMatchObject({ failures: [], runs: 3 })
})

it('random runs have no more faults than others', async () => {
  const counts = new Set<number>()
  const reader: Flow = async (client) => {
    for (let call = 0; call < 4; call++) await listUsers(client)
  }
  const invariant = async ({ mock }: FinishedRun) => {
    counts.add((await mock.requests.list({ status: 503 })).items.length)
  }
  const limits = { effects: ['unavailable'], faults: 1, maxRuns: 60 } as const
  expect((await interleave({ actors: { a: reader, b: reader }, invariant, ...limits })).endedBy).toBe('maxRuns')
  expect([...counts].toSorted()).toEqual([0, 1])
})

it('payAfterReads pays no link of the seed', async () => {
  const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_seed', invoice: 'inv_1' }] } } }
  const statuses: string[] = []
  const flow: Flow = async (client) => {
    for (let read = 0; read < 3; read++)
      statuses.push((await (await send(client, 'GET', '/paymentLinks/pml_seed')).json()).status)
  }
  await explore({ flow, invariant: holds, options: { seed }, effects: ['stale'], payAfterReads: 1 })
  expect(new Set(statuses)).toEqual(new Set(['active']))
})

it('payAfterReads pays a link that a command created with the retrieve that it names', async () => {
  const statuses: string[] = []
  const flow: Flow = async (client) => {
    const { id } = await client.mock.project('acme').paymentLinks.create({ invoice: 'inv_1' })
    statuses.push((await (await send(client, 'GET', `/paymentLinks/${id}`)).json()).status)
  }
  await explore({ flow, invariant: holds, effects: ['evolve'], payAfterReads: 1 })
  expect(new Set(statuses)).toEqual(new Set(['completed']))
})

it('payAfterReads pays each new link with a retrieve of it', async () => {
  const polling: Flow = async (client) => {
    const { id } = await (await createLink(client)).json()
    while ((await (await send(client, 'GET', `/paymentLinks/${id}`)).json()).status === 'active')
      await client.sleep(1000)
  }
  const given = { flow: polling, invariant: holds }
  await expect(explore({ ...given, maxCalls: 20 })).rejects.toThrow('does not end without a fault')
  const { failures, calls, runs } = await explore({ ...given, effects: ['stale'], payAfterReads: 2 })
  expect({ failures, calls, runs }).toEqual({ failures: [], calls: 3 + 3 + 4, runs: 3 })
})
