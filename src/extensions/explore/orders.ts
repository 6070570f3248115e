// The orders of the steps of a run with the same faults, depth-first.
import { quote } from '../../schema/problem.ts'
import { countFaults, type FaultSchedule } from './explored-faults.ts'
import { formatStep } from './schedule-text.ts'
import { type Choice, type Decide, type GetExpected, isDependent, type Step } from './steps.ts'

/** A run, as far as the orders of its steps need it. */
export interface OrderedRun {
  readonly steps: readonly Step[]
  /** False if `decide` gave up, because the run would repeat another one. */
  readonly isComplete: boolean
  /** Whether another try may come closer to what was wanted. */
  readonly isWorthRepeating?: boolean
}

/** Which orders are tried: the first one, all of them, or one of those that cannot differ. */
export type Orders = 'first' | 'all' | 'isolated'

/** The faults of some calls and sleeps, by id. `origin` is the run that the last of them was added to. */
export interface Plan<R extends OrderedRun> {
  readonly faults: FaultSchedule
  readonly origin: R | undefined
}

/** A point in a run where a choice was made. */
interface Node {
  chosen: string
  /** The choices to try here. */
  readonly todo: Set<string>
  /** The choices that were made here. */
  readonly tried: Set<string>
  /** The steps that need not be taken here: they were, or another run is the same up to the order of independent steps. */
  readonly asleep: Map<string, Step>
}

/** The part of a search that tries orders. */
interface OrderRunner<R extends OrderedRun> {
  readonly run: (decide: Decide, getExpected: GetExpected) => Promise<R>
  readonly onRun: (run: R) => void
  readonly maxTries: number
  readonly onDifference: (difference: string, run: R, faults: FaultSchedule) => void
}

/** Tries the orders of the steps with the same faults, depth-first. Returns true if it tried all. */
export const tryOrders = async <R extends OrderedRun>(
  orders: Orders,
  { faults, origin }: Plan<R>,
  { run, onRun, maxTries, onDifference }: OrderRunner<R>,
  isSpent: () => boolean,
): Promise<boolean> => {
  const nodes: Node[] = []
  let previous = origin
  do {
    if (previous !== origin && isSpent()) return false
    const prefix = nodes.length
    const known = previous?.steps.slice(0, prefix) ?? []
    const getExpected: GetExpected = (step) => known[step]?.ready
    for (let tries = 1; ; tries++) {
      let difference: string | undefined
      const finished = await run((ready, steps) => {
        const id = nodes[steps.length]?.chosen ?? addNode(orders, nodes, ready, steps)
        const choice = ready.find((one) => one.id === id)
        if (id === undefined) return undefined
        if (choice !== undefined) return { choice, fault: faults.get(id) }
        difference = `at step ${steps.length + 1}, ${quote(id.replace(/#.*/, ''))} cannot continue`
        return undefined
      }, getExpected)
      difference ??= findDifference(orders, faults, previous?.steps ?? [], finished.steps)
      if (difference === undefined && !(finished.isWorthRepeating && tries < maxTries)) {
        if (orders === 'isolated') reverseRaces(nodes, finished.steps, Math.max(0, prefix - 1))
        if (finished.isComplete) onRun(finished)
        previous = finished
        break
      }
      // The run of other calls leads to no further orders.
      nodes.length = prefix
      if (tries < maxTries || difference === undefined) continue
      onDifference(difference, finished, faults)
      break
    }
  } while (goOn(nodes, previous?.steps ?? []))
  return true
}

/** Adds the node of a new step, and returns its choice. Undefined: each choice leads to a run like an earlier one. */
const addNode = (
  orders: Orders,
  nodes: Node[],
  ready: readonly Choice[],
  steps: readonly Step[],
): string | undefined => {
  const last = steps.at(-1)
  const inherited = orders === 'isolated' ? [...(nodes.at(-1)?.asleep ?? [])] : []
  const asleep = new Map(inherited.filter(([, step]) => last === undefined || !isDependent(step, last)))
  const chosen = ready.find(({ id }) => !asleep.has(id))?.id
  if (chosen !== undefined)
    nodes.push({
      chosen,
      asleep,
      tried: new Set(),
      todo: new Set(orders === 'all' ? ready.map(({ id }) => id) : [chosen]),
    })
  return chosen
}

/** Moves to the next untried choice, from the end of the run. Returns false if all were tried. */
const goOn = (nodes: Node[], steps: readonly Step[]): boolean => {
  for (let node = nodes.at(-1); node !== undefined; nodes.pop(), node = nodes.at(-1)) {
    const { asleep, todo, tried } = node
    const step = steps[nodes.length - 1]
    tried.add(node.chosen)
    // A choice that led to other calls was not tried: the orders that begin with another one may include it.
    if (step?.id === node.chosen) asleep.set(node.chosen, step)
    const next = [...todo].find((id) => !asleep.has(id) && !tried.has(id))
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

/** Describes the first difference of two runs until they differ by a choice or a fault. Returns undefined if they are equal. */
const findDifference = (
  orders: Orders,
  faults: FaultSchedule,
  before: readonly Step[],
  after: readonly Step[],
): string | undefined => {
  let calls = 0
  for (const [index, step] of before.entries()) {
    const other = after[index]
    if (step.call !== undefined) calls++
    const [was, is] = [step, other].map(describeStep)
    const isSameChoice = other === undefined || step.id === other.id
    if (isSameChoice && was !== is) return `call ${calls} was ${was}, and in a later run it is ${is}`
    // After the same steps, the same calls and sleeps must wait. In a fixed order they have their turn as they come.
    if (orders !== 'first' && other !== undefined && listIds(step.ready) !== listIds(other.ready))
      return `other calls wait at step ${index + 1}`
    if (!isSameChoice || formatStep(step) !== formatStep(other!)) break
  }
  // With other orders, another call may be at the place of a fault.
  return orders === 'first' && countFaults(after) < faults.size ? 'no call got the fault' : undefined
}

const listIds = (ready: readonly Choice[]): string => JSON.stringify(ready.map(({ id }) => id).toSorted())

const describeStep = (step: Step | undefined): string => {
  if (step === undefined) return 'the end of the run'
  return step.call === undefined ? 'a sleep' : `${step.actor} ${step.call.describe()}`
}
