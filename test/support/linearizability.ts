/**
 * Checks whether concurrent calls of one register could have happened one at a time, each at an instant between its start
 * and its end: the search of Wing and Gong ("Testing and Verifying Concurrent Objects", 1993), which remembers the
 * combinations of finished calls and states that lead nowhere, as Lowe does ("Testing for Linearizability", 2017).
 */

/** A call with its times, which are all different. A call without a response has the end `Infinity`. */
export interface TimedCall<C> {
  readonly call: C
  readonly start: number
  readonly end: number
}

/**
 * Returns the state after a call that had this result, or undefined if the call cannot have it in this state. States are
 * compared with `===`.
 */
export type Apply<C, S> = (state: S, call: C) => S | undefined

/** Returns an order of the calls that explains their results, or undefined if there is none. */
export const linearize = <C, S>(
  history: readonly TimedCall<C>[],
  initial: S,
  apply: Apply<C, S>,
): readonly C[] | undefined => {
  const hopeless = new Set<string>()
  const states: S[] = []
  const getKey = (done: ReadonlySet<number>, state: S): string => {
    if (!states.includes(state)) states.push(state)
    return `${states.indexOf(state)}:${[...done].toSorted((a, b) => a - b).join()}`
  }
  const search = (done: ReadonlySet<number>, state: S): readonly C[] | undefined => {
    const rest = history.flatMap((one, index) => (done.has(index) ? [] : [{ ...one, index }]))
    // A call without a response may never have happened.
    if (rest.every(({ end }) => end === Infinity)) return []
    const key = getKey(done, state)
    if (hopeless.has(key)) return undefined
    const firstEnd = Math.min(...rest.map(({ end }) => end))
    for (const { call, start, index } of rest) {
      // A call that ended before this one started comes first.
      if (start > firstEnd) continue
      const next = apply(state, call)
      const others = next === undefined ? undefined : search(new Set([...done, index]), next)
      if (others !== undefined) return [call, ...others]
    }
    hopeless.add(key)
    return undefined
  }
  return search(new Set(), initial)
}
