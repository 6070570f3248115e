// The search over a program: it runs undisturbed, and then once for each fault at each of its calls.
import type { Core } from '../../../mock/mock.ts'
import { pluralize, quote } from '../../../schema/problem.ts'
import {
  createFaultSchedules,
  type Effects,
  type FaultSchedule,
  getNamedEffects,
  hasPhase,
  omitLarger,
  requireEffects,
} from '../explored-faults.ts'
import { catchEnd, Ended } from '../result.ts'
import { formatPlaces, parsePlaces } from '../schedule-text.ts'
import type { ProgramFailure, ProgramFault, ProgramReport } from './program-result.ts'
import {
  createProgramRunner,
  type FinishedProgram,
  parseCallId,
  type ProgramRunOptions,
  type ProjectRecords,
} from './program-run.ts'
import {
  judgeRun,
  ProgramError,
  raisePeaks,
  type RecordPeaks,
  requireSameRuns,
  requireSuccess,
} from './program-verdict.ts'

/** The arguments of a search. */
interface ProgramSearch extends ProgramRunOptions {
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

/** The faults of a run. */
interface ProgramPlan {
  readonly schedule: FaultSchedule
  /** The ids of the calls that it can name: call 1 comes first. */
  readonly ids: readonly string[]
  /** The position among all plans. */
  readonly order: number
}

/** A run with faults. */
interface TriedPlan {
  readonly plan: ProgramPlan
  readonly finished: FinishedProgram
  readonly verdict: ReturnType<typeof judgeRun>
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
  const { url, runOnce, getRootCall } = await createProgramRunner(core, listen, effects, given)
  const tried: TriedPlan[] = []
  let started = 0
  let runs = 0
  let calls = 0
  let planned = 2

  const run = async (...choice: Parameters<typeof runOnce>): Promise<FinishedProgram> => {
    if (given.signal.aborted) throw new Ended('signal')
    if (started >= given.maxRuns) throw new Ended('maxRuns')
    started++
    const finished = await runOnce(...choice)
    const rootCall = getRootCall()
    if (rootCall !== undefined)
      throw new ProgramError(
        `The program calls the root of the mock, ${rootCall}, instead of its sandbox ${url}/@run-1. It must append its paths ` +
          `to ${given.variables[0]}: a URL that is resolved against it loses the path of the sandbox.`,
      )
    if (finished === undefined) throw new Ended('signal')
    runs++
    calls += finished.calls.length
    return finished
  }
  const report = () => {
    const failures = tried.filter(isFailure).length
    given.onProgress({ runs, planned: Math.min(planned, given.maxRuns), failures })
  }
  const runUndisturbed = async (onRecords?: (records: ProjectRecords) => void): Promise<FinishedProgram> => {
    const finished = await run(new Map(), false, onRecords)
    requireSuccess(finished, given)
    report()
    return finished
  }
  const search = async (): Promise<'complete' | 'only'> => {
    const peaks: RecordPeaks = new Map()
    const first = await runUndisturbed((records) => raisePeaks(peaks, records))
    const tryPlan = async (plan: ProgramPlan, isShown = false): Promise<TriedPlan> => {
      const finished = await run(plan.schedule, isShown)
      const result = { plan, finished, verdict: judgeRun(finished, { run: first, peaks }, given) }
      tried.push(result)
      report()
      return result
    }
    if (only !== undefined) {
      let plan: ProgramPlan = { schedule: new Map(), ids: listIds([], first), order: 0 }
      for (const place of only) {
        // A call that only an earlier fault causes is known after a run with that fault.
        if (place.call > plan.ids.length && plan.schedule.size > 0)
          plan = { ...plan, ids: listIds(plan.ids, await run(plan.schedule, false)) }
        plan = addPlace(plan, place, effects)
      }
      if (!isApplied(await tryPlan(plan, true)))
        throw new ProgramError(`The program took another path: no call got the fault of ${quote(given.only)}.`)
      return 'only'
    }
    requireSameRuns(first, await runUndisturbed())
    const addFault = createFaultSchedules(effects)
    let count = 0
    /** Lists the plans with one more fault, at a call after the last one. */
    const listPlans = (schedule: FaultSchedule, known: readonly string[], finished: FinishedProgram): ProgramPlan[] => {
      const ids = listIds(known, finished)
      const calls = finished.calls.slice(finished.lastFault + 1)
      return addFault(schedule, calls).map((added) => ({ schedule: added, ids, order: count++ }))
    }
    let plans = listPlans(new Map(), [], first)
    for (let faults = 1; faults <= given.faults; faults++) {
      planned += plans.length
      const results = await runSideBySide(plans, given.jobs, (plan) => tryPlan(plan))
      // A fault that fails alone is not tried in pairs.
      plans = results
        .filter((one) => isApplied(one) && !isFailure(one))
        .flatMap(({ plan, finished }) => listPlans(plan.schedule, plan.ids, finished))
    }
    return 'complete'
  }

  const endedBy = await catchEnd<ProgramReport['endedBy']>(search())
  tried.sort((a, b) => a.plan.order - b.plan.order)
  const successes = tried.filter((one) => !isFailure(one))
  const notApplied = successes.filter((one) => !isApplied(one))
  const cleaned = successes.filter(({ verdict }) => verdict.canceled.length > 0)
  return {
    runs,
    calls,
    exhausted: endedBy === 'complete' && notApplied.length === 0,
    endedBy,
    notApplied: notApplied.map(({ plan }) => describePlan(plan).replay),
    canceled: cleaned.map(({ plan, verdict }) => ({ replay: describePlan(plan).replay, records: verdict.canceled })),
    failures: listFailures(tried, given.formatCommand),
  }
}

const isFailure = ({ verdict }: TriedPlan): boolean => verdict.error !== undefined

/** Whether each fault of the plan applied to a call. */
const isApplied = ({ plan, finished }: TriedPlan): boolean => finished.applied === plan.schedule.size

/** Lists the failures that contain no smaller one. */
const listFailures = (tried: readonly TriedPlan[], formatCommand: ProgramSearch['formatCommand']): ProgramFailure[] => {
  const failed = tried.flatMap(({ plan, finished, verdict: { error, ...compared } }) => {
    if (error === undefined) return []
    const steps = [...plan.schedule].map(([id, fault]) => ({ id, fault }))
    return { message: error, steps, plan, finished, compared }
  })
  return omitLarger(failed).map(({ message: error, plan, finished, compared }) => {
    const { isTimedOut: _, ...end } = finished.end
    const described = describePlan(plan)
    const command = formatCommand(described.replay)
    return { ...described, error, ...compared, ...end, requests: finished.requests, command }
  })
}

/** Adds the calls that only this run has. */
const listIds = (known: readonly string[], { calls }: FinishedProgram): readonly string[] => [
  ...new Set([...known, ...calls.map(({ id }) => id)]),
]

/** Adds a fault from the text of a schedule. @throws ProgramError if it does not fit the calls */
const addPlace = (
  plan: ProgramPlan,
  { call, phase, effect }: ReturnType<typeof parsePlaces>[number],
  effects: Effects,
): ProgramPlan => {
  const id = plan.ids[call - 1]
  if (id === undefined) {
    const sent = pluralize(plan.ids.length, 'call')
    throw new ProgramError(`The schedule does not fit: the program sends ${sent}, so there is no call ${call}.`)
  }
  const [, operation] = parseCallId(id)
  if (operation === null) throw new ProgramError(`The schedule does not fit: call ${call} is no operation.`)
  if (!hasPhase(effects[effect]!, phase, operation))
    throw new ProgramError(
      `The schedule does not fit: ${quote(effect)} is not tried ${phase} call ${call}, ${operation}.`,
    )
  return { ...plan, schedule: new Map([...plan.schedule, [id, { phase, effect }]]) }
}

/** Returns the faults with the numbers of their calls, as data and as text. */
const describePlan = ({ schedule, ids }: ProgramPlan): { schedule: ProgramFault[]; replay: string } => {
  const faults = [...schedule].map(([id, fault]) => {
    const [project, operation, occurrence] = parseCallId(id)
    return { call: ids.indexOf(id) + 1, project, operation: operation!, occurrence, ...fault }
  })
  return { schedule: faults, replay: formatPlaces(faults) }
}

/** Works on the items in their order, `jobs` at a time. After an error it starts no other, and rejects when all have ended. */
const runSideBySide = async <T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  const errors: unknown[] = []
  const queue = items.entries()
  const workOn = async () => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return
      try {
        results[index] = await work(item)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, workOn))
  if (errors.length > 0) throw errors.find((error) => !(error instanceof Ended)) ?? errors[0]
  return results
}
