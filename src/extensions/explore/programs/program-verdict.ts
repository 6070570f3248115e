// Whether a program can be searched, and whether a run with faults is a failure, compared with the undisturbed run.
import { kinds, recordKinds } from '../../../domain/kinds.ts'
import { hasSameJson, isRecord, parseJsonIfValid } from '../../../schema/json-value.ts'
import { pluralize, quote } from '../../../schema/problem.ts'
import { shorten } from '../../../schema/text.ts'
import type { ProgramRequest } from './program-result.ts'
import type { FinishedProgram, ProgramEnd, ProgramRunOptions, ProjectRecords } from './program-run.ts'

/** An undisturbed run, and the largest numbers of records that it had at the same time. Other runs are compared with it. */
interface UndisturbedRun {
  readonly run: FinishedProgram
  readonly peaks: Readonly<RecordPeaks>
}

type VerdictOptions = Omit<ProgramRunOptions, 'run' | 'check' | 'signal'>

/** Judges a run with faults. `error` is the reason why it is a failure. */
export const judgeRun = (run: FinishedProgram, undisturbed: UndisturbedRun, options: VerdictOptions) => {
  const compared = compareRecords(undisturbed.run.projects, run.projects)
  const problem = findProblem(run, compared.differences, undisturbed.peaks, options)
  const how = run.check && describeFailure(run.check, options)
  const checkProblem = how && [`The check ${how}.`, ...run.check.output].join('\n')
  const problems = [problem, checkProblem].filter((one) => one !== undefined)
  return { ...compared, error: problems.length === 0 ? undefined : problems.join('\n') }
}

const findProblem = (
  { end, hasTooManyCalls, schedule, projects }: FinishedProgram,
  differences: readonly string[],
  peaks: Readonly<RecordPeaks>,
  options: VerdictOptions,
): string | undefined => {
  if (hasTooManyCalls) return `The program sends more than ${options.maxCalls} calls.`
  const how = describeFailure(end, options)
  if (how === undefined)
    return differences.length === 0
      ? undefined
      : `The program exits with 0, but its records differ: ${listTexts(differences)}.`
  if (end.isTimedOut) return `The program ${how}.`
  // A crash may leave work undone, but must not do it twice.
  const excess = listExcess(peaks, projects)
  if (excess.length > 0) return `The program ${how}, and did something twice: ${listTexts(excess)}.`
  const effects = [...new Set([...schedule.values()].map(({ effect }) => effect))]
  return effects.length > 0 && effects.every((effect) => options.mustSucceed.includes(effect))
    ? `The program ${how}, but must succeed under ${effects.join(' and ')}.`
    : undefined
}

/** `exits with 1`, `is ended by SIGSEGV` or `does not end in 60 s`. Undefined for a success. */
const describeFailure = (
  { exitCode, signal, isTimedOut }: ProgramEnd,
  { timeout }: VerdictOptions,
): string | undefined => {
  if (isTimedOut) return `does not end in ${timeout / 1000} s`
  if (exitCode === null) return `is ended by ${signal}`
  return exitCode === 0 ? undefined : `exits with ${exitCode}`
}

/** At most three texts. The others are in the differences. */
const listTexts = (given: readonly string[]): string =>
  `${given.slice(0, 3).join(', ')}${given.length > 3 ? `, and ${given.length - 3} more` : ''}`

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
export const requireSuccess = (run: FinishedProgram, options: VerdictOptions): void => {
  const { end, check, calls, firstRequest, hasTooManyCalls } = run
  const { maxCalls, variables } = options
  const fail = (message: string, { output } = end) => {
    throw new ProgramError(message, output)
  }
  if (hasTooManyCalls) fail(`The program sends more than ${maxCalls} calls without a fault. Raise --max-calls.`)
  const how = describeFailure(end, options)
  if (end.isTimedOut) fail(`The program ${how} without a fault. Raise --timeout.`)
  if (calls.every(({ operation }) => operation === undefined)) {
    const what = firstRequest === undefined ? 'nothing' : `no operation (its first request is ${firstRequest})`
    const ending = how === undefined ? '' : `, and ${how}`
    fail(`The program calls ${what}${ending}. It must read the address of the service from ${variables.join(' or ')}.`)
  }
  if (how !== undefined) fail(`The program ${how} without a fault.`)
  const howCheck = check && describeFailure(check, options)
  if (howCheck !== undefined) fail(`The check ${howCheck} without a fault.`, check)
}

/** Throws a `ProgramError` if two undisturbed runs differ: in their calls, in any order, or in their records. */
export const requireSameRuns = (first: FinishedProgram, second: FinishedProgram): void => {
  const difference = findFirstDifference(first, second)
  if (difference === undefined) return
  throw new ProgramError(
    `The program does not repeat itself: ${difference}. Usual causes are random values, the time of the machine, an order ` +
      'of its own, and what it keeps between runs, such as a file or a database.',
  )
}

const findFirstDifference = (first: FinishedProgram, second: FinishedProgram): string | undefined => {
  const before = first.requests.map(describeRequest)
  const after = second.requests.map(describeRequest)
  const [missing, added] = [withoutOthers(before, after), withoutOthers(after, before)].map(
    ([call]) => call && shorten(call, 300),
  )
  if (missing !== undefined && added !== undefined) return `the first run sends ${missing}, and the second run ${added}`
  if (missing !== undefined) return `only the first run sends ${missing}`
  if (added !== undefined) return `only the second run sends ${added}`
  const { differences, canceled } = compareRecords(first.projects, second.projects)
  const [difference] = [...differences, ...canceled]
  return difference && `the second run leaves other records: ${difference}`
}

/** Describes a request without ids and times, so that it is the same in each run. */
const describeRequest = ({ method, path, body }: ProgramRequest): string => {
  // Some languages have another order of fields in each process.
  const value = parseJsonIfValid(body ?? '')
  const text = value === undefined ? (body ?? '') : toSortedJson(value)
  return `${method} ${maskIdsAndTimes(path)} ${maskIdsAndTimes(text)}`.trimEnd()
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

/** Records that have the same name. */
interface RecordGroup {
  /** `user`, `payment link` or `canceled payment link`. */
  readonly noun: string
  /** Distinguishes them from other records of their kind: `with ada@example.com`, or `of inv_7`. */
  readonly name: string
  readonly project: string
  /** The fields of each as JSON, without id and times. An id of a record is replaced by what the record is. */
  readonly fields: string[]
}

const canceledLink = `canceled ${kinds.paymentLinks.text}`

/**
 * Compares the records of a run with the expected ones. A difference is a text such as `2 payment links of inv_7 instead of 1`.
 * `canceled` lists additional canceled payment links, which a client that cleans up leaves.
 */
export const compareRecords = (expected: ProjectRecords, actual: ProjectRecords) => {
  const describe = createDescribe(expected, actual)
  const before = groupRecords(expected)
  const after = groupRecords(actual)
  const differences: string[] = []
  const canceled: string[] = []
  for (const [key, group] of new Map([...before, ...after])) {
    const wanted = before.get(key)?.fields ?? []
    const found = after.get(key)?.fields ?? []
    const isHarmless = group.noun === canceledLink && found.length > wanted.length
    if (found.length === wanted.length) differences.push(...compareFields(wanted, found, describe(group)))
    else (isHarmless ? canceled : differences).push(describe(group, found.length, wanted.length))
  }
  return { differences, canceled }
}

/** Compares as many records as there should be. Equal ones are left out, and the others are compared in their order. */
const compareFields = (wanted: readonly string[], found: readonly string[], name: string): string[] => {
  const left = withoutOthers(wanted, found)
  return withoutOthers(found, wanted).flatMap((fields, index) => {
    const [old, now] = [left[index]!, fields].map((text) => JSON.parse(text) as Record<string, unknown>)
    const show = (value: unknown) => quote(isRecord(value) ? JSON.stringify(value) : value)
    return Object.keys({ ...old, ...now })
      .filter((field) => !hasSameJson(old![field], now![field]))
      .map((field) => `${field} of the ${name} is ${show(now![field])} instead of ${show(old![field])}`)
  })
}

/** The largest numbers of records that a run had at the same time, by what they are. */
export type RecordPeaks = Map<string, number>

/** Raises the peaks to the numbers of records in a state. */
export const raisePeaks = (peaks: RecordPeaks, state: ProjectRecords): void => {
  for (const [key, { fields }] of groupRecords(state)) peaks.set(key, Math.max(fields.length, peaks.get(key) ?? 0))
}

/** Lists each group that exceeds its peak: users of an email, or active and completed payment links of an invoice. */
export const listExcess = (peaks: Readonly<RecordPeaks>, state: ProjectRecords): string[] => {
  const describe = createDescribe(state)
  return [...groupRecords(state)].flatMap(([key, group]) => {
    const peak = peaks.get(key) ?? 0
    const { length } = group.fields
    return group.noun === canceledLink || length <= peak ? [] : [describe(group, length, peak)]
  })
}

/** Returns a function that names a record, or says how many there are: `2 payment links of inv_7 in acme instead of 1`. */
const createDescribe = (...states: readonly ProjectRecords[]) => {
  const hasOneProject = new Set(states.flatMap(Object.keys)).size < 2
  return ({ noun, name, project }: RecordGroup, count?: number, expected?: number): string => {
    const which = `${name}${hasOneProject ? '' : ` in ${project}`}`
    return count === undefined ? `${noun} ${which}` : `${pluralize(count, noun)} ${which} instead of ${expected}`
  }
}

type RecordGroups = ReadonlyMap<string, RecordGroup>

/** The groups of each state. Those of the expected records are needed in every run. */
const cached = new WeakMap<ProjectRecords, RecordGroups>()

/** Groups records by what they are, apart from their other fields. */
const groupRecords = (state: ProjectRecords): RecordGroups => {
  const known = cached.get(state)
  if (known !== undefined) return known
  const records = Object.entries(state).flatMap(([project, { users = [], paymentLinks = [] }]) => [
    ...users.map((record) => ({ project, record, noun: kinds.users.text, name: `with ${record.email}` })),
    ...paymentLinks.map((record) => ({
      project,
      record,
      noun: record.status === 'canceled' ? canceledLink : kinds.paymentLinks.text,
      name: `of ${record.invoice}`,
    })),
  ])
  const texts = new Map(records.map(({ record, noun, name }) => [record.id, `${noun} ${name}`]))
  const groups = new Map<string, RecordGroup>()
  for (const { project, noun, name, record } of records) {
    const { id: _, ...fields } = record
    const key = JSON.stringify([project, noun, name])
    const group = groups.get(key) ?? { project, noun, name, fields: [] }
    group.fields.push(maskIdsAndTimes(toSortedJson(fields), (id) => `the ${texts.get(id) ?? 'id of no record'}`))
    groups.set(key, group)
  }
  cached.set(state, groups)
  return groups
}

const idPattern = new RegExp(`\\b(?:${recordKinds.map((kind) => kinds[kind].prefix).join('|')})_[\\w~-]+`, 'g')
// In a URL, colons may be encoded.
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d[.\d]*(?:Z|(?:[+-]|%2B)\d\d(?::|%3A)\d\d)/gi

/** Replaces the ids of records and the times in a text of JSON or in a URL. */
const maskIdsAndTimes = (text: string, describeId: (id: string) => string = () => 'an id'): string =>
  text.replace(idPattern, (id) => JSON.stringify(`(${describeId(id)})`).slice(1, -1)).replace(timePattern, '(a time)')

/** Returns a value as JSON with sorted fields. */
const toSortedJson = (given: unknown): string =>
  JSON.stringify(given, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
