// The caveats of the probe, which detects programs with several threads.
import { nameProgram } from './describe-exit.ts'
import type { ProgramRun } from './program-types.ts'

/** In milliseconds. A shorter hold would miss a thread that starts late. */
export const minHold = 50

export const getOrderSubject = (program: string): string => `the order of ${program}`

export const describeConcurrency = (program: string): string =>
  `${nameProgram(program)} sends calls at the same time. Their order is that of its timing, and others were not tried.`

export const describeOwnTimeout = ({ ends }: ProgramRun): string =>
  `${ends.length === 1 ? 'The program' : 'A program'} acts differently if its calls take longer, as with a timeout of its own. ` +
  'So it is not known whether it sends calls at the same time.'
