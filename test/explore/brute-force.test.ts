// Properties of the search over programs: what it finds is what brute force finds, and what a search over clients finds.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { exploreProgram } from '../../src/explore/programs/explore-program.ts'
import { interleavePrograms } from '../../src/explore/programs/interleave-programs.ts'
import type { ProgramSearch } from '../../src/explore/programs/program-search.ts'
import { ProgramError } from '../../src/explore/programs/program-types.ts'
import type { Client } from '../../src/explore/index.ts'
import type { MockOptions } from '../../src/index.ts'
import { type BruteRun, groupRecords, isFailure, type Place, runByBruteForce } from './support/brute-force.ts'
import {
  drawnCaller,
  drawnOptions,
  drawnProgram,
  drawnThreads,
  findVariation,
  type Program,
  runProgram,
  searchInProcess,
  sendsTogether,
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
      for (const phase of calls[call - 1]!.changesNothing ? (['before'] as const) : (['before', 'after'] as const))
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
  const isSameCall = run.calls[last.call - 1]!.text === smaller.run.calls[alone.call - 1]!.text
  const hasSameEnd = run.exitCodes[0] === smaller.run.exitCodes[0] && hasSameRecords(run, smaller.run)
  return isSameCall && hasSameEnd && last.phase === alone.phase && last.effect === alone.effect
}

const hasSameRecords = (a: BruteRun, b: BruteRun): boolean => {
  const list = ({ records }: BruteRun) => [...records].filter(([key]) => !key.includes(': canceled ')).toSorted()
  return JSON.stringify(list(a)) === JSON.stringify(list(b))
}

/** Draws pairs of clients, and requires that both searches find the same failing orders. */
const compareBothWays = (numRuns: number, seed: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(drawnCaller, drawnCaller, drawnOptions, async (first, second, options) => {
      const serial = [await runByBruteForce([first, second], options), await runByBruteForce([second, first], options)]
      // Both searches reject programs that always fail.
      fc.pre(serial.some(({ exitCodes }) => exitCodes.every((code) => code === 0)))
      const toFlow = (program: Program) => (client: Client) =>
        runProgram(program, { send: client.fetch, files: new Set<string>(), run: 1 })
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
          const end = { exitCodes: Object.values(results) as number[], records: await groupRecords(mock) }
          if (isFailure(end, serial)) throw new Error('The records are those of no serial order.')
        },
      })
      const report = await interleavePrograms({ ...searchInProcess({ a: first, b: second }, options), faults: 0 })
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

// In parts, because a test has a time limit.
const seeds = isSlow ? [1, 2, 3, 4] : [1]

// At the same time, because they wait most of the time.
it.concurrent.each(seeds)('explore finds the failures that brute force finds, with seed %i', (seed) =>
  compareWithBruteForce(isSlow ? 100 : 3, seed),
)

it.concurrent.each(seeds)('interleave finds the same failing orders of clients and of programs, with seed %i', (seed) =>
  compareBothWays(isSlow ? 20 : 3, seed),
)

it.concurrent.each<[string, (given: ProgramSearch) => Promise<{ exhausted: boolean; endedBy: string }>, string[]]>([
  ['explore', exploreProgram, ['']],
  ['interleave', interleavePrograms, ['a', 'b']],
])(
  '%s claims to be exhausted only for programs that repeat themselves and send one call at a time',
  async (_, search, names) => {
    const property = fc.asyncProperty(drawnThreads, drawnCaller, drawnOptions, async (first, second, options) => {
      const programs = Object.fromEntries(names.map((name, index) => [name, [first, second][index]!]))
      const given = searchInProcess(programs, options)
      const report = await search({ ...given, faults: names.length === 1 ? 1 : 0, maxRuns: 300 }).catch(
        (error: unknown) => {
          if (error instanceof ProgramError) return undefined
          throw error
        },
      )
      fc.pre(report?.endedBy === 'complete')
      const isVaried = findVariation(first) < given.countRuns()
      // After another order, other calls may be right, so they show only if an order is repeated.
      fc.pre(!isVaried || names.length === 1)
      expect(report?.exhausted).toBe(!sendsTogether(first) && !isVaried)
    })
    await fc.assert(property, toParameters(isSlow ? 300 : 10, 1))
  },
)

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

const kinds: [string, (given: ProgramSearch) => Promise<unknown>, faults: 0 | 1 | 2, actors: number][] = [
  ['faults', exploreProgram, 2, 1],
  ['orders', interleavePrograms, 0, 2],
  ['faults in orders', interleavePrograms, 1, 2],
]
/** Several of its runs can be in progress at the same time. */
const ensuring: Program = ['inv_1', 'inv_2'].map((invoice) => ({ do: 'ensure', invoice, attempts: 2, hasKey: false }))

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
          maxRuns: isSlow ? 100 : 20,
        }
        const alone = await runWith(search, given, 1)
        expect(alone.most).toBeLessThanOrEqual(actors)
        const together = await runWith(search, given, 4)
        expect(together.report).toEqual(alone.report)
        most = Math.max(most, together.most)
      },
    )
    // The quick run tries the example alone.
    await fc.assert(property, { numRuns: isSlow ? 10 : 1, examples: [[names.map(() => ensuring), {}]] })
    expect(most).toBeGreaterThan(actors)
  },
)
