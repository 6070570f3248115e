// Whether a run of a program is a failure, compared with the undisturbed run.
import { shorten } from '../../../schema/text.ts'
import { compareRecords, listExcess, maskIdsAndTimes, type RecordPeaks, toSortedJson } from '../record-difference.ts'
import type { ProgramRequest } from './program-result.ts'
import type { FinishedProgram, ProgramEnd } from './program-run.ts'
import { parseJsonIfValid } from '../../../schema/json-value.ts'

/** An undisturbed run, and the largest numbers of records that it had at the same time. Other runs are compared with it. */
export interface UndisturbedRun {
  readonly run: FinishedProgram
  readonly peaks: Readonly<RecordPeaks>
}

/** The judgment of a run. */
export interface ProgramVerdict {
  /** The reason why the run is a failure. Undefined for a success. */
  readonly error: string | undefined
  readonly differences: readonly string[]
  readonly canceled: readonly string[]
}

interface VerdictOptions {
  readonly mustSucceed: readonly string[]
  readonly maxCalls: number
  /** In milliseconds. */
  readonly timeout: number
}

/** Judges a run with faults. */
export const judgeRun = (
  run: FinishedProgram,
  undisturbed: UndisturbedRun,
  options: VerdictOptions,
): ProgramVerdict => {
  const compared = compareRecords(undisturbed.run.projects, run.projects)
  const problems = [
    findEndProblem(run, compared.differences, () => listExcess(undisturbed.peaks, run.projects), options),
    findCheckProblem(run.check, options),
  ].filter((problem) => problem !== undefined)
  return { ...compared, error: problems.length === 0 ? undefined : problems.join('\n') }
}

const findEndProblem = (
  { end, hasTooManyCalls, schedule }: FinishedProgram,
  differences: readonly string[],
  getExcess: () => readonly string[],
  { mustSucceed, maxCalls, timeout }: VerdictOptions,
): string | undefined => {
  if (hasTooManyCalls) return `The program sends more than ${maxCalls} calls.`
  if (end.isTimedOut) return `The program does not end in ${timeout / 1000} s.`
  if (end.exitCode === 0)
    return differences.length === 0
      ? undefined
      : `The program exits with 0, but its records differ: ${listTexts(differences)}.`
  // A crash may leave work undone, but must not do it twice.
  const excess = getExcess()
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
export const describeEnd = ({ exitCode, signal }: ProgramEnd): string =>
  exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`

/** Returns the first difference between two undisturbed runs: in their calls, in any order, or in their records. */
export const findFirstDifference = (first: FinishedProgram, second: FinishedProgram): string | undefined => {
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
