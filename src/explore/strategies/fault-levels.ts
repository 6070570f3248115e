// A strategy: tries runs without faults, then with one, then with two. For each set of faults, tries the orders of the steps.
import { countFaults, createFaultSchedules, type FaultSchedule, formatSchedule } from '../fault-schedules.ts'
import { createOrderSearch, type OrderSearch, type Plan, type RunResult } from './order-search.ts'
import type { SearchClock } from '../search-clock.ts'
import type { Runner, SearchSettings, Strategy } from './strategy.ts'

/** All plans with the same number of faults. */
interface FaultLevel<R extends RunResult> {
  readonly faults: number
  readonly searches: readonly OrderSearch<R>[]
  /** The complete runs, by `formatSchedule` of their planned faults. */
  readonly runs: Map<string, R>
  readonly nextPlans: Plan<R>[]
}

/** @param undisturbed an earlier run without faults, if the search need not make any itself */
export function* tryFaultLevels<R extends RunResult>(
  settings: SearchSettings,
  clock: SearchClock,
  runner: Runner<R>,
  undisturbed: R | undefined,
): Strategy<R> {
  const { orders, switches, faults: maxFaults } = settings
  const addFault = createFaultSchedules(settings.effects)

  /** Tries a level's plans. If orders vary, stops once `clock.getSpent()` reaches `end`. Returns true if it tried everything. */
  function* tryLevel(level: FaultLevel<R>, end: number): Strategy<R> {
    const { searches } = level
    let isComplete = true
    notePlan(level, searches)
    for (const [index, search] of searches.entries()) {
      const equalRun = findEqualRun(level, search.plan)
      if (equalRun !== undefined) {
        noteRun(level, search.plan, equalRun)
        continue
      }
      const shareLeft = Math.max(0, end - clock.getSpent())
      if (shareLeft === 0 && orders !== 'first') return false
      // Divide the remaining share equally among this plan and the plans after it.
      const until = end - shareLeft * (1 - 1 / (searches.length - index))
      isComplete = (yield* tryPlan(level, search, until)) && isComplete
    }
    return isComplete
  }

  /** Makes at least one run with a plan. Stops once `clock.getSpent()` reaches `until`. Returns true if it tried everything. */
  function* tryPlan(level: FaultLevel<R>, search: OrderSearch<R>, until: number): Strategy<R> {
    const { faults, searches } = level
    const { plan, position } = search
    const otherSearches = searches.slice(searches.indexOf(search) + 1)
    const listNext = function* () {
      yield* search.listNext()
      for (const other of otherSearches) yield other.getTrial()
    }
    for (;;) {
      if (search.hasRun() && clock.getSpent() >= until) return false
      const tried = yield { work: search.getTrial(), listNext, faults, position }
      notePlan(level, otherSearches, search.listNext().length)
      if (tried.difference !== undefined) runner.onDifference(tried.difference, tried.run, plan.faults)
      else if (tried.run.isComplete && !search.isSwitchBounded) noteRun(level, plan, tried.run)
      if (search.advance(tried)) continue
      if (search.hasSkippedOrders()) runner.onOrdersSkipped?.()
      return true
    }
  }

  /** Reports how many runs of a level remain: one per search in `searches`, plus `others` for the current search. */
  const notePlan = ({ faults }: FaultLevel<R>, searches: readonly OrderSearch<R>[], others = 0): void => {
    const left = searches.length + others
    const maySkip = searches.filter(({ plan }) => listShorterSchedules(plan.faults).length > 0).length
    if (orders !== 'first' || faults < maxFaults) runner.onPlan?.(faults, left - maySkip, 'least')
    else runner.onPlan?.(faults, left, maySkip > 0 ? 'most' : 'exact')
  }

  /** Returns the run that a plan would repeat, if the plan only prolongs an effect and no later call could notice. */
  const findEqualRun = ({ runs }: FaultLevel<R>, { faults }: Plan<R>): R | undefined => {
    for (const { id, shorter } of listShorterSchedules(faults)) {
      const run = runs.get(formatSchedule(shorter))
      const [call, ...laterCalls] = run?.steps.slice(run.steps.findIndex((step) => step.id === id)) ?? []
      const operation = call?.call?.getOperation()
      if (call?.id === id && !laterCalls.some((later) => later.call?.getOperation() === operation)) return run
    }
    return undefined
  }

  /** Lists the same schedules with one lasting fault replaced by its brief form, for example an `outage` by `unavailable`. */
  const listShorterSchedules = (faults: FaultSchedule): { readonly id: string; readonly shorter: FaultSchedule }[] => {
    // When the search varies the order, a later call may notice that the effect lasts longer.
    if (orders !== 'first') return []
    return [...faults].flatMap(([id, fault]) => {
      const effect = settings.effects[fault.effect]?.prolongs ?? ''
      const hasSameRequirement = settings.mustSucceed.includes(effect) === settings.mustSucceed.includes(fault.effect)
      return Object.hasOwn(settings.effects, effect) && hasSameRequirement
        ? [{ id, shorter: new Map([...faults, [id, { ...fault, effect }]]) }]
        : []
    })
  }

  const noteRun = (level: FaultLevel<R>, plan: Plan<R>, run: R): void => {
    level.runs.set(formatSchedule(plan.faults), run)
    planNext(level, plan, run)
  }

  /** Plans all ways to add one fault to a run. */
  const planNext = ({ faults, nextPlans }: FaultLevel<R>, plan: Plan<R>, run: R): void => {
    if (faults === maxFaults || countFaults(run.steps) < faults) return
    // Add no fault to a failed run, unless another order of the same steps may succeed.
    if (run.error !== null && orders === 'first') return
    // Add faults only after the last fault. If the search skips equivalent orders, also add them earlier, because it may skip
    // the order in which the new fault would come last.
    const last = orders === 'isolated' ? -1 : run.steps.findLastIndex(({ fault }) => fault !== undefined)
    for (const added of addFault(plan.faults, run.steps.slice(last + 1))) nextPlans.push({ faults: added, origin: run })
  }

  // In a long run, a depth-first search changes only the end, so reserve half of the limits for random runs.
  const share = orders === 'first' ? 1 : 0.5
  let plans: readonly Plan<R>[] = [{ faults: new Map(), origin: undefined }]
  let position = 0
  let isComplete = true
  // Only the search with limited switches varies the order of independent steps, and it tries no faults.
  if (maxFaults > 0 && switches !== undefined) runner.onFaultsSkipped?.()
  for (let faults = 0; faults <= maxFaults; faults++) {
    const known = faults === 0 ? undisturbed : undefined
    const searches = known === undefined ? plans.map((plan) => createOrderSearch(orders, plan, runner, position++)) : []
    if (faults === 0 && switches !== undefined)
      searches.push(...plans.map((plan) => createOrderSearch('all', plan, runner, position++, switches)))
    const level: FaultLevel<R> = { faults, searches, runs: new Map(), nextPlans: [] }
    if (known !== undefined) planNext(level, plans[0]!, known)
    isComplete = (yield* tryLevel(level, (share * (faults + 1)) / (maxFaults + 1))) && isComplete
    plans = level.nextPlans
  }
  return isComplete
}
