import { describe, expect, it } from 'vitest'
import type { Client, Flow } from '../../src/explore/index.ts'
import { createUser, headers, holds, listUsers, oneUser } from './support/service.ts'
import { explore, interleave } from './support/searches.ts'

const users = '/projects/acme/users'
const create = ({ fetch }: Client, signal: AbortSignal) =>
  fetch(users, { method: 'POST', headers, body: '{"email":"ada@example.com"}', signal })

/** Sends a create that is given up after a second, and sends it again. */
const retrying =
  (attempt: (client: Client) => Promise<unknown>): Flow =>
  async (client) => {
    await attempt(client).catch(() => createUser(client))
  }
const withController = (client: Client) => {
  const controller = new AbortController()
  void client.sleep(1000).then(() => controller.abort())
  return create(client, controller.signal)
}
const withRace = (client: Client) =>
  Promise.race([createUser(client), client.sleep(1000).then(() => Promise.reject(new Error('late')))])
const withTimeout = (client: Client) => create(client, AbortSignal.timeout(1000))
const withRequest = ({ fetch }: Client) => {
  const init = { method: 'POST', headers, body: '{"email":"ada@example.com"}' }
  return fetch(new Request(`http://mock${users}`, { ...init, signal: AbortSignal.timeout(1000) }))
}

describe('a call that its client gives up', () => {
  it.each([
    ['by Promise.race', withRace],
    ['by an AbortController', withController],
    ['by AbortSignal.timeout', withTimeout],
    ['by the signal of a Request', withRequest],
  ])('is handled before and after the retry: %s', async (_, attempt) => {
    const result = await interleave({ actors: { client: retrying(attempt) }, invariant: oneUser })
    expect(result.exhausted).toBe(true)
    expect(result.failures.map(({ error }) => error)).toEqual([new Error('2 users'), new Error('2 users')])
    expect(result.failures.map(({ replay }) => replay).toSorted()).toEqual([
      'client:sleep,client*2',
      'client:sleep,client:2,client',
    ])
  })

  it('is found with a delay', async () => {
    const search = { invariant: oneUser, effects: { slow: { delay: { milliseconds: 5000 } } } }
    for (const attempt of [withController, withTimeout]) {
      const { failures, exhausted } = await explore({ ...search, flow: retrying(attempt) })
      expect(failures.map(({ replay }) => replay)).toEqual(['1.before.slow', '1.after.slow'])
      expect(exhausted).toBe(true)
      expect(failures[0]!.requests[0]).toMatchObject({ method: 'POST', body: '{"email":"ada@example.com"}' })
    }
  })

  it('rejects with the reason of the signal', async () => {
    const reasons: unknown[] = []
    const flow: Flow = async (client) => {
      const controller = new AbortController()
      const sent = create(client, controller.signal).catch((error: unknown) => reasons.push(error))
      controller.abort('enough')
      await sent
      // A signal that has been used before.
      await create(client, controller.signal).catch((error: unknown) => reasons.push(error))
      await withTimeout(client).catch((error: unknown) => reasons.push(error))
    }
    const only = 'client,client:sleep,client'
    const { failures } = await interleave({ actors: { client: flow }, invariant: holds, only })
    expect(failures).toEqual([])
    expect(reasons).toEqual(['enough', 'enough', expect.objectContaining({ name: 'TimeoutError' })])
  })

  it('sends nothing if its signal has been aborted before', async () => {
    const flow: Flow = async (client) => {
      await create(client, AbortSignal.abort()).catch(() => {})
      await listUsers(client)
    }
    const { calls, runs } = await interleave({ actors: { client: flow }, invariant: holds })
    expect({ calls, runs }).toEqual({ calls: 1, runs: 1 })
  })

  it('may have a response whose body has not been read', async () => {
    const ends: unknown[] = []
    const flow: Flow = async (client) => {
      const controller = new AbortController()
      const response = await create(client, controller.signal)
      controller.abort('late')
      ends.push(response.status, await response.json().catch((error: unknown) => error))
    }
    await interleave({ actors: { client: flow }, invariant: oneUser })
    expect(ends).toEqual([201, 'late'])
  })

  it('ends a call whose connection hangs', async () => {
    const seen: unknown[] = []
    const flow: Flow = async (client) => {
      await withTimeout(client).catch(({ name }: Error) => seen.push(name, client.now()))
    }
    await explore({ flow, invariant: holds, effects: { hang: { connection: 'hang' } } })
    expect(new Set(seen)).toEqual(new Set(['TimeoutError', Date.parse('2025-01-01T00:00:01Z')]))
  })
})

it('leaves AbortSignal.timeout as it was', async () => {
  const get = () => Object.getOwnPropertyDescriptor(AbortSignal, 'timeout')
  const before = get()
  const during = new Set<unknown>()
  const flow: Flow = async (client) => {
    during.add(get()?.value)
    await withTimeout(client).catch(() => {})
  }
  await interleave({ actors: { client: flow }, invariant: holds })
  expect(during).not.toContain(before?.value)
  expect(get()).toEqual(before)
})

it('ignores the timeout of a call that has a response, and of an actor that has ended', async () => {
  const flow: Flow = async (client) => {
    for (let call = 0; call < 3; call++) await create(client, AbortSignal.timeout(1000)).catch(() => {})
  }
  const { exhausted, runs } = await interleave({ actors: { client: flow }, invariant: holds })
  expect({ exhausted, runs }).toEqual({ exhausted: true, runs: 37 })
})
