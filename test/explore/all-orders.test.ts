import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client, Flow } from '../../src/explore/index.ts'
import { atMostOneUser, countUsers, createUser, listUsers } from './support/service.ts'
import { explore, interleave } from './support/searches.ts'

// EXPLORE_RUNS=500 for a longer run; a failure prints its seed and path.
const numRuns = Number(process.env.EXPLORE_RUNS ?? 8)

/** The calls of client code, in the mock or in a model of it. */
interface Service {
  readonly create: (name: string) => Promise<unknown>
  readonly sleep: (milliseconds: number) => Promise<unknown>
}

/** Generated client code. */
type Code = readonly Statement[]
type Statement =
  | { readonly do: 'create' }
  | { readonly do: 'reject' }
  | { readonly do: 'sleep'; readonly milliseconds: number }
  | { readonly do: 'all' | 'race' | 'any' | 'background'; readonly parts: readonly Code[] }

const combine: Record<'all' | 'race' | 'any' | 'background', (parts: readonly Promise<void>[]) => Promise<unknown>> = {
  all: (parts) => Promise.all(parts),
  race: (parts) => Promise.race(parts),
  any: (parts) => Promise.any(parts),
  background: async () => {},
}

const perform = async (code: Code, service: Service, name: string): Promise<void> => {
  for (const [index, statement] of code.entries()) {
    const at = `${name}${index}`
    if (statement.do === 'reject') throw new Error(at)
    else if (statement.do === 'create') await service.create(at)
    else if (statement.do === 'sleep') await service.sleep(statement.milliseconds)
    else {
      const parts = statement.parts.map((part, number) => perform(part, service, `${at}${'xyz'[number]}`))
      for (const part of parts) part.catch(() => {})
      await combine[statement.do](parts)
    }
  }
}

interface Waiting {
  readonly until: number | undefined
  readonly end: () => void
  overtaken: number
}

const overtakes = 2
const maxOrders = 150

/**
 * The names that code creates, in each order of its calls and sleeps: tries every one, with a model of the service.
 * Undefined if there are too many.
 */
const listStates = async (actors: readonly Code[]): Promise<{ orders: number; states: Set<string> } | undefined> => {
  const states = new Set<string>()
  const untried: number[][] = [[]]
  for (let orders = 0; ; orders++) {
    const choices = untried.pop()
    if (choices === undefined) return { orders, states }
    if (orders === maxOrders) return undefined
    const created: string[] = []
    let now = 0
    let waiting: Waiting[] = []
    const wait = (until: number | undefined, act: () => void) =>
      new Promise<void>((resolve) => {
        waiting.push({ until, overtaken: 0, end: () => (act(), resolve()) })
      })
    const service: Service = {
      create: (name) => wait(undefined, () => created.push(name)),
      sleep: (milliseconds) => {
        const until = now + milliseconds
        return wait(until, () => (now = Math.max(now, until)))
      },
    }
    for (const [index, code] of actors.entries()) perform(code, service, 'abc'[index]!).catch(() => {})
    for (let step = 0; ; step++) {
      await new Promise((resolve) => setImmediate(resolve))
      const calls = waiting.filter(({ until }) => until === undefined)
      const first = Math.min(...waiting.map(({ until = Infinity }) => until))
      const sleeps = calls.some((call) => call.overtaken === overtakes)
        ? []
        : waiting.filter(({ until }) => until === first && first < Infinity)
      const ready = [...calls, ...sleeps]
      if (ready.length === 0) break
      if (step === choices.length) {
        for (let other = 1; other < ready.length; other++) untried.push([...choices, other])
        choices.push(0)
      }
      const chosen = ready[choices[step]!]!
      waiting = waiting.filter((one) => one !== chosen)
      if (chosen.until !== undefined) for (const one of waiting) one.overtaken++
      chosen.end()
    }
    states.add(created.join())
  }
}

const code = fc.letrec<{ code: Code; statement: Statement }>((tie) => ({
  code: fc.array(tie('statement'), { minLength: 1, maxLength: 3 }),
  statement: fc.oneof(
    { depthSize: 'small', maxDepth: 2 },
    { weight: 4, arbitrary: fc.constant({ do: 'create' } as const) },
    { weight: 1, arbitrary: fc.constant({ do: 'reject' } as const) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('sleep' as const), milliseconds: fc.constantFrom(0, 10, 20) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('all' as const, 'race' as const, 'any' as const, 'background' as const),
        parts: fc.array(tie('code'), { minLength: 1, maxLength: 3 }),
      }),
    },
  ),
})).code

describe('interleave', () => {
  it(`reaches the states of a search by brute force, each order once, over ${numRuns} groups of actors`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(code, { minLength: 1, maxLength: 3 }), async (codes) => {
        const expected = await listStates(codes)
        fc.pre(expected !== undefined && expected.states.size > 1)
        const found = new Set<string>()
        const actors = codes.map((actor, index): [string, Flow] => [
          'abc'[index]!,
          (client) =>
            perform(actor, { ...client, create: (name) => createUser(client, `${name}@example.com`) }, 'abc'[index]!),
        ])
        const { runs, exhausted } = await interleave({
          actors: Object.fromEntries(actors),
          overtakes,
          invariant: async ({ mock }) => {
            const { users = [] } = await mock.project('acme').state.get()
            found.add(users.map(({ email }) => email.replace('@example.com', '')).join())
          },
        }).catch((error: Error) => {
          expect(error.message).toMatch(/^An actor always fails/)
          return { runs: expected.orders, exhausted: true }
        })
        expect(exhausted).toBe(true)
        expect(found).toEqual(expected.states)
        expect(runs).toBe(expected.orders)
      }),
      { numRuns },
    ))

  const first = (client: Client) => createUser(client, 'first@example.com')
  const second = (client: Client) => createUser(client, 'second@example.com')

  it.each<[what: string, actor: Flow, runs: number]>([
    ['Promise.race', (client) => Promise.race([first(client), second(client)]), 2],
    ['Promise.any', (client) => Promise.any([first(client), second(client)]), 2],
    [
      'Promise.all that rejects',
      (client) =>
        Promise.all([first(client).then(() => Promise.reject(new Error('no'))), second(client)]).catch(() => {}),
      2,
    ],
    [
      'a call that is not awaited',
      async (client) => {
        void second(client)
        await first(client)
      },
      2,
    ],
  ])('runs every call of %s, in both orders', async (_, actor, runs) => {
    const result = await interleave({ actors: { actor }, invariant: atMostOneUser })
    expect(result).toMatchObject({ runs, exhausted: true })
    expect(result.failures).toHaveLength(runs)
  })
})

describe('explore', () => {
  it('checks the invariant when calls that are not awaited have run', async () => {
    const counts: number[] = []
    await explore({
      flow: async (client) => {
        void client
          .sleep(10)
          .then(() => createUser(client))
          .catch(() => {})
        void createUser(client).catch(() => {})
        await listUsers(client).catch(() => {})
      },
      invariant: async (run) => void counts.push(await countUsers(run)),
      effects: ['malformed'],
    })
    expect(counts).toEqual([2, 2, 2, 2])
  })

  it('does not change the order of concurrent calls by a fault', async () => {
    const orders: string[] = []
    await explore({
      flow: (client) => Promise.allSettled([createUser(client, 'a@example.com'), createUser(client, 'b@example.com')]),
      invariant: async ({ mock }) => {
        const { users = [] } = await mock.project('acme').state.get()
        orders.push(users.map(({ email }) => email[0]).join(''))
      },
      effects: ['malformed', 'reset'],
    })
    expect(orders).toEqual(['ab', 'b', 'ab', 'ab', 'a', 'ab', 'ab'])
  })
})
