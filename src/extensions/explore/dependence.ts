// Which orders of steps can differ, for a search that tries only those.
import type { Access } from './explored-request.ts'
import type { Step } from './turns.ts'

/** Returns true if the order of two steps may matter. */
export const isDependent = (a: Step, b: Step): boolean => {
  // A sleep changes the time of everything, and whether other sleeps can end.
  if (a.actor === b.actor || a.isSleep || b.isSleep) return true
  for (const one of a.accesses.values()) for (const other of b.accesses.values()) if (conflict(one, other)) return true
  return false
}

const conflict = (a: Access, b: Access): boolean =>
  (a.isWrite || b.isWrite) &&
  isCommon(a.project, b.project) &&
  (isCommon(a.part, b.part) || changesTime(a) || changesTime(b))

const isCommon = (a: string, b: string): boolean => a === b || a === '*' || b === '*'

/** Every call reads the clock. */
const changesTime = ({ part, isWrite }: Access): boolean => isWrite && part === 'clock'

/** Two steps that other runs must take in the other order: those that can begin it, instead of the step at `index`. */
interface Race {
  readonly index: number
  readonly starts: readonly string[]
}

/**
 * Finds the races of a run whose later step is at `from` or after it: dependent steps that no third step forces into their
 * order. This is the race detection of Source-DPOR: Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order
 * Reduction", POPL 2014, algorithm 1.
 */
export function* findRaces(
  steps: readonly Step[],
  from: number,
  isDependent: (a: Step, b: Step) => boolean,
): Generator<Race> {
  const before: Set<number>[] = []
  for (const [later, step] of steps.entries()) {
    const earlier = new Set<number>()
    before.push(earlier)
    for (let index = later - 1; index >= 0; index--) {
      if (earlier.has(index) || (index !== step.created && !isDependent(steps[index]!, step))) continue
      earlier.add(index)
      for (const one of before[index]!) earlier.add(one)
      if (later >= from && index !== step.created) yield { index, starts: listStarts(steps, before, index, later) }
    }
  }
}

/** Reverses a race: lists the steps that can run first if the later step, with the steps that it needs, precedes the earlier one. */
const listStarts = (steps: readonly Step[], before: readonly Set<number>[], index: number, later: number): string[] => {
  const moved: number[] = []
  for (let next = index + 1; next < later; next++) if (!before[next]!.has(index)) moved.push(next)
  moved.push(later)
  return moved.filter((next) => !moved.some((one) => before[next]!.has(one))).map((next) => steps[next]!.id)
}
