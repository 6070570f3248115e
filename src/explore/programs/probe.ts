// The probe: an undisturbed run that delays calls to detect programs with several threads.
import { nameProgram } from './describe-exit.ts'
import type { ProgramRun } from './program-types.ts'

/** The maximum time to hold a call, in milliseconds. */
const maxHold = 1000
/** The minimum time to hold a call, in milliseconds. A thread that starts late is not missed. */
const minHold = 50

/**
 * Returns how long to hold each call, by program, in milliseconds: twice the gap to the program's next call in the first run. All
 * calls together wait for at most half of the timeout.
 */
export const planHolds = ({ arrivals }: ProgramRun, timeout: number): ReadonlyMap<string, readonly number[]> => {
  let left = timeout / 2
  const planHold = (gap: number): number => {
    const hold = Math.min(maxHold, Math.max(minHold, 2 * gap))
    left -= hold
    return left < 0 ? 0 : hold
  }
  const listGaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - times[index]!)
  return new Map([...arrivals].map(([name, times]) => [name, listGaps(times).map(planHold)]))
}

/** Returns the subject of the caveat about a program's call order. */
export const describeOrder = (program: string): string => `the order of ${program}`

export const describeConcurrency = (program: string): string =>
  `${nameProgram(program)} sends calls at the same time. Their order is that of its timing, and others were not tried.`

export const describeOwnTimeout = ({ ends }: ProgramRun): string =>
  `${ends.length === 1 ? 'The program' : 'A program'} acts differently if its calls take longer, as with a timeout of its own. ` +
  'So it is not known whether it sends calls at the same time.'
