// The search over the orders of several programs: first one after the other, and then in all other orders of their calls.
import { followOrder } from '../notation.ts'
import { getMessage } from '../result.ts'
import { formatOrder, formatStep, parseOrder, parseStep } from '../schedule-text.ts'
import type { Followed, SearchedRun } from '../search.ts'
import type { Decide, Step } from '../steps.ts'
import type { OrderFailure, OrderReport } from './program-result.ts'
import type { ProgramRun } from './program-parts.ts'
import { type FirstRuns, type JudgedProgramRun, type ProgramSearch, searchPrograms } from './program-search.ts'
import { ProgramError, requireCalls, requireCheck, requireSameRuns } from './program-verdict.ts'

/** Runs programs side by side, again and again, each time in another order of their calls. Throws like `searchPrograms`. */
export const interleavePrograms = async (given: ProgramSearch): Promise<OrderReport> => {
  const order = given.only === undefined ? undefined : parseOrder(given.only)
  const names = [...given.programs.keys()]
  const { failed, ...summary } = await searchPrograms(given, {
    orders: 'isolated',
    effectNames: order?.flatMap((step) => parseStep(step).fault?.effect ?? []),
    describe: formatSteps,
    prepare: async (runs) => {
      const only = order && followSteps(followOrder(names, runs.effects, order))
      const first = await runOneAfterTheOther(names, runs, only === undefined)
      // The first order is the one in which the programs run one after the other.
      return { origin: { ...first, error: null, differences: [], canceled: [] }, only }
    },
    explain: (difference) => `the programs took another path: ${difference}`,
  })
  return { ...summary, failures: joinAlike(failed).map((failure) => describeFailure(failure, given)) }
}

/** Runs the programs in each serial order. Returns the first run. */
const runOneAfterTheOther = async (
  names: readonly string[],
  { options, runBaseline }: FirstRuns,
  isRepeated: boolean,
): Promise<ProgramRun> => {
  const orders = listPermutations(names)
  const runs: ProgramRun[] = []
  for (const order of orders) {
    const run = await runBaseline(inOrder(order))
    requireCalls(run, options)
    runs.push(run)
  }
  if (isRepeated) requireSameRuns(runs[0]!, await runBaseline(inOrder(orders[0]!)))
  const good = runs.filter(({ ends }) => ends.every(({ exitCode }) => exitCode === 0))
  if (good.length === 0) {
    const { name, exitCode, signal, output } = runs[0]!.ends.find((end) => end.exitCode !== 0)!
    throw new ProgramError(
      `Not all programs exit with 0 when they run one after the other, in any order: program ${name} ` +
        `${exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`}.`,
      output,
    )
  }
  for (const run of good) requireCheck(run, options)
  return runs[0]!
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
  { run: { steps, error, ends, requests, events }, alike }: ReturnType<typeof joinAlike>[number],
  { formatCommand }: ProgramSearch,
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
