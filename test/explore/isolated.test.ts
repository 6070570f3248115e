import { expect, it } from 'vitest'
import type { Flow } from '../../src/extensions/explore/index.ts'
import { createUser, send } from './support/service.ts'
import { interleave } from './support/searches.ts'

const retrieve: (client: Parameters<Flow>[0], id: string) => Promise<string> = async (client, id) => {
  await send(client, 'GET', `/users/${id}`)
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

it.each(['sleeper first', 'shop first'])(
  'tries both orders of a sleep and a call, since a sleep changes the time: %s',
  async (how) => {
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
  },
)

// The creates have n! orders, and each list is after some of the later creates or before them.
it.each([
  [2, 4],
  [3, 36],
])('tries the orders of %i actors that create and list once each: %i', async (actors, expected) => {
  const flow: Flow = async (client) => {
    await createUser(client)
    await send(client, 'GET', '/users')
    await send(client, 'GET', '/paymentLinks')
  }
  const { runs, exhausted } = await interleave({
    isolated: true,
    actors: Object.fromEntries(['a', 'b', 'c'].slice(0, actors).map((name) => [name, flow])),
    invariant: () => {},
  })
  expect({ runs, exhausted }).toEqual({ runs: expected, exhausted: true })
})
