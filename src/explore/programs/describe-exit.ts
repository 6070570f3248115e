import type { ProgramEnd } from '../../command-line/running-program.ts'
import type { SharedOptions } from './program-types.ts'

export const nameProgram = (name: string): string => (name === '' ? 'The program' : `Program ${name}`)

/** Returns a phrase such as `exits with 1` or `does not end in 60 s`, or undefined if the program exited with 0. */
export const describeFailedExit = (
  { exitCode, signal, isTimedOut }: ProgramEnd,
  { timeout }: Pick<SharedOptions, 'timeout'>,
): string | undefined => {
  if (isTimedOut) return `does not end in ${timeout / 1000} s`
  return exitCode === 0 ? undefined : describeExit({ exitCode, signal })
}

export const describeExit = ({ exitCode, signal }: Pick<ProgramEnd, 'exitCode' | 'signal'>): string =>
  exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`
