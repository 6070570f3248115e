// A strategy: tries runs without a fault, then with one, then with two, and the orders of the steps for each choice of faults.
import { countFaults, createFaultSchedules, type FaultSchedule, formatSchedule } from '../fault-schedules.ts'
import type { Work } from '../parallel-runs.ts'
import {
  createOrderSearch,
  type OrderSearch,
  type Plan,
  type SearchedRun,
  type TriedOrder,
} from './orders-depth-first.ts'
import type { SearchClock } from '../search-clock.ts'
import type { Runner, SearchSettings, Strategy } from './strategy.ts'

/** The faults of the runs that are tried now. */
interface FaultLevel<R extends SearchedRun> {
  readonly faults: number
  /** The number of searches of the levels before. */
  readonly before: number
  /** A search over the orders of each plan. */
  readonly searches: readonly OrderSearch<R>[]
  /** The runs so far, by the text of their faults. */
  readonly runs: Map<string, R>
  /** Collects the plans of the next level. */
  readonly next: Plan<R>[]
}

/** @param undisturbed a run without a fault, if one is known that needs no other orders */
export const tryFaultLevels = <R extends SearchedRun>(
  given: SearchSettings,
  clock: SearchClock,
  runner: Runner<R>,
  undisturbed: R | undefined,
): Strategy<R> => {
  const { orders, switches, faults: maxFaults } = given
  const addFault = createFaultSchedules(given.effects)

  function* tryLevels(): Strategy<R> {
    // Depth-first alone would change only the ends of long runs: the other half of the limits is for random runs.
    const share = orders === 'first' ? 1 : 0.5
    let plans: readonly Plan<R>[] = [{ faults: new Map(), origin: undefined }]
    let before = 0
    let isComplete = true
    for (let faults = 0; faults <= maxFaults; faults++) {
      const known = faults === 0 ? undisturbed : undefined
      const searches = known === undefined ? plans.map((plan) => createOrderSearch(orders, plan, runner)) : []
      if (faults === 0 && switches !== undefined)
        searches.push(...plans.map((plan) => createOrderSearch('all', plan, runner, switches)))
      const level: FaultLevel<R> = { faults, before, searches, runs: new Map(), next: [] }
      if (known !== undefined) planNext(level, plans[0]!, known)
      isComplete = (yield* tryLevel(level, (share * (faults + 1)) / (maxFaults + 1))) && isComplete
      const [reduced, all] = searches
      if (maxFaults > 0 && all?.isLimited && all.countRuns() > reduced!.countRuns()) runner.onFewerOrders?.()
      before += searches.length
      plans = level.next
    }
    return isComplete
  }

  /** Tries the plans of a level, until the spent part of the limits is `end`. Returns true if it tried all. */
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
      // The remaining share is for this plan and the others.
      const until = end - shareLeft * (1 - 1 / (searches.length - index))
      isComplete = (yield* tryPlan(level, search, index, until)) && isComplete
    }
    return isComplete
  }

  /** Tries the orders of a plan, until the spent part of the limits is `until`. Returns true if it tried all. */
  function* tryPlan(level: FaultLevel<R>, search: OrderSearch<R>, index: number, until: number): Strategy<R> {
    const { faults, before } = level
    const otherSearches = level.searches.slice(index + 1)
    const position = before + index
    const nameWork = (at: number, { key, start }: Work<TriedOrder<R>>) => ({ key: `${at} ${key}`, start })
    const listNext = function* () {
      for (const trial of search.listNext()) yield nameWork(position, trial)
      for (const [after, other] of otherSearches.entries()) yield nameWork(position + 1 + after, other.getTrial())
    }
    for (;;) {
      if (search.hasRun() && clock.getSpent() >= until) return false
      const tried = yield { work: nameWork(position, search.getTrial()), listNext, faults, position }
      notePlan(level, otherSearches, search.listNext().length)
      if (tried.difference !== undefined) runner.onDifference(tried.difference, tried.run, search.plan.faults)
      else if (tried.run.isComplete && !search.isLimited) noteRun(level, search.plan, tried.run)
      if (search.advance(tried)) continue
      if (search.hasMoreSwitches()) runner.onMoreSwitches?.()
      return true
    }
  }

  /** Reports how many runs follow at a level: one for each search, and others of the current one. */
  const notePlan = ({ faults }: FaultLevel<R>, searches: readonly OrderSearch<R>[], others = 0): void => {
    const left = searches.length + others
    const maySkip = searches.filter(({ plan }) => listShorter(plan.faults).length > 0).length
    if (orders !== 'first' || faults < maxFaults) runner.onPlan(faults, left - maySkip, 'least')
    else runner.onPlan(faults, left, maySkip > 0 ? 'most' : 'exact')
  }

  /**
   * Returns the earlier run that a plan would repeat: one effect would last longer than that of the run, which has no later call
   * to notice it.
   */
  const findEqualRun = ({ runs }: FaultLevel<R>, { faults }: Plan<R>): R | undefined => {
    for (const { id, shorter } of listShorter(faults)) {
      const run = runs.get(formatSchedule(shorter))
      const [call, ...laterCalls] = run?.steps.slice(run.steps.findIndex((step) => step.id === id)) ?? []
      const operation = call?.call?.getOperation()
      if (call?.id === id && !laterCalls.some((later) => later.call?.getOperation() === operation)) return run
    }
    return undefined
  }

  /** Lists the same faults, each time with a shorter effect at one call, which leads to the same verdict. */
  const listShorter = (faults: FaultSchedule): { readonly id: string; readonly shorter: FaultSchedule }[] => {
    // Other orders have other later calls.
    if (orders !== 'first') return []
    return [...faults].flatMap(([id, fault]) => {
      const effect = given.effects[fault.effect]?.prolongs ?? ''
      const isJudgedAlike = given.mustSucceed.includes(effect) === given.mustSucceed.includes(fault.effect)
      return Object.hasOwn(given.effects, effect) && isJudgedAlike
        ? [{ id, shorter: new Map([...faults, [id, { ...fault, effect }]]) }]
        : []
    })
  }

  const noteRun = (level: FaultLevel<R>, plan: Plan<R>, run: R): void => {
    level.runs.set(formatSchedule(plan.faults), run)
    planNext(level, plan, run)
  }

  /** Adds the plans with one more fault than a run. */
  const planNext = ({ faults, next }: FaultLevel<R>, plan: Plan<R>, run: R): void => {
    if (faults === maxFaults || countFaults(run.steps) < faults) return
    // A fault that fails alone is not tried in pairs, unless another order of the same steps may succeed.
    if (run.error !== null && orders === 'first') return
    // One more fault is for a call after the last fault, or for any call if the order is not fixed.
    const last = orders === 'isolated' ? -1 : run.steps.findLastIndex(({ fault }) => fault !== undefined)
    for (const added of addFault(plan.faults, run.steps.slice(last + 1))) next.push({ faults: added, origin: run })
  }

  return tryLevels()
}
