// The search over a program: it runs undisturbed, and then once for each fault at each of its calls.
import type { Core } from '../../../mock/mock.ts'
import { pluralize, quote } from '../../../schema/problem.ts'
import {
  createFaultSchedules,
  type Effects,
  type FaultableCall,
  type FaultSchedule,
  getNamedEffects,
  listPhases,
  omitLarger,
  requireEffects,
} from '../explored-faults.ts'
import type { RecordPeaks } from '../record-difference.ts'
import { catchEnd, Ended } from '../result.ts'
import { formatPlaces, parsePlaces } from '../schedule-text.ts'
import type { ProgramFailure, ProgramFault, ProgramReport } from './program-result.ts'
import {
  createProgramRecorder,
  createProgramRunner,
  type FinishedProgram,
  parseCallId,
  type ProgramRunOptions,
  type RunChoice,
} from './program-run.ts'
import {
  createRootError,
  judgeRun,
  ProgramError,
  requireSameRuns,
  requireSuccess,
  type UndisturbedRun,
  type VerdictOptions,
} from './program-verdict.ts'

/** The arguments of a search. */
interface ProgramSearch extends VerdictOptions, Pick<ProgramRunOptions, 'run' | 'check' | 'signal'> {
  /** The names of effects. @default those of `explore` */
  readonly effects: readonly string[] | undefined
  /** The maximum number of faults in a run. */
  readonly faults: 1 | 2
  /** The schedule that runs instead of a search. */
  readonly only: string | undefined
  /** How many programs run at the same time. */
  readonly jobs: number
  readonly maxRuns: number
  readonly onProgress: (progress: ProgramProgress) => void
  /** Returns the command line that repeats a failure. */
  readonly formatCommand: (replay: string) => string
}

/** How far a search is. */
export interface ProgramProgress {
  readonly runs: number
  /** The number of runs, as far as it is known. */
  readonly planned: number
  readonly failures: number
}

/** A run with faults, and its judgment. */
interface TriedPlan {
  readonly plan: ProgramPlan
  readonly finished: FinishedProgram
  readonly isApplied: boolean
  readonly canceled: string[]
  readonly failure: ProgramFailure | undefined
}

/**
 * Runs a program again and again. `listen` opens a socket for the watched mock, and returns its address.
 *
 * @throws ProgramError if the program cannot be searched, or does not fit `only`
 * @throws MockError `invalidOptions` for an unknown effect, and for a schedule that cannot be read
 */
export const searchProgram = async (
  core: Core,
  listen: (core: Core) => Promise<string>,
  given: ProgramSearch,
): Promise<ProgramReport> => {
  const only = given.only === undefined ? undefined : parsePlaces(given.only)
  const effects =
    only === undefined
      ? getNamedEffects('--effects', given.effects)
      : getNamedEffects('--only', [...new Set(only.map(({ effect }) => effect))])
  if (only === undefined) requireEffects('--must-succeed', given.mustSucceed, effects)
  const recorder = createProgramRecorder(core)
  const url = await listen(recorder.core)
  const runOnce = createProgramRunner(core, { ...given, recorder, url, effects })
  const found = { runs: 0, calls: 0 }
  const tried: TriedPlan[] = []
  let started = 0
  let planned = 0

  const run = async (choice: RunChoice): Promise<FinishedProgram> => {
    if (given.signal.aborted) throw new Ended('signal')
    if (started >= given.maxRuns) throw new Ended('maxRuns')
    started++
    const finished = await runOnce(choice)
    const rootCall = recorder.getRootCall()
    if (rootCall !== undefined) throw createRootError(rootCall, url, given.variables)
    if (finished === undefined) throw new Ended('signal')
    found.runs++
    found.calls += finished.calls.length
    return finished
  }
  const report = () => {
    const failures = tried.filter(({ failure }) => failure !== undefined).length
    given.onProgress({ runs: found.runs, planned: Math.min(planned, given.maxRuns), failures })
  }
  const runUndisturbed = async (peaks?: RecordPeaks): Promise<FinishedProgram> => {
    const finished = await run({ schedule: new Map(), peaks })
    requireSuccess(finished, given)
    report()
    return finished
  }
  const tryPlan = async (plan: ProgramPlan, undisturbed: UndisturbedRun, isShown = false): Promise<TriedPlan> => {
    const finished = await run({ schedule: plan.schedule, isShown })
    const { error, differences, canceled } = judgeRun(finished, undisturbed, given)
    const { isTimedOut, ...end } = finished.end
    const { requests } = finished
    const described = describePlan(plan)
    const command = given.formatCommand(described.replay)
    const failure =
      error === undefined ? undefined : { ...described, error, differences, canceled, ...end, requests, command }
    const result = { plan, finished, isApplied: finished.applied === plan.schedule.size, canceled, failure }
    tried.push(result)
    report()
    return result
  }
  const findPlan = async (places: ReturnType<typeof parsePlaces>, first: FinishedProgram): Promise<ProgramPlan> => {
    let plan: ProgramPlan = { schedule: new Map(), numbers: numberCalls(first.calls), order: 0 }
    for (const place of places) {
      // A call that only an earlier fault causes is known after a run with that fault.
      if (place.call > plan.numbers.size && plan.schedule.size > 0)
        plan = { ...plan, numbers: numberCalls((await run(plan)).calls, plan.numbers) }
      plan = addPlace(plan, place, effects)
    }
    return plan
  }
  const search = async (): Promise<'complete' | 'only'> => {
    planned = 2
    const peaks: RecordPeaks = new Map()
    const first = await runUndisturbed(peaks)
    const undisturbed = { run: first, peaks }
    if (only !== undefined) {
      const { isApplied } = await tryPlan(await findPlan(only, first), undisturbed, true)
      if (!isApplied)
        throw new ProgramError(`The program took another path: no call got the fault of ${quote(given.only)}.`)
      return 'only'
    }
    requireSameRuns(first, await runUndisturbed())
    const addFault = createFaultSchedules(effects)
    let count = 0
    const listPlans = (schedule: FaultSchedule, calls: readonly FaultableCall[], numbers: CallNumbers): ProgramPlan[] =>
      addFault(schedule, calls).map((added) => ({ schedule: added, numbers, order: count++ }))
    let plans = listPlans(new Map(), first.calls, numberCalls(first.calls))
    for (let faults = 1; faults <= given.faults; faults++) {
      planned += plans.length
      const results = await runSideBySide(plans, given.jobs, (plan) => tryPlan(plan, undisturbed))
      // A fault that fails alone is not tried in pairs.
      plans = results
        .filter(({ isApplied, failure }) => isApplied && failure === undefined)
        .flatMap(({ plan: { schedule, numbers }, finished: { calls, lastFault } }) =>
          listPlans(schedule, calls.slice(lastFault + 1), numberCalls(calls, numbers)),
        )
    }
    return 'complete'
  }

  const endedBy = await catchEnd<ProgramReport['endedBy']>(search())
  tried.sort((a, b) => a.plan.order - b.plan.order)
  const notApplied = tried.filter(({ isApplied, failure }) => !isApplied && failure === undefined)
  const cleaned = tried.filter(({ canceled, failure }) => canceled.length > 0 && failure === undefined)
  return {
    ...found,
    exhausted: endedBy === 'complete' && notApplied.length === 0,
    endedBy,
    notApplied: notApplied.map(({ plan }) => describePlan(plan).replay),
    canceled: cleaned.map(({ plan, canceled }) => ({ replay: describePlan(plan).replay, records: canceled })),
    failures: listSmallest(tried),
  }
}

/** Lists the failures that contain no smaller one. */
const listSmallest = (tried: readonly TriedPlan[]): ProgramFailure[] => {
  const failed = tried.flatMap(({ plan, failure }) => {
    if (failure === undefined) return []
    const steps = [...plan.schedule].map(([id, fault]) => ({ id, fault }))
    return { message: failure.error, steps, failure }
  })
  return omitLarger(failed).map(({ failure }) => failure)
}

/** The faults of a run. */
interface ProgramPlan {
  readonly schedule: FaultSchedule
  /** The numbers of the calls that it can name. */
  readonly numbers: CallNumbers
  /** The position among all plans. */
  readonly order: number
}

/** The numbers of calls by id, from 1. */
type CallNumbers = ReadonlyMap<string, number>

/** Numbers the calls of the first undisturbed run, and then those that only a run with faults has. */
const numberCalls = (calls: readonly FaultableCall[], known: CallNumbers = new Map()): CallNumbers => {
  const numbers = new Map(known)
  for (const { id } of calls) if (!numbers.has(id)) numbers.set(id, numbers.size + 1)
  return numbers
}

/** Adds a fault from the text of a schedule. @throws ProgramError if it does not fit the calls */
const addPlace = (
  plan: ProgramPlan,
  { call, phase, effect }: ReturnType<typeof parsePlaces>[number],
  effects: Effects,
): ProgramPlan => {
  const [id] = [...plan.numbers].find(([, number]) => number === call) ?? []
  if (id === undefined) {
    const sent = pluralize(plan.numbers.size, 'call')
    throw new ProgramError(`The schedule does not fit: the program sends ${sent}, so there is no call ${call}.`)
  }
  const [, operation] = parseCallId(id)
  if (operation === null) throw new ProgramError(`The schedule does not fit: call ${call} is no operation.`)
  if (!listPhases(effects[effect]!, operation).includes(phase))
    throw new ProgramError(
      `The schedule does not fit: ${quote(effect)} is not tried ${phase} call ${call}, ${operation}.`,
    )
  return { ...plan, schedule: new Map([...plan.schedule, [id, { phase, effect }]]) }
}

/** Returns the faults with the numbers of their calls, as data and as text. */
const describePlan = ({ schedule, numbers }: ProgramPlan): { schedule: ProgramFault[]; replay: string } => {
  const faults = [...schedule].map(([id, fault]) => {
    const [project, operation, occurrence] = parseCallId(id)
    return { call: numbers.get(id)!, project, operation: operation!, occurrence, ...fault }
  })
  return { schedule: faults, replay: formatPlaces(faults) }
}

/** Works on the items in their order, `jobs` at a time. After an error it starts no other, and rejects when all have ended. */
const runSideBySide = async <T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  const errors: unknown[] = []
  let next = 0
  const workOn = async () => {
    while (next < items.length && errors.length === 0) {
      const index = next++
      try {
        results[index] = await work(items[index]!)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, workOn))
  if (errors.length > 0) throw errors.find((error) => !(error instanceof Ended)) ?? errors[0]
  return results
}
