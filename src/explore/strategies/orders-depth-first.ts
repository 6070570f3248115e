// The orders of the steps of a run with the same faults, depth-first.
import { quote } from '../../core/schema/problem.ts'
import { countFaults, type FaultSchedule } from '../fault-schedules.ts'
import type { Work } from '../parallel-runs.ts'
import { formatStep } from '../schedule-text.ts'
import { type Choice, countSwitches, type Decide, type GetExpected, isDependent, type Step } from '../steps.ts'

export interface SearchedRun {
  readonly steps: readonly Step[]
  /** False if `decide` gave up, because the run would repeat another one. */
  readonly isComplete: boolean
  /** Why the run is a failure. Null if it is a success. */
  readonly error: unknown
}

/** How a search runs the code under test. */
export interface OrderRunner<R> {
  /** Runs the code once. Throws `Ended` if the search was stopped. */
  readonly run: (decide: Decide, getExpected: GetExpected) => Promise<R>
  /** How often a run is tried that takes another path than planned. */
  readonly maxTries: number
  /** Whether the timing of an actor decides which of its calls wait. */
  readonly isConcurrent: (actor: string) => boolean
}

/** Which orders are tried: the first one, all of them, or one of those that cannot differ. */
export type Orders = 'first' | 'all' | 'isolated'

/** The faults of some calls and sleeps, by id. `origin` is the run that the last of them was added to. */
export interface Plan<R extends SearchedRun> {
  readonly faults: FaultSchedule
  readonly origin: R | undefined
}

/** A point in a run where a choice was made. */
interface OrderNode {
  readonly chosen: string
  /** The choices to try here. */
  readonly todo: Set<string>
  /** The choices that were made here. */
  readonly tried: ReadonlySet<string>
  /** The steps that need not be taken here: they were, or another run is the same up to the order of independent steps. */
  readonly asleep: ReadonlyMap<string, Step>
}

/** A run that repeats the choices of an earlier one, and then makes other ones. */
export interface TriedOrder<R> {
  readonly run: R
  /** The runs before it, which took another path, and were repeated. */
  readonly repeated: readonly R[]
  /** The nodes after the repeated choices. */
  readonly added: readonly OrderNode[]
  /** How the run differs from the one whose choices it repeats. Undefined: it does not. */
  readonly difference: string | undefined
}

/** @param maxSwitches leaves out the orders with more switches */
export const createOrderSearch = <R extends SearchedRun>(
  orders: Orders,
  plan: Plan<R>,
  runner: OrderRunner<R>,
  maxSwitches?: number,
) => {
  const nodes: OrderNode[] = []
  let hasMoreSwitches = false
  let runs = 0
  let previous = plan.origin

  /** Creates the trial that makes the choices of some nodes first, as the previous run did up to the last of them. */
  const createTrial = (firstNodes: readonly OrderNode[]): Work<TriedOrder<R>> => {
    const chosen = firstNodes.map((node) => node.chosen)
    const asleep = new Map(firstNodes.at(-1)?.asleep)
    const tryOnce = prepareTry(chosen, asleep)
    const start = async () => {
      const repeated: R[] = []
      for (;;) {
        const tried = await tryOnce()
        if (tried.difference === undefined || repeated.length === runner.maxTries - 1) return { ...tried, repeated }
        repeated.push(tried.run)
      }
    }
    return { key: JSON.stringify([chosen, [...asleep.keys()]]), start }
  }

  /** Returns a function that runs a trial once. */
  const prepareTry = (chosen: readonly string[], asleep: ReadonlyMap<string, Step>) => {
    const { faults } = plan
    const earlierSteps = previous?.steps ?? []
    const repeatedSteps = earlierSteps.slice(0, chosen.length)
    return async () => {
      const addedNodes: OrderNode[] = []
      let difference: string | undefined
      const decide: Decide = (ready, steps) => {
        const id = chosen[steps.length] ?? addNode(orders, addedNodes, asleep, limitSwitches(ready, steps), steps)
        const choice = ready.find((one) => one.id === id)
        if (id === undefined) return undefined
        if (choice !== undefined) return { choice, fault: faults.get(id) }
        difference = `at step ${steps.length + 1}, ${quote(id.replace(/#.*/, ''))} cannot continue`
        return undefined
      }
      const run = await runner.run(decide, (step) => repeatedSteps[step]?.ready)
      const isComparable = ({ actor }: Choice) => !runner.isConcurrent(actor)
      difference ??= findDifference(orders, faults, earlierSteps, run.steps, isComparable)
      return { run, added: addedNodes, difference }
    }
  }

  const limitSwitches = (ready: readonly Choice[], steps: readonly Step[]): readonly Choice[] => {
    if (maxSwitches === undefined) return ready
    const choices = ready.filter(({ actor }) => countSwitches([...steps, { actor, ready }]) <= maxSwitches)
    hasMoreSwitches ||= choices.length < ready.length
    return choices
  }

  return {
    plan,
    isLimited: maxSwitches !== undefined,
    /** Whether it has left out orders with more switches. */
    hasMoreSwitches: () => hasMoreSwitches,
    countRuns: () => runs,
    /** Whether a run of it is known, besides the one that its plan comes from. */
    hasRun: () => previous !== plan.origin,
    getTrial: () => createTrial(nodes),
    /** Lists the next trial at each node, the nearest first: nothing that is found until then can change it. */
    listNext: () =>
      [...nodes.entries()].toReversed().flatMap(([index, node]) => {
        const next = moveToNextChoice(node, previous?.steps[index])
        return next === undefined ? [] : [createTrial([...nodes.slice(0, index), next])]
      }),
    /** Notes the result of the trial, and moves to the next untried choice. Returns false if all were tried. */
    advance: ({ run, added: addedNodes, difference }: TriedOrder<R>): boolean => {
      // The run of other calls leads to no further orders.
      if (difference === undefined) {
        if (run.isComplete) runs++
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

export type OrderSearch<R extends SearchedRun> = ReturnType<typeof createOrderSearch<R>>

/** Adds the node of a new step, and returns its choice. Undefined: each choice leads to a run like an earlier one. */
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

/** Returns the node with its next untried choice. `step` is the one that was taken there. Undefined if all were tried. */
const moveToNextChoice = (node: OrderNode, step: Step | undefined): OrderNode | undefined => {
  const tried = new Set(node.tried).add(node.chosen)
  const asleep = new Map(node.asleep)
  // A choice that led to other calls was not tried: the orders that begin with another one may include it.
  if (step?.id === node.chosen) asleep.set(node.chosen, step)
  const chosen = [...node.todo].find((id) => !asleep.has(id) && !tried.has(id))
  return chosen === undefined ? undefined : { ...node, chosen, tried, asleep }
}

/**
 * Finds the races of a run whose later step is at `from` or after it: dependent steps that no third step forces into their
 * order. Where the earlier step was chosen, adds a choice that begins the other order, unless there is one. This is the race
 * detection of Source-DPOR: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014,
 * algorithm 1.
 */
const reverseRaces = (nodes: readonly OrderNode[], steps: readonly Step[], from: number): void => {
  /** The steps that must precede a step. */
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
      // The later step, with the steps that it needs, would precede the earlier one.
      const moved = [...steps.slice(index + 1, later).filter((next) => !mustFollow(next, earlier)), step]
      const firstMoved = moved.filter((next) => !moved.some((one) => mustFollow(next, one)))
      const start = firstMoved.find(({ id }) => earlier.ready.some((choice) => choice.id === id))
      const todo = nodes[index]?.todo
      if (start !== undefined && !firstMoved.some(({ id }) => todo?.has(id))) todo?.add(start.id)
    }
  }
}

/**
 * Adds each choice that a step at `from` or after it prevented. It is in no race: it is never taken, like a call of a killed
 * actor, or so late that other steps force its place, like a sleep after a new one that ends earlier.
 */
const addPrevented = (nodes: readonly OrderNode[], steps: readonly Step[], from: number): void => {
  for (const [index, { prevented }] of steps.entries())
    if (index >= from) for (const id of prevented) nodes[index]?.todo.add(id)
}

/** Describes the first difference of two runs until they differ by a choice or a fault. Returns undefined if they are equal. */
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
    // After the same steps, the same calls and sleeps must wait. In a fixed order they have their turn as they come.
    const [ready, otherReady] = [step.ready.filter(isComparable), other?.ready.filter(isComparable)]
    if (orders !== 'first' && otherReady !== undefined && listIds(ready) !== listIds(otherReady))
      return describeOtherChoices(ready, otherReady, index + 1)
    if (other === undefined || !isSameChoice || formatStep(step) !== formatStep(other)) break
  }
  // With other orders, another call may be at the place of a fault.
  return orders === 'first' && countFaults(after) < faults.size ? 'no call got the fault' : undefined
}

const listIds = (choices: readonly Choice[]): string => JSON.stringify(choices.map(({ id }) => id).toSorted())

const describeOtherChoices = (before: readonly Choice[], after: readonly Choice[], step: number): string => {
  const [missing, added] = [findMissing(before, after), findMissing(after, before)]
  if (missing === undefined) return `${describeStep(added)} waits at step ${step}, and in an earlier run it did not`
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
