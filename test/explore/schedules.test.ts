import { describe, expect, it, vi } from 'vitest'
import { type Client, type Flow, formatFailure, formatResult, replay } from '../../src/explore/index.ts'
import { atMostOneUser, createUser, holds, listUsers, send } from './support/service.ts'
import { explore, interleave } from './support/searches.ts'

const retried: Flow = (client) => createUser(client).catch(() => createUser(client))
const searching: Flow = async (client) => {
  const { items } = await (await listUsers(client)).json()
  if (items.length === 0) await createUser(client)
}

describe('only', () => {
  it('repeats the failure of a flow from its text', async () => {
    const given = { flow: retried, invariant: atMostOneUser }
    const { failures } = await explore(given)
    const schedules = ['1.after.reset', '1.after.close']
    expect(failures.map((failure) => failure.replay)).toEqual(schedules.slice(0, failures.length))
    const result = await explore({ ...given, only: failures[0]!.replay })
    expect(result).toMatchObject({ runs: 1, exhausted: false, stopped: false, endedBy: 'only' })
    expect(result.failures).toEqual(failures.slice(0, 1))
    expect(await explore({ ...given, only: ['1.before.reset', '1.after.reset'] })).toMatchObject({ runs: 2 })
  })

  it('repeats the failure of actors from its text', async () => {
    const given = { actors: { first: searching, second: searching }, invariant: atMostOneUser }
    const { failures } = await interleave(given)
    expect(failures[0]!.replay).toBe('first,second*2,first')
    expect((await interleave({ ...given, only: failures[0]!.replay })).failures).toEqual(failures.slice(0, 1))
    expect((await interleave({ ...given, only: 'first*2,second' })).failures).toEqual([])
  })

  it('reads names with reserved characters', async () => {
    const actors = { "a, b!*'": searching, 'c:%d': searching }
    const effects = { 'off.line+': { connection: 'reset' } } as const
    const limits = { faults: 1, mustSucceed: ['off.line+'], maxFailures: 100 } as const
    const given = { actors, effects, invariant: atMostOneUser, ...limits }
    const { failures } = await interleave(given)
    expect(failures[0]!.replay).toBe('a%2C%20b%21%2A%27,c%3A%25d*2,a%2C%20b%21%2A%27')
    expect(failures.some((failure) => failure.replay.includes('!before.off%2Eline%2B'))).toBe(true)
    for (const failure of failures) expect((await replay(given, failure.replay)).error).toEqual(failure.error)
  })

  const flow = listUsers
  const actors = { shop: flow, other: flow }
  const reset: Flow = ({ mock }) => mock.reset()
  const malformed = '1.before.malformed'
  const unknownName = "names 'cat', which is unknown. The names are 'shop' or 'other'."
  const unknownChoice = "at step 1, 'shop:2' cannot continue, but 'shop' or 'other' can."
  const notBefore = (at: string) =>
    `does not fit: ${at} is createUser, where 'stale' is not tried before the operation.`
  const noFault = (at: string) => `does not fit: ${at} calls no operation, so it gets no fault.`
  it.each<[what: string, given: object, message: string]>([
    ['an empty text', { flow, only: '' }, "The schedule must not be empty. A fault has the form '1.after.reset'."],
    ['an empty text of actors', { actors, only: '' }, 'The schedule must not be empty.'],
    ['an empty list', { flow, only: [] }, 'only'],
    ['a text of actors for a flow', { flow, only: 'shop,other' }, "A fault has the form '1.after.reset'."],
    ['a text of a flow for actors', { actors, only: '1.after.reset' }, "A step has the form 'a'"],
    ['an unknown phase', { flow, only: '1.during.reset' }, "cannot be read. A fault has the form '1.after.reset'."],
    ['an unknown effect', { flow, only: '1.after.rest' }, "The schedule names the unknown effect 'rest'."],
    ['an unknown effect of an actor', { actors, only: 'shop!after.rest,other' }, "names the unknown effect 'rest'."],
    ['an effect that is not tried there', { flow: createUser, only: '1.before.stale' }, notBefore('call 1')],
    [
      'an effect that is not tried there, of an actor',
      { actors: { shop: createUser }, only: 'shop!before.stale' },
      notBefore('step 1'),
    ],
    ['a fault at a command', { actors: { shop: reset }, only: 'shop!before.reset' }, noFault('step 1')],
    ['a fault at a call that is no operation', { flow: reset, only: '1.after.reset' }, noFault('call 1')],
    ['a phase that is not tried', { flow, only: malformed }, "'malformed' is not tried before the operation"],
    ['a call that is not made', { flow, only: '2.after.reset' }, 'the run makes 1 call, so there is no call 2.'],
    ['an open group', { actors, only: '(shop,other*2' }, 'cannot be read'],
    ['a group in a group', { actors, only: '((shop)*2)*2' }, 'cannot be read'],
    ['an unknown actor', { actors, only: 'shop,cat' }, unknownName],
    ['a choice that does not exist', { actors, only: 'shop:2,other' }, unknownChoice],
    ['a schedule that is too short', { actors, only: 'shop' }, 'ends after step 1, but the run does not'],
    ['a schedule that is too long', { actors, only: 'shop,other*2' }, 'because the run has ended'],
    ['a wrong percent sign', { actors, only: 'sh%op,other' }, 'not percent-encoded correctly'],
    ['no repetition', { actors, only: 'shop*0,other' }, 'cannot be read'],
  ])('rejects %s', async (_, given, message) => {
    const search = 'flow' in given ? explore : interleave
    await expect(search({ invariant: holds, ...given } as never)).rejects.toThrow(message)
  })
})

describe('faults in orders', () => {
  /** An outbox worker: it creates again what it does not know to be created. */
  const worker: Flow = async (client) => {
    const { items } = await (await listUsers(client)).json()
    if (items.length === 0) await createUser(client).catch(() => {})
    const { items: known } = await (await listUsers(client)).json()
    if (known.length === 0) await createUser(client)
  }
  const closer: Flow = async (client) => {
    const { items } = await (await listUsers(client)).json()
    for (const { id } of items) await send(client, 'DELETE', `/users/${id}`)
  }
  const twoSearches = {
    actors: { first: searching, second: searching },
    invariant: atMostOneUser,
    maxFailures: 100,
  } as const
  const unpaid = async ({ mock }: Pick<Client, 'mock'>) => {
    const { progress } = await mock.project('acme').state.get()
    if ((progress?.counters?.usr ?? 0) > 1) throw new Error('created twice')
  }

  it('finds a failure that needs a lost response and an order, which is the smallest', async () => {
    const given = { actors: { worker, closer }, invariant: unpaid, effects: ['reset'] } as const
    const none = await interleave({ ...given, actors: { worker } })
    expect(none.failures).toEqual([])
    const { failures } = await interleave({ ...given, faults: 1 })
    expect(failures.length).toBeGreaterThan(0)
    const faults = failures.map(({ schedule }) => schedule.filter((step) => step.includes('!')).length)
    expect(faults).toEqual(faults.toSorted((a, b) => a - b))
    for (const { replay: text, ...end } of failures)
      expect((await replay({ ...given, faults: 1 }, text)).error).toEqual(end.error)
  })

  it('reports no failure that contains a smaller one with the same error', async () => {
    const { failures } = await interleave({ ...twoSearches, faults: 1, effects: ['malformed'] })
    const small = failures.filter(({ schedule }) => schedule.every((step) => !step.includes('!')))
    expect(small).toHaveLength(4)
    expect(failures.slice(0, 4)).toEqual(small)
    const orders = failures.slice(4).map(({ schedule }) => schedule.map((step) => step.replace(/!.*/, '')).join())
    for (const order of orders) expect(small.map(({ schedule }) => schedule.join())).not.toContain(order)
  })

  it('reports an order once that fails with and without a harmless fault', async () => {
    const effects = { reordered: { evolve: ['order' as const] } }
    const { failures, runs, exhausted } = await interleave({ ...twoSearches, faults: 2, effects })
    expect(failures.map(({ schedule }) => schedule.filter((step) => step.includes('!')).length)).toEqual([0, 0, 0, 0])
    expect({ exhausted, more: runs > 30 }).toEqual({ exhausted: true, more: true })
  })

  it('fails an actor that throws under an effect in mustSucceed', async () => {
    const actors = { first: listUsers, second: listUsers }
    const [effects, mustSucceed] = [['reset'], ['reset']] as const
    const { failures } = await interleave({ actors, invariant: holds, faults: 1, effects, mustSucceed })
    const message = "The actor 'first' must succeed, but threw: fetch failed"
    expect(failures[0]!.error).toMatchObject({ code: 'flowFailed', message })
  })
})

describe('effects', () => {
  it('counts the calls from a rate limit on', async () => {
    const statuses: number[][] = []
    const flow: Flow = async (client) => {
      const own: number[] = []
      for (let call = 0; call < 3; call++) own.push((await listUsers(client)).status)
      statuses.push(own)
    }
    await explore({ flow, invariant: holds, effects: { limited: { rateLimit: { limit: 1, window: 1000 } } } })
    expect(statuses).toEqual([
      [200, 200, 200],
      [200, 429, 429],
      [200, 200, 429],
      [200, 200, 200],
    ])
  })

  it('makes a state of some milliseconds ago fresh by a sleep', async () => {
    const sizes: number[] = []
    const flow: Flow = async (client) => {
      await createUser(client)
      for (const wait of [0, 2000]) {
        await client.sleep(wait)
        sizes.push((await (await listUsers(client)).json()).items.length)
      }
    }
    await explore({ flow, invariant: holds, effects: { lagging: { stale: { milliseconds: 2000 } } } })
    // Undisturbed, then with the first read stale, then with the second, which is late enough.
    expect(sizes).toEqual([1, 1, 0, 1, 1, 1])
  })

  const noHold = 'effects.held must not hold requests, because nothing releases them: `interleave` tries the orders'
  it.each<[effects: unknown, message: string]>([
    [{ held: { hold: true } }, noHold],
    [['rest'], "effects names the unknown effect 'rest'."],
    [[], 'effects must have at least one effect'],
  ])('rejects %j', async (effects, message) => {
    await expect(explore({ flow: listUsers, invariant: holds, effects: effects as never })).rejects.toThrow(message)
  })
})

describe('limits', () => {
  const reading: Flow = async (client) => {
    for (let call = 0; call < 3; call++) await listUsers(client)
  }

  it('stop at maxFailures', async () => {
    const invariant = () => Promise.reject(new Error('no'))
    const actors = { a: reading, b: reading }
    const result = await interleave({ actors, invariant, maxFailures: 3 })
    expect(result).toMatchObject({ runs: 3, stopped: true, exhausted: false, endedBy: 'maxFailures' })
    expect((await interleave({ actors, invariant, maxRuns: 12 })).failures).toHaveLength(10)
  })

  it('stop when the budget ends, by the real clock', async () => {
    let time = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (time += 1))
    vi.resetModules()
    const fresh = await import('../../src/explore/index.ts')
    const result = await fresh.interleave({ actors: { a: reading, b: reading }, invariant: holds, budget: 300 })
    expect(result).toMatchObject({ stopped: true, exhausted: false, endedBy: 'budget', failures: [] })
    expect(fresh.formatResult(result)).toMatch(
      /^\d+ runs with \d+ calls: not exhausted, because its budget ended\. If the actors share nothing but the mock, `isolated: true` may need fewer runs\. No failures\.$/,
    )
    vi.restoreAllMocks()
    vi.resetModules()
  })

  it('end a run that polls without sleeping, but not the search', async () => {
    const polling: Flow = async (client) => {
      while ((await (await listUsers(client)).json()).items.length === 0);
    }
    const actors = { polling, shop: createUser }
    const result = await interleave({ actors, invariant: holds, maxCalls: 7, maxFailures: 100 })
    expect(result).toMatchObject({ runs: 8, exhausted: false, stopped: false, endedBy: 'complete' })
    expect(result.notTried[0]).toEqual({ replay: 'polling*7', why: 'maxCalls ended the run.' })
    expect(formatResult(result)).toContain('not exhausted, because 2 schedules did not run to the end')
    const remedy = "'polling' does not sleep between them: a loop that polls must call `sleep`."
    const error = { code: 'maxCalls', message: `The run sends more than 7 calls. ${remedy}` }
    expect(result.failures[0]).toMatchObject({ replay: 'polling*7', error })
  })

  it('write the schedule of a run that polls without end with repetitions', async () => {
    const polling: Flow = async (client) => {
      for (;;) {
        await listUsers(client)
        await client.sleep(1000)
      }
    }
    const given = { actors: { polling }, invariant: holds, maxCalls: 50 }
    const { failures } = await interleave({ ...given, maxRuns: 1 })
    const [failure] = failures
    expect(failure).toMatchObject({ replay: '(polling,polling:sleep)*50' })
    const message = 'The run sends more than 50 calls. Client code may poll without end, or maxCalls is too low.'
    expect(failure!.error).toHaveProperty('message', message)
    const again = await interleave({ ...given, only: failure!.replay })
    expect(again.failures[0]!.replay).toBe(failure!.replay)
  })
})

describe('sleeps', () => {
  const link = { seed: { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } } }
  const status = async (client: Client) =>
    (await (await send(client, 'GET', '/paymentLinks/pml_1')).json()).status as string

  it.each([0, 12_345, 59_999, 60_000, 120_000])('let a customer who pays after %i ms race a poller', async (after) => {
    const { failures } = await interleave({
      options: link,
      maxFailures: 1,
      actors: {
        poller: async (client) => {
          for (let waited = 0; waited < 60_000; waited += 5000) {
            if ((await status(client)) === 'completed') return
            await client.sleep(5000)
          }
          await send(client, 'POST', '/paymentLinks/pml_1/cancel')
          return 'canceled'
        },
        customer: async ({ mock, sleep }) => {
          await sleep(after)
          await mock
            .project('acme')
            .paymentLinks.pay('pml_1')
            .catch(() => {})
        },
      },
      invariant: async ({ mock, results }) => {
        const { status: paid } = await mock.project('acme').paymentLinks.get('pml_1')
        if (results.poller === 'canceled' && paid === 'completed') throw new Error('noted as canceled, but paid')
      },
    })
    expect(failures).toHaveLength(1)
  })

  it('let no loop that polls without end overtake a call more than `overtakes` times', async () => {
    const polls: number[] = []
    const { exhausted, failures } = await interleave({
      options: link,
      overtakes: 3,
      actors: {
        poller: async (client) => {
          let count = 0
          for (; (await status(client)) !== 'completed'; count++) await client.sleep(1000)
          polls.push(count)
        },
        customer: ({ mock }) => mock.project('acme').paymentLinks.pay('pml_1'),
      },
      invariant: holds,
    })
    expect({ exhausted, failures, most: Math.max(...polls) }).toEqual({ exhausted: true, failures: [], most: 4 })
  })
})

describe('a failure', () => {
  it('shows sleeps, times, and faults that an actor added', async () => {
    const { failures } = await interleave({
      actors: {
        shop: async (client) => {
          await client.mock.project('acme').faults.add({ effect: { status: 503 } })
          await client.sleep(1500)
          return (await listUsers(client)).status
        },
      },
      invariant: ({ results, thrown, result }) => {
        throw new Error(JSON.stringify({ results, thrown, result }))
      },
    })
    expect(formatFailure(failures[0]!)).toMatchInlineSnapshot(`
      "{"results":{"shop":503},"thrown":{}}
      In this order:
        1. 00:00:00.000  shop  POST /__admin/projects/acme/faults {"effect":{"status":503}} -> 200 flt_CJw2kY9sLZwuxRpPBh2OEMoUcqfI
           00:00:01.500  shop  a timer ends
      ! 2. 00:00:01.500  shop  GET /projects/acme/users -> 503 injectedFault (flt_CJw2kY9sLZwuxRpPBh2OEMoUcqfI: {"status":503})
      only: 'shop,shop:sleep,shop'"
    `)
    const result = await interleave({ actors: { listUsers }, invariant: holds })
    expect(formatResult(result)).toBe('1 run with 1 call: exhausted. No failures.')
  })

  it('gives the invariant the value of the flow', async () => {
    const seen: unknown[] = []
    await explore({
      flow: async (client) => (await listUsers(client)).status,
      invariant: ({ result, results, thrown }) => void seen.push([result, results, Object.keys(thrown)]),
      effects: ['reset'],
    })
    expect(seen).toEqual([
      [200, { flow: 200 }, []],
      [undefined, {}, ['flow']],
    ])
  })

  it('says what to do instead of `mock.listen()`', async () => {
    const flow: Flow = ({ mock }) => mock.listen()
    const remedy = 'For a client that takes none, use paylinkHandlers({ ...mock, fetch }, baseUrl) of paylink-mock/msw.'
    await expect(explore({ flow, invariant: holds })).rejects.toThrow(remedy)
  })
})
