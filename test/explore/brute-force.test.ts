// Properties of the search over programs: what it finds is what brute force finds, and what a search over clients finds.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { exploreProgram } from '../../src/explore/programs/explore-program.ts'
import { interleavePrograms } from '../../src/explore/programs/interleave-programs.ts'
import type { ProgramSearch } from '../../src/explore/programs/search-programs.ts'
import type { ProgramFailure } from '../../src/explore/programs/program-report.ts'
import { ProgramError } from '../../src/explore/programs/program-types.ts'
import type { Client } from '../../src/explore/index.ts'
import type { MockOptions } from '../../src/index.ts'
import {
  type BruteRun,
  describeEnd,
  type EffectName,
  findProblem,
  formatPlaces,
  groupRecords,
  listFaults,
  type Place,
  runByBruteForce,
  runInSerialOrders,
  runWithFaults,
  tryOrders,
} from './support/brute-force.ts'
import {
  drawnCaller,
  drawnOptions,
  drawnProgram,
  drawnSharer,
  drawnThreads,
  findVariation,
  type Program,
  runProgram,
  searchInProcess,
  sendsTogether,
  withOwnFiles,
} from './support/drawn-programs.ts'
import { interleave } from './support/searches.ts'

// EXPLORE_RUNS=500 for a longer run with CASES_SEED. EXPLORE_LOG=1 prints the counts.
const { EXPLORE_RUNS, EXPLORE_LOG, SLOW_TESTS } = process.env
const isSlow = SLOW_TESTS !== undefined

// Only the parts of the slow run have seeds of their own.
const toParameters = (numRuns: number, seed: number) => ({
  numRuns: Number(EXPLORE_RUNS ?? numRuns),
  ...(isSlow && { seed }),
  ...(EXPLORE_RUNS !== undefined && { maxSkipsPerRun: 1000 }),
})

/** Requires a property of each case that is drawn. */
const requireOfEach = async <A extends unknown[]>(
  name: string,
  drawn: fc.Arbitrary<A>,
  parameters: fc.Parameters<[A]>,
  property: (...values: A) => Promise<void>,
): Promise<void> => {
  let compared = 0
  const counted = fc.asyncProperty(drawn, async (values) => {
    await property(...values)
    compared++
  })
  await fc.assert(counted, parameters)
  if (EXPLORE_LOG) console.log(JSON.stringify({ name, compared }))
}

const drawnEffects = fc.constantFrom<EffectName[][]>(['crash', 'reset'], ['paid', 'canceled'], ['crash', 'paid'])

/** Draws programs, and requires that a search finds the failures of each: with one fault, and with two if the program is short. */
const compareFaults = (numRuns: number, seed: number): Promise<void> =>
  requireOfEach(
    'faults',
    fc.tuple(drawnProgram, drawnEffects, drawnOptions),
    toParameters(numRuns, seed),
    async (program, effects, options) => {
      const undisturbed = await runByBruteForce([program], options)
      const search = { ...searchInProcess({ '': program }, options), effects }
      if (undisturbed.exitCodes[0] !== 0 || undisturbed.calls.length === 0) {
        await expect(exploreProgram(search)).rejects.toThrow(ProgramError)
        return
      }
      const faults = undisturbed.calls.length < 4 ? 2 : 1
      const report = await exploreProgram({ ...search, faults })
      const found = report.failures.map(listPlaces)
      const expected = await findByBruteForce(program, options, undisturbed, effects, faults)
      expect({ exhausted: report.exhausted, found: found.toSorted() }).toEqual({
        exhausted: true,
        found: expected.toSorted(),
      })
    },
  )

/** The faults of a failure by their place in its run. The numbers of a schedule are those of the undisturbed run. */
const listPlaces = ({ requests, schedule }: ProgramFailure): string => {
  const links = schedule.filter(({ effect }) => effect === 'paid' || effect === 'canceled').map(({ link }) => link)
  const places = requests.flatMap(({ fault }, index): Place[] => {
    const [, effect, phase] = /^(\w+) (before|after) /.exec(fault ?? '') ?? []
    if (phase === undefined) return []
    const link = effect === 'paid' || effect === 'canceled' ? links.shift() : undefined
    return [{ call: index + 1, phase, effect, ...(link !== undefined && { link }) } as Place]
  })
  return formatPlaces(places)
}

/** A run with a fault more than `places` at one of its later calls. */
interface Tried {
  readonly places: readonly Place[]
  readonly run: BruteRun
  readonly problem: string | undefined
}

/** Tries each fault before and after each call, and again after each that is no failure. */
const findByBruteForce = async (
  program: Program,
  options: MockOptions,
  undisturbed: BruteRun,
  effects: readonly EffectName[],
  faults: number,
) => {
  const tryMore = async (places: readonly Place[], { calls }: BruteRun): Promise<Tried[]> => {
    const tried: Tried[] = []
    for (let call = (places.at(-1)?.call ?? 0) + 1; call <= calls.length; call++)
      for (const fault of listFaults(calls[call - 1]!, effects)) {
        // No program can prevent two payments.
        if (fault.effect === 'paid' && places.some(({ effect }) => effect === 'paid')) continue
        const more = [...places, { call, ...fault }]
        const run = await runWithFaults([program], options, more)
        tried.push({ places: more, run, problem: findProblem(run, [undisturbed]) })
      }
    return tried
  }
  const single = await tryMore([], undisturbed)
  const failed = single.filter(({ problem }) => problem !== undefined)
  const found = failed.map(({ places }) => formatPlaces(places))
  if (faults === 1) return found
  for (const one of single.filter(({ problem }) => problem === undefined))
    for (const pair of await tryMore(one.places, one.run)) {
      if (pair.problem !== undefined && !failed.some((smaller) => contains(pair, smaller)))
        found.push(formatPlaces(pair.places))
    }
  return found
}

/** Whether the second fault of a pair fails in the same way alone. */
const contains = ({ places, run, problem }: Tried, smaller: Tried): boolean => {
  const [last, alone] = [places.at(-1)!, smaller.places[0]!]
  const isSameCall = run.calls[last.call - 1]!.text === smaller.run.calls[alone.call - 1]!.text
  const isSameFault = last.phase === alone.phase && last.effect === alone.effect && last.link === alone.link
  return isSameCall && isSameFault && problem === smaller.problem
}

/** Draws pairs of clients, and requires that both searches find the same failing orders. */
const compareBothWays = (numRuns: number, seed: number): Promise<void> =>
  requireOfEach(
    'the same orders in process',
    fc.tuple(drawnCaller, drawnCaller, drawnOptions),
    toParameters(numRuns, seed),
    async (first, second, options) => {
      const serial = await runInSerialOrders([first, second], options)
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
          const { projects = {} } = await mock.state.get()
          const exitCodes = Object.values(results) as number[]
          const end = { exitCodes, projects, records: groupRecords(projects), touched: new Set<string>() }
          if (findProblem(end, serial) !== undefined) throw new Error('The records are those of no serial order.')
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
    },
  )

/** The maximum number of calls of programs without effects: brute force has a run for each order. */
const maxCalls = isSlow || EXPLORE_RUNS !== undefined ? 5 : 4

/**
 * Draws two programs, and requires that a search reaches the ends that brute force over all orders reaches. Programs that share
 * files reach at least those of the orders within the switches, and the claim says whether others are left.
 */
const compareOrders = (numRuns: number, seed: number): Promise<void> =>
  requireOfEach(
    'orders',
    fc.tuple(
      drawnSharer,
      drawnSharer,
      fc.option(drawnEffects, { nil: [] }),
      fc.constantFrom(null, 0, 1, 2, 2, 'all' as const),
      drawnOptions,
    ),
    toParameters(numRuns, seed),
    async (first, second, effects, switches, options) => {
      const programs = switches === null ? [withOwnFiles(first, 'a'), withOwnFiles(second, 'b')] : [first, second]
      const serial = await runInSerialOrders(programs, options)
      const maxSerialCalls = Math.max(...serial.map(({ calls }) => calls.length))
      fc.pre(maxSerialCalls <= (effects.length === 0 ? maxCalls : maxCalls - 1))
      const ends = new Set<string>()
      const search = {
        ...searchInProcess({ a: programs[0]!, b: programs[1]! }, options, (exitCodes, projects) =>
          ends.add(describeEnd({ exitCodes, records: groupRecords(projects) })),
        ),
        ...(effects.length > 0 ? { faults: 1, effects } : { faults: 0 }),
        switches,
      }
      const isSearchable =
        serial.some(({ exitCodes }) => exitCodes.every((code) => code === 0)) &&
        [0, 1].every((index) => serial.some(({ calls }) => calls.some(({ program }) => program === index)))
      if (!isSearchable) {
        await expect(interleavePrograms(search)).rejects.toThrow(ProgramError)
        return
      }
      const tried = await tryOrders(programs, options, effects)
      tried.push(...serial.map((run) => ({ run, hasFault: false })))
      // Effects are tried only in orders that differ at the mock.
      const isWithin = (run: BruteRun) => switches === 'all' || run.switches <= Number(switches)
      const required = tried.filter(({ run, hasFault }) => switches === null || (!hasFault && isWithin(run)))
      const report = await interleavePrograms(search)
      const listEnds = (list: typeof tried) => new Set(list.map(({ run }) => describeEnd(run)))
      const [all, promised] = [listEnds(tried), listEnds(report.exhausted ? tried : required)]
      expect([...promised].filter((end) => !ends.has(end))).toEqual([])
      expect([...ends].filter((end) => !all.has(end))).toEqual([])
      const isFailure = ({ run }: (typeof tried)[number]) => findProblem(run, serial) !== undefined
      if (required.some(isFailure)) expect(report.failures).not.toEqual([])
      if (!tried.some(isFailure)) expect(report.failures).toEqual([])
    },
  )

// In parts, because a test has a time limit.
const seeds = isSlow ? [1, 2, 3, 4] : [1]

// At the same time, because they wait most of the time.
it.concurrent.each(seeds)('explore finds the failures that brute force finds, with seed %i', (seed) =>
  compareFaults(isSlow ? 100 : 1, seed),
)

it.concurrent.each(seeds)('interleave reaches the ends that brute force reaches, with seed %i', (seed) =>
  compareOrders(isSlow ? 100 : 1, seed),
)

it.concurrent.each(seeds)('interleave finds the same failing orders of clients and of programs, with seed %i', (seed) =>
  compareBothWays(isSlow ? 20 : 1, seed),
)

it.concurrent.each<[string, (given: ProgramSearch) => Promise<{ exhausted: boolean; endedBy: string }>, string[]]>([
  ['explore', exploreProgram, ['']],
  ['interleave', interleavePrograms, ['a', 'b']],
])(
  '%s claims to be exhausted only for programs that repeat themselves and send one call at a time',
  async (_, search, names) => {
    const drawn = fc.tuple(drawnThreads, drawnCaller, drawnOptions)
    await requireOfEach('claims', drawn, toParameters(isSlow ? 300 : 2, 1), async (first, second, options) => {
      // Before each choice of such programs, the search waits for the call that an earlier run had.
      fc.pre(names.length === 1 || !sendsTogether(first) || findVariation(first) === Infinity)
      const programs = Object.fromEntries(names.map((name, index) => [name, [first, second][index]!]))
      const given = searchInProcess(programs, options)
      const report = await search({ ...given, faults: names.length === 1 ? 1 : 0, maxRuns: 300 }).catch(
        (error: unknown) => {
          if (error instanceof ProgramError) return undefined
          throw error
        },
      )
      fc.pre(report?.endedBy === 'complete')
      const isVaried = findVariation(first) <= given.countRuns()
      // After another order, other calls may be right, so they show only if an order is repeated.
      fc.pre(!isVaried || names.length === 1)
      expect(report?.exhausted).toBe(!sendsTogether(first) && !isVaried)
    })
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
        const given = { ...searchInProcess(programs, options), faults, effects: ['reset'], maxRuns: isSlow ? 100 : 20 }
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
