// The caveats of the probe, which detects programs with several threads.
import { nameProgram } from './describe-exit.ts'
import type { ProgramRun } from './program-types.ts'

/** The minimum time to hold a call, in milliseconds. A thread that starts late is not missed. */
export const minHold = 50

/** Returns the subject of the caveat about a program's call order. */
export const describeOrder = (program: string): string => `the order of ${program}`

export const describeConcurrency = (program: string): string =>
  `${nameProgram(program)} sends calls at the same time. Their order is that of its timing, and others were not tried.`

export const describeOwnTimeout = ({ ends }: ProgramRun): string =>
  `${ends.length === 1 ? 'The program' : 'A program'} acts differently if its calls take longer, as with a timeout of its own. ` +
  'So it is not known whether it sends calls at the same time.'
