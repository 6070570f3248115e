// The search over one program: it runs undisturbed, and then once for each fault at each of its calls.
import { pluralize, quote } from '../../../schema/problem.ts'
import { countFaults, type FaultSchedule, hasPhase } from '../explored-faults.ts'
import { formatPlaces, parsePlaces } from '../schedule-text.ts'
import type { Followed } from '../search.ts'
import type { Decide, Step } from '../steps.ts'
import type { ProgramFailure, ProgramFault, ProgramReport } from './program-report.ts'
import { type JudgedProgramRun, type ProgramRuns, type ProgramSearch, searchPrograms } from './program-search.ts'
import { requireSameRuns, requireSuccess } from './program-verdict.ts'
import type { ProgramRun } from './run-state.ts'

/** Runs a program again and again. Throws like `searchPrograms`. */
export const exploreProgram = async (given: ProgramSearch): Promise<ProgramReport> => {
  const schedules = given.only?.map(parsePlaces)
  const numbers = createNumbers()
  const canceled: { replay: string; records: string[] }[] = []
  const describe = (steps: readonly Step[], faults = toSchedule(steps)): string => {
    numbers.add(steps)
    return formatPlaces(numbers.list(faults))
  }
  let first: ProgramRun
  let concurrent = false
  const { failed, ...summary } = await searchPrograms(given, {
    orders: 'first',
    effectNames: schedules?.flat().map(({ effect }) => effect),
    describe,
    prepare: async (runs) => {
      first = await runs.runBaseline()
      requireSuccess(first, runs.options)
      numbers.setFirst(first.steps)
      if (schedules === undefined) return undefined
      const followed: Followed<JudgedProgramRun>[] = []
      for (const [index, places] of schedules.entries()) {
        const note = (why: string) => runs.noteNotTried(given.only![index]!, why)
        followed.push(...(await followPlaces(places, numbers, first, runs, note)))
      }
      return followed
    },
    onRun: (run, faults, options) => {
      concurrent ||= run.hasOverlaps || first.hasOverlaps || !hasSameStart(run, first)
      if (faults === 0 && schedules === undefined) {
        requireSuccess(run, options)
        requireSameRuns(first, run)
      } else if (countFaults(run.steps) === faults && run.error === null && run.canceled.length > 0)
        canceled.push({ replay: describe(run.steps), records: run.canceled })
    },
    explain: (_, run, faults) => {
      if (faults.size === 0) requireSameRuns(first, run)
      return tookAnotherPath
    },
  })
  return {
    ...summary,
    concurrent,
    canceled,
    failures: failed.map((run) => describeFailure(run, describe, numbers, given)),
  }
}

/** Whether a run has the same calls as the first one, in the same order, up to its fault. */
const hasSameStart = ({ steps }: ProgramRun, first: ProgramRun): boolean => {
  const end = steps.findIndex(({ fault }) => fault !== undefined)
  return steps.slice(0, end + 1 || undefined).every(({ id }, index) => id === first.steps[index]?.id)
}

/**
 * Returns the run of a schedule. A call that only an earlier fault causes is known after a run with that fault. Of a schedule
 * that does not fit, notes why, and returns no run.
 */
const followPlaces = async (
  places: ReturnType<typeof parsePlaces>,
  numbers: CallNumbers,
  first: ProgramRun,
  runs: ProgramRuns,
  note: (why: string) => void,
): Promise<Followed<JudgedProgramRun>[]> => {
  const skip = (why: string) => {
    note(why)
    return []
  }
  let schedule: FaultSchedule = new Map()
  let { steps } = first
  for (const { call, ...fault } of places) {
    if (call > numbers.add(steps).length && schedule.size > 0) steps = (await runs.runOnce(passEach(schedule))).steps
    const ids = numbers.add(steps)
    const id = ids[call - 1]
    if (id === undefined) return skip(`the program sends ${pluralize(ids.length, 'call')}, so there is no call ${call}`)
    const operation = steps.find((step) => step.id === id)?.call?.getOperation()
    if (operation === undefined) return skip(`call ${call} calls no operation, so it gets no fault`)
    if (!hasPhase(runs.options.effects[fault.effect]!, fault.phase, operation))
      return skip(`${quote(fault.effect)} is not tried ${fault.phase} call ${call}, ${operation}`)
    schedule = new Map([...schedule, [id, fault]])
  }
  const check = (run: ProgramRun) => {
    if (countFaults(run.steps) < schedule.size) note(tookAnotherPath)
  }
  return [{ decide: passEach(schedule), check }]
}

const tookAnotherPath = 'no call got the fault: the program took another path'

/** Lets each call pass as it comes, with its fault. */
const passEach =
  (schedule: FaultSchedule): Decide =>
  ([choice]) =>
    choice && { choice, fault: schedule.get(choice.id) }

const toSchedule = (steps: readonly Step[]): FaultSchedule =>
  new Map(steps.flatMap(({ id, fault }) => (fault === undefined ? [] : [[id, fault] as const])))

/** The numbers of calls: those of the undisturbed run come first, then those that only the other run has. */
const createNumbers = () => {
  const first: string[] = []
  // Another run may not have the call of a fault.
  const last = new Map<string, Pick<ProgramFault, 'call' | 'operation'>>()
  const listIds = (steps: readonly Step[]) => [...new Set([...first, ...steps.map(({ id }) => id)])]
  const add = (steps: readonly Step[]): string[] => {
    const ids = listIds(steps)
    for (const { id, call } of steps) last.set(id, { call: ids.indexOf(id) + 1, operation: call?.getOperation() ?? '' })
    return ids
  }
  return {
    setFirst: (steps: readonly Step[]): void => void first.push(...add(steps)),
    add,
    list: (schedule: FaultSchedule): ProgramFault[] =>
      [...schedule]
        .flatMap(([id, fault]) => {
          const call = last.get(id)
          return call === undefined
            ? []
            : [{ ...call, occurrence: (JSON.parse(id) as [string, string, number])[2], ...fault }]
        })
        .toSorted((a, b) => a.call - b.call),
  }
}

type CallNumbers = ReturnType<typeof createNumbers>

const describeFailure = (
  { steps, error, differences, canceled, ends, requests, events }: JudgedProgramRun,
  describe: (steps: readonly Step[]) => string,
  numbers: CallNumbers,
  { formatCommand }: ProgramSearch,
): ProgramFailure => {
  const replay = describe(steps)
  const [{ exitCode, signal, output }] = ends as [JudgedProgramRun['ends'][number]]
  return {
    schedule: numbers.list(toSchedule(steps)),
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
