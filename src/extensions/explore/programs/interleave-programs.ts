// The search over the orders of several programs: first one after the other, and then in all other orders of their calls.
import { followOrder } from '../notation.ts'
import { catchEnd, getMessage } from '../result.ts'
import { formatOrder, formatStep, parseOrder, parseStep } from '../schedule-text.ts'
import { type Followed, type Runner, runSearch, type SearchedRun } from '../search.ts'
import type { Decide, Step } from '../steps.ts'
import type { OrderFailure, OrderReport } from './program-result.ts'
import type { ProgramRun } from './program-parts.ts'
import { createProgramSearch, type JudgedProgramRun, maxTries, type ProgramSearch } from './program-search.ts'
import { ProgramError, requireCalls, requireCheck, requireSameRuns } from './program-verdict.ts'

/**
 * Runs programs side by side, again and again, each time in another order of their calls.
 *
 * @throws ProgramError if the programs cannot be searched, or do not fit `only`
 * @throws MockError `invalidOptions` for an unknown effect, and for a schedule that cannot be read
 */
export const interleavePrograms = async (given: ProgramSearch): Promise<OrderReport> => {
  const faults = given.only === undefined ? undefined : parseOrder(given.only).map((step) => parseStep(step).fault)
  const search = await createProgramSearch(
    given,
    faults?.flatMap((fault) => fault?.effect ?? []),
  )
  const { counts, notTried, options, effects, clock } = search
  const names = [...given.programs.keys()]
  const only = given.only === undefined ? undefined : [followSteps(followOrder(names, effects, parseOrder(given.only)))]

  const runOneAfterTheOther = async (): Promise<ProgramRun> => {
    const orders = listPermutations(names)
    counts.planned = orders.length + 1
    const runs: ProgramRun[] = []
    for (const order of orders) {
      const run = await search.runBaseline(inOrder(order))
      requireCalls(run, options)
      runs.push(run)
    }
    if (only === undefined) requireSameRuns(runs[0]!, await search.runBaseline(inOrder(orders[0]!)))
    const good = runs.filter(({ ends }) => ends.every(({ exitCode }) => exitCode === 0))
    if (good.length === 0) {
      const failed = runs[0]!.ends.find(({ exitCode }) => exitCode !== 0)!
      throw new ProgramError(
        `Not all programs exit with 0 when they run one after the other, in any order: program ${failed.name} ` +
          `${failed.exitCode === null ? `is ended by ${failed.signal}` : `exits with ${failed.exitCode}`}.`,
        failed.output,
      )
    }
    for (const run of good) requireCheck(run, options)
    return runs[0]!
  }

  const interleave = async (): Promise<{ endedBy: OrderReport['endedBy']; failures: JudgedProgramRun[] }> => {
    const failures: JudgedProgramRun[] = []
    const endedBy = await catchEnd<OrderReport['endedBy']>(
      (async () => {
        const first = await runOneAfterTheOther()
        const runner: Runner<JudgedProgramRun> = {
          run: (decide, getExpected) => search.run(decide, { isShown: only !== undefined, getExpected }),
          // The first order is the one in which the programs run one after the other.
          origin: { ...first, error: null, differences: [], canceled: [] },
          onRun: (run) => {
            if (run.error !== null) counts.failures++
            noteNotTried(run, run.notTried)
            counts.planned++
            search.report()
          },
          onLevel: () => {},
          maxTries,
          onDifference: (difference, run) => noteNotTried(run, `the programs took another path: ${difference}`),
        }
        const settings = { ...given, effects, orders: 'isolated', maxFailures: Infinity, jobs: given.jobs } as const
        const found = await runSearch(settings, clock, runner, only)
        failures.push(...found.failures)
        return found.endedBy as OrderReport['endedBy']
      })(),
    )
    return { endedBy, failures }
  }

  const noteNotTried = ({ steps }: JudgedProgramRun, why: string | undefined): void => {
    const replay = formatSteps(steps)
    if (why !== undefined && !notTried.some((one) => one.replay === replay)) notTried.push({ replay, why })
  }

  try {
    const { endedBy, failures } = await interleave()
    return {
      ...search.summarize(endedBy),
      failures: joinAlike(failures).map(({ run, alike }) => describeFailure(run, alike, given.formatCommand)),
    }
  } finally {
    search.close()
  }
}

/** Rejects programs that do not fit a schedule with an error of the user. */
const followSteps = ({ decide, check }: Followed<SearchedRun>): Followed<SearchedRun> => {
  const explain =
    <A extends unknown[], T>(follow: (...args: A) => T) =>
    (...args: A): T => {
      try {
        return follow(...args)
      } catch (error) {
        throw new ProgramError(getMessage(error))
      }
    }
  return { decide: explain(decide), check: explain(check) }
}

const listPermutations = (names: readonly string[]): string[][] =>
  names.length === 0
    ? [[]]
    : names.flatMap((name) => listPermutations(names.filter((other) => other !== name)).map((rest) => [name, ...rest]))

/** Lets programs run one after the other: the calls of the first one pass until it has ended. */
const inOrder =
  (order: readonly string[]): Decide =>
  (ready) => ({ choice: order.flatMap((name) => ready.find(({ actor }) => actor === name) ?? [])[0]! })

const formatSteps = (steps: readonly Step[]): string => formatOrder(steps.map(formatStep))

/** Keeps the first failure with each error, and counts the others. */
const joinAlike = (failures: readonly JudgedProgramRun[]): { run: JudgedProgramRun; alike: number }[] =>
  [...new Set(failures.map(({ error }) => error))].map((error) => {
    const [run, ...others] = failures.filter((one) => one.error === error)
    return { run: run!, alike: others.length }
  })

const describeFailure = (
  { steps, error, ends, requests, events }: JudgedProgramRun,
  alike: number,
  formatCommand: (replay: string) => string,
): OrderFailure => {
  const replay = formatSteps(steps)
  return {
    replay,
    command: formatCommand(replay),
    error: error!,
    alike,
    requests: requests.map(({ actor, ...request }) => ({ program: actor ?? '', ...request })),
    events: events.map(({ actor, ...event }) => ({ program: actor ?? '', ...event })),
    programs: ends.map(({ name, exitCode, signal, output }) => ({ name, exitCode, signal, output: [...output] })),
  }
}
