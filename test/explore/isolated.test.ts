import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client, Flow } from '../../src/explore/index.ts'
import type { MockOptions, ProjectControl } from '../../src/node/index.ts'
import { behaviorKeys, behaviorRegistry, profiles } from '../../src/core/schema/behavior.ts'
import { createUser, headers, send as sendToAcme } from './support/service.ts'
import { interleave } from './support/searches.ts'

const isSlow = process.env.SLOW_TESTS !== undefined

/** An operation or a command, and what its caller sees of it. */
type Call = (client: Client) => Promise<unknown>

const now = '2025-01-01T00:00:00.000Z'
const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }

/** Returns a call of an operation. */
const send =
  (method: string, path: string, body?: object, more?: Record<string, string>): Call =>
  async ({ fetch }) => {
    const init = { method, headers: { ...headers, ...more }, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`/projects/${path}`, init)
    return [response.status, await response.text()]
  }

/** Returns a call of a command of one project. */
const command =
  (project: string, run: (control: ProjectControl) => Promise<unknown>): Call =>
  async ({ mock }) => {
    try {
      return (await run(mock.project(project))) ?? null
    } catch (error) {
      return JSON.stringify(error)
    }
  }

const operations: Record<string, (project: string) => Call> = {
  listUsers: (project) => send('GET', `${project}/users?limit=2`),
  listAfterUser: (project) => send('GET', `${project}/users?after=usr_1`),
  searchUsers: (project) => send('POST', `${project}/users/search`, { email: 'ada@example.com' }),
  searchAll: (project) => send('POST', `${project}/users/search`, {}),
  retrieveUser: (project) => send('GET', `${project}/users/usr_1`),
  retrieveUnknownUser: (project) => send('GET', `${project}/users/usr_new`),
  createUser: (project) => send('POST', `${project}/users`, { email: 'ada@example.com' }),
  createInvalidUser: (project) => send('POST', `${project}/users`, { email: 1 }),
  createUserOnce: (project) => send('POST', `${project}/users`, { email: 'k@b.c' }, { 'idempotency-key': 'k' }),
  updateUser: (project) => send('PATCH', `${project}/users/usr_1`, { email: 'new@example.com', metadata: { a: 1 } }),
  deleteUser: (project) => send('DELETE', `${project}/users/usr_1`),
  listLinks: (project) => send('GET', `${project}/paymentLinks`),
  listActiveLinks: (project) => send('GET', `${project}/paymentLinks?status=active&invoice=inv_1`),
  retrieveLink: (project) => send('GET', `${project}/paymentLinks/pml_1`),
  createLink: (project) => send('POST', `${project}/paymentLinks`, link),
  cancelLink: (project) => send('POST', `${project}/paymentLinks/pml_1/cancel`),
  sendUnacceptable: (project) => send('GET', `${project}/users`, undefined, { accept: 'text/html' }),
}

const commands: Record<string, (project: ProjectControl) => Promise<unknown>> = {
  'users.list': ({ users }) => users.list(),
  'users.get': ({ users }) => users.get('usr_1'),
  'users.create': ({ users }) => users.create({ email: 'ada@example.com' }),
  'users.create new': ({ users }) => users.create({ id: 'usr_new', email: 'new@example.com' }),
  'users.patch': ({ users }) => users.patch('usr_1', { fullName: 'Ada' }),
  'users.delete': ({ users }) => users.delete('usr_1'),
  'paymentLinks.list': ({ paymentLinks }) => paymentLinks.list({ status: 'active' }),
  'paymentLinks.get': ({ paymentLinks }) => paymentLinks.get('pml_1'),
  'paymentLinks.create': ({ paymentLinks }) => paymentLinks.create({ invoice: 'inv_1' }),
  'paymentLinks.patch': ({ paymentLinks }) => paymentLinks.patch('pml_1', { status: 'active' }),
  'paymentLinks.delete': ({ paymentLinks }) => paymentLinks.delete('pml_1'),
  'paymentLinks.cancel': ({ paymentLinks }) => paymentLinks.cancel('pml_1'),
  pay: ({ paymentLinks }) => paymentLinks.pay('pml_1'),
  'pay, failed': ({ paymentLinks }) => paymentLinks.pay('pml_1', { outcome: 'failed' }),
  'pay now': ({ paymentLinks }) => paymentLinks.pay('pml_1', { when: { in: 0 } }),
  'pay before': ({ paymentLinks }) => paymentLinks.pay('pml_1', { when: { at: '2024-01-01T00:00:00.000Z' } }),
  'pay later': ({ paymentLinks }) => paymentLinks.pay('pml_1', { when: { in: 1000 } }),
  'pay with a read': ({ paymentLinks }) => paymentLinks.pay('pml_1', { when: { reads: 1 } }),
  'scheduledPayments.list': ({ scheduledPayments }) => scheduledPayments.list(),
  'scheduledPayments.cancel': ({ scheduledPayments }) => scheduledPayments.cancel(),
  summary: (project) => project.summary(),
  patch: (project) => project.patch({ preferredLocale: 'de' }),
  delete: (project) => project.delete(),
  reset: (project) => project.reset(),
  'state.patch': ({ state }) => state.patch({ users: [{ id: 'usr_1', email: 'patched@example.com' }] }),
  'clock.advance': ({ clock }) => clock.advance(1000),
  'behaviors.set': ({ behaviors }) => behaviors.set({ unknownProject: 'notFound', duplicateEmail: 'conflict' }),
  'snapshots.save': ({ snapshots }) => snapshots.save('here'),
}

const projects = fc.constantFrom('acme', 'acme', 'acme', 'other', 'unlisted')
const call = fc
  .tuple(fc.constantFrom(...Object.keys(operations), ...Object.keys(commands)), projects)
  .map(([name, project]) => ({
    name: `${name} of ${project}`,
    run: operations[name]?.(project) ?? command(project, commands[name]!),
  }))

const options = fc
  .record({
    profile: fc.constantFrom(...(Object.keys(profiles) as (keyof typeof profiles)[])),
    behaviors: fc.option(
      fc.constantFrom(...behaviorKeys).chain((key) => {
        const values: readonly unknown[] = behaviorRegistry[key].values
        return fc.constantFrom(...values).map((value) => ({ [key]: value }))
      }),
      { nil: {} },
    ),
    scheduled: fc.constantFrom([], [{ reads: 1 }], [{ at: '2024-12-31T00:00:00.000Z' }]),
  })
  .map(({ profile, behaviors, scheduled }) => ({ profile, behaviors, seed: createSeed(scheduled) }) as MockOptions)

const createSeed = (scheduled: readonly object[]) => ({
  clock: { mode: 'frozen', now },
  template: { users: [{ id: 'usr_template', email: 'template@example.com' }] },
  projects: {
    acme: {
      users: ['usr_1', 'usr_2', 'usr_3'].map((id) => ({ id, email: 'ada@example.com' })),
      paymentLinks: [
        { id: 'pml_1', invoice: 'inv_1' },
        { id: 'pml_2', invoice: 'inv_1', status: 'canceled' },
      ],
      scheduledPayments: scheduled.map((when) => ({ paymentLink: 'pml_1', outcome: 'succeeded', when })),
    },
    other: {},
  },
})

/** Lists what the callers and the state show at the end, over the orders of a search. */
const listOutcomes = async (given: { options: MockOptions; actors: Record<string, Flow>; isolated: boolean }) => {
  const outcomes = new Set<string>()
  const { runs, exhausted } = await interleave({
    ...given,
    invariant: async ({ mock, results }) => {
      outcomes.add(JSON.stringify([results, await mock.state.get()], null, 1))
    },
  })
  expect(exhausted).toBe(true)
  return { runs, outcomes }
}

/** Requires that `isolated: true` reaches the same outcomes as all orders. */
const requireSameOutcomes = async (actors: Record<string, Call>, given: MockOptions = {}): Promise<void> => {
  const options = { seed: createSeed([]) as MockOptions['seed'], ...given }
  const all = await listOutcomes({ options, actors, isolated: false })
  const reduced = await listOutcomes({ options, actors, isolated: true })
  expect(reduced.outcomes).toEqual(all.outcomes)
  expect(reduced.runs).toBeLessThanOrEqual(all.runs)
}

/** Draws pairs of operations and commands under all profiles, and requires the same outcomes of each. */
const comparePairs = (numRuns: number, seed: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(call, call, options, (a, b, chosen) => requireSameOutcomes({ a: a.run, b: b.run }, chosen)),
    // Only the parts of the slow run have seeds of their own.
    { numRuns, ...(isSlow && { seed }) },
  )

describe('isolated', () => {
  it.each([
    ['by its delay', { in: 0 }],
    ['by its time', { at: '2024-01-01T00:00:00.000Z' }],
  ])('tries both orders of a read and a payment that is due at once, %s', (_, when) =>
    requireSameOutcomes({
      reader: send('GET', 'acme/paymentLinks'),
      tester: command('acme', ({ paymentLinks }) => paymentLinks.pay('pml_1', { when })),
    }),
  )

  it('tries both orders of a request and the creation of its project, with `unknownProject=notFound`', () =>
    requireSameOutcomes(
      {
        reader: send('GET', 'later/users'),
        tester: command('later', ({ paymentLinks }) => paymentLinks.create({ invoice: 'inv_1' })),
      },
      { behaviors: { unknownProject: 'notFound' } },
    ))

  // In parts, because a test has a time limit: 5,000 pairs in all.
  it.each(isSlow ? [1, 2, 3, 4, 5] : [1])(
    'reaches the outcomes of both orders, over pairs of operations and commands, with seed %i',
    (seed) => comparePairs(isSlow ? 1000 : 40, seed),
  )
})

const retrieve = async (client: Client, id: string): Promise<string> => {
  await sendToAcme(client, 'GET', `/users/${id}`)
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
    await sendToAcme(client, 'GET', '/users')
    await sendToAcme(client, 'GET', '/paymentLinks')
  }
  const { runs, exhausted } = await interleave({
    isolated: true,
    actors: Object.fromEntries(['a', 'b', 'c'].slice(0, actors).map((name) => [name, flow])),
    invariant: () => {},
  })
  expect({ runs, exhausted }).toEqual({ runs: expected, exhausted: true })
})

// Each reader is before the writer or after it.
it.each([
  [2, 4],
  [4, 16],
])('tries the orders of one actor that writes a user and %i that read it: %i', async (readers, expected) => {
  const writer: Flow = (client) => sendToAcme(client, 'PATCH', '/users/usr_1', { fullName: 'Ada' })
  const reader: Flow = (client) => sendToAcme(client, 'GET', '/users/usr_1')
  const { runs, exhausted } = await interleave({
    isolated: true,
    options: { seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }] } } } },
    actors: { writer, ...Object.fromEntries(['a', 'b', 'c', 'd'].slice(0, readers).map((name) => [name, reader])) },
    invariant: () => {},
  })
  expect({ runs, exhausted }).toEqual({ runs: expected, exhausted: true })
})
