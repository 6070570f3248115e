import { type BehaviorKey, behaviorKeys, behaviorRegistry, type Behaviors, unknownKeyText } from './behavior.ts'
import { Refusal } from './error.ts'
import { pairwise } from './pairwise.ts'

/** One row of a matrix: a value for each of its keys. */
export type BehaviorRow<K extends BehaviorKey = BehaviorKey> = Pick<Behaviors, K>

/**
 * The fewest choices of behaviors under which any two keys meet in every pair of their values, for `describe.each`.
 * The first row has the defaults; the same keys always give the same rows. Throws a `Refusal` for an unknown key and for no list.
 *
 * @param keys The keys that vary. @default all of them
 */
export const behaviorMatrix = <K extends BehaviorKey = BehaviorKey>(
  keys: readonly K[] = behaviorKeys as K[],
): readonly BehaviorRow<K>[] => {
  if (!isArray(keys)) throw new Refusal('invalidOptions', 'behaviorMatrix: the keys must be an array of names.')
  const varied = [...new Set(keys.map(knownKey))]
  const rows = pairwise(varied.map((key) => behaviorRegistry[key].values.length))
  return Object.freeze(rows.map((row) => rowOf(varied, row)))
}

const rowOf = <K extends BehaviorKey>(keys: readonly K[], row: readonly number[]): BehaviorRow<K> =>
  Object.freeze(
    Object.fromEntries(keys.map((key, column) => [key, behaviorRegistry[key].values[row[column]!]])),
  ) as BehaviorRow<K>

const knownKey = <K extends BehaviorKey>(key: K): K => {
  if (behaviorKeys.includes(key)) return key
  throw new Refusal('invalidOptions', `behaviorMatrix: ${unknownKeyText(key)}`)
}

// `Array.isArray` takes a list that cannot be written for any list.
const isArray = (value: unknown): boolean => Array.isArray(value)
