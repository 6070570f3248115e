// Explores one program: runs it with no faults, then repeatedly with faults at its calls.
import { pluralize, quote } from '../../core/schema/problem.ts'
import { countFaults, type FaultSchedule, hasPhase } from '../fault-schedules.ts'
import { formatPlaces, parsePlaces } from '../schedule-text.ts'
import type { ScheduleScript } from '../strategies/strategy.ts'
import type { Decide, Step } from '../steps.ts'
import type { ProgramFailure, ProgramFault, ProgramReport } from './program-report.ts'
import {
  getOrderSubject,
  type JudgedProgramRun,
  type ProgramRuns,
  type ProgramSearch,
  searchPrograms,
} from './search-programs.ts'
import { requireSameRuns, requireSuccess } from './require-searchable.ts'
import type { ProgramRun } from './program-types.ts'

export const exploreProgram = async (search: ProgramSearch): Promise<ProgramReport> => {
  const schedules = search.only?.map(parsePlaces)
  const callNumbers = createCallNumbers()
  const canceledRuns: { replay: string; records: string[] }[] = []
  const describe = (steps: readonly Step[], faults = toSchedule(steps)): string => {
    callNumbers.add(steps)
    return formatPlaces(callNumbers.list(faults))
  }
  let first: ProgramRun
  const { failed, ...summary } = await searchPrograms(search, {
    orders: 'first',
    effectNames: schedules?.flat().map(({ effect }) => effect),
    describe,
    prepare: async (runs) => {
      first = await runs.runBaseline()
      requireSuccess(first, runs.options)
      callNumbers.setFirst(first.steps)
      if (schedules === undefined) {
        const undisturbed = await runs.probe(first)
        requireSuccess(undisturbed, runs.options, first)
        requireSameRuns(first, undisturbed, runs.options)
        noteOrder(undisturbed, first, runs)
        return { undisturbed }
      }
      const followedRuns: ScheduleScript<JudgedProgramRun>[] = []
      for (const [index, places] of schedules.entries()) {
        const note = (why: string) => runs.omissions.addNotTried(search.only![index]!, why)
        followedRuns.push(...(await followPlaces(places, callNumbers, first, runs, note)))
      }
      return { only: followedRuns }
    },
    onRun: (run, faults, runs) => {
      const hasFaults = countFaults(run.steps) === faults
      // With `--only`, a run that does not fit its schedule is listed in `notTried`, so it needs no caveat.
      if (hasFaults || search.only === undefined) noteOrder(run, first, runs)
      if (hasFaults && run.error === null && run.canceled.length > 0)
        canceledRuns.push({ replay: describe(run.steps), records: run.canceled })
    },
    explain: () => tookAnotherPath,
  })
  return {
    ...summary,
    canceled: canceledRuns,
    failures: failed.map((run) => describeFailure(run, describe, callNumbers, search)),
  }
}

/** Adds a caveat if the calls up to the first fault differ from those in the first run, unless the program is concurrent. */
const noteOrder = ({ steps }: ProgramRun, first: ProgramRun, { omissions, isConcurrent }: ProgramRuns): void => {
  const end = steps.findIndex(({ fault }) => fault !== undefined)
  const isSame = steps.slice(0, end + 1 || undefined).every(({ id }, index) => id === first.steps[index]?.id)
  const caveat = 'The program does not always send its calls in the same order, and other orders were not tried.'
  if (!isSame && !isConcurrent('')) omissions.addCaveat(caveat, getOrderSubject(''))
}

/**
 * Converts a schedule to a script. To find a call that occurs only after a fault, runs the program with the earlier faults.
 * If the schedule does not match the program's calls, passes the reason to `note` and returns an empty list.
 */
const followPlaces = async (
  places: ReturnType<typeof parsePlaces>,
  callNumbers: CallNumbers,
  first: ProgramRun,
  runs: ProgramRuns,
  note: (why: string) => void,
): Promise<ScheduleScript<JudgedProgramRun>[]> => {
  const skipSchedule = (why: string) => {
    note(why)
    return []
  }
  let schedule: FaultSchedule = new Map()
  let { steps } = first
  for (const { call, ...fault } of places) {
    if (call > callNumbers.add(steps).length && schedule.size > 0)
      steps = (await runs.runOnce(passWithFaults(schedule))).steps
    const ids = callNumbers.add(steps)
    const id = ids[call - 1]
    if (id === undefined)
      return skipSchedule(`the program sends ${pluralize(ids.length, 'call')}, so there is no call ${call}`)
    const operation = steps.find((step) => step.id === id)?.call?.getOperation()
    if (operation === undefined) return skipSchedule(`call ${call} calls no operation, so it gets no fault`)
    if (!hasPhase(runs.options.effects[fault.effect]!, fault.phase, operation))
      return skipSchedule(`${quote(fault.effect)} is not tried ${fault.phase} call ${call}, ${operation}`)
    schedule = new Map([...schedule, [id, fault]])
  }
  const check = (run: ProgramRun) => {
    if (countFaults(run.steps) === schedule.size) return
    const isReached = [...schedule.keys()].every((id) => run.steps.some((step) => step.id === id))
    note(isReached ? 'no call got the fault: the program has fewer active links' : tookAnotherPath)
  }
  return [{ decide: passWithFaults(schedule), faults: schedule.size, check }]
}

const tookAnotherPath = 'no call got the fault: the program took another path'

const passWithFaults =
  (schedule: FaultSchedule): Decide =>
  ([choice]) =>
    choice && { choice, fault: schedule.get(choice.id) }

const toSchedule = (steps: readonly Step[]): FaultSchedule =>
  new Map(steps.flatMap(({ id, fault }) => (fault === undefined ? [] : [[id, fault] as const])))

/** Assigns a number to each call. Calls of the first run keep their numbers, and other calls get higher numbers. */
const createCallNumbers = () => {
  const firstIds: string[] = []
  // Includes calls of earlier runs, because a fault may be planned for a call that the last run did not make.
  const lastCalls = new Map<string, Pick<ProgramFault, 'call' | 'operation'>>()
  const add = (steps: readonly Step[]): string[] => {
    const ids = [...new Set([...firstIds, ...steps.map(({ id }) => id)])]
    for (const { id, call } of steps)
      lastCalls.set(id, { call: ids.indexOf(id) + 1, operation: call?.getOperation() ?? '' })
    return ids
  }
  return {
    setFirst: (steps: readonly Step[]): void => void firstIds.push(...add(steps)),
    add,
    list: (schedule: FaultSchedule): ProgramFault[] =>
      [...schedule]
        .flatMap(([id, fault]) => {
          const call = lastCalls.get(id)
          const [, , occurrence] = JSON.parse(id) as [string, string, number]
          return call === undefined ? [] : [{ ...call, occurrence, ...fault }]
        })
        .toSorted((a, b) => a.call - b.call),
  }
}

type CallNumbers = ReturnType<typeof createCallNumbers>

const describeFailure = (
  { steps, error, differences, canceled, ends, requests, events }: JudgedProgramRun,
  describe: (steps: readonly Step[]) => string,
  callNumbers: CallNumbers,
  { formatCommand }: ProgramSearch,
): ProgramFailure => {
  const replay = describe(steps)
  const [{ exitCode, signal, output }] = ends as [JudgedProgramRun['ends'][number]]
  return {
    schedule: callNumbers.list(toSchedule(steps)),
    replay,
    command: formatCommand(replay),
    error: error ?? '',
    differences,
    canceled,
    exitCode,
    signal,
    output: [...output],
    requests: requests.map(({ actor: _, ...request }) => request),
    events: events.map(({ actor: _, ...event }) => event),
  }
}
