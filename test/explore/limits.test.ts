import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Client,
  type ExploreOptions,
  type Flow,
  formatFailure,
  type Progress,
  replay,
} from '../../src/explore/index.ts'
import { parseExplore, parseInterleave } from '../../src/explore/options.ts'
import { createUser, holds, listUsers, send } from './support/service.ts'
import { explore, interleave } from './support/searches.ts'

const start = Date.parse('2025-01-01T00:00:00.000Z')
const effects = { down: { status: 503 } } as const

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('sleep and now', () => {
  it('advance and read the clock of the mock', async () => {
    const times: number[] = []
    await explore({
      flow: async (client) => {
        for (const delay of [60_000, 0.5, 0, -1, Number.NaN]) {
          await client.sleep(delay)
          times.push(client.now() - start)
        }
        await listUsers(client)
      },
      invariant: holds,
      effects: { malformed: { corrupt: 'malformed' } },
    })
    expect(times.slice(0, 5)).toEqual([60_000, 60_001, 60_001, 60_001, 60_001])
    expect(times.slice(5)).toEqual(times.slice(0, 5))
  })

  it('read a stepping clock of any project', async () => {
    const times: number[] = []
    await explore({
      options: { clock: { mode: 'stepping', step: 7 } },
      flow: async (client) => {
        await createUser(client)
        times.push(client.now() - start)
      },
      invariant: holds,
      effects: { malformed: { corrupt: 'malformed' } },
    })
    expect(times).toEqual([7, 7])
  })
})

/** Moves fake time until the work ends. */
const throughTime = async <T>(work: Promise<T>): Promise<T> => {
  let isDone = false
  const ended = work.finally(() => (isDone = true))
  ended.catch(() => {})
  for (;;) {
    if (isDone) return ended
    await vi.advanceTimersByTimeAsync(1000)
  }
}

it('clients with global timers work under fake timers', async () => {
  vi.useFakeTimers()
  const retrying: Flow = async (client) => {
    for (;;) {
      const response = await listUsers(client)
      if (response.ok) return
      await new Promise((resolve) => setTimeout(resolve, 30_000))
    }
  }
  const flow: Flow = (client) => throughTime(Promise.resolve(retrying(client)))
  const { runs, failures } = await explore({ flow, invariant: holds, effects, mustSucceed: ['down'] })
  expect({ runs, failures }).toEqual({ runs: 2, failures: [] })
})

describe('a run fails', () => {
  const endless: Flow = async (client) => {
    while (!(await listUsers(client)).ok);
    while ((await createUser(client)).status === 503);
  }

  it('with more than maxCalls calls beside a sleep', async () => {
    const lister: Flow = async (client) => {
      await listUsers(client)
      await listUsers(client)
    }
    const invariant = vi.fn<() => void>()
    await interleave({ actors: { lister, sleeper: (client) => client.sleep(1000) }, invariant, maxCalls: 1 })
    expect(invariant).not.toHaveBeenCalled()
  })

  it('without a call for the timeout, also when it sleeps', async () => {
    const waiting: Flow = async (client) => {
      if ((await listUsers(client)).ok) return
      for (;;) await client.sleep(1)
    }
    const hanging: Flow = async (client) => {
      const { ok } = await listUsers(client)
      if (!ok) await new Promise(() => {})
    }
    for (const flow of [waiting, hanging]) {
      const { failures } = await explore({ flow, invariant: holds, effects, timeout: 20 })
      expect(failures).toHaveLength(1)
      expect(failures[0]!.error).toMatchObject({ code: 'timeout' })
    }
  })

  it('when the connection hangs and the client waits', async () => {
    const hang = { hang: { connection: 'hang' } } as const
    const { failures } = await explore({ flow: listUsers, invariant: holds, effects: hang, timeout: 20 })
    expect(failures.map(({ requests }) => requests[0]!.status)).toEqual([null])
  })

  it('and gets no further', async () => {
    let ends = 0
    const flow: Flow = async (client) => {
      await endless(client)
      ends++
    }
    await explore({ flow, invariant: holds, effects, maxCalls: 2 })
    expect(ends).toBe(1)
  })
})

describe('signal', () => {
  const stopAt = (call: number) => {
    const controller = new AbortController()
    let calls = 0
    const flow: Flow = async (client) => {
      if (++calls === call) controller.abort()
      await createUser(client)
    }
    return { signal: controller.signal, flow }
  }
  const fails: ExploreOptions['invariant'] = async ({ mock }) => {
    if ((await mock.project('acme').summary()).users === 0) throw new Error('no user')
  }

  it.each([
    [1, 0, 0],
    [2, 1, 0],
    [3, 2, 1],
  ])('stops explore in run %i and returns what it found', async (call, runs, found) => {
    const { signal, flow } = stopAt(call)
    const result = await explore({ flow, invariant: fails, effects, signal })
    expect(result).toMatchObject({ runs, stopped: true })
    expect(result.failures).toHaveLength(found)
  })

  it('stops a run that hangs', async () => {
    const controller = new AbortController()
    const flow: Flow = async (client) => {
      if ((await listUsers(client)).ok) return
      controller.abort()
      await new Promise(() => {})
    }
    const result = await explore({ flow, invariant: holds, effects, signal: controller.signal })
    expect(result).toMatchObject({ runs: 1, stopped: true })
  })

  it('stops interleave in its second run', async () => {
    const { signal, flow } = stopAt(5)
    const result = await interleave({ actors: { a: flow, b: flow, c: flow }, invariant: holds, signal })
    expect(result).toMatchObject({ runs: 1, exhausted: false, stopped: true, endedBy: 'signal' })
  })
})

it('calls onProgress at most every 500 ms, with the runs and calls so far', async () => {
  let time = 0
  vi.spyOn(performance, 'now').mockImplementation(() => time)
  vi.resetModules()
  const fresh = await import('../../src/explore/index.ts')
  const seen: Progress[] = []
  const flow: Flow = async (client) => {
    time += 200
    await listUsers(client)
  }
  const onProgress = (progress: Progress) => seen.push(progress)
  await fresh.explore({ flow, invariant: holds, onProgress })
  await fresh.interleave({ actors: { a: flow, b: flow }, invariant: holds, onProgress })
  expect(seen).toEqual([
    { runs: 3, calls: 3 },
    { runs: 6, calls: 6 },
    { runs: 2, calls: 4 },
  ])
  vi.resetModules()
})

it('reports a thrown value that has no text', async () => {
  const invariant = () => {
    throw Object.create(null)
  }
  const { failures } = await interleave({ actors: { listUsers }, invariant })
  expect(formatFailure(failures[0]!)).toContain('A value that has no text was thrown.')
})

it('has the documented defaults', () => {
  const flow = () => {}
  const shared = { maxCalls: 1000, timeout: 5000, maxFailures: 10, mustSucceed: [] }
  expect(parseExplore({ flow, invariant: holds })).toMatchObject({ ...shared, faults: 1, budget: null })
  expect(parseExplore({ flow, invariant: holds, faults: 2 })).toMatchObject({ ...shared, budget: 4000 })
  expect(parseInterleave({ actors: { flow }, invariant: holds, overtakes: 0 })).toMatchObject({ overtakes: 0 })
  const ofOrders = { faults: 0, budget: 4000, isolated: false, overtakes: 20, maxRuns: 10_000 }
  expect(parseInterleave({ actors: { flow }, invariant: holds })).toMatchObject({ ...shared, ...ofOrders })
})

it('returns failures with the fewest faults first, then with the fewest changes of actor', async () => {
  const order: string[] = []
  const actor = (name: string) => async (client: Client) => {
    for (let call = 1; call <= 2; call++) {
      const { status } = await send(client, 'GET', `/users/usr_${name}${call}`)
      order.push(status === 503 ? name.toUpperCase() : name)
    }
  }
  const { failures } = await interleave({
    actors: { a: actor('a'), b: actor('b') },
    effects,
    faults: 1,
    invariant: () => {
      const found = order.splice(0).join('')
      // The search changes the end of a run first.
      if (['baab', 'abab', 'Abab', 'bbAa'].includes(found)) throw new Error(found)
    },
  })
  const messages = failures.map(({ error }) => (error as Error).message)
  expect(messages).toEqual(['baab', 'abab', 'bbAa', 'Abab'])
})

it('has no budget when it repeats a failure', async () => {
  const flow: Flow = async (client) => {
    // Work outside of the search, which ends after the budget.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await listUsers(client)
  }
  const outcome = await replay({ flow, effects, budget: 1, invariant: holds }, '1.before.down')
  expect(outcome).toMatchObject({ error: null, requests: [{ status: 503 }] })
  expect((await replay({ flow, invariant: holds, signal: AbortSignal.abort() }, [])).requests).toHaveLength(1)
})

/** A search whose timers and time are the same mocked clock: none of them can be skipped. */
const importWithFakeTime = async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.resetModules()
  onTestFinished(() => void vi.resetModules())
  const { startClock } = await import('../../src/explore/search-clock.ts')
  const { waitForWake } = await import('../../src/explore/run.ts')
  return { startClock, waitForWake }
}

it.each([
  ['its budget', 2000, 2000],
  ['the time that it was given, if that is shorter', 20_000, 10_000],
  ['the time that it was given, without a budget', null, 10_000],
])('a wait for a client that waits for its own timer ends after %s', async (_, budget, expected) => {
  const fresh = await importWithFakeTime()
  using clock = fresh.startClock({ signal: undefined, budget, maxRuns: 10, onProgress: undefined })
  let ended: number | undefined
  const start = clock.now()
  void fresh.waitForWake(() => {}, Math.min(10_000, clock.getTimeLeft())).then(() => (ended = clock.now() - start))
  await vi.advanceTimersByTimeAsync(expected - 1)
  expect(ended).toBeUndefined()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(ended).toBe(expected)
  expect(clock.getSpent() === 1).toBe(budget !== null)
})
