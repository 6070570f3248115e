// A probe is an undisturbed run that holds each call, so that concurrent code has time to send another call.

/** In milliseconds. */
const maxHold = 1000

/**
 * Returns how long to hold each call, in milliseconds: twice the gap to the next call in an earlier run, but at least
 * `minHold`. All calls together are held for at most half of the timeout.
 *
 * @param arrivals the real times of the calls in the earlier run, by program or actor
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
