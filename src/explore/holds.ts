// A probe is a run without faults that delays each call, so that concurrent code has time to send another call.

/** The maximum delay of one call, in milliseconds. */
const maxHold = 1000

/**
 * Returns how long to delay each call, in milliseconds: twice the time to the next call in an earlier run, but at least
 * `minHold` and at most `maxHold`. The total delay is at most half of the timeout.
 *
 * @param arrivals when the calls arrived in the earlier run, in milliseconds of real time, by program or actor
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
