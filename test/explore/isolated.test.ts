import { describe, expect, it } from 'vitest'
import type { Client, Flow, InterleaveOptions } from '../../src/explore/index.ts'
import type { MockOptions, ProjectControl } from '../../src/node/index.ts'
import { createSeed } from './support/drawn-calls.ts'
import { createUser, headers, listUsers, send as sendToAcme, streamed } from './support/service.ts'
import { interleave } from './support/searches.ts'

/** Returns a call of an operation. */
const send =
  (method: string, path: string, body?: object) =>
  async ({ fetch }: Pick<Client, 'fetch'>) => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`/projects/${path}`, init)
    return [response.status, await response.text()]
  }

/** Returns a call of a command of one project. */
const command =
  (project: string, run: (control: ProjectControl) => Promise<unknown>): Flow =>
  async ({ mock }) => {
    try {
      return (await run(mock.project(project))) ?? null
    } catch (error) {
      return JSON.stringify(error)
    }
  }

/** Lists what the callers and the state show at the end, over the orders of a search. */
const listOutcomes = async (given: Omit<InterleaveOptions, 'invariant'>) => {
  const outcomes = new Set<string>()
  const { runs, exhausted } = await interleave({
    ...given,
    invariant: async ({ mock, results }) => {
      outcomes.add(JSON.stringify([results, await mock.state.get()], null, 1))
    },
  })
  expect(exhausted).toBe(true)
  return { runs, outcomes }
}

/** Requires that `isolated: true` reaches the same outcomes as all orders. */
const requireSameOutcomes = async (
  actors: Record<string, Flow>,
  given: MockOptions = {},
  more: Partial<InterleaveOptions> = {},
): Promise<void> => {
  const options = { seed: createSeed(), ...given }
  const all = await listOutcomes({ ...more, options, actors, isolated: false })
  const reduced = await listOutcomes({ ...more, options, actors, isolated: true })
  expect(reduced.outcomes).toEqual(all.outcomes)
  expect(reduced.runs).toBeLessThanOrEqual(all.runs)
}

/** Creates a user whose email has the number of users, which the stream of the body reads. */
const createStreamed: Flow = async ({ fetch }) => {
  const init = streamed(async () => {
    const { items } = (await (await fetch('/projects/one/users', { headers })).json()) as { items: unknown[] }
    return JSON.stringify({ email: `u${items.length}@example.com` })
  })
  return (await fetch('/projects/one/users', init)).text()
}

describe('isolated', () => {
  it('tries all orders of calls whose body is a stream that needs another call', async () => {
    const { runs, outcomes } = await listOutcomes({
      options: { seed: createSeed() },
      actors: { a: createStreamed, b: createStreamed },
      isolated: true,
    })
    const emails = [...outcomes].map((outcome) => new Set(outcome.match(/u\d@example.com/g)).size)
    expect({ runs, emails }).toEqual({ runs: 4, emails: [2, 1, 1, 2] })
  })

  it.each([
    ['by its delay', { in: 0 }],
    ['by its time', { at: '2024-01-01T00:00:00.000Z' }],
  ])('tries both orders of a read and a payment that is due at once, %s', (_, when) =>
    requireSameOutcomes({
      reader: send('GET', 'one/paymentLinks'),
      tester: command('one', ({ paymentLinks }) => paymentLinks.pay('pml_1', { when })),
    }),
  )

  it('tries both orders of a request and the creation of its project, with `unknownProject=notFound`', () =>
    requireSameOutcomes(
      {
        reader: send('GET', 'later/users'),
        tester: command('later', ({ paymentLinks }) => paymentLinks.create({ invoice: 'inv_1' })),
      },
      { behaviors: { unknownProject: 'notFound' } },
    ))

  it('tries both orders of a read and of a write to other records whose step of the clock ends the token of the read', () =>
    requireSameOutcomes(
      { reader: send('GET', 'one/paymentLinks'), writer: send('POST', 'one/users', { email: 'a@example.com' }) },
      { seed: { ...createSeed('stepping'), tokens: [{ token: 'any', expiresAt: '2025-01-01T00:00:00.001Z' }] } },
    ))

  it('tries one order of a command and of a link of another actor', async () => {
    const create = command('one', (one) => one.users.create({ email: 'b@example.com' }))
    const shop = send('POST', 'two/paymentLinks', { invoice: 'inv_9', type: 'partner', partner: { user: {} } })
    const { runs } = await listOutcomes({ actors: { create, shop }, isolated: true })
    expect(runs).toBe(1)
  })

  it('tries both orders of a call and of a new link that `payAfterReads` schedules after it', () =>
    requireSameOutcomes(
      { shop: createUser, tester: command('one', ({ paymentLinks }) => paymentLinks.create({ invoice: 'inv_9' })) },
      {},
      { payAfterReads: 1 },
    ))

  const listOf = (name: string) => send('GET', `${name}/users`)
  const listFaults: Flow = ({ mock }) => mock.faults.list()
  it.each<[what: string, given: Partial<InterleaveOptions>, actors: InterleaveOptions['actors']]>([
    [
      'one fault',
      { faults: 1, effects: { hang: { connection: 'hang' } }, maxFailures: 100 },
      { a: (client) => Promise.any([listFaults(client), createUser(client)]), b: send('DELETE', 'one/users/usr_1') },
    ],
    [
      'two faults',
      { faults: 2, effects: { unavailable: { status: 503 } } },
      { a: listOf('one'), b: listOf('two'), c: listFaults },
    ],
  ])('shows %s of the search to a command as all orders do', (_, given, actors) =>
    requireSameOutcomes(actors, {}, given),
  )

  const repeat =
    (count: number, act: (client: Client) => Promise<unknown>): Flow =>
    async (client) => {
      for (let done = 0; done < count; done++) await act(client)
    }
  const writeTo = (name: string) => send('POST', `${name}/users`, { email: 'a@example.com' })

  it.each<[what: string, actors: InterleaveOptions['actors'], runs: number]>([
    ['one order of two actors with eight reads', { a: repeat(8, listOf('one')), b: repeat(8, listOf('one')) }, 1],
    [
      'one order of three actors in projects of their own',
      { a: repeat(3, writeTo('one')), b: repeat(3, writeTo('two')), c: repeat(3, writeTo('three')) },
      1,
    ],
    ['20 orders of two actors with three writes', { a: repeat(3, writeTo('one')), b: repeat(3, writeTo('one')) }, 20],
  ])('tries %s', async (_, actors, runs) => {
    const result = await interleave({ actors, invariant: () => {}, isolated: true, budget: null })
    expect(result).toMatchObject({ runs, exhausted: true, isolated: true })
  })

  it('tries both orders of a command for all projects and a call', async () => {
    const actors: InterleaveOptions['actors'] = {
      shop: listOf('one'),
      tester: ({ mock }) => mock.reset(),
      other: (client) => createUser(client),
    }
    await requireSameOutcomes(actors)
  })

  it.each<[what: string, actors: InterleaveOptions['actors']]>([
    [
      'a fault with a count',
      {
        tester: ({ mock }) =>
          mock.project('one').faults.add({ match: { operation: 'listUsers' }, skip: 1, effect: { status: 503 } }),
        a: listOf('one'),
        b: listOf('one'),
      },
    ],
    [
      'a scheduled payment',
      {
        tester: ({ mock }) =>
          mock
            .project('one')
            .paymentLinks.pay('pml_1', { when: { reads: 1 } })
            .then(() => 0),
        a: send('GET', 'one/paymentLinks/pml_1'),
        b: send('GET', 'one/paymentLinks/pml_1'),
      },
    ],
    [
      'a hint about another project',
      {
        a: send('GET', 'three/users/usr_1'),
        b: ({ mock }) => mock.project('one').users.delete('usr_1'),
        c: ({ mock }) => mock.project('two').users.delete('usr_1'),
      },
    ],
    [
      'an idempotency key',
      Object.fromEntries(
        ['a', 'b'].map((name) => [
          name,
          async ({ fetch }: Client) => {
            const init = {
              method: 'POST',
              headers: { ...headers, 'idempotency-key': 'k' },
              body: '{"email":"' + name + '@b.c"}',
            }
            return (await fetch('/projects/one/users', init)).status
          },
        ]),
      ),
    ],
    [
      'a stepping clock and the time',
      {
        tester: ({ mock }) => mock.clock.set({ mode: 'stepping' }).then(() => 0),
        a: send('PATCH', 'one/users/usr_1', { fullName: 'a' }),
        b: async (client) => {
          await listUsers(client)
          return client.now()
        },
      },
    ],
  ])('tries the orders of %s', (_, actors) => requireSameOutcomes(actors))

  it('is ignored with `only`', async () => {
    const actors = { a: repeat(1, listOf('one')), b: repeat(1, listOf('one')) }
    const result = await interleave({ actors, invariant: () => {}, isolated: true, only: 'b,a' })
    expect(result).toMatchObject({ runs: 1, exhausted: false, isolated: false })
  })
})

const retrieve = async (client: Client, id: string): Promise<string> => {
  await sendToAcme(client, 'GET', `/users/${id}`)
  return id
}

it('tries both orders of the calls that one actor makes at once, although they change nothing', async () => {
  const seen = new Set<string>()
  const { exhausted } = await interleave({
    isolated: true,
    actors: {
      shop: async (client) => {
        seen.add(await Promise.race([retrieve(client, 'usr_1'), retrieve(client, 'usr_2')]))
      },
    },
    invariant: () => {},
  })
  expect([...seen].toSorted()).toEqual(['usr_1', 'usr_2'])
  expect(exhausted).toBe(true)
})

const hows = ['sleeper first', 'shop first']
it.each(hows)('tries both orders of a sleep and a call, since a sleep changes the time: %s', async (how) => {
  const seen = new Set<string>()
  const sleeper: Flow = (client) => client.sleep(1000)
  const shop: Flow = async (client) => {
    const response = await createUser(client)
    seen.add(((await response.json()) as { createdAt: string }).createdAt)
  }
  const { exhausted } = await interleave({
    isolated: true,
    actors: how === 'shop first' ? { shop, sleeper } : { sleeper, shop },
    invariant: () => {},
  })
  expect([...seen].toSorted()).toEqual(['2025-01-01T00:00:00.000Z', '2025-01-01T00:00:01.000Z'])
  expect(exhausted).toBe(true)
})

// The creates have n! orders, and each list is after some of the later creates or before them.
it.each([
  [2, 4],
  [3, 36],
])('tries the orders of %i actors that create and list once each: %i', async (actors, expected) => {
  const flow: Flow = async (client) => {
    await createUser(client)
    await sendToAcme(client, 'GET', '/users')
    await sendToAcme(client, 'GET', '/paymentLinks')
  }
  const { runs, exhausted } = await interleave({
    isolated: true,
    actors: Object.fromEntries(['a', 'b', 'c'].slice(0, actors).map((name) => [name, flow])),
    invariant: () => {},
  })
  expect({ runs, exhausted }).toEqual({ runs: expected, exhausted: true })
})

// Each reader is before the writer or after it.
it.each([
  [2, 4],
  [4, 16],
])('tries the orders of one actor that writes a user and %i that read it: %i', async (readers, expected) => {
  const writer: Flow = (client) => sendToAcme(client, 'PATCH', '/users/usr_1', { fullName: 'Ada' })
  const reader: Flow = (client) => sendToAcme(client, 'GET', '/users/usr_1')
  const { runs, exhausted } = await interleave({
    isolated: true,
    options: { seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }] } } } },
    actors: { writer, ...Object.fromEntries(['a', 'b', 'c', 'd'].slice(0, readers).map((name) => [name, reader])) },
    invariant: () => {},
  })
  expect({ runs, exhausted }).toEqual({ runs: expected, exhausted: true })
})
