/** Two projects with equal records. The second has its own clock, its own behaviors, and a name that URLs must encode. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod/mini'
import type { Command } from '../../src/core/control/command.ts'
import { commands, type Commands, type CommandId } from '../../src/core/control/commands.ts'
import { createMock, type Mock } from '../../src/node/index.ts'
import type { Seed } from '../../src/core/schema/seed.ts'
import { noon } from '../support/api.ts'
import { closeSearched, token } from '../support/canary.ts'

const first = 'acme'
const second = 'b & 50%/é'
const projectIds = [first, second] as const
type ProjectName = (typeof projectIds)[number]

/** The clock of the second project. */
const later = '2031-05-05T05:05:05.000Z'
/** A time between the clocks of the projects. */
const between = '2028-01-01T00:00:00.000Z'

const pathOf = (project: string): string => `/projects/${encodeURIComponent(project)}`

type WithBody = { [V in CommandId]: Commands[V] extends { readonly body: z.ZodMiniType } ? V : never }[CommandId]

const stepping = { mode: 'stepping', now: '2030-01-01T00:00:00Z', step: 5 }

// Otherwise a fault for all projects applies once, and not once in each.
const always = { times: null }

/** The bodies of each command that has one, for one project. */
const bodies: { readonly [V in WithBody]: (project: ProjectName) => readonly object[] } = {
  changeProject: () => [{ preferredLocale: 'de' }],
  loadState: () => [{ users: [{ email: 'loaded@example.com' }] }, {}],
  patchState: () => [{ users: [{ id: 'usr_1', email: 'patched@example.com' }], clock: { mode: 'real' } }],
  saveSnapshot: () => [{ name: 'saved' }, { name: 'new' }],
  setClock: () => [stepping, ...['stepping', 'frozen', 'real'].map((mode) => ({ mode }))],
  advanceClock: () => [{ milliseconds: 120_000 }],
  changeBehaviors: () => [{ timestampPrecision: 'seconds', errorFormat: 'problem', unknownProject: 'notFound' }],
  replaceTokens: () => [{ tokens: [{ token: 'another' }] }, { tokens: [] }],
  createUser: () => [{ email: 'new@example.com' }, { id: 'usr_9', email: 'pinned@example.com' }],
  patchUser: () => [{ email: 'other@example.com', metadata: { a: 1 } }],
  createPaymentLink: () => [{ invoice: 'inv_1' }],
  patchPaymentLink: () => [{ status: 'canceled' }],
  payPaymentLink: () => [{}, { outcome: 'failed' }, { when: { reads: 1 } }, { when: { in: 1000 } }],
  verifyRequests: (project) => [
    { match: { operation: 'listUsers' } },
    { match: { path: `${pathOf(project)}/users` } },
    { match: { project }, times: { atLeast: 2 } },
    {
      sequence: [
        { path: `${pathOf(project)}/users`, project },
        { operation: 'retrieveUser', project },
      ],
    },
  ],
  releaseFault: () => [{}, { count: 1 }],
  waitForHeld: () => [{ within: 0, held: 1 }],
  addFault: (project) => [
    { ...always, effect: { status: 500 } },
    { ...always, effect: { status: 500 }, from: between },
    { ...always, effect: { status: 500 }, until: between },
    { ...always, effect: { status: 500 }, match: { path: `${pathOf(project)}/users` } },
    { ...always, effect: { status: 500 }, match: { project, operation: 'createUser' } },
    { effect: { hold: true }, match: { operation: 'deleteUser' } },
    { effect: { rateLimit: { limit: 0, window: 1000 } } },
  ],
}

/** A command with one of its bodies. */
interface Sent {
  readonly name: string
  readonly id: CommandId
  readonly getBody: (project: ProjectName) => object | undefined
}

/** Every command that can concern one project, with each of its bodies. */
const sentCommands: readonly Sent[] = Object.entries<Command>(commands)
  .filter(([, { scope }]) => scope !== 'mock')
  .flatMap(([id]) => {
    const listBodies = Object.hasOwn(bodies, id) ? bodies[id as WithBody] : () => [undefined]
    return listBodies(first).map((body, index) => ({
      name: body ? `${id} ${JSON.stringify(body)}` : id,
      id: id as CommandId,
      getBody: (project: ProjectName) => listBodies(project)[index],
    }))
  })

const content = {
  users: [
    { id: 'usr_1', email: 'ada@example.com' },
    { id: 'usr_2', email: 'bob@example.com' },
  ],
  paymentLinks: ['pml_1', 'pml_2', 'pml_3'].map((id) => ({ id, invoice: 'inv_1' })),
}
const behaviors = { createStatus: 200, paymentLinkOrder: 'oldestFirst' } as const
const seed: Seed = {
  clock: { mode: 'frozen', now: noon },
  template: content,
  projects: { [first]: content, [second]: { ...content, clock: { mode: 'frozen', now: later }, behaviors } },
}

/** Sends a request to the mocked API. */
const ask = async (mock: Mock, path: string, method = 'GET', body?: object, accept = 'application/json') => {
  const headers = { authorization: `Bearer ${token}`, accept, ...(body && { 'content-type': 'application/json' }) }
  const response = await mock.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return [response.status, [...response.headers], await response.text()]
}

/** Calls that advance a counter: random draws, rate limits, reads before a scheduled payment, ids. */
const useProject = async (mock: Mock, project: string) => {
  const at = pathOf(project)
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

/** Creates both projects, with records and settings of every kind. */
const startTwoProjects = async (): Promise<Mock> => {
  // A real clock would differ between two runs.
  const mock = createMock({ seed, now: () => Date.parse(later) + 1 })
  closeSearched(mock)
  await mock.snapshots.save('saved')
  for (const id of projectIds) {
    const project = mock.project(id)
    await project.snapshots.save('saved')
    await project.paymentLinks.pay('pml_2', { when: { reads: 3 } })
    await project.paymentLinks.pay('pml_2', { outcome: 'failed', when: { in: 60_000 } })
    await project.faults.add({ match: { operation: 'cancelPaymentLink' }, effect: { hold: true } })
    await project.faults.add({ match: { operation: 'searchUsers' }, skip: 1, times: 2, effect: { status: 503 } })
    const rateLimit = { limit: 2, window: 1000 }
    await project.faults.add({ match: { operation: 'listPaymentLinks' }, effect: { rateLimit } })
  }
  await mock.project(second).tokens.replace([{ token }])
  for (const id of projectIds) {
    await useProject(mock, id)
    // Violates the specification.
    await ask(mock, `${pathOf(id)}/users?limit=1`, 'GET', undefined, '*/*')
  }
  return mock
}

/** Runs a command for one project, or for all. The ids in its path are those of the project `whose`. */
const runCommand = async (
  mock: Mock,
  { id, getBody }: Sent,
  project: ProjectName | undefined,
  whose: ProjectName = project ?? first,
): Promise<{ readonly status: number; readonly text: string }> => {
  const { method, path }: Command = commands[id]
  const ids: Readonly<Record<string, string>> = {
    user: 'usr_1',
    paymentLink: path.startsWith('/scheduledPayments') ? 'pml_2' : 'pml_1',
    name: 'saved',
    request: (await mock.project(whose).requests.list()).items[0]?.id ?? 'req_none',
    fault: (await mock.project(whose).faults.list())[0]?.id ?? 'flt_none',
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name]!)
  const own = getBody(whose)
  const isSeed = project === undefined && 'bodyForAll' in commands[id]
  const body = isSeed ? { projects: Object.fromEntries(projectIds.map((one) => [one, getBody(one)])) } : own
  const response = await mock.fetch(`/__admin${project === undefined ? '' : pathOf(project)}${filled}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (id === 'events') await response.body!.cancel()
  return { status: response.status, text: id === 'events' ? '' : await response.text() }
}

/** Expects that a command has done what it is for. */
const expectSuccess = ({ id }: Sent, { status, text }: { readonly status: number; readonly text: string }): void =>
  // Both projects have a violation.
  id === 'verifyViolations' ? expect(status).toBe(409) : expect(status, text).toBeLessThan(300)

const withoutDuration = (entry: object) => ({ ...entry, durationMilliseconds: 0 })

/** All events of a project, without their ids, which all projects share. */
const listEvents = async (mock: Mock, id: ProjectName): Promise<unknown[]> => {
  const project = mock.project(id)
  await project.users.create({ id: 'usr_last', email: 'last@example.com' })
  const events: unknown[] = []
  for await (const event of project.events({ after: 0 })) {
    events.push({
      ...event,
      id: null,
      project: null,
      ...(event.type === 'request' && { request: withoutDuration(event.request) }),
    })
    if (event.type === 'change' && event.change.to?.id === 'usr_last') break
  }
  return events
}

/** Everything readable of a project, and then its next responses. */
const observeProject = async (mock: Mock, id: ProjectName) => {
  const project = mock.project(id)
  return {
    state: [await project.state.get(), await project.summary()],
    clock: await project.clock.get(),
    behaviors: (await project.behaviors.get()).values,
    tokens: await project.tokens.get(),
    snapshots: await project.snapshots.list(),
    scheduledPayments: await project.scheduledPayments.list(),
    faults: await project.faults.list(),
    requests: (await project.requests.list()).items.map(withoutDuration),
    diagnostics: [await project.violations.list(), await project.assumptions()],
    events: await listEvents(mock, id),
    next: [
      await useProject(mock, id),
      (await project.faults.add({ match: { operation: 'createPaymentLink' }, effect: { corrupt: 'empty' } })).id,
      await useProject(mock, id),
    ],
    restored: [await project.snapshots.restore('saved'), await project.state.get()],
  }
}

// It only reads, and rejects a fault that holds nothing.
const commandsOfOne = sentCommands.filter(({ id }) => id !== 'waitForHeld')

/** Both projects, with faults for all of them. */
const start = async () => {
  const mock = await startTwoProjects()
  await mock.faults.add({ match: { operation: 'listUsers' }, effect: { rateLimit: { limit: 2, window: 1000 } } })
  const chance = { probability: 0.5, times: null }
  await mock.faults.add({ match: { operation: 'updateUser' }, ...chance, effect: { status: 503 } })
  for (const id of projectIds) await useProject(mock, id)
  // Draws a random number for a project that does not exist, without creating it.
  await ask(mock, '/projects/c/users/usr_none', 'PATCH', {})
  return mock
}

/** Everything readable of the second project and of all projects. */
const observe = async (mock: Mock) => {
  const { projects, ...forAll } = await mock.state.get()
  return {
    all: [
      projects?.[second],
      forAll,
      await mock.clock.get(),
      await mock.behaviors.get(),
      await mock.tokens.get(),
      await mock.snapshots.list(),
      (await mock.faults.list()).filter(({ project }) => project === null),
    ],
    ...(await observeProject(mock, second)),
  }
}

describe('a command on one project', () => {
  let expected: ReturnType<typeof observe> | undefined
  const getExpected = () => (expected ??= start().then(observe))

  it.each(commandsOfOne)('leaves another unchanged: $name', async (command) => {
    const mock = await start()
    expectSuccess(command, await runCommand(mock, command, first))
    expect(await observe(mock)).toEqual(await getExpected())
  })

  it('leaves another unchanged, also when it names ids of the other, in any sequence', async () => {
    const step = fc.record({ command: fc.constantFrom(...commandsOfOne), whose: fc.constantFrom(...projectIds) })
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const mock = await start()
      for (const { command, whose } of steps) await runCommand(mock, command, first, whose)
      expect(await observe(mock)).toEqual(await getExpected())
    })
    await fc.assert(property, { numRuns: 10 })
  })
})
