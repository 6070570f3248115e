// The probe: an undisturbed run that delays calls to detect programs with several threads.
import { nameProgram } from './describe-end.ts'
import type { ProgramRun } from './program-types.ts'

/** The longest wait of a call, in milliseconds. */
const maxHold = 1000
/** The shortest wait, in milliseconds: shorter gaps between calls are noise. */
const minHold = 20

/**
 * Returns how long each call of a probe waits, by program, in milliseconds: twice as long as the program needed for its next call
 * in the first run. All calls together wait for at most half of the timeout.
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

/** The subject of a caveat about the order of the calls of a program. */
export const describeOrder = (program: string): string => `the order of ${program}`

export const describeConcurrency = (program: string): string =>
  `${nameProgram(program)} sends calls at the same time. Their order is that of its timing, and others were not tried.`

export const describeOwnTimeout = ({ ends }: ProgramRun): string =>
  `${ends.length === 1 ? 'The program' : 'A program'} acts differently if its calls take longer, as with a timeout of its own. ` +
  'So it is not known whether it sends calls at the same time.'
