import { type FlowOutcome, runFlow } from './flow-run.ts'
import { getMessage } from './format-failure.ts'
import { type ExploreOptions, type FaultPlace, type ParsedExplore, parseExplore } from './options.ts'
import { type Failure, requireSameCalls } from './run.ts'
import { type Search, startSearch } from './search.ts'

/** The result of `explore`. */
export interface ExploreResult {
  readonly runs: number
  /** The calls of all runs. */
  readonly calls: number
  readonly failures: readonly Failure<FaultPlace>[]
  /** Whether the search was stopped before its end. */
  readonly stopped: boolean
}

/**
 * Runs client code again and again, each time with a fault at another call, and checks an invariant after each run. Resolves
 * also if there are failures.
 *
 * @throws MockError `invalidOptions` if an argument is invalid
 * @throws Error if the flow makes no call, fails without a fault, or does not repeat itself
 */
export const explore = async (given: ExploreOptions): Promise<ExploreResult> => {
  const options = parseExplore(given)
  using search = startSearch(options)
  const failures: Failure<FaultPlace>[] = []
  const isComplete = await tryFaults(options, search, failures)
  return { ...search.progress, failures, stopped: !isComplete }
}

interface ExploredSchedule {
  readonly schedule: readonly FaultPlace[]
  readonly outcome: FlowOutcome
}

/** Returns false if the search was stopped. */
const tryFaults = async (options: ParsedExplore, search: Search, failures: Failure<FaultPlace>[]): Promise<boolean> => {
  const undisturbed = search.isStopped() ? undefined : await runFlow(options, [], search)
  if (undisturbed === undefined) return false
  requireUndisturbed(undisturbed)
  if (!(await search.count(undisturbed))) return false
  let parents: ExploredSchedule[] = [{ schedule: [], outcome: undisturbed }]
  for (let faults = 1; faults <= options.faults; faults++) {
    const children: ExploredSchedule[] = []
    for (const parent of parents)
      for (const place of listPlaces(parent, options.effects)) {
        const schedule = [...parent.schedule, place]
        const outcome = await runFlow(options, schedule, search)
        if (outcome === undefined) return false
        requireSameCalls(parent.outcome, outcome, place.call)
        const { error, requests } = outcome
        // A fault that fails alone would fail in every pair too.
        if (error !== null) failures.push({ schedule, error, requests })
        else if (faults < options.faults) children.push({ schedule, outcome })
        if (!(await search.count(outcome))) return false
      }
    parents = children
  }
  return true
}

/** Yields the places of one more fault, at or after the call of the last fault. */
function* listPlaces(
  { schedule, outcome }: ExploredSchedule,
  effects: ParsedExplore['effects'],
): Generator<FaultPlace> {
  const last = schedule.at(-1)?.call ?? 0
  for (const [index, { operation }] of outcome.requests.entries()) {
    // Faults apply to operations only.
    if (index < last || operation === null) continue
    for (const phase of ['before', 'after'] as const)
      for (const [effect, { status, connection }] of Object.entries(effects))
        // A fault that only changes the response is the same in both phases.
        if (phase === 'after' || status !== undefined || connection !== undefined)
          yield { call: index + 1, operation, phase, effect }
  }
}

const requireUndisturbed = ({ requests, thrown, error }: FlowOutcome): void => {
  const cause = thrown === null ? error : thrown.error
  const message = getMessage(cause)
  if (requests.length === 0) {
    const threw = cause === null ? '' : ` Without a call, it ended with: ${message}`
    throw new Error(`The flow made no call to the mock. Use the \`fetch\` passed to the flow.${threw}`, { cause })
  }
  if (cause !== null)
    throw new Error(`The ${thrown ? 'flow' : 'invariant'} fails without a fault: ${message}`, { cause })
}
