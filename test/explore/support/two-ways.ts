// Pairs of clients that run both ways, in process and as programs: the same orders must fail.
import * as fc from 'fast-check'
import { expect } from 'vitest'
import type { Client } from '../../../src/extensions/explore/index.ts'
import type { OrderReport } from '../../../src/extensions/explore/programs/program-result.ts'
import type { MockOptions } from '../../../src/index.ts'
import { createRequest, runProgram } from './drawn-program.js'
import { countLinks, drawnCaller, drawnOptions, isFailure, type Program, runByBruteForce } from './drawn-programs.ts'
import { interleave } from './searches.ts'

export type SearchPrograms = (programs: readonly [Program, Program], options: MockOptions) => Promise<OrderReport>

/** Draws pairs of clients, and requires that both searches find the same failing orders. */
export const compareBothWays = (
  numRuns: number,
  searchPrograms: SearchPrograms,
  given: fc.Parameters<unknown> = {},
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(drawnCaller, drawnCaller, drawnOptions, async (first, second, options) => {
      const serial = [await runByBruteForce([first, second], options), await runByBruteForce([second, first], options)]
      // Both searches reject programs that always fail.
      fc.pre(serial.some(({ exitCodes }) => exitCodes.every((code) => code === 0)))
      const toFlow = (program: Program) => (client: Client) =>
        runProgram(program, {
          send: (...call) => client.fetch(createRequest('http://mock', call)),
          files: new Set<string>(),
        })
      let runs = 0
      const inProcess = await interleave({
        actors: {
          a: (client) => {
            runs++
            return toFlow(first)(client)
          },
          b: toFlow(second),
        },
        options,
        isolated: true,
        maxFailures: Number.MAX_SAFE_INTEGER,
        invariant: async ({ mock, results }) => {
          const end = { exitCodes: Object.values(results) as number[], counts: await countLinks(mock) }
          if (isFailure(end, serial)) throw new Error('The records are those of no serial order.')
        },
      })
      const report = await searchPrograms([first, second], options)
      const replays = new Set(inProcess.failures.map(({ replay }) => replay))
      // Orders with the same error are listed once.
      const count = report.failures.reduce((sum, { alike }) => sum + 1 + alike, 0)
      // Programs also run three times one after the other. Runs that were given up count too.
      expect({ exhausted: report.exhausted, failures: count, runs: report.runs - 3 }).toEqual({
        exhausted: inProcess.exhausted,
        failures: replays.size,
        runs,
      })
      for (const { replay } of report.failures) expect(replays).toContain(replay)
    }),
    { ...given, numRuns },
  )
