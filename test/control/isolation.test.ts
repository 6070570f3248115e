/** A command on one project never changes another: each command of the table, and any sequence of them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod/mini'
import { createMock, type MockEvent, type Mock } from '../../src/node/index.ts'
import type { Command } from '../../src/schema/command.ts'
import type { CommandId } from '../../src/schema/command-routes.ts'
import { commands, type Commands } from '../../src/schema/commands.ts'
import { noon } from '../support/api.ts'
import { closeSearched, token } from '../support/canary.ts'

type WithBody = { [V in CommandId]: Commands[V] extends { readonly body: z.ZodMiniType } ? V : never }[CommandId]

/** The body of each command that has one. */
const bodies: { readonly [V in WithBody]: readonly object[] } = {
  changeProject: [{ preferredLocale: 'de' }],
  loadState: [{ users: [{ email: 'loaded@example.com' }] }, {}],
  patchState: [{ users: [{ id: 'usr_1', email: 'patched@example.com' }], clock: { mode: 'real' } }],
  saveSnapshot: [{ name: 'saved' }, { name: 'new' }],
  setClock: [{ mode: 'stepping', now: '2030-01-01T00:00:00Z', step: 5 }, { mode: 'real' }],
  advanceClock: [{ milliseconds: 120_000 }],
  changeBehaviors: [{ timestampPrecision: 'seconds', errorFormat: 'problem', unknownProject: 'notFound' }],
  replaceTokens: [{ tokens: [{ token: 'another' }] }, { tokens: [] }],
  createUser: [{ email: 'new@example.com' }, { id: 'usr_9', email: 'pinned@example.com' }],
  patchUser: [{ email: 'other@example.com', metadata: { a: 1 } }],
  createPaymentLink: [{ invoice: 'inv_1' }],
  patchPaymentLink: [{ status: 'canceled' }],
  payPaymentLink: [{}, { outcome: 'failed' }, { when: { reads: 1 } }, { when: { in: 1000 } }],
  verifyRequests: [{ match: { operation: 'listUsers' } }],
  releaseFault: [{}, { count: 1 }],
  waitForHeld: [{ within: 0 }],
  addFault: [
    { effect: { status: 500 } },
    { effect: { hold: true } },
    { effect: { rateLimit: { limit: 0, window: 1000 } } },
  ],
}

interface Sent {
  readonly name: string
  readonly id: CommandId
  readonly body: object | undefined
}

const sentCommands: readonly Sent[] = Object.entries<Command>(commands)
  // A verification only reads.
  .filter(([id, { scope }]) => scope !== 'mock' && id !== 'waitForHeld')
  .flatMap(([id]) => {
    const sent: readonly (object | undefined)[] = Object.hasOwn(bodies, id) ? bodies[id as WithBody] : [undefined]
    return sent.map((body) => ({ name: body ? `${id} ${JSON.stringify(body)}` : id, id: id as CommandId, body }))
  })

const content = {
  users: [
    { id: 'usr_1', email: 'ada@example.com' },
    { id: 'usr_2', email: 'bob@example.com' },
  ],
  paymentLinks: [
    { id: 'pml_1', invoice: 'inv_1' },
    { id: 'pml_2', invoice: 'inv_1' },
  ],
}
const seed = { clock: { mode: 'frozen', now: noon }, template: content, projects: { a: content, b: content } } as const

const ask = async (mock: Mock, path: string, method = 'GET', body?: object, accept = 'application/json') => {
  const headers = { authorization: `Bearer ${token}`, accept, ...(body && { 'content-type': 'application/json' }) }
  const response = await mock.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return [response.status, [...response.headers], await response.text()]
}

/** Calls that advance a counter: random draws, rate limits, reads before a scheduled payment, ids. */
const useProject = async (mock: Mock, project: string) => {
  const at = `/projects/${project}`
  return [
    await ask(mock, `${at}/users`, 'POST', { email: 'new@example.com' }),
    await ask(mock, `${at}/users/usr_2`, 'PATCH', { fullName: 'Bob' }),
    await ask(mock, `${at}/users`),
    await ask(mock, `${at}/users/search`, 'POST', {}),
    await ask(mock, `${at}/paymentLinks/pml_2`),
    await ask(mock, `${at}/paymentLinks?limit=1`),
    await ask(mock, `${at}/users/usr_none`),
  ]
}

/** Two equal projects, each with records and settings of every kind. */
const start = async () => {
  const mock = createMock({ seed })
  closeSearched(mock)
  for (const id of ['a', 'b']) {
    const project = mock.project(id)
    await project.snapshots.save('saved')
    await project.paymentLinks.pay('pml_2', { when: { reads: 3 } })
    await project.paymentLinks.pay('pml_2', { outcome: 'failed', when: { in: 60_000 } })
    await project.faults.add({ match: { operation: 'cancelPaymentLink' }, effect: { hold: true } })
    await project.faults.add({ match: { operation: 'searchUsers' }, skip: 1, times: 2, effect: { status: 503 } })
    const rateLimit = { limit: 2, window: 1000 }
    await project.faults.add({ match: { operation: 'listPaymentLinks' }, effect: { rateLimit } })
  }
  await mock.faults.add({ match: { operation: 'listUsers' }, effect: { rateLimit: { limit: 2, window: 1000 } } })
  const chance = { probability: 0.5, times: null }
  await mock.faults.add({ match: { operation: 'updateUser' }, ...chance, effect: { status: 503 } })
  await mock.snapshots.save('of all')
  await mock.project('b').behaviors.set({ createStatus: 200 })
  await mock.project('b').tokens.replace([{ token }])
  for (const id of ['a', 'b']) await useProject(mock, id)
  // Draws a random number for a project that does not exist, without creating it.
  await ask(mock, '/projects/c/users/usr_none', 'PATCH', {})
  // The only request that violates the specification.
  await ask(mock, '/projects/b/users?limit=1', 'GET', undefined, '*/*')
  return mock
}

/** Runs a command on project a, with the ids of a request and a fault of the project `whose`. */
const runOnA = async (mock: Mock, { id, body }: Sent, whose: 'a' | 'b' = 'a'): Promise<number> => {
  const { method, path }: Command = commands[id]
  const ids: Readonly<Record<string, string>> = {
    user: 'usr_1',
    paymentLink: path.startsWith('/scheduledPayments') ? 'pml_2' : 'pml_1',
    name: 'saved',
    request: (await mock.project(whose).requests.list()).items[0]?.id ?? 'req_none',
    fault: (await mock.project(whose).faults.list())[0]?.id ?? 'flt_none',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)
  const response = await mock.fetch(`/__admin/projects/a${filled}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (id === 'events') await response.body!.cancel()
  else await response.text()
  return response.status
}

/** All events of b, without their ids, which all projects share. */
const eventsOf = async (mock: Mock): Promise<unknown[]> => {
  const project = mock.project('b')
  await project.users.patch('usr_1', { fullName: 'the last' })
  const events: unknown[] = []
  const isLast = (event: MockEvent) => event.type === 'change' && event.change.to?.fullName === 'the last'
  for await (const event of project.events({ after: 0 })) {
    const { id: _, ...rest } = event
    events.push(event.type === 'request' ? { ...rest, request: withoutDuration(event.request) } : rest)
    if (isLast(event)) break
  }
  return events
}

const withoutDuration = (entry: object) => ({ ...entry, durationMilliseconds: 0 })

/** Everything readable of b and of all projects, and then the next responses of b. */
const observed = async (mock: Mock) => {
  const b = mock.project('b')
  const { projects, ...forAll } = await mock.state.get()
  return {
    state: [await b.state.get(), projects?.b, forAll, await b.summary()],
    clocks: [await b.clock.get(), await mock.clock.get()],
    behaviors: [await b.behaviors.get(), await mock.behaviors.get()],
    tokens: [await b.tokens.get(), await mock.tokens.get()],
    snapshots: [await b.snapshots.list(), await mock.snapshots.list()],
    scheduledPayments: await b.scheduledPayments.list(),
    faults: [await b.faults.list(), (await mock.faults.list()).filter(({ project }) => project === null)],
    requests: (await b.requests.list()).items.map(withoutDuration),
    findings: [await b.violations.list(), await b.assumptions()],
    events: await eventsOf(mock),
    next: [
      await useProject(mock, 'b'),
      (await b.faults.add({ effect: { corrupt: 'empty' } })).id,
      await useProject(mock, 'b'),
    ],
    restored: [await b.snapshots.restore('saved'), await b.state.get()],
  }
}

describe('a command on one project', () => {
  it.each(sentCommands)('leaves another unchanged: $name', async (command) => {
    const mock = await start()
    expect(await runOnA(mock, command)).toBeLessThan(300)
    expect(await observed(mock)).toEqual(await observed(await start()))
  })

  it('leaves another unchanged, also when it names ids of the other, in any sequence', async () => {
    const expected = await observed(await start())
    const step = fc.record({
      command: fc.constantFrom(...sentCommands),
      whose: fc.constantFrom('a' as const, 'b' as const),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const mock = await start()
        for (const { command, whose } of steps) await runOnA(mock, command, whose)
        expect(await observed(mock)).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })
})
