// A depth-first search over the orders of the steps, with the same faults in each run.
import { countFaults, type FaultSchedule } from '../fault-schedules.ts'
import type { Work } from '../parallel-runs.ts'
import { formatStep } from '../schedule-text.ts'
import { type Choice, countSwitches, type Decide, type GetExpected, isDependent, type Step } from '../steps.ts'

export interface RunResult {
  readonly steps: readonly Step[]
  /** False if `decide` stopped the run. */
  readonly isComplete: boolean
  /** Null if the run did not fail. */
  readonly error: unknown
}

export interface OrderRunner<R> {
  /** Runs the code once. Rejects with `Ended` if the search stops. */
  readonly run: (decide: Decide, getExpected: GetExpected) => Promise<R>
  /** How often to try a planned run that keeps leaving its planned path. */
  readonly maxTries: number
  /** Whether the actor makes calls concurrently, so that timing decides which of them wait. */
  readonly isConcurrent?: (actor: string) => boolean
}

/** The orders to try: only the first, all, or one from each set of equivalent orders. */
export type Orders = 'first' | 'all' | 'isolated'

/** The faults to inject in each run of an order search. `origin` is the earlier run without the newest fault. */
export interface Plan<R extends RunResult> {
  readonly faults: FaultSchedule
  readonly origin: R | undefined
}

/** A point in a run where a choice was made. */
interface OrderNode {
  readonly chosen: string
  readonly todo: Set<string>
  readonly tried: ReadonlySet<string>
  /** The sleep set: the steps that need not be chosen here, because an equivalent run was tried. */
  readonly asleep: ReadonlyMap<string, Step>
}

/** The result of a trial. A trial is a run that repeats the first choices of an earlier run, and then makes new choices. */
export interface Trial<R> {
  readonly run: R
  /** Earlier attempts that left the planned path. */
  readonly repeated: readonly R[]
  readonly added: readonly OrderNode[]
  /** How the run left the path of the earlier run. Undefined if it followed the path. */
  readonly difference: string | undefined
}

/** @param maxSwitches the maximum number of switches in an order. @default no limit */
export const createOrderSearch = <R extends RunResult>(
  orders: Orders,
  plan: Plan<R>,
  runner: OrderRunner<R>,
  position: number,
  maxSwitches?: number,
) => {
  const { faults, origin } = plan
  const nodes: OrderNode[] = []
  let hasSkippedOrders = false
  let previous = origin

  /** Creates a trial that begins with the choices of `firstNodes`. All but the last choice repeat the previous run. */
  const createTrial = (firstNodes: readonly OrderNode[]): Work<Trial<R>> => {
    const chosen = firstNodes.map((node) => node.chosen)
    const asleep = new Map(firstNodes.at(-1)?.asleep)
    const earlierSteps = previous?.steps ?? []
    const repeatedSteps = earlierSteps.slice(0, chosen.length)
    const tryOnce = async () => {
      const added: OrderNode[] = []
      let difference: string | undefined
      const decide: Decide = (ready, steps) => {
        const id = chosen[steps.length] ?? addNode(orders, added, asleep, limitSwitches(ready, steps), steps)
        const choice = ready.find((one) => one.id === id)
        if (id === undefined) return undefined
        if (choice !== undefined) return { choice, fault: faults.get(id) }
        const plannedChoice = earlierSteps[steps.length]?.ready.find((one) => one.id === id)
        difference = `at step ${steps.length + 1}, ${describeStep(plannedChoice)} cannot continue`
        return undefined
      }
      const run = await runner.run(decide, (step) => repeatedSteps[step]?.ready)
      const isComparable = ({ actor }: Choice) => !runner.isConcurrent?.(actor)
      difference ??= findDifference(orders, faults, earlierSteps, run.steps, isComparable)
      return { run, added, difference }
    }
    const start = async () => {
      const repeated: R[] = []
      for (;;) {
        const tried = await tryOnce()
        if (tried.difference === undefined || repeated.length === runner.maxTries - 1) return { ...tried, repeated }
        repeated.push(tried.run)
      }
    }
    return { key: JSON.stringify([position, chosen, [...asleep.keys()]]), start }
  }

  const limitSwitches = (ready: readonly Choice[], steps: readonly Step[]): readonly Choice[] => {
    if (maxSwitches === undefined) return ready
    const choices = ready.filter(({ actor }) => countSwitches([...steps, { actor, ready }]) <= maxSwitches)
    hasSkippedOrders ||= choices.length < ready.length
    return choices
  }

  return {
    plan,
    position,
    isSwitchBounded: maxSwitches !== undefined,
    hasSkippedOrders: () => hasSkippedOrders,
    /** Whether the search has made a run that followed its planned path. The origin of the plan does not count. */
    hasRun: () => previous !== origin,
    getTrial: () => createTrial(nodes),
    /** Lists the next trial at each node, deepest first. Results may add more trials, but do not change the listed trials. */
    listNext: () =>
      [...nodes.entries()].toReversed().flatMap(([index, node]) => {
        const next = moveToNextChoice(node, previous?.steps[index])
        return next === undefined ? [] : [createTrial([...nodes.slice(0, index), next])]
      }),
    /** Adds the result of a trial, and moves to the next untried choice. Returns false if every choice has been tried. */
    advance: ({ run, added: addedNodes, difference }: Trial<R>): boolean => {
      // A run that left its path reveals no further orders.
      if (difference === undefined) {
        const repeated = nodes.length
        nodes.push(...addedNodes)
        if (orders === 'isolated') {
          const from = Math.max(0, repeated - 1)
          reverseRaces(nodes, run.steps, from)
          addPrevented(nodes, run.steps, from)
        }
        previous = run
      }
      for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
        const next = moveToNextChoice(node, previous?.steps[nodes.length])
        if (next === undefined) continue
        nodes.push(next)
        return true
      }
      return false
    },
  }
}

export type OrderSearch<R extends RunResult> = ReturnType<typeof createOrderSearch<R>>

/** Adds a node for the next step, and returns its choice. Returns undefined if every choice would repeat an earlier run. */
const addNode = (
  orders: Orders,
  addedNodes: OrderNode[],
  first: ReadonlyMap<string, Step>,
  ready: readonly Choice[],
  steps: readonly Step[],
): string | undefined => {
  const last = steps.at(-1)
  const inherited = orders === 'isolated' ? [...(addedNodes.at(-1)?.asleep ?? first)] : []
  const asleep = new Map(inherited.filter(([, step]) => last === undefined || !isDependent(step, last)))
  const chosen = ready.find(({ id }) => !asleep.has(id))?.id
  if (chosen !== undefined)
    addedNodes.push({
      chosen,
      asleep,
      tried: new Set(),
      todo: new Set(orders === 'all' ? ready.map(({ id }) => id) : [chosen]),
    })
  return chosen
}

/** Returns the node with its next untried choice, if any. `step` is the step that the previous run took at the node. */
const moveToNextChoice = (node: OrderNode, step: Step | undefined): OrderNode | undefined => {
  const tried = new Set(node.tried).add(node.chosen)
  const asleep = new Map(node.asleep)
  // If the run of this choice left the path, its orders were not tried, so do not add the choice to the sleep set.
  if (step?.id === node.chosen) asleep.set(node.chosen, step)
  const chosen = [...node.todo].find((id) => !asleep.has(id) && !tried.has(id))
  return chosen === undefined ? undefined : { ...node, chosen, tried, asleep }
}

/**
 * A race is a pair of dependent steps that no third step forces into their order. For each race whose later step is at or after
 * `from`, plans a choice at the earlier step that begins the reverse order, unless one is planned already. This is Source-DPOR:
 * Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014, algorithm 1.
 */
const reverseRaces = (nodes: readonly OrderNode[], steps: readonly Step[], from: number): void => {
  /** The steps that must precede each step. */
  const requiredSteps = new Map<Step, Set<Step>>()
  const mustFollow = (step: Step, other: Step) => requiredSteps.get(step)?.has(other) === true
  for (const [later, step] of steps.entries()) {
    const past = new Set<Step>()
    requiredSteps.set(step, past)
    for (const [index, earlier] of [...steps.slice(0, later).entries()].toReversed()) {
      if (past.has(earlier) || (index !== step.created && !isDependent(earlier, step))) continue
      past.add(earlier)
      for (const one of requiredSteps.get(earlier) ?? []) past.add(one)
      if (later < from || index === step.created) continue
      // To reverse the race, run the later step first, with the steps in between that need not follow the earlier step.
      const moved = [...steps.slice(index + 1, later).filter((next) => !mustFollow(next, earlier)), step]
      const firstMoved = moved.filter((next) => !moved.some((one) => mustFollow(next, one)))
      const start = firstMoved.find(({ id }) => earlier.ready.some((choice) => choice.id === id))
      const todo = nodes[index]?.todo
      if (start !== undefined && !firstMoved.some(({ id }) => todo?.has(id))) todo?.add(start.id)
    }
  }
}

/**
 * Plans each choice that a step at or after `from` prevented. Race detection cannot find these choices: the call of a killed
 * actor never becomes a step, and a sleep that a shorter sleep prevented becomes a step only after steps that must precede it.
 */
const addPrevented = (nodes: readonly OrderNode[], steps: readonly Step[], from: number): void => {
  for (const [index, { prevented }] of steps.entries())
    if (index >= from) for (const id of prevented) nodes[index]?.todo.add(id)
}

/** Describes the first unexpected difference between two runs, up to the first step with another choice or fault. */
const findDifference = (
  orders: Orders,
  faults: FaultSchedule,
  before: readonly Step[],
  after: readonly Step[],
  isComparable: (choice: Choice) => boolean,
): string | undefined => {
  let calls = 0
  for (const [index, step] of before.entries()) {
    const other = after[index]
    if (step.call !== undefined) calls++
    const [was, is] = [step, other].map(describeStep)
    const isSameChoice = other === undefined || step.id === other.id
    if (isSameChoice && was !== is) return `call ${calls} was ${was}, and in a later run it is ${is}`
    // After the same steps, the same calls and sleeps must wait. Skip this in `explore`, which takes calls as they arrive.
    const difference =
      orders === 'first' || other === undefined
        ? undefined
        : compareChoices(step.ready.filter(isComparable), other.ready.filter(isComparable), index + 1)
    if (difference !== undefined) return difference
    if (other === undefined || !isSameChoice || formatStep(step) !== formatStep(other)) break
  }
  // When the search varies the order, the planned step may turn out to be another call, which gets no fault.
  return orders === 'first' && countFaults(after) < faults.size ? 'no call got the fault' : undefined
}

const compareChoices = (before: readonly Choice[], after: readonly Choice[], step: number): string | undefined => {
  const [missing, added] = [findMissing(before, after), findMissing(after, before)]
  if (missing === undefined)
    return added && `${describeStep(added)} waits at step ${step}, and in an earlier run it did not`
  return added === undefined
    ? `${describeStep(missing)} does not wait at step ${step}, and in an earlier run it did`
    : `${describeStep(added)} waits at step ${step}, and in an earlier run ${describeStep(missing)}`
}

const findMissing = (choices: readonly Choice[], others: readonly Choice[]): Choice | undefined =>
  choices.find(({ id }) => others.every((other) => other.id !== id))

const describeStep = (step: Choice | undefined): string => {
  if (step === undefined) return 'the end of the run'
  return step.call === undefined ? 'a sleep' : `${step.actor} ${step.call.describe()}`
}
