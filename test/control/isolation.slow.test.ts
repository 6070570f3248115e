/** A command on one project never changes another: each command of the table, and any sequence of them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Mock } from '../../src/node/index.ts'
import {
  ask,
  expectSuccess,
  first,
  observeProject,
  projectIds,
  runCommand,
  second,
  sentCommands as allCommands,
  startTwoProjects,
  useProject,
} from './support/two-projects.ts'

// It only reads, and rejects a fault that holds nothing.
const sentCommands = allCommands.filter(({ id }) => id !== 'waitForHeld')

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

  it.each(sentCommands)('leaves another unchanged: $name', async (command) => {
    const mock = await start()
    expectSuccess(command, await runCommand(mock, command, first))
    expect(await observe(mock)).toEqual(await getExpected())
  })

  it('leaves another unchanged, also when it names ids of the other, in any sequence', async () => {
    const step = fc.record({ command: fc.constantFrom(...sentCommands), whose: fc.constantFrom(...projectIds) })
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
