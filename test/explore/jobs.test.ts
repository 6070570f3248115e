import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { exploreProgram } from '../../src/extensions/explore/programs/explore-program.ts'
import { interleavePrograms } from '../../src/extensions/explore/programs/interleave-programs.ts'
import type { ProgramSearch } from '../../src/extensions/explore/programs/program-search.ts'
import { drawnCaller, drawnOptions, type Program, searchInProcess } from './support/drawn-programs.ts'

/** Runs a search with a number of jobs. Returns its report, and how many runs were in progress at the same time at most. */
const runWith = async <R>(search: (given: ProgramSearch) => Promise<R>, given: ProgramSearch, jobs: number) => {
  let running = 0
  let most = 0
  const programs = new Map(
    [...given.programs].map(([name, start]) => [
      name,
      (options: Parameters<typeof start>[0]) => {
        most = Math.max(most, ++running)
        const program = start(options)
        void program.ended.then(() => running--)
        return program
      },
    ]),
  )
  const report = await search({ ...given, programs, jobs }).catch((error: unknown) => String(error))
  // The address of a run has its number among all that were started.
  return { report: JSON.stringify(report, null, 2).replace(/@run-\d+/g, '@run'), most }
}

// The quick run tries the example alone.
const numRuns = process.env.SLOW_TESTS ? 10 : 1

const kinds: [string, (given: ProgramSearch) => Promise<unknown>, faults: 0 | 1 | 2, actors: number][] = [
  ['faults', exploreProgram, 2, 1],
  ['orders', interleavePrograms, 0, 2],
  ['faults in orders', interleavePrograms, 1, 2],
]
/** Several of its runs can be in progress at the same time. */
const ensuring: Program = ['inv_1', 'inv_2'].map((invoice) => ({ do: 'ensure', invoice, attempts: 2, hasKey: false }))

// At the same time, because they wait most of the time.
it.concurrent.each(kinds)(
  'the report does not depend on how many runs are in progress: %s',
  async (_, search, faults, actors) => {
    const names = actors === 1 ? [''] : ['a', 'b']
    let most = 0
    const property = fc.asyncProperty(
      fc.array(drawnCaller, { minLength: actors, maxLength: actors }),
      drawnOptions,
      async (drawn, options) => {
        const programs: Record<string, Program> = Object.fromEntries(names.map((name, index) => [name, drawn[index]!]))
        const given = {
          ...searchInProcess(programs, options),
          faults,
          effects: ['reset'],
          maxRuns: process.env.SLOW_TESTS ? 100 : 20,
        }
        const alone = await runWith(search, given, 1)
        expect(alone.most).toBeLessThanOrEqual(actors)
        const together = await runWith(search, given, 4)
        expect(together.report).toEqual(alone.report)
        most = Math.max(most, together.most)
      },
    )
    await fc.assert(property, { numRuns, examples: [[names.map(() => ensuring), {}]] })
    expect(most).toBeGreaterThan(actors)
  },
)
