// The search: runs with no fault, then with one, then with two, and for each choice of faults the orders of the steps.
import { createDraws } from '../../domain/ids.ts'
import { quote } from '../../schema/problem.ts'
import {
  listPhases,
  containsFailure,
  countFaults,
  createFaultSchedules,
  type FailedRun,
  type FaultSchedule,
  omitLarger,
} from './explored-faults.ts'
import type { ParsedSearch } from './options.ts'
import { catchEnd, Ended, getMessage, type SearchEnd } from './result.ts'
import { type Decide, type ExploredRun, runActors } from './run.ts'
import { formatStep } from './schedule-text.ts'
import { startClock } from './search-clock.ts'
import { type Choice, isDependent, type Step } from './turns.ts'

/** A schedule to follow. `check` throws if the run did not fit it. */
export interface Followed {
  readonly decide: Decide
  readonly check: (run: ExploredRun) => void
}

const keepState =
  'Keep all state inside the code under test, or reset it at its start, and use `now` and `sleep` for time.'

/** Runs a search, or only the given schedules. `onFirst` checks the run without faults. */
export const runSearch = async (
  given: ParsedSearch,
  only: readonly Followed[] | undefined,
  onFirst: (run: ExploredRun) => void,
) => {
  using clock = startClock(given)
  // A failure has its message, and its faults, or all its steps if their order varies.
  const failures: (FailedRun & { readonly run: ExploredRun })[] = []
  let alwaysThrown: ReadonlyMap<string, unknown> | undefined
  const run = async (decide: Decide, faults = 0): Promise<ExploredRun> => {
    if (failures.length >= given.maxFailures) throw new Ended('maxFailures')
    if (clock.getSpent() === 1) throw new Ended(clock.getStopReason())
    clock.countTry()
    const finished = await runActors(given, decide, clock)
    if (finished === undefined) throw new Ended(clock.getStopReason())
    if (!finished.isComplete) return finished
    if (alwaysThrown === undefined && only === undefined) onFirst(finished)
    const { thrown, error } = finished
    if (faults === 0) alwaysThrown = new Map([...(alwaysThrown ?? thrown)].filter(([name]) => thrown.has(name)))
    clock.countRun(finished.requests.length)
    // A fault whose call was not made changes nothing.
    if (error !== null && countFaults(finished.steps) >= faults) {
      const steps = finished.steps.filter(({ fault }) => given.orders !== 'first' || fault !== undefined)
      const failure = { run: finished, message: getMessage(error), steps }
      if (!failures.some((one) => containsFailure(failure, one))) failures.push(failure)
    }
    await clock.settle()
    return finished
  }
  const search = async (): Promise<SearchEnd> => {
    if (only === undefined) return (await tryFaults(given, run, clock.getSpent)) ? 'complete' : 'maxRuns'
    for (const { decide, check } of only) check(await run(decide))
    return 'only'
  }
  const endedBy = await catchEnd(search())
  // An actor that never succeeds is a mistake in the test, which would hide what the actor should show.
  if ((endedBy === 'complete' || endedBy === 'maxRuns') && failures.length === 0 && alwaysThrown?.size)
    throwFirst(alwaysThrown, 'An actor always fails.')
  // A random run may have found a smaller failure later.
  const sorted = omitLarger(failures)
    .map(({ run }) => run)
    .toSorted((a, b) => countFaults(a.steps) - countFaults(b.steps) || countChanges(a) - countChanges(b))
  return { ...clock.progress, endedBy, failures: sorted }
}

type Run = (decide: Decide, faults?: number) => Promise<ExploredRun>

/** The faults of some calls and sleeps, by id. `origin` is the run that the last of them was added to. */
interface Plan {
  readonly faults: FaultSchedule
  readonly origin: ExploredRun | undefined
}

/** Tries all faults and orders, or as many as the limits allow. Returns true if it tried all. */
const tryFaults = async (given: ParsedSearch, run: Run, getSpent: () => number): Promise<boolean> => {
  // Depth-first alone would change only the ends of long runs: the other half of the limits is for random runs.
  const share = given.orders === 'first' ? 1 : 0.5
  const addFault = createFaultSchedules(given.effects)
  let plans: Plan[] = [{ faults: new Map(), origin: undefined }]
  let isComplete = true
  for (let faults = 0; faults <= given.faults; faults++) {
    const next: Plan[] = []
    const levelEnd = (share * (faults + 1)) / (given.faults + 1)
    for (const [index, plan] of plans.entries()) {
      const left = Math.max(0, levelEnd - getSpent())
      if (left === 0 && given.orders !== 'first') {
        isComplete = false
        break
      }
      // The remaining share is for this plan and the others.
      const until = levelEnd - left * (1 - 1 / (plans.length - index))
      const onRun = (finished: ExploredRun) => {
        const { error, steps } = finished
        if (faults === given.faults || countFaults(steps) < faults) return
        // A fault that fails alone is not tried in pairs, unless another order of the same steps may succeed.
        if (error !== null && given.orders === 'first') return
        // One more fault is for a call after the last fault, or for any call if the order is not fixed.
        const calls = steps
          .slice(given.orders === 'isolated' ? 0 : steps.findLastIndex(({ fault }) => fault !== undefined) + 1)
          .map(({ id, call }) => ({ id, operation: call?.getOperation() }))
        for (const added of addFault(plan.faults, calls)) next.push({ faults: added, origin: finished })
      }
      isComplete = (await tryOrders(given, plan, run, () => getSpent() >= until, onRun)) && isComplete
    }
    plans = next
  }
  if (isComplete) return true
  const draw = createDraws('interleave')
  for (;;) await run(drawChoices(given, draw))
}

/** A point in a run where a choice was made. */
interface Node {
  chosen: string
  /** The choices to try here. */
  readonly todo: Set<string>
  /** The steps that need not be taken here: they were, or another run is the same up to the order of independent steps. */
  readonly asleep: Map<string, Step>
}

/** Tries the orders of the steps with the same faults, depth-first. Returns true if it tried all. */
const tryOrders = async (
  given: ParsedSearch,
  plan: Plan,
  run: Run,
  isSpent: () => boolean,
  onRun: (run: ExploredRun) => void,
): Promise<boolean> => {
  const nodes: Node[] = []
  let previous = plan.origin
  do {
    if (previous !== plan.origin && isSpent()) return false
    const changed = Math.max(0, nodes.length - 1)
    const finished = await run((ready, steps) => {
      const id = nodes[steps.length]?.chosen ?? addNode(given, nodes, ready, steps)
      const choice = ready.find((one) => one.id === id)
      if (id === undefined) return undefined
      if (choice === undefined)
        throw new Error(
          `The code does not repeat itself: at step ${steps.length + 1}, ${quote(id.replace(/#.*/, ''))} cannot continue. ${keepState}`,
        )
      return { choice, fault: plan.faults.get(id) }
    }, plan.faults.size)
    if (previous !== undefined) requireRepeated(previous.steps, finished.steps)
    if (given.orders === 'isolated') reverseRaces(nodes, finished.steps, changed)
    if (finished.isComplete) onRun(finished)
    previous = finished
  } while (goOn(nodes, previous.steps))
  return true
}

/** Adds the node of a new step, and returns its choice. Undefined: each choice leads to a run like an earlier one. */
const addNode = (
  { orders }: ParsedSearch,
  nodes: Node[],
  ready: readonly Choice[],
  steps: readonly Step[],
): string | undefined => {
  const last = steps.at(-1)
  const inherited = orders === 'isolated' ? [...(nodes.at(-1)?.asleep ?? [])] : []
  const asleep = new Map(inherited.filter(([, step]) => last === undefined || !isDependent(step, last)))
  const chosen = ready.find(({ id }) => !asleep.has(id))?.id
  if (chosen !== undefined)
    nodes.push({ chosen, asleep, todo: new Set(orders === 'all' ? ready.map(({ id }) => id) : [chosen]) })
  return chosen
}

/** Moves to the next untried choice, from the end of the run. Returns false if there is none. */
const goOn = (nodes: Node[], steps: readonly Step[]): boolean => {
  for (let node = nodes.at(-1); node !== undefined; nodes.pop(), node = nodes.at(-1)) {
    node.asleep.set(node.chosen, steps[nodes.length - 1]!)
    const { asleep } = node
    const next = [...node.todo].find((id) => !asleep.has(id))
    if (next === undefined) continue
    node.chosen = next
    return true
  }
  return false
}

/**
 * Finds the races of a run whose later step is at `from` or after it: dependent steps that no third step forces into their
 * order. Where the earlier step was chosen, adds a choice that begins the other order, unless there is one. This is the race
 * detection of Source-DPOR: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014,
 * algorithm 1.
 */
const reverseRaces = (nodes: readonly Node[], steps: readonly Step[], from: number): void => {
  const indexes = [...steps.keys()]
  const before: Set<number>[] = []
  for (const [later, step] of steps.entries()) {
    const earlier = new Set<number>()
    before.push(earlier)
    for (let index = later - 1; index >= 0; index--) {
      if (earlier.has(index) || (index !== step.created && !isDependent(steps[index]!, step))) continue
      earlier.add(index)
      for (const one of before[index]!) earlier.add(one)
      if (later < from || index === step.created) continue
      // The later step, with the steps that it needs, would precede the earlier one.
      const moved = indexes.slice(index + 1, later).filter((next) => !before[next]!.has(index))
      moved.push(later)
      const starts = moved.filter((next) => !moved.some((one) => before[next]!.has(one))).map((next) => steps[next]!.id)
      const { todo } = nodes[index]!
      const start = starts.find((id) => steps[index]!.ready.some((choice) => choice.id === id))
      if (start !== undefined && !starts.some((id) => todo.has(id))) todo.add(start)
    }
  }
}

/** Creates a function that draws the choices and the faults of one run. */
const drawChoices = ({ effects, faults }: ParsedSearch, draw: () => number): Decide => {
  const pick = <T>(values: readonly T[]): T => values[draw() % values.length]!
  const pairs = Object.entries(effects).flatMap(([effect, value]) =>
    listPhases(value).map((phase) => ({ phase, effect })),
  )
  return (ready, steps) => {
    const isFaulty = countFaults(steps) < faults && draw() % 8 === 0
    return { choice: pick(ready), fault: isFaulty ? pick(pairs) : undefined }
  }
}

/** Throws unless two runs made the same calls until they differed by a choice or a fault. */
const requireRepeated = (before: readonly Step[], after: readonly Step[]): void => {
  let calls = 0
  for (const [index, step] of before.entries()) {
    const other = after[index]
    if (step.call !== undefined) calls++
    const [was, is] = [step, other].map(describeStep)
    const isSameChoice = other === undefined || step.id === other.id
    if (isSameChoice && was !== is)
      throw new Error(
        `The code does not repeat itself: call ${calls} was ${was}, and in a later run it is ${is}. ${keepState}`,
      )
    if (!isSameChoice || formatStep(step) !== formatStep(other!)) return
  }
}

const describeStep = (step: Step | undefined): string => {
  if (step === undefined) return 'the end of the run'
  if (step.call === undefined) return 'a sleep'
  const { method, path, body } = step.call.read()
  return `${step.actor} ${method} ${path} ${body ?? ''}`.trim()
}

const countChanges = ({ steps }: ExploredRun): number =>
  steps.filter(({ actor }, index) => index > 0 && actor !== steps[index - 1]!.actor).length

export const throwFirst = (thrown: ReadonlyMap<string, unknown>, message: string): never => {
  const [[name, cause] = []] = thrown
  throw new Error(name === undefined ? message : `${message} ${quote(name)} threw: ${getMessage(cause)}`, { cause })
}
