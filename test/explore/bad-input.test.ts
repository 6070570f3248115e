import { describe, expect, it } from 'vitest'
import { type Client, explore, interleave, replay } from '../../src/explore/index.ts'
import { MockError } from '../../src/index.ts'
import { createUser, headers, listUsers } from './support/service.ts'

const invariant = () => {}
const flow = listUsers

describe('explore rejects', () => {
  it.each<[what: string, given: object, message: string]>([
    ['a missing flow', { invariant }, 'flow is required.'],
    ['a flow that is no function', { flow: 'pay', invariant }, "flow must be a function (got 'pay')."],
    ['a missing invariant', { flow }, 'invariant is required.'],
    ['an unknown option', { flow, invariant, fault: 2 }, "fault is not a field here; did you mean 'faults'?"],
    ['an invalid effect', { flow, invariant, effects: { slow: { stauts: 503 } } }, "did you mean 'status'?"],
    ['an effect without a name', { flow, invariant, effects: { '': { status: 503 } } }, 'effects'],
    [
      'an effect with a reserved name',
      { flow, invariant, effects: Object.fromEntries([['__proto__', { status: 503 }]]) },
      "effects must not have the name '__proto__'. Choose another name.",
    ],
    ['no effects', { flow, invariant, effects: {} }, 'effects must have at least one effect'],
    ['three faults', { flow, invariant, faults: 3 }, 'faults must be 1 or 2 (got 3).'],
    ['an invalid timeout', { flow, invariant, timeout: 0 }, 'timeout must be at least 1'],
    ['a signal of another kind', { flow, invariant, signal: {} }, 'signal must be an AbortSignal'],
    ['options of a mock that are wrong', { flow, invariant, options: { clock: 'soon' } }, 'options.clock'],
    [
      'an unknown effect',
      { flow, invariant, mustSucceed: ['rest'] },
      "mustSucceed names the unknown effect 'rest'. The effects are 'reset', 'close', 'unavailable', 'malformed', 'rateLimited', 'stale', 'outage', 'default' or 'all'. Did you mean 'reset'?",
    ],
    [
      'a real clock',
      { flow, invariant, options: { clock: 'real' } },
      "options.clock must be 'frozen', 'stepping' or a time to freeze at (got 'real'): a search does not wait.",
    ],
    [
      'real clocks in the seed',
      {
        flow,
        invariant,
        options: { seed: { clock: { mode: 'real' }, projects: { acme: { clock: { mode: 'real' } } } } },
      },
      '2 problems: options.seed.clock must be',
    ],
    [
      'a real clock of one project in the seed',
      { flow, invariant, options: { seed: { projects: { acme: { clock: { mode: 'real' } } } } } },
      "options.seed.projects.acme.clock must be 'frozen'",
    ],
    ['all problems at once', { flow: 1, invariant: 2 }, '2 problems: invariant must be a function'],
  ])('%s', async (_, given, message) => {
    const error = await explore(given as never).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MockError)
    expect((error as MockError).code).toBe('invalidOptions')
    expect((error as MockError).message).toContain(message)
  })

  it('a flow that makes no call', async () => {
    const message = 'The flow made no call to the mock. Use the `fetch` passed to the flow.'
    await expect(explore({ flow: () => {}, invariant })).rejects.toThrow(message)
    const failing = () => Promise.reject(new Error('ECONNREFUSED'))
    await expect(explore({ flow: failing, invariant })).rejects.toThrow(/passed to the flow\..*ECONNREFUSED/)
  })

  it('a flow that reaches no operation, even if it swallows the errors', async () => {
    const lost = async ({ fetch }: Client) => void (await fetch('/projects//acme/users', { headers }))
    await expect(explore({ flow: lost, invariant })).rejects.toThrow(
      'The flow calls no operation: its first request is GET /projects//acme/users, which no route matches.',
    )
    const anonymous = async ({ fetch }: Client) => void (await fetch('/projects/acme/users'))
    await expect(explore({ flow: anonymous, invariant })).rejects.toThrow('The mock rejects each call with 401: send a')
  })

  it('a flow that fails undisturbed', async () => {
    const failing = async (client: Parameters<typeof listUsers>[0]) => {
      await listUsers(client)
      throw new Error('no card')
    }
    const message = 'The flow fails without a fault: no card\nIf it waits for a payment, use payAfterReads.'
    await expect(explore({ flow: failing, invariant })).rejects.toThrow(message)
  })

  it('an invariant that fails undisturbed', async () => {
    const wrong = () => Promise.reject(new Error('two links'))
    await expect(explore({ flow, invariant: wrong })).rejects.toThrow('The invariant fails without a fault: two links')
  })

  it('a flow with state outside, and names the first difference', async () => {
    let count = 0
    const counting = async (client: Parameters<typeof listUsers>[0]) => {
      await listUsers(client).catch(() => {})
      await createUser(client, `user${count++}@example.com`).catch(() => {})
    }
    await expect(explore({ flow: counting, invariant })).rejects.toThrow(
      /call 2 was flow POST \/projects\/acme\/users {"email":"user0@example.com"}, and in a later run it is .*"user7@/,
    )
    let isFirst = true
    const once = async (client: Parameters<typeof listUsers>[0]) => {
      if (isFirst) await listUsers(client)
      isFirst = false
    }
    await expect(explore({ flow: once, invariant })).rejects.toThrow(
      'The code does not repeat itself: call 1 was flow GET /projects/acme/users, and in a later run it is the end of the run.',
    )
  })
})

describe('interleave rejects', () => {
  it.each<[what: string, given: object, message: string]>([
    ['no actors', { actors: {}, invariant }, 'actors must have at least one actor'],
    ['an actor that is no function', { actors: { shop: 1 }, invariant }, 'actors.shop must be a function (got 1).'],
    ...['__proto__', 'constructor'].map((name): [string, object, string] => [
      `an actor with the name ${name}`,
      { actors: Object.fromEntries([[name, flow]]), invariant },
      `actors must not have the name '${name}'. Choose another name.`,
    ]),
    ['maxRuns of 0', { actors: { flow }, invariant, maxRuns: 0 }, 'maxRuns must be at least 1'],
    ['overtakes of -1', { actors: { flow }, invariant, overtakes: -1 }, 'overtakes must be at least 0'],
  ])('%s', async (_, given, message) => {
    await expect(interleave(given as never)).rejects.toThrow(message)
  })

  it('actors that make no call', async () => {
    const actors = { shop: () => Promise.reject(new Error('offline')), other: () => {} }
    const message = "The actors made no call to the mock. Use the `fetch` passed to them. 'shop' threw: offline"
    await expect(interleave({ actors, invariant })).rejects.toThrow(message)
  })

  it('an actor that fails in every order', async () => {
    const actors = { shop: flow, other: () => Promise.reject(new TypeError('x is not a function')) }
    const message = "An actor always fails. 'other' threw: x is not a function"
    await expect(interleave({ actors, invariant })).rejects.toThrow(message)
  })

  it('actors with state outside', async () => {
    let count = 0
    const shop = async (client: Parameters<typeof listUsers>[0]) => {
      await createUser(client, `user${count++}@example.com`)
      await listUsers(client)
    }
    await expect(interleave({ actors: { flow, shop }, invariant })).rejects.toThrow(
      /call 1 was shop POST .*user1@.*, and in a later run it is shop POST .*user2@.*Keep all state inside/,
    )
    let runs = 0
    const once = async (client: Parameters<typeof listUsers>[0]) => {
      if (runs++ < 1) await listUsers(client)
    }
    const message = 'The code does not repeat itself: at step 1, once GET /projects/acme/users cannot continue.'
    await expect(interleave({ actors: { flow, once }, invariant })).rejects.toThrow(message)
  })
})

const place = { call: 1, operation: 'listUsers', phase: 'before', effect: 'reset' } as const
const actors = { shop: flow, other: flow }

it.each<[what: string, given: object, schedule: unknown, message: string]>([
  ['a schedule that is no list', { flow, invariant }, 1, 'schedule must be an array'],
  ['a step of the other kind', { actors, invariant }, [place], 'schedule[0] must be a string'],
  ['another one', { flow, invariant }, [{ ...place, operation: 'createUser' }], 'call 1 is listUsers, not createUser'],
  ['no arguments', undefined as never, [], 'The options of explore must be an object'],
])('replay rejects %s', async (_, given, schedule, message) => {
  await expect(replay(given as never, schedule as never)).rejects.toThrow(message)
})

it.each<[what: string, run: () => Promise<unknown>]>([
  ['explore, for an invalid argument', () => explore({ flow: 1 as never, invariant })],
  ['explore, for a flow that makes no call', () => explore({ flow: () => {}, invariant })],
  ['explore, for a flow that fails', () => explore({ flow: () => Promise.reject(new Error('no')), invariant })],
  ['interleave', () => interleave({ actors: { shop: () => {} }, invariant })],
  ['replay', () => replay({ flow, invariant }, '2.after.reset')],
])('an error of %s has the line of the caller first, and no line of the package', async (_, run) => {
  const error = await run().catch((thrown: unknown) => thrown as Error)
  const lines = (error as Error).stack!.split('\n').filter((line) => line.startsWith('    at '))
  // The searches of these tests have a function of their own around them.
  expect(lines[0]).toMatch(/test\/explore\/(?:bad-input\.test|support\/searches)\.ts/)
  expect(lines.filter((line) => line.includes('/src/'))).toEqual([])
})
