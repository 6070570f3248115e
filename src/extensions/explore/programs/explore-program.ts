// The search over one program: it runs undisturbed, and then once for each fault at each of its calls.
import { pluralize, quote } from '../../../schema/problem.ts'
import { countFaults, type FaultSchedule, hasPhase } from '../explored-faults.ts'
import { catchEnd, Ended } from '../result.ts'
import { formatPlaces, parsePlaces } from '../schedule-text.ts'
import { type Runner, runSearch } from '../search.ts'
import type { Decide, Step } from '../steps.ts'
import type { ProgramFailure, ProgramFault, ProgramReport } from './program-result.ts'
import type { ProgramRun } from './program-parts.ts'
import { createProgramSearch, type JudgedProgramRun, maxTries, type ProgramSearch } from './program-search.ts'
import { ProgramError, requireSameRuns, requireSuccess } from './program-verdict.ts'

/**
 * Runs a program again and again.
 *
 * @throws ProgramError if the program cannot be searched, or does not fit `only`
 * @throws MockError `invalidOptions` for an unknown effect, and for a schedule that cannot be read
 */
export const exploreProgram = async (given: ProgramSearch): Promise<ProgramReport> => {
  const places = given.only === undefined ? undefined : parsePlaces(given.only)
  const search = await createProgramSearch(
    given,
    places?.map(({ effect }) => effect),
  )
  const { counts, notTried, options, effects, clock } = search
  const numbers = createNumbers()
  const cleaned: { replay: string; records: string[] }[] = []
  const failures: JudgedProgramRun[] = []
  const describe = (schedule: FaultSchedule) => formatPlaces(numbers.list(schedule))

  const explore = async (): Promise<ProgramReport['endedBy']> => {
    counts.planned = 2
    const first = await search.runBaseline(passEach(new Map()))
    requireSuccess(first, options)
    numbers.setFirst(first.steps)
    if (places !== undefined) {
      const run = await runOnly(places, first)
      if (run.error !== null) failures.push(run)
      return 'only'
    }
    const runner: Runner<JudgedProgramRun> = {
      run: (decide) => search.run(decide),
      onRun: (run, faults) => {
        if (faults === 0) {
          requireSuccess(run, options)
          requireSameRuns(first, run)
        } else if (countFaults(run.steps) === faults) {
          numbers.add(run.steps)
          const schedule = toSchedule(run.steps)
          const replay = describe(schedule)
          if (run.notTried !== undefined) notTried.push({ replay, why: run.notTried })
          if (run.error === null && run.canceled.length > 0) cleaned.push({ replay, records: run.canceled })
          if (run.error !== null) counts.failures++
        }
        search.report()
      },
      onLevel: (plans) => {
        counts.planned += plans
        search.report()
      },
      maxTries,
      onDifference: (_, run, faults) => {
        if (faults.size === 0) requireSameRuns(first, run)
        notTried.push({ replay: describe(faults), why: 'no call got the fault: the program took another path' })
      },
    }
    const settings = { ...given, effects, orders: 'first', maxFailures: Infinity } as const
    const found = await runSearch(settings, clock, runner, undefined)
    failures.push(...found.failures)
    return found.endedBy as ProgramReport['endedBy']
  }

  /** Runs a schedule. A call that only an earlier fault causes is known after a run with that fault. */
  const runOnly = async (given: ReturnType<typeof parsePlaces>, first: ProgramRun): Promise<JudgedProgramRun> => {
    let schedule: FaultSchedule = new Map()
    let { steps } = first
    for (const { call, ...fault } of given) {
      if (call > numbers.add(steps).length && schedule.size > 0) {
        const run = await search.run(passEach(schedule))
        if (run === undefined) throw new Ended('signal')
        steps = run.steps
      }
      const ids = numbers.add(steps)
      const id = ids[call - 1]
      if (id === undefined)
        throw new ProgramError(
          `The schedule does not fit: the program sends ${pluralize(ids.length, 'call')}, so there is no call ${call}.`,
        )
      const operation = steps.find((step) => step.id === id)?.call?.getOperation()
      if (operation === undefined)
        throw new ProgramError(`The schedule does not fit: call ${call} calls no operation, so it gets no fault.`)
      if (!hasPhase(effects[fault.effect]!, fault.phase, operation))
        throw new ProgramError(
          `The schedule does not fit: ${quote(fault.effect)} is not tried ${fault.phase} call ${call}, ${operation}.`,
        )
      schedule = new Map([...schedule, [id, fault]])
    }
    const run = await search.run(passEach(schedule), { isShown: true })
    if (run === undefined) throw new Ended('signal')
    if (countFaults(run.steps) < schedule.size)
      throw new ProgramError(`The program took another path: no call got the fault of ${quote(describe(schedule))}.`)
    return run
  }

  try {
    const endedBy = await catchEnd(explore())
    return {
      ...search.summarize(endedBy),
      canceled: cleaned,
      failures: failures.map((run) => describeFailure(run, numbers, given.formatCommand)),
    }
  } finally {
    search.close()
  }
}

/** Lets each call pass as it comes, with its fault. */
const passEach =
  (schedule: FaultSchedule): Decide =>
  ([choice]) => ({ choice: choice!, fault: schedule.get(choice!.id) })

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
        .map(([id, fault]) => ({ ...last.get(id)!, occurrence: getOccurrence(id), ...fault }))
        .toSorted((a, b) => a.call - b.call),
  }
}

const getOccurrence = (id: string): number => (JSON.parse(id) as [string, string, number])[2]

const describeFailure = (
  { steps, error, differences, canceled, ends, requests, events }: JudgedProgramRun,
  numbers: ReturnType<typeof createNumbers>,
  formatCommand: (replay: string) => string,
): ProgramFailure => {
  numbers.add(steps)
  const schedule = numbers.list(toSchedule(steps))
  const replay = formatPlaces(schedule)
  const [{ exitCode, signal, output }] = ends as [JudgedProgramRun['ends'][number]]
  return {
    schedule,
    replay,
    command: formatCommand(replay),
    error: error!,
    differences,
    canceled,
    exitCode,
    signal,
    output: [...output],
    requests: requests.map(({ actor: _, ...request }) => request),
    events: events.map(({ actor: _, ...event }) => event),
  }
}
