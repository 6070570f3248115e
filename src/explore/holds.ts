// How long a probe holds each call: an undisturbed run that delays calls, so that concurrent code can send its others.

/** The maximum time to hold a call, in milliseconds. */
const maxHold = 1000

/**
 * Returns how long to hold each call, by program or actor, in milliseconds: twice the gap to its next call, but at least `minHold`.
 * All calls together wait for at most half of the timeout.
 *
 * @param arrivals the real times of the calls of a run, by program or actor
 */
export const planHolds = (
  arrivals: ReadonlyMap<string, readonly number[]>,
  timeout: number,
  minHold: number,
): ReadonlyMap<string, readonly number[]> => {
  let left = timeout / 2
  const planHold = (gap: number): number => {
    const hold = Math.min(maxHold, Math.max(minHold, 2 * gap))
    left -= hold
    return left < 0 ? 0 : hold
  }
  const listGaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - times[index]!)
  return new Map([...arrivals].map(([name, times]) => [name, listGaps(times).map(planHold)]))
}
