import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
// What a search claims: `exhausted` is true only if everything was tried, and otherwise a list says what is missing.
import { describe, expect, it } from 'vitest'
import { type Client, type Flow, formatResult, type InterleaveOptions, type RunError } from '../../src/explore/index.ts'
import { exploreProgram } from '../../src/explore/programs/explore-program.ts'
import { interleavePrograms } from '../../src/explore/programs/interleave-programs.ts'
import { ActorCall, isDependent, type Step } from '../../src/explore/steps.ts'
import { type Code, searchInProcess } from './support/drawn-programs.ts'
import { explore, interleave } from './support/searches.ts'
import { atMostOneUser, countUsers, createUser, headers, holds, listUsers, streamed } from './support/service.ts'

/** Creates a user with a signal, and if that fails, another one. */
const createTwice =
  (createSignal: () => AbortSignal): Flow =>
  async (client) => {
    const body = JSON.stringify({ email: 'first@example.com' })
    const init = { method: 'POST', headers, body, signal: createSignal() }
    await client.fetch('/projects/acme/users', init).catch(() => createUser(client, 'second@example.com'))
  }

const createAfter =
  (milliseconds: number, email: string): Flow =>
  async (client) => {
    await client.sleep(milliseconds)
    await createUser(client, email)
  }

const createForever: Flow = async (client) => {
  await createUser(client)
  for (;;) await client.sleep(1)
}

/** Creates a user if there is none, through the mock as a server mounts it. */
const ensureMounted: Flow = async ({ mock }) => {
  const fetch: Client['fetch'] = (input, init) =>
    mock.app.fetch(new Request(typeof input === 'string' ? `http://mock${input}` : input, init), {})
  const { items } = await (await listUsers({ fetch })).json()
  if (items.length === 0) await createUser({ fetch })
}

const createBoth: Flow = async (client) => {
  const { items } = await (await listUsers(client)).json()
  if (items.length < 2) await Promise.all([createUser(client, 'a@b.c'), createUser(client, 'd@b.c')])
}

describe('isolated', () => {
  /** Lists the users at the end of each order, in their order. */
  const listOutcomes = async (given: Partial<InterleaveOptions>, isolated: boolean) => {
    const outcomes = new Set<string>()
    const invariant = async ({ mock }: Pick<Client, 'mock'>) => {
      const { items } = await mock.project('acme').users.list()
      outcomes.add(items.map(({ email }) => email).join())
    }
    const { exhausted } = await interleave({ actors: {}, ...given, invariant, isolated })
    return { exhausted, outcomes: [...outcomes].toSorted() }
  }

  it.each<[what: string, outcomes: number, given: Partial<InterleaveOptions>]>([
    ['a timeout before its call', 3, { actors: { a: createTwice(() => AbortSignal.timeout(1000)) } }],
    [
      'a timeout in a combined signal',
      3,
      { actors: { a: createTwice(() => AbortSignal.any([AbortSignal.timeout(1000)])) } },
    ],
    [
      'a sleep before a shorter one of another actor',
      2,
      {
        actors: {
          a: createAfter(2000, 'a@b.c'),
          b: async (client) => {
            await listUsers(client)
            await createAfter(1000, 'b@b.c')(client)
          },
        },
      },
    ],
    ['the call that a crash of its actor drops', 6, { actors: { a: createBoth }, faults: 1, effects: ['crash'] }],
  ])('tries %s', async (_, count, given) => {
    const all = await listOutcomes(given, false)
    expect(all).toMatchObject({ exhausted: true, outcomes: { length: count } })
    expect(await listOutcomes(given, true)).toEqual(all)
  })

  it.each([
    ['maxCalls', { actors: { a: createUser, b: createUser }, maxCalls: 1 }, ['a', 'b']],
    ['timeout', { actors: { a: createForever }, timeout: 1, overtakes: 0 }, [expect.stringMatching(/^a/)]],
  ])('claims nothing if %s ended a run', async (limit, given, replays) => {
    expect(await interleave({ ...given, invariant: holds, isolated: true })).toMatchObject({
      exhausted: false,
      notTried: replays.map((replay) => ({ replay, why: `${limit} ended the run.` })),
    })
  })
})

it('a step depends on one that prevents it, although they share no data', () => {
  const step: Step = {
    id: 'a#1',
    actor: 'a',
    text: 'a',
    created: -1,
    call: new ActorCall({ method: 'GET', path: '/', body: null }),
    fault: undefined,
    ready: [],
    prevented: new Set<string>(),
    accesses: new Map(),
    time: '',
  }
  const other: Step = { ...step, id: 'b#1', actor: 'b' }
  expect(isDependent(step, other)).toBe(false)
  expect(isDependent({ ...step, prevented: new Set(['b#1']) }, other)).toBe(true)
  expect(isDependent(step, { ...other, prevented: new Set(['a#1']) })).toBe(true)
})

describe('a timeout of an actor that continues in a step of another one', () => {
  it.each<[what: string, createSignal: () => AbortSignal]>([
    ['alone', () => AbortSignal.timeout(1000)],
    ['in a combined signal', () => AbortSignal.any([AbortSignal.timeout(1000)])],
  ])('ends its call: %s', async (_, createSignal) => {
    let open = () => {}
    const counts = new Set<number>()
    const { exhausted } = await interleave({
      actors: {
        waiter: async (client) => {
          await new Promise<void>((resolve) => (open = resolve))
          await createTwice(createSignal)(client)
        },
        opener: async (client) => {
          await listUsers(client)
          open()
        },
      },
      invariant: async (run) => counts.add(await countUsers(run)),
    })
    expect({ exhausted, counts }).toEqual({ exhausted: true, counts: new Set([1, 2]) })
  })
})

const waitFor = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const listTwice: Flow = async (client) => {
  await listUsers(client)
  await listUsers(client)
}

/** Digests as often as given, which takes real time. */
const sign = async (count: number) => {
  for (let round = 0; round < count; round++) await crypto.subtle.digest('SHA-256', new Uint8Array(100_000))
}

describe('a search in process', () => {
  const fault = { match: { operation: 'createUser' }, effect: { delay: { milliseconds: 1 } } } as const
  it.each<[what: string, actor: Flow, caveat: string]>([
    [
      'a command that waits',
      ({ mock }) =>
        mock
          .project('acme')
          .requests.verify({ match: { operation: 'createUser' }, within: 1 })
          .catch(() => {}),
      "'a' uses a command that waits for others in real time, and other orders were not tried.",
    ],
    [
      'a subscription to events',
      async ({ mock }) => {
        const events = mock.project('acme').events()[Symbol.asyncIterator]()
        const next = events.next()
        await mock.project('acme').users.create({ email: 'a@example.com' })
        await next
        await events.return?.()
      },
      "'a' uses a command that waits for others in real time, and other orders were not tried.",
    ],
    [
      'work before its call',
      async (client) => {
        await waitFor(1)
        await listUsers(client)
      },
      "'a' works in real time, as with a timer or WebCrypto, and other orders were not tried.",
    ],
    [
      'a file that it sends',
      async ({ fetch }) => {
        const body = Readable.toWeb(createReadStream(import.meta.filename))
        await fetch('/projects/acme/users', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
      },
      "'a' works in real time, as with a timer or WebCrypto, and other orders were not tried.",
    ],
    [
      'a body that takes a long time',
      async ({ fetch }) => {
        await fetch(
          '/projects/acme/users',
          streamed(() => waitFor(500).then(() => '{}')),
        )
      },
      "'a' works in real time, as with a timer or WebCrypto, and other orders were not tried.",
    ],
    [
      'a timeout that it sends again after another call',
      async (client) => {
        const init = { headers, signal: AbortSignal.timeout(1000) }
        await client.fetch('/projects/acme/users', init).catch(() => {})
        await listUsers(client)
        await client.fetch('/projects/acme/users', init).catch(() => {})
      },
      "'a' uses a timeout again after a call without it. That the timeout passes during this call was not tried.",
    ],
    [
      'a response that it reads after another call',
      async (client) => {
        const init = { headers, signal: AbortSignal.timeout(1000) }
        const response = await client.fetch('/projects/acme/users', init).catch(() => undefined)
        await listUsers(client)
        await response?.json().catch(() => {})
      },
      "'a' uses a timeout again after a call without it. That the timeout passes during this call was not tried.",
    ],
    [
      'a delay of its own',
      async (client) => {
        await client.mock.project('acme').faults.add(fault)
        await createUser(client)
      },
      "A fault of the code delays a call of 'a' in real time, and other orders were not tried. Use an effect with a delay.",
    ],
  ])('claims nothing with %s', async (_, a, caveat) => {
    const result = await interleave({ actors: { a, b: listUsers }, invariant: holds })
    expect(result).toMatchObject({ exhausted: false, notTried: [], caveats: [caveat] })
    expect(formatResult(result)).toContain(`: not exhausted. ${caveat}`)
  })

  it.each<[what: string, flow: Flow]>([
    ['at the same time', (client) => Promise.all([listUsers(client), listUsers(client)])],
    ['beside a sleep', (client) => Promise.all([listUsers(client), client.sleep(10).then(() => listUsers(client))])],
    [
      'without awaiting them',
      async (client) => {
        listUsers(client).catch(() => {})
        await client.sleep(10)
        await listUsers(client)
      },
    ],
    [
      'while another one waits for a timer',
      (client) => Promise.allSettled([listUsers(client), waitFor(20).then(() => listUsers(client))]),
    ],
    [
      'while it signs another one',
      (client) => Promise.allSettled([sign(1), sign(20)].map((signed) => signed.then(() => listUsers(client)))),
    ],
  ])('claims nothing of a flow that sends calls %s', async (_, flow) => {
    expect(await explore({ flow, invariant: holds })).toMatchObject({
      exhausted: false,
      caveats: [
        expect.stringMatching(/^The flow sends calls at the same time, or beside a sleep\..* the other orders\.$/),
      ],
    })
  })

  it('claims to have tried all faults of a flow that signs each call before it sends it', async () => {
    const flow: Flow = async (client) => {
      for (let call = 0; call < 3; call++) await sign(1).then(() => listUsers(client))
    }
    const { exhausted, caveats, runs } = await explore({ flow, invariant: holds, effects: ['unavailable'] })
    expect({ exhausted, caveats, runs }).toEqual({ exhausted: true, caveats: [], runs: 4 })
  })

  /** Works before it tries again, and only does so if its deadline has not passed. */
  const createWithRetry =
    (startDeadline: (client: Client) => () => boolean, work: () => Promise<void>): Flow =>
    async (client) => {
      const isOver = startDeadline(client)
      if ((await createUser(client).catch(() => undefined))?.ok) return
      await work()
      if (!isOver()) await createUser(client).catch(() => {})
    }
  it.each<[what: string, startDeadline: (client: Client) => () => boolean]>([
    [
      'timeout',
      () => {
        const signal = AbortSignal.timeout(30_000)
        return () => signal.aborted
      },
    ],
    [
      'sleep',
      ({ sleep }) => {
        let isOver = false
        void sleep(30_000).then(() => (isOver = true))
        return () => isOver
      },
    ],
  ])('a %s does not end while a flow works', async (_, startDeadline) => {
    const flow = createWithRetry(startDeadline, async () => void (await waitFor(1)))
    const { failures } = await explore({ flow, invariant: atMostOneUser, only: '1.after.unavailable' })
    expect(failures.map(({ error }) => error)).toEqual([new Error('2 users')])
  })

  it('claims to have tried all faults of a flow that leaves a sleep and a timeout behind', async () => {
    const flow: Flow = async (client) => {
      void client.sleep(10)
      AbortSignal.timeout(10)
      await listUsers(client)
      await client.sleep(20)
      await listUsers(client)
    }
    expect(await explore({ flow, invariant: holds })).toMatchObject({ exhausted: true, caveats: [] })
  })

  it.each<[what: string, call: (client: Client, ended: Promise<void>) => void]>([
    ['alone', (client, ended) => ended.then(() => createUser(client))],
    ['in real time', (client) => setTimeout(() => createUser(client), 1)],
    ['after a timeout', (client) => AbortSignal.timeout(1000).addEventListener('abort', () => createUser(client))],
  ])('claims nothing of an actor that sends a call after the end of its run, %s', async (_, call) => {
    let end = () => {}
    const a: Flow = async (client) => {
      await createUser(client)
      call(client, new Promise((resolve) => (end = resolve)))
    }
    const text = 'sent a call after its run had ended. It was not tried: await it before the end.'
    const invariant = () => end()
    const effects = ['crash'] as const
    const orders = await interleave({ actors: { a, b: listUsers }, invariant, effects })
    expect(orders).toMatchObject({ exhausted: false, caveats: [`'a' ${text}`] })
    const faults = await explore({ flow: a, invariant, effects })
    expect(faults).toMatchObject({ exhausted: false, caveats: [`The flow ${text}`] })
  })

  it('claims nothing of a flow that gives up calls by a timer of its own', async () => {
    const flow: Flow = async (client) => {
      for (let call = 0; call < 2; call++) {
        const controller = new AbortController()
        const timer = setTimeout(() => controller.abort(), 60)
        await client
          .fetch('/projects/acme/users', { headers, signal: controller.signal })
          .catch(() => listUsers(client))
        clearTimeout(timer)
        await waitFor(40)
      }
    }
    expect(await explore({ flow, invariant: holds, effects: ['unavailable'] })).toMatchObject({
      exhausted: false,
      caveats: [expect.stringContaining('acts differently if its calls take longer, as with a timeout of its own.')],
    })
  })

  it('runs no flow if its signal is aborted', async () => {
    let count = 0
    const flow: Flow = async (client) => void (count++, await listUsers(client))
    const { runs, endedBy } = await explore({ flow, invariant: holds, signal: AbortSignal.abort() })
    expect({ count, runs, endedBy }).toEqual({ count: 0, runs: 0, endedBy: 'signal' })
  })

  it('says nothing of a late call if it cut off the run', async () => {
    let continueLast = () => {}
    const late: Flow = (client) =>
      new Promise<void>((resolve) => (continueLast = resolve)).then(() => listUsers(client))
    const a: Flow = async (client) => {
      continueLast()
      await listTwice(client)
    }
    const { failures, caveats } = await interleave({ actors: { a, b: listTwice, late }, invariant: holds })
    expect({ codes: new Set(failures.map(({ error }) => (error as RunError).code)), caveats }).toEqual({
      codes: new Set(['deadlock']),
      caveats: [],
    })
  })

  it('tries orders and faults of calls of the mounted mock', async () => {
    const { failures, exhausted } = await interleave({
      actors: { a: ensureMounted, b: ensureMounted },
      invariant: atMostOneUser,
    })
    expect([exhausted, failures[0]?.replay]).toEqual([true, 'a,b*2,a'])
    const { runs } = await explore({ flow: ensureMounted, invariant: holds, effects: ['unavailable'] })
    expect(runs).toBe(4)
  })
})

it('a client in process continues after a page before the next choice', async () => {
  const visitor: Flow = async (client) => {
    await client.fetch('/pay/acme/pml_1')
    await createUser(client, 'visitor@example.com')
  }
  const worker: Flow = async (client) => {
    await createUser(client, 'worker@example.com')
    await createUser(client, 'worker@example.com')
  }
  const { runs } = await interleave({ actors: { visitor, worker }, invariant: holds })
  expect(runs).toBe(6)
})

describe('a search over programs', () => {
  const path = '/projects/acme/paymentLinks'
  const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
  const create = async ({ fetch }: Parameters<Code>[0], invoice = 'inv_1') => {
    const response = await fetch('POST', path, { ...link, invoice }).catch(() => undefined)
    return response?.status === 201 ? 0 : 1
  }
  const threads = (program: string) =>
    `${program} sends calls at the same time. Their order is that of its timing, and others were not tried.`

  const exploreCode = (code: Code) => exploreProgram({ ...searchInProcess({ '': code }), effects: ['reset'] })
  const interleaveCode = (a: Code, b: Code) => interleavePrograms({ ...searchInProcess({ a, b }), faults: 0 })

  it('lists a program that leaves its path at its first call', async () => {
    const varying: Code = async (process) => {
      await process.fetch('GET', `${path}?limit=${process.run < 4 ? 1 : process.run}`)
      return create(process)
    }
    const { exhausted, notTried } = await interleaveCode(varying, create)
    expect(exhausted).toBe(false)
    expect(notTried[0]).toMatchObject({ replay: '', why: expect.stringContaining('took another path') })
  })

  const both: Code = async (process) => Math.max(...(await Promise.all([create(process), create(process)])))
  it('claims nothing of a program whose threads send equal calls', async () => {
    expect(await exploreCode(both)).toMatchObject({ exhausted: false, caveats: [threads('The program')] })
    expect(await interleaveCode(both, create)).toMatchObject({ exhausted: false, caveats: [threads('Program a')] })
  })

  it('claims nothing of a program whose second thread calls after a call of the first one was chosen', async () => {
    const late: Code = async (process) => {
      // Without a wait, the first call has its response before the second one is sent.
      const second = new Promise((resolve) => setTimeout(resolve, 15)).then(() => create(process, 'inv_2'))
      return Math.max(await create(process), await second)
    }
    expect(await exploreCode(late)).toMatchObject({ exhausted: false, caveats: [threads('The program')] })
    expect(await interleaveCode(late, create)).toMatchObject({ exhausted: false, caveats: [threads('Program a')] })
  })

  const addresses = ['/pay/acme/pml_1', '/__admin/projects/acme/paymentLinks']
  it.each(addresses)('claims nothing of a program whose second thread gets %s', async (address) => {
    const late: Code = async (process) => {
      const second = new Promise((resolve) => setTimeout(resolve, 5)).then(() => process.fetch('GET', address))
      await Promise.all([create(process), second])
      return 0
    }
    const early: Code = async (process) => {
      const second = new Promise((resolve) => setTimeout(resolve, 5)).then(() => create(process))
      await Promise.all([process.fetch('GET', address), second])
      return 0
    }
    for (const code of [late, early])
      expect(await exploreCode(code)).toMatchObject({ exhausted: false, caveats: [threads('The program')] })
  })

  it('names the orders in which it tries no effect, because programs may share a file', async () => {
    const reader: Code = async (process) => {
      for (let call = 0; call < 2; call++) await process.fetch('GET', path)
      return 0
    }
    const given = { ...searchInProcess({ a: reader, b: reader }), effects: ['reset'], faults: 1 }
    expect((await interleavePrograms(given)).exhausted).toBe(true)
    const caveats = [expect.stringContaining('effects were tried only in orders that differ at the mock')]
    const claim = { exhausted: false, caveats }
    expect(await interleavePrograms({ ...given, switches: 'all' })).toMatchObject(claim)
    // Without a fault, both orders of these calls differ at the mock. A rejected create changes nothing there.
    const creator: Code = async (process) => {
      const exitCode = await create(process)
      process.files.add('done')
      return exitCode
    }
    const trusting: Code = async (process) => {
      const isDone = async () => process.files.has('done') || (await create(process)) === 0
      return (await create(process)) === 0 || (await isDone()) ? 0 : 1
    }
    const sharing = { ...searchInProcess({ a: trusting, b: creator }), effects: ['unavailable'], switches: 2 }
    expect(await interleavePrograms(sharing)).toMatchObject(claim)
    // In the order that differs at the mock, no call can get this effect.
    const looking: Code = async (process) => {
      await process.fetch('POST', '/projects/other/users', { email: 'a@b.c' })
      return process.files.has('done') ? 0 : create(process)
    }
    const marking: Code = async (process) => {
      await process.fetch('GET', '/projects/acme/users')
      process.files.add('done')
      return 0
    }
    const linkless = { ...searchInProcess({ a: marking, b: looking }), effects: ['paid'], switches: 2 }
    expect(await interleavePrograms(linkless)).toMatchObject(claim)
  })

  it('runs four programs in each of their serial orders', async () => {
    const orders = new Set<string>()
    const started: string[] = []
    const names = ['a', 'b', 'c', 'd']
    const search = searchInProcess(
      Object.fromEntries(
        names.map((name) => [
          name,
          async (process) => {
            started.push(name)
            await process.fetch('POST', '/projects/acme/users', { email: `${name}@b.c` })
            if (started.length === names.length) orders.add(started.splice(0).join(''))
            return 0
          },
        ]),
      ),
    )
    const { runs, exhausted, serial } = await interleavePrograms({ ...search, faults: 0, maxRuns: 26 })
    expect({ runs, exhausted, serial, orders: orders.size }).toEqual({
      runs: 26,
      exhausted: false,
      serial: [],
      orders: 24,
    })
  })

  it.each(['/__admin/projects/acme/paymentLinks', '/projects/acme/paymentLinks', '/%70rojects/acme/paymentLinks'])(
    'orders a GET of %s, and finds the race behind it',
    async (address) => {
      const careless: Code = async (process) => {
        const { items } = await (await process.fetch('GET', address)).json()
        return items.length > 0 ? 0 : create(process)
      }
      const { failures, exhausted, caveats } = await interleaveCode(careless, careless)
      expect({ exhausted, caveats }).toEqual({ exhausted: true, caveats: [] })
      expect(failures[0]?.error).toContain('2 payment links of inv_1 instead of 1')
      expect(failures[0]?.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST'])
    },
  )

  it('judges a user after a payment, unless the paid link names the user', async () => {
    const losing =
      (payer: object): Code =>
      async ({ fetch }) => {
        const user = await (await fetch('POST', '/projects/acme/users', { email: 'ada@example.com' })).json()
        await fetch('POST', path, { ...link, partner: { user: payer } })
        const { items } = await (await fetch('GET', path)).json()
        if (items[0].status === 'active') await fetch('PATCH', `/projects/acme/users/${user.id}`, { fullName: 'Ada' })
        return 0
      }
    const listFailures = async (code: Code) =>
      (await exploreProgram({ ...searchInProcess({ '': code }), effects: ['paid'] })).failures.map(
        ({ replay }) => replay,
      )
    expect(await listFailures(losing({}))).toEqual(['3.before.paid'])
    expect(await listFailures(losing({ email: 'ada@example.com' }))).toEqual([])
  })

  it('gives a call with an encoded path its faults', async () => {
    const encoded: Code = async ({ fetch }) => {
      const send = () => fetch('POST', '/%70rojects/acme/paymentLinks', link)
      const response = await send().catch(send)
      return response.status === 201 ? 0 : 1
    }
    const { failures } = await exploreCode(encoded)
    expect(failures.map(({ replay }) => replay)).toEqual(['1.after.reset'])
  })

  it('does not wait for a command that waits, and claims nothing', async () => {
    const waiting: Code = async (process) => {
      const body = { match: { operation: 'createPaymentLink' }, within: 1 }
      await process.fetch('POST', '/__admin/projects/acme/requests/verify', body)
      return create(process)
    }
    const caveat =
      'Program a uses a stream of events or a command that waits. It passed at once, and other orders were not tried.'
    expect(await interleaveCode(waiting, create)).toMatchObject({ exhausted: false, caveats: [caveat] })
  })

  it('claims nothing if a request names no program, such as one to a paymentUrl', async () => {
    const paying: Code = async (process) => {
      await create(process)
      await process.fetch('GET', `/../@run-${process.run}/pay/acme/pml_1`)
      return 0
    }
    const caveat =
      'A request names no program (GET /pay/acme/pml_1), such as one to a paymentUrl. It passed at once, and other orders were not tried.'
    expect(await interleaveCode(paying, create)).toMatchObject({ exhausted: false, caveats: [caveat] })
  })

  it('lets the check open a paymentUrl', async () => {
    let openPage = async (): Promise<unknown> => undefined
    const creating: Code = async (process) => {
      openPage = () => process.fetch('GET', `/../@run-${process.run}/pay/acme/pml_1`)
      return create(process)
    }
    const search = searchInProcess({ a: creating, b: create }, {}, () => void openPage())
    expect(await interleavePrograms({ ...search, switches: null })).toMatchObject({ exhausted: true, caveats: [] })
  })

  it('claims nothing if a call comes after the end of its run', async () => {
    const leaving: Code = async (process) => {
      // The process of the first run goes on in the second one.
      if (process.run === 2) await process.fetch('GET', `/../@run-1${path}`)
      return create(process)
    }
    const caveat = `A process sent a call after its run had ended (GET /@run-1${path}). It left the process group of its program: let the program end it.`
    expect(await exploreCode(leaving)).toMatchObject({ exhausted: false, caveats: [caveat] })
  })

  const latePaths = [path, '/__admin/projects/acme']
  it.each(latePaths)('claims nothing if a call of %s comes while the check runs', async (late) => {
    let sendLater = async () => {}
    const leaving: Code = async (process) => {
      sendLater = async () => void (await process.fetch('GET', late))
      return create(process)
    }
    const search = searchInProcess({ '': leaving }, {}, () => void sendLater())
    const { exhausted, caveats } = await exploreProgram({ ...search, effects: ['reset'] })
    const caveat = expect.stringContaining(`A process sent a call after its run had ended (GET ${late}).`)
    expect({ exhausted, caveats }).toEqual({ exhausted: false, caveats: [caveat] })
  })

  it('does not run a request whose body breaks off', async () => {
    const steps: unknown[] = []
    const broken: Code = async (process) => {
      const exitCode = await create(process)
      const body = new ReadableStream({ start: (controller) => controller.error(new Error('closed')) })
      void process.send(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
      return exitCode
    }
    const search = searchInProcess({ '': broken }, {}, (_, projects) => steps.push(projects))
    const { calls, runs, exhausted } = await exploreProgram({ ...search, effects: ['evolve'] })
    expect({ calls, runs, exhausted }).toEqual({ calls: 3, runs: 3, exhausted: true })
  })

  it('does not know whether a program with a timeout of its own sends calls at the same time', async () => {
    let runs = 0
    // Gives up its call in the probe, which holds it, and never in another run: so the test does not depend on time.
    const impatient: Code = async (process) => {
      const isProbe = ++runs === 2
      const controller = new AbortController()
      const listing = process.fetch('GET', path, undefined, controller.signal)
      if (!isProbe) {
        await listing
        return create(process)
      }
      listing.catch(() => {})
      controller.abort()
      return create(process, 'inv_2')
    }
    expect(await exploreCode(impatient)).toMatchObject({
      exhausted: false,
      caveats: [expect.stringMatching(/^The program acts differently if its calls take longer, as with a timeout/)],
    })
  })
})
