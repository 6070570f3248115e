import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { Mock } from '../../src/node/index.ts'
import { commands, type CommandId } from '../../src/control/commands.ts'
import { token } from '../support/canary.ts'
import {
  observeProject,
  pathOf,
  projectIds,
  type ProjectName,
  runCommand,
  expectSuccess,
  type Sent,
  sentCommands,
  startTwoProjects,
  ask,
  first,
  second,
  useProject,
} from './support/two-projects.ts'
import { countDistinct } from '../support/count-distinct.ts'
import { readResponse } from '../support/read.ts'

/** Commands that do to each project what the same command for that project does. */
const commandsOfBoth = sentCommands.filter(({ id }) => commands[id].scope === 'both')

/** Commands whose result for all projects is separate from those of the projects. */
const separate: ReadonlySet<CommandId> = new Set(['saveSnapshot', 'deleteSnapshot', 'listSnapshots'])

/** Lists in which the items of all projects are not those of the projects together. */
const merged: ReadonlySet<CommandId> = new Set(['listSnapshots', 'listAssumptions'])

const hour = 3_600_000
const finishSoon = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** How a call has ended so far. */
const watch = (call: Promise<unknown>) => {
  let end: unknown = 'waiting'
  call.then(
    (value) => (end = value),
    (error: { code?: unknown }) => (end = error.code),
  )
  return () => end
}

/** Starts one call of each kind that waits. Returns a function that returns how each has ended. */
const startWaiting = async (mock: Mock, id: ProjectName) => {
  const project = mock.project(id)
  const at = pathOf(id)
  const path = `${at}/users/usr_1`
  await project.faults.add({ match: { path }, effect: { delay: { milliseconds: hour } } })
  const hold = await project.faults.add({ match: { path: `${at}/users/usr_none2` }, effect: { hold: true } })
  const request = async (url: string, method = 'GET') => {
    const response = await mock.fetch(url, { method, headers: { authorization: `Bearer ${token}` } })
    const { code } = (await readResponse(response)).body as { code?: string }
    return [response.status, code]
  }
  const seen: string[] = []
  const follow = async () => {
    for await (const event of project.events())
      seen.push(event.type === 'reset' ? `reset: ${event.reason}` : event.type)
  }
  const calls = {
    delayed: watch(request(path)),
    held: watch(request(`${at}/paymentLinks/pml_3/cancel`, 'POST')),
    verification: watch(project.requests.verify({ match: { path: `${at}/never` }, within: hour })),
    verificationOfAll: watch(mock.requests.verify({ match: { project: id, status: 418 }, within: hour })),
    waitForHeld: watch(hold.waitForHeld(1, { within: hour })),
    stream: watch(follow()),
  }
  await finishSoon()
  expect(await project.faults.list()).toContainEqual(expect.objectContaining({ held: 1 }))
  return () => ({
    ...Object.fromEntries(Object.entries(calls).map(([name, getEnd]) => [name, getEnd()])),
    seen: [...seen],
  })
}

type Waiting = Awaited<ReturnType<typeof startWaiting>>

/** Both projects with waiting calls, after some commands: all that can be observed of each project. */
const observeAfter = async (run: (mock: Mock, waiting: readonly Waiting[]) => Promise<unknown>) => {
  const mock = await startTwoProjects()
  const waiting = await Promise.all(projectIds.map((id) => startWaiting(mock, id)))
  await run(mock, waiting)
  await finishSoon()
  const waited = waiting.map((getEnds) => getEnds())
  const observed = []
  // A fault for all projects has another id than that of one project, and only the lists for all contain it.
  for (const id of projectIds) observed.push({ ...(await observeProject(mock, id)), faults: undefined })
  return JSON.parse(JSON.stringify({ waited, observed }).replace(/flt_\w+/g, 'flt')) as object
}

let untouched: Promise<object> | undefined
const observeUntouched = () => (untouched ??= observeAfter(async () => {}))

describe('a command, while calls wait', () => {
  const sendForAll = (command: Sent) => async (mock: Mock) => {
    // The ids and bodies of one project are sent for all, one after the other.
    const isOfOne = /\{(?:request|fault)\}/.test(commands[command.id].path)
    const isSame = isDeepStrictEqual(...(projectIds.map(command.getBody) as [object, object]))
    for (const whose of isOfOne || !isSame ? projectIds : projectIds.slice(0, 1))
      expectSuccess(command, await runCommand(mock, command, undefined, whose))
  }
  const sendForEach = (command: Sent) => async (mock: Mock, waiting: readonly Waiting[]) => {
    for (const [index, id] of projectIds.entries()) {
      const getEndsOfOther = waiting[1 - index]!
      const before = getEndsOfOther()
      expectSuccess(command, await runCommand(mock, command, id))
      await finishSoon()
      expect(getEndsOfOther(), 'the calls of the other project').toEqual(before)
    }
  }
  const isReading = ({ id }: Sent) => commands[id].method === 'GET' || id.startsWith('verify') || id === 'waitForHeld'
  const isSeparate = ({ id }: Sent) => separate.has(id)

  it.each(commandsOfBoth.filter((command) => !isReading(command) && !isSeparate(command)))(
    'does to all projects what it does to each of them alone: $name',
    async (command) => {
      expect(await observeAfter(sendForAll(command))).toEqual(await observeAfter(sendForEach(command)))
    },
  )

  it.each(commandsOfBoth.filter(isReading))('changes nothing, for all and for each: $name', async (command) => {
    const readBoth = async (mock: Mock, waiting: readonly Waiting[]) => {
      await sendForAll(command)(mock)
      await sendForEach(command)(mock, waiting)
    }
    expect(await observeAfter(readBoth)).toEqual(await observeUntouched())
  })

  it.each(commandsOfBoth.filter((command) => isSeparate(command) && !isReading(command)))(
    'changes no project, for all: $name',
    async (command) => {
      expect(await observeAfter(sendForAll(command))).toEqual(await observeUntouched())
    },
  )
})

describe('a list of all projects', () => {
  const lists = commandsOfBoth.filter(({ id }) => id.startsWith('list') && !merged.has(id))
  it.each(lists)('has the items of each: $name', async (command) => {
    const mock = await startTwoProjects()
    const list = async (project?: ProjectName) =>
      (JSON.parse((await runCommand(mock, command, project)).text) as { items: object[] }).items
    const all = await list()
    const own = (await Promise.all(projectIds.map((id) => list(id)))).flat()
    expect(own.length).toBeGreaterThan(0)
    expect(all).toHaveLength(own.length)
    expect(all).toEqual(expect.arrayContaining(own))
  })
})

it.each(['all', 'each'])('a clock that is set for %s without a time keeps the time of each project', async (which) => {
  const mock = await startTwoProjects()
  const readTimes = () => Promise.all(projectIds.map(async (id) => (await mock.project(id).clock.get()).now))
  const before = await readTimes()
  expect(countDistinct(before)).toBe(2)
  for (const control of which === 'all' ? [mock] : projectIds.map((id) => mock.project(id)))
    await control.clock.set({ mode: 'stepping' })
  expect(await readTimes()).toEqual(before)
})

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
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const mock = await start()
        for (const { command, whose } of steps) await runCommand(mock, command, first, whose)
        expect(await observe(mock)).toEqual(await getExpected())
      }),
      { numRuns: 10 },
    )
  })
})
