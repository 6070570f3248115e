import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client, Flow, InterleaveOptions } from '../../src/explore/index.ts'
import { createUser, headers } from './support/service.ts'
import { interleave } from './support/searches.ts'

// EXPLORE_RUNS=500 for a longer run; a failure prints its seed and path.
const numRuns = Number(process.env.EXPLORE_RUNS ?? 8)

const call = async ({ fetch }: Pick<Client, 'fetch'>, method: string, path: string, body?: object) => {
  const response = await fetch(`/projects/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await response.json()) as { items?: { fullName: string; status: string }[] }
}

/** Calls of an actor. A create has its name, and the number of records that it saw last, so that its effect depends on its reads. */
const calls = {
  listUsers: (project: string) => async (client: Client) =>
    (await call(client, 'GET', `${project}/users`)).items!.length,
  listLinks: (project: string) => async (client: Client) =>
    (await call(client, 'GET', `${project}/paymentLinks?status=active`)).items!.length,
  create: (project: string) => async (client: Client, seen: number, actor: string) => {
    await call(client, 'POST', `${project}/users`, { email: 'a@example.com', fullName: `${actor} saw ${seen}` })
    return seen
  },
  update: (project: string) => async (client: Client, seen: number) => {
    await call(client, 'PATCH', `${project}/users/usr_1`, { fullName: `saw ${seen}` })
    return seen
  },
  cancel: (project: string) => async (client: Client, seen: number) => {
    await call(client, 'POST', `${project}/paymentLinks/pml_1/cancel`)
    return seen
  },
  pay: (project: string) => async (client: Client, seen: number) => {
    await client.mock
      .project(project)
      .paymentLinks.pay('pml_1')
      .catch(() => {})
    return seen + 10
  },
}
type CallName = keyof typeof calls

const flowOf =
  (actor: string, script: readonly (readonly [CallName, string])[]): Flow =>
  async (client) => {
    let seen = 0
    for (const [name, project] of script) seen = await calls[name](project)(client, seen, actor)
    return seen
  }

const project = { users: [{ id: 'usr_1', email: 'a@example.com' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
const options = { seed: { projects: { one: project, two: project } } }

/** The final states that a search reaches: the records without ids and times, and what each actor saw. */
const listStates = async (given: Pick<InterleaveOptions, 'actors' | 'isolated' | 'faults' | 'effects'>) => {
  const states = new Set<string>()
  const { runs, exhausted } = await interleave({
    ...given,
    options,
    maxRuns: 100_000,
    invariant: async ({ mock, results }) => {
      const { projects = {} } = await mock.state.get()
      const records = Object.entries(projects).map(([id, { users = [], paymentLinks = [] }]) => [
        id,
        users.map(({ fullName }) => fullName),
        paymentLinks.map(({ status }) => status),
      ])
      states.add(JSON.stringify([records, results]))
    },
  })
  expect(exhausted).toBe(true)
  return { runs, states }
}

const step = fc.tuple(fc.constantFrom(...(Object.keys(calls) as CallName[])), fc.constantFrom('one', 'two'))
const groups = fc
  .oneof(
    fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 2 }),
    fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), { minLength: 3, maxLength: 3 }),
  )
  .map((scripts) => Object.fromEntries(scripts.map((script, index) => ['abc'[index]!, flowOf('abc'[index]!, script)])))

const requireSameStates = async (actors: InterleaveOptions['actors'], more: Partial<InterleaveOptions> = {}) => {
  const all = await listStates({ ...more, actors })
  const reduced = await listStates({ ...more, actors, isolated: true })
  expect(reduced.states).toEqual(all.states)
  expect(reduced.runs).toBeLessThanOrEqual(all.runs)
}

describe('isolated', () => {
  it(`reaches the states of all orders, over ${numRuns} groups of actors`, () =>
    fc.assert(
      fc.asyncProperty(groups, (actors) => requireSameStates(actors)),
      { numRuns },
    ))

  it(`reaches the states of all orders with a lost response, over ${Math.ceil(numRuns / 8)} groups of actors`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 2 }),
        (scripts) =>
          requireSameStates(
            Object.fromEntries(
              scripts.map((script, index) => [
                'abc'[index]!,
                (client: Client) => Promise.resolve(flowOf('abc'[index]!, script)(client)).catch(() => -1),
              ]),
            ),
            { faults: 1, effects: ['reset'] },
          ),
      ),
      { numRuns: Math.ceil(numRuns / 8) },
    ))

  const repeat =
    (count: number, act: (client: Client) => Promise<unknown>): Flow =>
    async (client) => {
      for (let done = 0; done < count; done++) await act(client)
    }
  const listOf = (name: string) => (client: Client) => call(client, 'GET', `${name}/users`)
  const writeTo = (name: string) => (client: Client) =>
    call(client, 'POST', `${name}/users`, { email: 'a@example.com' })

  it.each<[what: string, actors: InterleaveOptions['actors'], runs: number]>([
    ['one order of two actors with eight reads', { a: repeat(8, listOf('one')), b: repeat(8, listOf('one')) }, 1],
    [
      'one order of three actors in projects of their own',
      { a: repeat(3, writeTo('one')), b: repeat(3, writeTo('two')), c: repeat(3, writeTo('three')) },
      1,
    ],
    [
      'all 20 orders of two actors with three writes',
      { a: repeat(3, writeTo('one')), b: repeat(3, writeTo('one')) },
      20,
    ],
  ])('tries %s', async (_, actors, runs) => {
    const result = await interleave({ actors, invariant: () => {}, isolated: true, budget: null })
    expect(result).toMatchObject({ runs, exhausted: true, isolated: true })
  })

  it('tries both orders of a command for all projects and a call', async () => {
    const actors: InterleaveOptions['actors'] = {
      shop: async (client) => (await call(client, 'GET', 'one/users')).items!.length,
      tester: ({ mock }) => mock.reset(),
      other: (client) => createUser(client),
    }
    await requireSameStates(actors)
  })

  it.each<[what: string, actors: InterleaveOptions['actors']]>([
    [
      'a fault with a count',
      {
        tester: ({ mock }) =>
          mock.project('one').faults.add({ match: { operation: 'listUsers' }, skip: 1, effect: { status: 503 } }),
        a: async ({ fetch }) => (await fetch('/projects/one/users', { headers })).status,
        b: async ({ fetch }) => (await fetch('/projects/one/users', { headers })).status,
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
        a: async (client) => ((await call(client, 'GET', 'one/paymentLinks/pml_1')) as { status?: string }).status,
        b: async (client) => ((await call(client, 'GET', 'one/paymentLinks/pml_1')) as { status?: string }).status,
      },
    ],
    [
      'a hint about another project',
      {
        a: async ({ fetch }) => (await (await fetch('/projects/three/users/usr_1', { headers })).json()).hint,
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
        a: (client) => call(client, 'PATCH', 'one/users/usr_1', { fullName: 'a' }).then(() => 0),
        b: async (client) => {
          await call(client, 'GET', 'two/users')
          return client.now()
        },
      },
    ],
  ])('tries the orders of %s', (_, actors) => requireSameStates(actors))

  it('is ignored with `only`', async () => {
    const actors = { a: repeat(1, listOf('one')), b: repeat(1, listOf('one')) }
    const result = await interleave({ actors, invariant: () => {}, isolated: true, only: 'b,a' })
    expect(result).toMatchObject({ runs: 1, exhausted: false, isolated: false })
  })
})
