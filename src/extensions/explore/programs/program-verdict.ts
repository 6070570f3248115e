// Whether a program can be searched, and whether a run with faults is a failure, compared with the undisturbed run.
import { parseJsonIfValid } from '../../../schema/json-value.ts'
import { shorten } from '../../../schema/text.ts'
import {
  compareRecords,
  listExcess,
  maskIdsAndTimes,
  type RecordDifference,
  type RecordPeaks,
  toSortedJson,
} from '../record-difference.ts'
import type { ProgramRequest } from './program-result.ts'
import type { FinishedProgram, ProgramEnd } from './program-run.ts'

/** An undisturbed run, and the largest numbers of records that it had at the same time. Other runs are compared with it. */
export interface UndisturbedRun {
  readonly run: FinishedProgram
  readonly peaks: Readonly<RecordPeaks>
}

/** The judgment of a run. */
interface ProgramVerdict extends RecordDifference {
  /** The reason why the run is a failure. Undefined for a success. */
  readonly error: string | undefined
}

/** The arguments of a search that decide about its runs. */
export interface VerdictOptions {
  /** The effects under which the program must exit with 0. */
  readonly mustSucceed: readonly string[]
  readonly maxCalls: number
  /** How long a run may take, in milliseconds. */
  readonly timeout: number
  /** The variables that have the address of the sandbox. */
  readonly variables: readonly string[]
}

/** Judges a run with faults. */
export const judgeRun = (
  run: FinishedProgram,
  undisturbed: UndisturbedRun,
  options: VerdictOptions,
): ProgramVerdict => {
  const compared = compareRecords(undisturbed.run.projects, run.projects)
  const problems = [
    findEndProblem(run, compared.differences, undisturbed.peaks, options),
    findCheckProblem(run.check, options),
  ].filter((problem) => problem !== undefined)
  return { ...compared, error: problems.length === 0 ? undefined : problems.join('\n') }
}

const findEndProblem = (
  { end, hasTooManyCalls, schedule, projects }: FinishedProgram,
  differences: readonly string[],
  peaks: Readonly<RecordPeaks>,
  { mustSucceed, maxCalls, timeout }: VerdictOptions,
): string | undefined => {
  if (hasTooManyCalls) return `The program sends more than ${maxCalls} calls.`
  if (end.isTimedOut) return `The program does not end in ${timeout / 1000} s.`
  if (end.exitCode === 0)
    return differences.length === 0
      ? undefined
      : `The program exits with 0, but its records differ: ${listTexts(differences)}.`
  // A crash may leave work undone, but must not do it twice.
  const excess = listExcess(peaks, projects)
  if (excess.length > 0) return `The program ${describeEnd(end)}, and did something twice: ${listTexts(excess)}.`
  const effects = [...new Set([...schedule.values()].map(({ effect }) => effect))]
  return effects.length > 0 && effects.every((effect) => mustSucceed.includes(effect))
    ? `The program ${describeEnd(end)}, but must succeed under ${effects.join(' and ')}.`
    : undefined
}

const findCheckProblem = (check: ProgramEnd | undefined, { timeout }: VerdictOptions): string | undefined => {
  if (check === undefined || (check.exitCode === 0 && !check.isTimedOut)) return undefined
  const how = check.isTimedOut ? `does not end in ${timeout / 1000} s` : describeEnd(check)
  return [`The check ${how}.`, ...check.output].join('\n')
}

/** At most three texts. The others are in the differences. */
const listTexts = (given: readonly string[]): string =>
  `${given.slice(0, 3).join(', ')}${given.length > 3 ? `, and ${given.length - 3} more` : ''}`

/** `exits with 1`, or `is ended by SIGSEGV` */
const describeEnd = ({ exitCode, signal }: ProgramEnd): string =>
  exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`

/** Returns the first difference between two undisturbed runs: in their calls, in any order, or in their records. */
const findFirstDifference = (first: FinishedProgram, second: FinishedProgram): string | undefined => {
  const before = first.requests.map(describeRequest)
  const after = second.requests.map(describeRequest)
  const [missing] = withoutOthers(before, after)
  const [added] = withoutOthers(after, before)
  if (missing !== undefined || added !== undefined) {
    const [mine, other] = [missing, added].map((call) => call && shorten(call, 300))
    if (mine === undefined) return `only the second run sends ${other}`
    if (other === undefined) return `only the first run sends ${mine}`
    return `the first run sends ${mine}, and the second run ${other}`
  }
  const { differences, canceled } = compareRecords(first.projects, second.projects)
  const [difference] = [...differences, ...canceled]
  return difference === undefined ? undefined : `the second run leaves other records: ${difference}`
}

/** Removes each text once for each time that it is among the others. */
const withoutOthers = (given: readonly string[], others: readonly string[]): string[] => {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1)
  return given.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}

/** Describes a request without ids and times, so that it is the same in each run. */
const describeRequest = ({ method, path, body }: ProgramRequest): string =>
  `${method} ${maskIdsAndTimes(path)} ${body === null ? '' : maskIdsAndTimes(sortFields(body))}`.trimEnd()

/** Some languages have another order of fields in each process. */
const sortFields = (body: string): string => {
  const value = parseJsonIfValid(body)
  return value === undefined ? body : toSortedJson(value)
}

/** A program that cannot be searched: it fails undisturbed, calls nothing or does not repeat itself. */
export class ProgramError extends Error {
  /** The last lines of the program's output. */
  readonly output: readonly string[]

  constructor(message: string, output: readonly string[] = []) {
    super(message)
    this.output = output
  }
}

/** Throws a `ProgramError` unless an undisturbed run called the mock and succeeded. */
export const requireSuccess = (run: FinishedProgram, { maxCalls, timeout, variables }: VerdictOptions): void => {
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
