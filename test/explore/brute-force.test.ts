// Properties of the search over programs: what it finds is what brute force finds, and what a search over clients finds.
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { exploreProgram } from '../../src/extensions/explore/programs/explore-program.ts'
import { interleavePrograms } from '../../src/extensions/explore/programs/interleave-programs.ts'
import type { OrderReport } from '../../src/extensions/explore/programs/program-report.ts'
import { ProgramError } from '../../src/extensions/explore/programs/program-verdict.ts'
import type { Client } from '../../src/extensions/explore/index.ts'
import type { MockOptions } from '../../src/index.ts'
import { interleaveJson } from '../cli/support/programs.ts'
import { createRequest, runProgram } from './support/drawn-program.js'
import {
  type BruteRun,
  countLinks,
  drawnCaller,
  drawnOptions,
  drawnProgram,
  isFailure,
  type Place,
  type Program,
  runByBruteForce,
  searchInProcess,
} from './support/drawn-programs.ts'
import { interleave } from './support/searches.ts'

const isSlow = process.env.SLOW_TESTS !== undefined

/** Only the parts of the slow run have seeds of their own. */
const toParameters = (numRuns: number, seed: number) => ({ numRuns, ...(isSlow && { seed }) })

/** Draws programs, and requires that a search finds the failures of each: with one fault, and with two if the program is short. */
const compareWithBruteForce = (numRuns: number, seed: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(drawnProgram, drawnOptions, async (program, options) => {
      const undisturbed = await runByBruteForce([program], options)
      const search = searchInProcess({ '': program }, options)
      if (undisturbed.exitCodes[0] !== 0 || undisturbed.calls.length === 0) {
        await expect(exploreProgram(search)).rejects.toThrow(ProgramError)
        return
      }
      const faults = undisturbed.calls.length < 4 ? 2 : 1
      const report = await exploreProgram({ ...search, faults })
      const found = report.failures.map(({ requests }) => listPlaces(requests))
      const expected = await findByBruteForce(program, options, undisturbed, faults)
      expect({ exhausted: report.exhausted, found: found.toSorted() }).toEqual({
        exhausted: true,
        found: expected.toSorted(),
      })
    }),
    toParameters(numRuns, seed),
  )

const format = (places: readonly Place[]): string =>
  places.map(({ call, phase, effect }) => `${call}.${phase}.${effect}`).join('+')

/** The faults of a failure by their place in its run. The numbers of a schedule are those of the undisturbed run. */
const listPlaces = (requests: readonly { readonly fault: string | null }[]): string =>
  requests
    .flatMap(({ fault }, index) => {
      const [, effect, phase] = /^(\w+) (before|after) /.exec(fault ?? '') ?? []
      return phase === undefined ? [] : `${index + 1}.${phase}.${effect}`
    })
    .join('+')

/** A run with a fault more than `places` at one of its later calls. */
interface Tried {
  readonly places: readonly Place[]
  readonly run: BruteRun
  readonly isFailure: boolean
}

/** Tries each fault before and after each call, and again after each that is no failure. */
const findByBruteForce = async (program: Program, options: MockOptions, undisturbed: BruteRun, faults: number) => {
  const tryMore = async (places: readonly Place[], { calls }: BruteRun): Promise<Tried[]> => {
    const tried: Tried[] = []
    for (let call = (places.at(-1)?.call ?? 0) + 1; call <= calls.length; call++)
      for (const phase of ['before', 'after'] as const)
        for (const effect of ['crash', 'reset'] as const) {
          const more = [...places, { call, phase, effect }]
          const run = await runByBruteForce([program], options, more)
          tried.push({ places: more, run, isFailure: isFailure(run, [undisturbed]) })
        }
    return tried
  }
  const single = await tryMore([], undisturbed)
  const failed = single.filter((one) => one.isFailure)
  const found = failed.map(({ places }) => format(places))
  if (faults === 1) return found
  for (const one of single.filter((other) => !other.isFailure))
    for (const pair of await tryMore(one.places, one.run)) {
      if (pair.isFailure && !failed.some((smaller) => contains(pair, smaller))) found.push(format(pair.places))
    }
  return found
}

/** Whether the second fault of a pair fails in the same way alone. */
const contains = ({ places, run }: Tried, smaller: Tried): boolean => {
  const [last, alone] = [places.at(-1)!, smaller.places[0]!]
  const isSameCall = run.calls[last.call - 1] === smaller.run.calls[alone.call - 1]
  const hasSameEnd = run.exitCodes[0] === smaller.run.exitCodes[0] && hasSameOpenLinks(run, smaller.run)
  return isSameCall && hasSameEnd && last.phase === alone.phase && last.effect === alone.effect
}

const hasSameOpenLinks = (a: BruteRun, b: BruteRun): boolean => {
  const list = ({ counts }: BruteRun) => [...counts].filter(([key]) => key.endsWith('open')).toSorted()
  return JSON.stringify(list(a)) === JSON.stringify(list(b))
}

type SearchPrograms = (programs: readonly [Program, Program], options: MockOptions) => Promise<OrderReport>

/** Draws pairs of clients, and requires that both searches find the same failing orders. */
const compareBothWays = (numRuns: number, searchPrograms: SearchPrograms, seed: number): Promise<void> =>
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
    toParameters(numRuns, seed),
  )

const searchInThisProcess: SearchPrograms = ([a, b], options) =>
  interleavePrograms({ ...searchInProcess({ a, b }, options), faults: 0 })

const file = fileURLToPath(new URL('support/drawn-program.js', import.meta.url))

/** Searches the orders of drawn programs that run as processes. */
const searchProcesses: SearchPrograms = (programs, { behaviors = {} }) =>
  interleaveJson(
    programs.map((program) => [process.execPath, file, JSON.stringify(program)]),
    Object.entries(behaviors).flatMap(([key, value]) => ['--behavior', `${key}=${value}`]),
  )

// In parts, because a test has a time limit.
const seeds = isSlow ? [1, 2, 3, 4] : [1]

// At the same time, because they wait most of the time.
it.concurrent.each(seeds)('explore finds the failures that brute force finds, with seed %i', (seed) =>
  compareWithBruteForce(isSlow ? 100 : 3, seed),
)

it.concurrent.each(seeds)('interleave finds the same failing orders of clients and of programs, with seed %i', (seed) =>
  compareBothWays(isSlow ? 20 : 3, searchInThisProcess, seed),
)

// Each run starts two processes.
it.runIf(isSlow).each(seeds)(
  'interleave finds the same failing orders of clients and of processes, with seed %i',
  (seed) => compareBothWays(25, searchProcesses, seed),
)
