import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ExploreOptions, RunError } from '../../src/explore/index.ts'
import { atMostOneUser, countUsers, createUser, holds, listUsers, send } from './support/service.ts'
import { readText } from '../support/read.ts'
import { explore } from './support/searches.ts'

const places = async (given: ExploreOptions) =>
  (await explore(given)).failures.map(({ schedule }) =>
    schedule.map(({ call, operation, phase, effect }) => `${effect} ${phase} ${call} ${operation}`).join(', '),
  )

/** A create that is sent again when it fails. */
const retriedCreate: ExploreOptions['flow'] = async (client) => {
  for (let tries = 0; tries < 2; tries++) {
    const isCreated = await createUser(client)
      .then(async (response) => response.ok && (await response.json()))
      .catch(() => false)
    if (isCreated) return
  }
}

describe('explore', () => {
  it('finds a create that is repeated silently when the service closes without a response', async () => {
    const flow: ExploreOptions['flow'] = async (client) => {
      await createUser(client).catch((error: Error) => {
        // Some clients of HTTP do so, as if the connection had been idle. After a reset they give up.
        if ((error.cause as { code?: string }).code === 'UND_ERR_SOCKET') return createUser(client)
        throw error
      })
    }
    expect(await places({ flow, invariant: atMostOneUser })).toEqual(['close after 1 createUser'])
  })

  it('runs the flow undisturbed, and with each effect at each call, before and after the operation', async () => {
    const seen: string[] = []
    const { runs, calls, failures, stopped } = await explore({
      flow: async (client) => {
        const ends: string[] = []
        for (const call of [createUser, listUsers])
          ends.push(
            await call(client).then(
              async (response) => `${response.status}${(await response.text()).at(-1)}`,
              () => 'reset',
            ),
          )
        seen.push(`${ends.join(' ')}, ${await countUsers(client)} users`)
      },
      invariant: holds,
    })
    // A malformed response comes after the operation, and only a read can be stale. A lost response of a read is one before it.
    // An outage without a later call is `unavailable`.
    expect({ runs, calls, failures, stopped }).toEqual({ runs: 16, calls: 48, failures: [], stopped: false })
    expect(seen).toEqual([
      '201} 200}, 1 users',
      'reset 200}, 0 users',
      'reset 200}, 0 users',
      '503} 200}, 0 users',
      '429} 200}, 0 users',
      'reset 200}, 1 users',
      'reset 200}, 1 users',
      '503} 200}, 1 users',
      '201! 200}, 1 users',
      '429} 200}, 1 users',
      '201} reset, 1 users',
      '201} reset, 1 users',
      '201} 503}, 1 users',
      '201} 429}, 1 users',
      '201} 200}, 1 users',
      '201} 200!, 1 users',
    ])
  })

  it('finds the lost response that makes a retry create twice, with the error and the requests of the run', async () => {
    const { failures } = await explore({ flow: retriedCreate, invariant: atMostOneUser })
    const expected = ['reset', 'close', 'unavailable', 'malformed', 'rateLimited'].map((effect) => `1.after.${effect}`)
    expect(failures.map(({ replay }) => replay)).toEqual(expected)
    const time = '2025-01-01T00:00:00.000Z'
    const call = { actor: null, operation: 'createUser', time, method: 'POST', path: '/projects/acme/users' }
    expect(failures[0]).toEqual({
      schedule: [{ call: 1, operation: 'createUser', phase: 'after', effect: 'reset' }],
      replay: '1.after.reset',
      events: [],
      error: new Error('2 users'),
      requests: [
        {
          ...call,
          body: '{"email":"ada@example.com"}',
          status: null,
          response: null,
          fault: 'reset after the operation',
          note: 'created usr_91utbUuWoZP9K3NHUDsfMRqGUCNJ',
        },
        {
          ...call,
          body: '{"email":"ada@example.com"}',
          status: 201,
          response: expect.stringContaining('"object":"user"'),
          fault: null,
          note: null,
        },
      ],
      sleeps: [],
    })
  })

  it('checks the invariant also when the flow has thrown', async () => {
    const flow: ExploreOptions['flow'] = async (client) => {
      await createUser(client)
      await listUsers(client)
    }
    const invariant: ExploreOptions['invariant'] = async (run) => {
      if ((await countUsers(run)) !== 1) throw new Error('no user')
    }
    expect(await places({ flow, invariant, effects: { reset: { connection: 'reset' } } })).toEqual([
      'reset before 1 createUser',
    ])
  })

  it('tries pairs, where the second place comes from the run with the first fault', async () => {
    const effects = { down: { status: 503 } } as const
    // Only a first failure leads to the second call, and only a second one to the user.
    const flow: ExploreOptions['flow'] = async (client) => {
      if ((await listUsers(client)).ok) return
      if ((await send(client, 'GET', '/paymentLinks')).ok) return
      await createUser(client)
    }
    const invariant: ExploreOptions['invariant'] = async (run) => {
      if ((await countUsers(run)) > 0) throw new Error('a user')
    }
    const given = { flow, invariant, effects }
    expect(await explore(given)).toMatchObject({ runs: 2, failures: [] })
    expect(await places({ ...given, faults: 2 })).toEqual(['down before 1 listUsers, down before 2 listPaymentLinks'])
  })

  it('extends no fault that fails alone', async () => {
    const { failures } = await explore({ flow: retriedCreate, invariant: atMostOneUser, faults: 2 })
    expect(failures.filter(({ schedule }) => schedule[0]!.phase === 'after')).toHaveLength(5)
  })

  it('fails a flow that throws under an effect in mustSucceed', async () => {
    const flow: ExploreOptions['flow'] = async (client) => {
      if (!(await listUsers(client)).ok) throw new Error('no list')
    }
    const { failures } = await explore({ flow, invariant: holds, mustSucceed: ['unavailable'] })
    expect(failures.map(({ schedule }) => schedule[0]!.effect)).toEqual(['unavailable'])
    const { error } = failures[0]!
    expect(error).toBeInstanceOf(RunError)
    expect(error).toMatchObject({
      code: 'flowFailed',
      message: 'The flow must succeed, but threw: no list',
      cause: new Error('no list'),
    })
  })

  it.each([
    [['unavailable'], 0],
    [['unavailable', 'reset'], 2],
  ])('fails a flow that throws under two faults only if %j has both', async (mustSucceed, count) => {
    // It throws only if both of its calls fail, and in different ways.
    const flow: ExploreOptions['flow'] = async (client) => {
      const call = () =>
        listUsers(client).then(
          ({ status }) => status,
          () => 'reset',
        )
      const seen = [await call(), await call()]
      if (new Set(seen).size === 2 && !seen.includes(200)) throw new Error('no list')
    }
    const effects = { unavailable: { status: 503 }, reset: { connection: 'reset' } } as const
    const { failures } = await explore({ flow, invariant: holds, mustSucceed, effects, faults: 2 })
    expect(new Set(failures.map(({ schedule }) => schedule.map(({ effect }) => effect).join())).size).toBe(count)
  })

  it('starts each run with a new mock of the same options', async () => {
    const bodies = new Set<string>()
    const seed = { template: { users: [{ email: 'bo@example.com' }] } }
    const { runs } = await explore({
      options: { idSeed: 'other', seed, tokens: ['any'], behaviors: { createStatus: 200 } },
      flow: async (client) => {
        bodies.add(await readText(listUsers(client)))
        bodies.add(`${(await createUser(client)).status}`)
      },
      invariant: async (run) => void bodies.add(`${await countUsers(run)} users`),
      effects: { malformed: { corrupt: 'malformed' } },
    })
    expect(runs).toBe(3)
    expect([...bodies].map((body) => body.replace(/^.*(usr_).*(.)$/, '$1 $2'))).toEqual([
      'usr_ }',
      '200',
      '2 users',
      'usr_ !',
    ])
  })

  it('counts concurrent calls in order of arrival, whatever their bodies', async () => {
    const flow: ExploreOptions['flow'] = (client) => Promise.allSettled([createUser(client), listUsers(client)])
    const invariant: ExploreOptions['invariant'] = async (run) => {
      if ((await countUsers(run)) === 0) throw new Error('no user')
    }
    expect(await places({ flow, invariant, effects: { x: { status: 503 } } })).toEqual(['x before 1 createUser'])
  })

  it('explores calls of `mock.fetch` and of a Request, and has no place for routes without an operation', async () => {
    const headers = { authorization: 'Bearer any' }
    const flow: ExploreOptions['flow'] = async ({ fetch, mock }) => {
      await mock.fetch('/projects/acme/nowhere', { headers })
      await fetch(new Request('http://mock/projects/acme/users', { headers }))
    }
    const { runs } = await explore({ flow, invariant: holds, effects: { down: { status: 503 } } })
    expect(runs).toBe(2)
  })

  it('prints nothing', async () => {
    const spies = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
    onTestFinished(() => spies.forEach((spy) => spy.mockRestore()))
    await explore({ flow: retriedCreate, invariant: atMostOneUser })
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })
})
