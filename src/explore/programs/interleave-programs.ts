// Runs several programs one after another in every order, then with their calls interleaved in different ways.
import { groupBy } from '../../core/schema/json-value.ts'
import { scriptOrder } from '../strategies/given-schedules.ts'
import { getMessage } from '../result.ts'
import { formatOrder, formatStep, parseOrder, parseStep } from '../schedule-text.ts'
import type { RunResult } from '../strategies/order-search.ts'
import type { ScheduleScript } from '../strategies/strategy.ts'
import type { Step } from '../steps.ts'
import { compareRecords } from './compare-records.ts'
import type { OrderFailure, OrderReport } from './program-report.ts'
import { ProgramError, type ProgramRun } from './program-types.ts'
import { type JudgedProgramRun, type ProgramRuns, type ProgramSearch, searchPrograms } from './search-programs.ts'
import { describeExit } from './describe-exit.ts'
import { noteLongIdleTimes } from './silent-programs.ts'
import { requireCalls, requireCheck, requireEnd, requireSameRuns, requireWorkDone } from './require-searchable.ts'

export const interleavePrograms = async (search: ProgramSearch): Promise<OrderReport> => {
  const orders = search.only?.map(parseOrder)
  const names = [...search.programs.keys()]
  let serial: OrderReport['serial'] = []
  const { failed, ...summary } = await searchPrograms(search, {
    orders: 'isolated',
    effectNames: orders?.flat().flatMap((step) => parseStep(step).fault?.effect ?? []),
    describe: formatSteps,
    prepare: async (runs) => {
      const only = orders?.map((order, index) =>
        reportScriptErrors(scriptOrder(names, runs.options.effects, order), (why) =>
          runs.omissions.addNotTried(search.only![index]!, why),
        ),
      )
      serial = await runSerialOrders(names, runs, only === undefined)
      if (search.switches !== null) noteLongIdleTimes(runs.shared, search.settle)
      return { only }
    },
    explain: (difference) => `the programs took another path: ${difference}`,
  })
  return {
    ...summary,
    switches: search.switches,
    serial,
    failures: groupBy(failed, ({ error }) => error ?? '').map(([run, ...alike]) =>
      describeFailure(run, alike.length, search),
    ),
  }
}

/** Makes the undisturbed runs. Returns the orders whose final records differ from those of the first successful order. */
const runSerialOrders = async (
  names: readonly string[],
  runs: ProgramRuns,
  isProbed: boolean,
): Promise<OrderReport['serial']> => {
  const serialRuns: ProgramRun[] = []
  for (const order of listPermutations(names)) {
    const run = await runs.runBaseline(order)
    requireEnd(run, runs.options)
    requireWorkDone(run)
    serialRuns.push(run)
    if (run.steps.length === 0) requireSameRuns(serialRuns[0]!, run, runs.options)
  }
  requireCalls(serialRuns, runs.options)
  const [first] = serialRuns as [ProgramRun]
  if (isProbed) requireSameRuns(first, await runs.probe(first), runs.options)
  const successfulRuns = serialRuns.filter(({ ends }) => ends.every(({ exitCode }) => exitCode === 0))
  const failedProgram = first.ends.find(({ exitCode }) => exitCode !== 0)
  if (successfulRuns.length === 0 && failedProgram !== undefined)
    throw new ProgramError(
      `Not all programs exit with 0 when they run one after the other, in any order: program ${failedProgram.name} ${describeExit(failedProgram)}.`,
      failedProgram.output,
    )
  for (const run of successfulRuns)
    requireCheck(run, runs.options, `if ${formatSerialOrder(listNames(run))}`, formatSteps(run.steps))
  return successfulRuns.flatMap((run) => {
    const { differences } = compareRecords(successfulRuns[0]!.projects, run.projects)
    return differences.length === 0 ? [] : [{ order: listNames(run), differences }]
  })
}

const listNames = ({ ends }: ProgramRun): string[] => ends.map(({ name }) => name)

/** Returns text such as `a runs before b`. */
export const formatSerialOrder = (names: readonly string[]): string => names.join(' runs before ')

/** Wraps a script so that it passes errors to `note` and stops the run instead of throwing. */
const reportScriptErrors = (
  { decide, faults, check }: ScheduleScript<RunResult>,
  note: (why: string) => void,
): ScheduleScript<JudgedProgramRun> => {
  const noteErrors =
    <A extends unknown[], T>(follow: (...args: A) => T) =>
    (...args: A): T | undefined => {
      try {
        return follow(...args)
      } catch (error) {
        note(`${getMessage(error)} On a busy machine, raise --settle.`)
        return undefined
      }
    }
  // If the run was stopped, `decide` has already reported the reason.
  return { decide: noteErrors(decide), faults, check: noteErrors((run) => run.isComplete && check(run)) }
}

const listPermutations = (names: readonly string[]): string[][] =>
  names.length === 0
    ? [[]]
    : names.flatMap((name) => listPermutations(names.filter((other) => other !== name)).map((rest) => [name, ...rest]))

const formatSteps = (steps: readonly Step[]): string => formatOrder(steps.map(formatStep))

const describeFailure = (
  { steps, error, ends, requests, events }: JudgedProgramRun,
  alike: number,
  { formatCommand }: ProgramSearch,
): OrderFailure => {
  const replay = formatSteps(steps)
  return {
    replay,
    command: formatCommand(replay),
    error: error ?? '',
    alike,
    requests: requests.map(({ actor, ...request }) => ({ program: actor ?? '', ...request })),
    events: events.map(({ actor, ...event }) => ({ program: actor ?? '', ...event })),
    programs: ends.map(({ name, exitCode, signal, output }) => ({ name, exitCode, signal, output: [...output] })),
  }
}
