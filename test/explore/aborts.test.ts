import { describe, expect, it } from 'vitest'
import type { Client, FinishedRun, Flow, InterleaveOptions } from '../../src/explore/index.ts'
import { createUser, headers, holds, listUsers, oneUser, streamed } from './support/service.ts'
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
    expect(await interleave({ actors: { client: flow }, invariant: holds })).toMatchObject({ calls: 1, runs: 1 })
  })

  it('is not sent if its body was not complete', async () => {
    const flow: Flow = async (client) => {
      const init = streamed(() => client.sleep(2000).then(() => '{"email":"ada@example.com"}'))
      await client.fetch(users, { ...init, signal: AbortSignal.timeout(1000) }).catch(() => createUser(client))
      await client.sleep(3000)
    }
    const { calls, runs, failures } = await interleave({ actors: { flow }, invariant: oneUser })
    expect({ calls, runs, failures }).toEqual({ calls: 2, runs: 2, failures: [] })
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

it('rejects an invalid timeout as the runtime does', async () => {
  const errors: string[] = []
  const flow: Flow = async (client) => {
    await createUser(client)
    for (const delay of [-1, 1.5, Number.NaN, 2 ** 32])
      try {
        AbortSignal.timeout(delay)
      } catch (error) {
        errors.push((error as Error).name)
      }
  }
  await interleave({ actors: { flow }, invariant: holds })
  expect(errors).toEqual(Array(4).fill('RangeError'))
})

it('ignores the timeout of a call that has a response, and of an actor that has ended', async () => {
  const flow: Flow = async (client) => {
    for (let call = 0; call < 3; call++) await create(client, AbortSignal.timeout(1000)).catch(() => {})
  }
  expect(await interleave({ actors: { client: flow }, invariant: holds })).toMatchObject({ exhausted: true, runs: 37 })
})

describe('a timeout that is over', () => {
  const wait = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))
  const toState = ({ aborted }: AbortSignal) => (aborted ? 'over' : 'open')
  /** Lists what the client reports, over all orders. */
  const listReports = async (
    flow: (client: Client) => Promise<string>,
    isolated: boolean,
    options: InterleaveOptions['options'] = {},
  ) => {
    const reports = new Set<unknown>()
    const invariant = ({ results: { client } }: FinishedRun) => reports.add(client)
    const { exhausted } = await interleave({
      actors: { client: flow, reader: listUsers },
      invariant,
      isolated,
      options,
    })
    expect(exhausted).toBe(true)
    return [...reports].toSorted()
  }
  it.each<
    [
      what: string,
      reports: readonly string[],
      flow: (client: Client) => Promise<string>,
      options?: InterleaveOptions['options'],
    ]
  >([
    [
      'after a longer sleep',
      ['over'],
      async (client) => {
        const signal = AbortSignal.timeout(1000)
        await client.sleep(2000)
        return toState(signal)
      },
    ],
    [
      'before or after a sleep that ends with it',
      ['1 calls', '2 calls', '3 calls'],
      async (client) => {
        const signal = AbortSignal.timeout(2000)
        let calls = 0
        for (; calls < 4 && !signal.aborted; calls++) {
          await create(client, signal).catch(() => {})
          await client.sleep(1000)
        }
        return `${calls} calls`
      },
    ],
    [
      'after a sleep that began before it and ends with it',
      ['open', 'over'],
      async (client) => {
        const sleeping = client.sleep(1000)
        const signal = AbortSignal.timeout(1000)
        await sleeping
        return toState(signal)
      },
    ],
    [
      'beside a longer sleep',
      ['over at 01.000'],
      async (client) => {
        const signal = AbortSignal.timeout(1000)
        await create(client, signal).catch(() => {})
        if (signal.aborted) return 'over at 01.000'
        await Promise.race([client.sleep(2000), wait(signal)])
        return `${toState(signal)} at ${new Date(client.now()).toISOString().slice(17, 23)}`
      },
    ],
    [
      'during a call without it',
      ['open', 'over'],
      async (client) => {
        const signal = AbortSignal.timeout(1000)
        await createUser(client)
        return toState(signal)
      },
    ],
    [
      'when the code under test advances the clock',
      ['over'],
      async (client) => {
        const signal = AbortSignal.timeout(1000)
        await create(client, signal).catch(() => {})
        await client.mock.clock.advance(1500)
        return toState(signal)
      },
    ],
    [
      'or not during a call that takes its time on a stepping clock',
      ['201', 'TimeoutError'],
      async (client) => {
        const response = create(client, AbortSignal.timeout(500))
        return response.then(
          ({ status }) => `${status}`,
          (error: Error) => error.name,
        )
      },
      { clock: { mode: 'stepping', step: 1000 } },
    ],
    [
      'when the code under test advances the clock beyond one that no call had',
      ['over'],
      async (client) => {
        const signal = AbortSignal.timeout(1000)
        await client.mock.clock.advance(1000)
        return toState(signal)
      },
    ],
  ])('is aborted %s', async (_, reports, flow, options) => {
    expect(await listReports(flow, false, options)).toEqual(reports)
    expect(await listReports(flow, true, options)).toEqual(reports)
  })

  it('ends the attempts of a client in explore', async () => {
    const flow: Flow = async (client) => {
      const deadline = AbortSignal.timeout(5000)
      for (let attempt = 1; attempt <= 3; attempt++) {
        const response = await create(client, deadline).catch(() => undefined)
        if (response?.ok) return
        await client.sleep(4000)
      }
      deadline.throwIfAborted()
    }
    const effects = { unavailable: { status: 503 } }
    const { failures, exhausted } = await explore({
      flow,
      invariant: holds,
      effects,
      faults: 2,
      mustSucceed: ['unavailable'],
    })
    expect(exhausted).toBe(true)
    expect(failures.map(({ requests }) => requests.length)).toEqual([2, 2, 2, 2])
  })
})

it('timeouts of the invariant pass in real time', async () => {
  const reasons: unknown[] = []
  const invariant = async () => {
    const signal = AbortSignal.timeout(1)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    reasons.push(signal.reason.name)
  }
  await interleave({ actors: { listUsers }, invariant })
  expect(reasons).toEqual(['TimeoutError'])
})
