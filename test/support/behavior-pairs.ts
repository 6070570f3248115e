import * as fc from 'fast-check'
import { type BehaviorKey, behaviorRegistry, type Behaviors } from '../../src/schema/behavior.ts'

/** Returns few combinations of behaviors that have every pair of values. The first one has the defaults. */
export const listBehaviorPairs = <K extends BehaviorKey>(keys: readonly K[]): readonly Pick<Behaviors, K>[] => {
  const valuesOf = (key: K): readonly unknown[] => behaviorRegistry[key].values
  const combinations = fc.tuple(...keys.map((key) => fc.constantFrom(...valuesOf(key))))
  const seen = new Set<string>()
  const addsPair = (values: readonly unknown[]): boolean => {
    const before = seen.size
    for (const [first, one] of values.entries())
      for (const [second, other] of values.entries()) seen.add(`${first} ${String(one)} ${second} ${String(other)}`)
    return seen.size > before
  }
  // A pair of values that is in none of so many combinations is less likely than one in a hundred million.
  const drawn = fc.sample(combinations, { numRuns: 300, seed: 1 })
  return [keys.map((key) => valuesOf(key)[0]), ...drawn]
    .filter(addsPair)
    .map((values) => Object.fromEntries(keys.map((key, index) => [key, values[index]])) as Pick<Behaviors, K>)
}
