import type { ProgramEnd } from '../../command-line/running-program.ts'
import type { ProgramParts } from './program-types.ts'

export const nameProgram = (name: string): string => (name === '' ? 'The program' : `Program ${name}`)

/** `exits with 1`, `is ended by SIGSEGV` or `does not end in 60 s`. Undefined for a success. */
export const describeFailedExit = (
  { exitCode, signal, isTimedOut }: ProgramEnd,
  { timeout }: Pick<ProgramParts, 'timeout'>,
): string | undefined => {
  if (isTimedOut) return `does not end in ${timeout / 1000} s`
  return exitCode === 0 ? undefined : describeExit({ exitCode, signal })
}

export const describeExit = ({ exitCode, signal }: Pick<ProgramEnd, 'exitCode' | 'signal'>): string =>
  exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`
