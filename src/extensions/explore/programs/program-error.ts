// Programs that cannot be searched.
import type { FinishedProgram } from './program-run.ts'
import { describeEnd, findFirstDifference } from './program-verdict.ts'

/** A program that cannot be searched: it fails undisturbed, calls nothing or does not repeat itself. */
export class ProgramError extends Error {
  /** The last lines of the program's output. */
  readonly output: readonly string[]

  constructor(message: string, output: readonly string[] = []) {
    super(message)
    this.output = output
  }
}

interface Limits {
  readonly maxCalls: number
  /** In milliseconds. */
  readonly timeout: number
  readonly variables: readonly string[]
}

/** Throws a `ProgramError` unless an undisturbed run called the mock and succeeded. */
export const requireSuccess = (run: FinishedProgram, { maxCalls, timeout, variables }: Limits): void => {
  const { end, check, calls, firstRequest, hasTooManyCalls } = run
  const fail = (message: string, { output } = end) => {
    throw new ProgramError(message, output)
  }
  if (hasTooManyCalls) fail(`The program sends more than ${maxCalls} calls without a fault. Raise --max-calls.`)
  if (end.isTimedOut) fail(`The program does not end in ${timeout / 1000} s without a fault. Raise --timeout.`)
  if (calls.every(({ operation }) => operation === undefined)) {
    const what = firstRequest === undefined ? 'nothing' : `no operation (its first request is ${firstRequest})`
    const how = end.exitCode === 0 ? '' : `, and ${describeEnd(end)}`
    fail(`The program calls ${what}${how}. It must read the address of the service from ${variables.join(' or ')}.`)
  }
  if (end.exitCode !== 0) fail(`The program ${describeEnd(end)} without a fault.`)
  if (check?.isTimedOut) fail(`The check does not end in ${timeout / 1000} s without a fault.`, check)
  if (check !== undefined && check.exitCode !== 0) fail(`The check ${describeEnd(check)} without a fault.`, check)
}

/** Throws a `ProgramError` if two undisturbed runs differ. */
export const requireSameRuns = (first: FinishedProgram, second: FinishedProgram): void => {
  const difference = findFirstDifference(first, second)
  if (difference === undefined) return
  throw new ProgramError(
    `The program does not repeat itself: ${difference}. Usual causes are random values, the time of the machine, an order ` +
      'of its own, and what it keeps between runs, such as a file or a database.',
  )
}

/** The error of a call outside of all sandboxes. */
export const createRootError = (call: string, url: string, [variable]: readonly string[]): ProgramError =>
  new ProgramError(
    `The program calls the root of the mock, ${call}, instead of its sandbox ${url}/@run-1. It must append its paths to ` +
      `${variable}: a URL that is resolved against it loses the path of the sandbox.`,
  )
