// Whether programs can be searched, and whether a run is a failure, compared with runs without a fault.
import { kinds } from '../../../mock/extension.ts'
import { hasSameJson, isRecord, toSortedJson } from '../../../schema/json-value.ts'
import { pluralize, quote } from '../../../schema/problem.ts'
import { shorten } from '../../../schema/text.ts'
import { findDoublePayment, type ProjectRecords } from '../customers.ts'
import { isCustomerEffect } from '../explored-faults.ts'
import { maskIdsAndTimes } from './mask-ids-and-times.ts'
import { type ProgramEnd, ProgramError, type ProgramParts } from './program-types.ts'
import type { ProgramRun } from './program-types.ts'

/** The reference for other runs: the records at the end of runs without a fault. */
export interface Baseline {
  /** The final records of each run in which all programs exit with 0: one, or one for each serial order. */
  readonly states: readonly ProjectRecords[]
  /** The largest numbers of records that a run had at the same time. */
  readonly peaks: ReadonlyMap<string, number>
}

export type VerdictOptions = Pick<
  ProgramParts,
  'effects' | 'mustSucceed' | 'maxCalls' | 'timeout' | 'variables' | 'basePath' | 'payAfterReads' | 'allowRest'
>

/** Judges a run. `error` is the reason why it is a failure, and null without one. */
export const judgeRun = (run: ProgramRun, baseline: Baseline, options: VerdictOptions) => {
  const comparedRecords = compareWithNearest(run, baseline)
  const runProblem = findProblem(run, comparedRecords.differences, baseline, options)
  const badEnd = run.check && describeBadEnd(run.check, options)
  const checkProblem = badEnd && [`The check ${badEnd}.`, ...run.check.output].join('\n')
  const problems = [runProblem, checkProblem].filter((one) => one !== undefined)
  return { ...comparedRecords, error: problems.length === 0 ? null : problems.join('\n') }
}

/** Compares the final records with the run without a fault that has the most similar ones. */
const compareWithNearest = ({ projects }: ProgramRun, { states }: Baseline) => {
  const [nearestComparison] = states
    .map((state) => compareRecords(state, projects))
    .toSorted((a, b) => a.differences.length - b.differences.length)
  return nearestComparison ?? { differences: [], canceled: [] }
}

const findProblem = (
  { ends, hasTooManyCalls, steps, projects }: ProgramRun,
  differences: readonly string[],
  { states, peaks }: Baseline,
  options: VerdictOptions,
): string | undefined => {
  const calls = pluralize(options.maxCalls, 'call')
  const programs = ends.length === 1 ? 'The program sends' : 'The programs send'
  if (hasTooManyCalls)
    return `${programs} more than ${calls}. A program may poll without end, or --max-calls is too low.`
  const badEnds = ends.flatMap((end) => {
    const badEnd = describeBadEnd(end, options)
    return badEnd === undefined ? [] : [{ end, how: badEnd }]
  })
  const timedOutEnd = badEnds.find(({ end }) => end.isTimedOut)
  if (timedOutEnd !== undefined) return `${nameProgram(timedOutEnd.end.name)} ${timedOutEnd.how}.`
  const effects = [...new Set(steps.flatMap(({ fault }) => fault?.effect ?? []))]
  const isWatched = effects.some((effect) => isCustomerEffect(options.effects[effect]!))
  const doublePayment = isWatched ? findDoublePayment(projects, states, options.allowRest) : undefined
  if (badEnds.length === 0) {
    if (isWatched || differences.length === 0) return doublePayment
    return ends.length === 1
      ? `The program exits with 0, but its records differ: ${listTexts(differences)}.`
      : `The programs exit with 0, but their records are those of no order in which they run one after the other: ${listTexts(differences)}.`
  }
  const endTexts = badEnds
    .map(({ end, how: badEnd }, index) => `${index === 0 ? nameProgram(end.name) : `program ${end.name}`} ${badEnd}`)
    .join(', and ')
  if (doublePayment !== undefined) return `${endTexts}: ${doublePayment}`
  // A crash may leave work undone, but must not do it twice.
  const excessRecords = listExcess(peaks, projects)
  const isOne = badEnds.length === 1
  if (excessRecords.length > 0)
    return `${endTexts}, and ${isOne ? '' : 'together they '}did something twice: ${listTexts(excessRecords)}.`
  return effects.length > 0 && effects.every((effect) => options.mustSucceed.includes(effect))
    ? `${endTexts}, but ${isOne ? '' : 'they '}must succeed under ${effects.join(' and ')}.`
    : undefined
}

const nameProgram = (name: string): string => (name === '' ? 'The program' : `Program ${name}`)

/** `exits with 1`, `is ended by SIGSEGV` or `does not end in 60 s`. Undefined for a success. */
export const describeBadEnd = (
  { exitCode, signal, isTimedOut }: ProgramEnd,
  { timeout }: Pick<VerdictOptions, 'timeout'>,
): string | undefined => {
  if (isTimedOut) return `does not end in ${timeout / 1000} s`
  return exitCode === 0 ? undefined : describeExit({ exitCode, signal })
}

export const describeExit = ({ exitCode, signal }: Pick<ProgramEnd, 'exitCode' | 'signal'>): string =>
  exitCode === null ? `is ended by ${signal}` : `exits with ${exitCode}`

/** At most three texts. The others are in the differences. */
const listTexts = (given: readonly string[]): string =>
  `${given.slice(0, 3).join(', ')}${given.length > 3 ? `, and ${given.length - 3} more` : ''}`

/** Throws a `ProgramError` unless a run without a fault called the mock and succeeded. */
export const requireSuccess = (run: ProgramRun, options: VerdictOptions): void => {
  requireEnd(run, options)
  requireCalls([run], options)
  for (const end of run.ends) {
    const badEnd = describeBadEnd(end, options)
    if (badEnd !== undefined)
      throw new ProgramError(
        [`The program ${badEnd} without a fault.`, ...hintAtPayment(options)].join(' '),
        end.output,
      )
  }
  requireCheck(run, options)
}

export const requireCheck = ({ check }: ProgramRun, options: VerdictOptions): void => {
  if (check === undefined) return
  const badEnd = describeBadEnd(check, options)
  if (badEnd !== undefined) throw new ProgramError(`The check ${badEnd} without a fault.`, check.output)
}

/** Throws a `ProgramError` unless each program of a serial run ended by itself. */
export const requireEnd = ({ ends, hasTooManyCalls }: ProgramRun, options: VerdictOptions): void => {
  const end = hasTooManyCalls ? ends.at(-1) : ends.find(({ isTimedOut }) => isTimedOut)
  if (end === undefined) return
  const { name, output } = end
  const [before] = ends.slice(0, ends.indexOf(end)).map((one) => one.name)
  const when =
    name === '' ? 'without a fault' : before === undefined ? 'when it runs first' : `when ${before} runs first`
  const badEnd = hasTooManyCalls
    ? `sends more than ${pluralize(options.maxCalls, 'call')}`
    : describeBadEnd(end, options)
  const hints = [
    `Raise ${hasTooManyCalls ? '--max-calls' : '--timeout'}.`,
    ...(name === '' ? [] : ['If it waits for another program, let it give up with another exit code than 0.']),
    ...hintAtPayment(options),
  ]
  throw new ProgramError(`${nameProgram(name)} ${badEnd} ${when}. ${hints.join(' ')}`, output)
}

const hintAtPayment = ({ payAfterReads }: Pick<VerdictOptions, 'payAfterReads'>): string[] =>
  payAfterReads === undefined ? ['If it waits for a payment, use --pay-after-reads 3.'] : []

/** Throws a `ProgramError` unless each program called the mock in at least one of the runs. */
export const requireCalls = (runs: readonly ProgramRun[], options: VerdictOptions): void => {
  const { basePath } = options
  const variables = options.variables.join(' or ')
  const steps = runs.flatMap((run) => run.steps)
  const requests = runs.flatMap((run) => run.requests)
  const [{ ends, firstRequest }] = runs as [ProgramRun]
  if (requests.length > 0 && requests.every(({ status }) => status === 401))
    throw new ProgramError('The mock rejects each call with 401: send a token that --token or the seed lists.')
  for (const end of ends) {
    const who = nameProgram(end.name)
    const badEnd = describeBadEnd(end, options)
    if (steps.some(({ actor, call }) => actor === end.name && call?.getOperation() !== undefined)) continue
    const hasNoRequest = firstRequest === undefined || ends.length > 1
    if (hasNoRequest && badEnd !== undefined)
      throw new ProgramError(
        `${who} ${badEnd} before its first call. The address of the service is in ${variables}.`,
        end.output,
      )
    const calledText = hasNoRequest ? 'nothing' : `no operation (its first request is ${firstRequest})`
    const endText = badEnd === undefined ? '' : `, and ${badEnd}`
    const hint =
      basePath !== '' && firstRequest?.includes(' /projects/')
        ? `The paths of the mock start with ${basePath}: use --env '${options.variables[0]}={url}${basePath}'.`
        : `It must read the address of the service from ${variables}.`
    const resetHint =
      endText === '' && hasNoRequest ? " If it keeps what an earlier search did, delete that: --reset 'program'." : ''
    throw new ProgramError(`${who} calls ${calledText}${endText}. ${hint}${resetHint}`, end.output)
  }
}

/** Throws a `ProgramError` if two runs without a fault differ: in their calls, in any order, or in their records. */
export const requireSameRuns = (first: ProgramRun, second: ProgramRun): void => {
  const difference = findFirstDifference(first, second)
  if (difference === undefined) return
  throw new ProgramError(
    `${first.ends.length === 1 ? 'The program does not repeat itself' : 'The programs do not repeat themselves'}: ${difference}. Usual ` +
      'causes are random values, the time of the machine, an order of its own, and what it keeps between runs, such as a file ' +
      "or a database: --reset 'program' runs before each run, to delete it.",
  )
}

const findFirstDifference = (first: ProgramRun, second: ProgramRun): string | undefined => {
  const listCalls = ({ steps }: ProgramRun) =>
    steps.flatMap(({ actor, call }) => (call ? call.describe() + (actor === '' ? '' : ` in program ${actor}`) : []))
  const findMissing = (run: ProgramRun, other: ProgramRun) => {
    const [call] = withoutOthers(listCalls(run), listCalls(other))
    return call && shorten(call, 300)
  }
  const [missing, added] = [findMissing(first, second), findMissing(second, first)]
  if (missing !== undefined && added !== undefined) return `the first run sends ${missing}, and the second run ${added}`
  if (missing !== undefined) return `only the first run sends ${missing}`
  if (added !== undefined) return `only the second run sends ${added}`
  const { differences, canceled } = compareRecords(first.projects, second.projects)
  const [difference] = [...differences, ...canceled]
  return difference && `the second run leaves other records: ${difference}`
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
  const expectedGroups = groupRecords(expected)
  const actualGroups = groupRecords(actual)
  const differences: string[] = []
  const canceled: string[] = []
  for (const [key, group] of new Map([...expectedGroups, ...actualGroups])) {
    const expectedFields = expectedGroups.get(key)?.fields ?? []
    const actualFields = actualGroups.get(key)?.fields ?? []
    const isHarmless = group.noun === canceledLink && actualFields.length > expectedFields.length
    if (actualFields.length === expectedFields.length)
      differences.push(...compareFields(expectedFields, actualFields, describe(group)))
    else (isHarmless ? canceled : differences).push(describe(group, actualFields.length, expectedFields.length))
  }
  return { differences, canceled }
}

/** Compares as many records as there should be. Equal ones are left out, and the others are compared in their order. */
const compareFields = (expectedFields: readonly string[], actualFields: readonly string[], name: string): string[] => {
  const missingFields = withoutOthers(expectedFields, actualFields)
  const parseFields = (text = '{}') => JSON.parse(text) as Record<string, unknown>
  const showValue = (value: unknown) => quote(isRecord(value) ? JSON.stringify(value) : value)
  return withoutOthers(actualFields, expectedFields).flatMap((fields, index) => {
    const [oldFields, newFields] = [parseFields(missingFields[index]), parseFields(fields)]
    return Object.keys({ ...oldFields, ...newFields })
      .filter((field) => !hasSameJson(oldFields[field], newFields[field]))
      .map(
        (field) =>
          `${field} of the ${name} is ${showValue(newFields[field])} instead of ${showValue(oldFields[field])}`,
      )
  })
}

/** Raises the peaks to the numbers of records in a state. */
export const raisePeaks = (peaks: Map<string, number>, state: ProjectRecords): void => {
  for (const [key, { fields }] of groupRecords(state)) peaks.set(key, Math.max(fields.length, peaks.get(key) ?? 0))
}

/** Lists each group that exceeds its peak: users of an email, or active and completed payment links of an invoice. */
export const listExcess = (peaks: ReadonlyMap<string, number>, state: ProjectRecords): string[] => {
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
    const groupName = `${name}${hasOneProject ? '' : ` in ${project}`}`
    return count === undefined
      ? `${noun} ${groupName}`
      : `${pluralize(count, noun)} ${groupName} instead of ${expected}`
  }
}

/** The groups of each state. Those of the expected records are needed in every run. */
const groupsByState = new WeakMap<ProjectRecords, ReadonlyMap<string, RecordGroup>>()

/** Groups records by what they are, apart from their other fields. */
const groupRecords = (state: ProjectRecords): ReadonlyMap<string, RecordGroup> => {
  const cachedGroups = groupsByState.get(state)
  if (cachedGroups !== undefined) return cachedGroups
  const records = Object.entries(state).flatMap(([project, { users = [], paymentLinks = [] }]) => [
    ...users.map((record) => ({ project, record, noun: kinds.users.text, name: `with ${record.email}` })),
    ...paymentLinks.map((record) => ({
      project,
      record,
      noun: record.status === 'canceled' ? canceledLink : kinds.paymentLinks.text,
      name: `of ${record.invoice}`,
    })),
  ])
  const recordNames = new Map(records.map(({ record, noun, name }) => [record.id, `${noun} ${name}`]))
  const groups = new Map<string, RecordGroup>()
  for (const { project, noun, name, record } of records) {
    const { id: _, ...fields } = record
    const key = JSON.stringify([project, noun, name])
    const group = groups.get(key) ?? { project, noun, name, fields: [] }
    group.fields.push(maskIdsAndTimes(toSortedJson(fields), (id) => `the ${recordNames.get(id) ?? 'id of no record'}`))
    groups.set(key, group)
  }
  groupsByState.set(state, groups)
  return groups
}
