// Decides whether a run failed, from the exit codes of its programs, its final records and the result of the check.
import { pluralize } from '../../core/schema/problem.ts'
import type { RecordsByProject } from '../customers.ts'
import { findDoublePayment } from '../double-payments.ts'
import { compareRecords, listExcess } from './compare-records.ts'
import { readError } from '../result.ts'
import { isCall, type Step } from '../steps.ts'
import { describeFailedExit, nameProgram } from './describe-exit.ts'
import type { ProgramRun, VerdictOptions } from './program-types.ts'

/** The records of the undisturbed runs, in which programs run one after another. Other runs are compared with these records. */
export interface Baseline {
  /** The final records for each serial order in which all programs exited with 0. */
  readonly states: readonly RecordsByProject[]
  /** The maximum number of records in each group at any time during the undisturbed runs. */
  readonly peaks: ReadonlyMap<string, number>
}

/** Compares a run with the baseline. The returned `error` says why the run failed, or is null if it did not fail. */
export const judgeRun = (run: ProgramRun, baseline: Baseline, options: VerdictOptions) => {
  const comparedRecords = compareWithNearest(run, baseline)
  const runProblem = findProblem(run, comparedRecords.differences, baseline, options)
  const badEnd = run.check && describeFailedExit(run.check, options)
  const checkProblem = badEnd && [`The check ${badEnd}.`, ...run.check.output].join('\n')
  const problems = [runProblem, checkProblem].filter((problem) => problem !== undefined)
  return { ...comparedRecords, error: problems.length === 0 ? null : problems.join('\n') }
}

const compareWithNearest = ({ projects, touched, ends }: ProgramRun, { states }: Baseline) => {
  const [nearestComparison] = states
    .map((state) => compareRecords(state, projects, { touched, countsCanceled: ends.length === 1 }))
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
    const badEnd = describeFailedExit(end, options)
    return badEnd === undefined ? [] : [{ end, how: badEnd }]
  })
  const timedOutEnd = badEnds.find(({ end }) => end.isTimedOut)
  if (timedOutEnd !== undefined) return `${nameProgram(timedOutEnd.end.name)} ${timedOutEnd.how}.`
  const effects = [...new Set(steps.flatMap(({ fault }) => fault?.effect ?? []))]
  const hasLinkEffect = effects.some((effect) => options.effects[effect]!.actsOnLink)
  const doublePayment = hasLinkEffect ? findDoublePayment(projects, states, options.allowRest) : undefined
  if (badEnds.length === 0) {
    if (doublePayment !== undefined || differences.length === 0) return doublePayment
    return ends.length === 1
      ? `The program exits with 0, but its records differ: ${listTexts(differences)}.`
      : `The programs exit with 0, but their records are those of no order in which they run one after the other: ${listTexts(differences)}.`
  }
  const endTexts = badEnds
    .map(({ end, how: badEnd }, index) => `${index === 0 ? nameProgram(end.name) : `program ${end.name}`} ${badEnd}`)
    .join(', and ')
  if (doublePayment !== undefined) return `${endTexts}: ${doublePayment}`
  // A program that fails may leave work undone, but must not do anything twice.
  const excessRecords = listExcess(peaks, projects)
  const hasOneBadEnd = badEnds.length === 1
  if (excessRecords.length > 0)
    return `${endTexts}, and ${hasOneBadEnd ? '' : 'together they '}did something twice: ${listTexts(excessRecords)}.`
  const reusedKey = findReusedKey(steps)
  if (reusedKey !== undefined) return `${endTexts}, and call ${reusedKey} sends an Idempotency-Key with another body.`
  return effects.length > 0 && effects.every((effect) => options.mustSucceed.includes(effect))
    ? `${endTexts}, but ${hasOneBadEnd ? '' : 'they '}must succeed under ${effects.join(' and ')}.`
    : undefined
}

export const listTexts = (texts: readonly string[]): string =>
  `${texts.slice(0, 3).join(', ')}${texts.length > 3 ? `, and ${texts.length - 3} more` : ''}`

/** Returns the position, from 1, of the first call that reuses a key of its program with another body. No retry can succeed. */
const findReusedKey = (steps: readonly Step[]): number | undefined => {
  const calls = steps.filter(isCall)
  const index = calls.findIndex(({ actor, call }, position) => {
    if (readError(call?.response?.text)?.code !== 'idempotencyKeyReused') return false
    const key = call?.getIdempotencyKey()
    return calls.slice(0, position).some((step) => step.actor === actor && step.call?.getIdempotencyKey() === key)
  })
  return index === -1 ? undefined : index + 1
}
