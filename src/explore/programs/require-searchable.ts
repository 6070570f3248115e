// Checks that programs can be searched: with no faults, they must call the mock, succeed, and be deterministic.
import { pluralize } from '../../core/schema/problem.ts'
import { shorten } from '../../core/schema/text.ts'
import { compareRecords, subtract } from './compare-records.ts'
import { describeFailedExit, nameProgram } from './describe-exit.ts'
import { formatExploredCall, readError } from '../result.ts'
import { ProgramError, type ProgramRun, type VerdictOptions } from './program-types.ts'
import { serviceHint } from './service-hints.ts'

/** Throws a `ProgramError` unless a run with no faults called the mock and succeeded. `first` is the run that it repeats. */
export const requireSuccess = (run: ProgramRun, options: VerdictOptions, first?: ProgramRun): void => {
  requireEnd(run, options)
  if (first !== undefined && run.steps.length === 0) requireSameRuns(first, run, options)
  requireCalls([run], options)
  for (const end of run.ends) {
    const badEnd = describeFailedExit(end, options)
    if (badEnd === undefined) continue
    const rejection = describeRejection(run)
    const hints = rejection === undefined ? hintAtPayment(options) : [rejection]
    const message = [`The program ${badEnd} without a fault.`, ...hints].join(' ')
    throw new ProgramError(message, end.output, { calls: listCalls(run) })
  }
  requireWorkDone(run)
  requireCheck(run, options, 'without a fault')
}

export const requireWorkDone = ({ unawaitedCall }: ProgramRun): void => {
  if (unawaitedCall !== undefined)
    throw new ProgramError(
      `The service sends ${unawaitedCall} after its program has ended with exit code 0. Let the program wait for the result, or ` +
        'turn off what the service does at intervals.',
    )
}

/** Throws a `ProgramError` if the check failed. `when` completes the message, and `replay` is the schedule of the run. */
export const requireCheck = (run: ProgramRun, options: VerdictOptions, when: string, replay?: string): void => {
  const { check } = run
  const badEnd = check && describeFailedExit(check, options)
  if (check === undefined || badEnd === undefined) return
  throw new ProgramError(`The check ${badEnd} ${when}.`, check.output, { calls: listCalls(run), replay })
}

const listCalls = ({ requests }: ProgramRun): string[] =>
  requests.map(
    ({ actor, ...request }, index) =>
      `${index + 1}. ${actor === null ? '' : `${actor}  `}${formatExploredCall(request)}`,
  )

const describeRejection = ({ requests }: ProgramRun): string | undefined => {
  const index = requests.findIndex(({ status }) => status !== null && status >= 400)
  const error = readError(requests[index]?.response)
  return error && `The mock rejects call ${index + 1}: ${error.text}`
}

/** Throws a `ProgramError` if an undisturbed run reached `--timeout` or `--max-calls`. */
export const requireEnd = ({ ends, hasTooManyCalls, isListening }: ProgramRun, options: VerdictOptions): void => {
  const end = hasTooManyCalls ? ends.at(-1) : ends.find(({ isTimedOut }) => isTimedOut)
  if (end === undefined) return
  const { name, output } = end
  const [before] = ends.slice(0, ends.indexOf(end)).map((earlier) => earlier.name)
  const when =
    name === '' ? 'without a fault' : before === undefined ? 'when it runs first' : `when ${before} runs first`
  const isShared = hasTooManyCalls && ends.length > 1
  const badEnd = hasTooManyCalls
    ? `${isShared ? 'together send' : 'sends'} more than ${pluralize(options.maxCalls, 'call')}`
    : describeFailedExit(end, options)
  const hints = [
    ...(end.isTimedOut && isListening !== false && options.services.size === 0 ? [serviceHint] : []),
    `Raise ${hasTooManyCalls ? '--max-calls' : '--timeout'}.`,
    ...(name === '' ? [] : ['If it waits for another program, let it give up with another exit code than 0.']),
    ...hintAtPayment(options),
  ]
  throw new ProgramError(
    `${isShared ? 'The programs' : nameProgram(name)} ${badEnd} ${when}. ${hints.join(' ')}`,
    output,
  )
}

const hintAtPayment = ({ payAfterReads }: Pick<VerdictOptions, 'payAfterReads'>): string[] =>
  payAfterReads === undefined ? ['If it waits for a payment, use --pay-after-reads 3.'] : []

/** Throws a `ProgramError` if a program or its service never called the API, or if the mock rejected every call with 401. */
export const requireCalls = (runs: readonly ProgramRun[], options: VerdictOptions): void => {
  const { basePath } = options
  const variables = `${options.variables.join(' or ')}${options.variables.includes('BASE_URL') ? ' (Vitest overwrites BASE_URL)' : ''}`
  const steps = runs.flatMap((run) => run.steps)
  const requests = runs.flatMap((run) => run.requests)
  const [{ ends }] = runs as [ProgramRun]
  if (requests.length > 0 && requests.every(({ status }) => status === 401))
    throw new ProgramError('The mock rejects each call with 401: send a token that --token or the seed lists.')
  for (const end of ends) {
    const hasService = options.services.has(end.name)
    const who = hasService ? `The service${end.name === '' ? '' : ` of program ${end.name}`}` : nameProgram(end.name)
    const what = hasService ? 'mock' : 'service'
    const badEnd = describeFailedExit(end, options)
    if (steps.some(({ actor, call }) => actor === end.name && call?.getOperation() !== undefined)) continue
    const [firstRequest] = runs.flatMap(({ firstRequests }) => firstRequests.get(end.name) ?? [])
    if (firstRequest === undefined && badEnd !== undefined)
      throw new ProgramError(
        `${nameProgram(end.name)} ${badEnd} before ${hasService ? 'the first call of its service' : 'its first call'}. The address of the ${what} is in ${variables}.`,
        end.output,
      )
    const calledText = firstRequest === undefined ? 'nothing' : `no operation (its first request is ${firstRequest})`
    const endText = badEnd === undefined ? '' : `, and ${hasService ? 'its program ' : ''}${badEnd}`
    const hint =
      basePath !== '' && firstRequest?.includes(' /projects/')
        ? `The paths of the mock start with ${basePath}: use --env '${options.variables[0]}={url}${basePath}'.`
        : `It must read the address of the ${what} from ${variables}.`
    const resetHint =
      endText === '' && firstRequest === undefined
        ? ` If it keeps what an earlier search did, ${describeReset(options)}.`
        : ''
    throw new ProgramError(`${who} calls ${calledText}${endText}. ${hint}${resetHint}`, end.output)
  }
}

export const requireSameRuns = (
  first: ProgramRun,
  second: ProgramRun,
  options: Pick<VerdictOptions, 'reset'>,
): void => {
  const difference = findDifference(first, second)
  if (difference === undefined) return
  const causes =
    second.steps.length < first.steps.length
      ? 'What the first run did is probably kept'
      : 'Usual causes are random values, the time of the machine, an order of its own, and what is kept between runs'
  throw new ProgramError(
    `${first.ends.length === 1 ? 'The program does not repeat itself' : 'The programs do not repeat themselves'}: ${difference}. ` +
      `${causes}, in a file or a database: ${describeReset(options)}.`,
  )
}

const describeReset = ({ reset }: Pick<VerdictOptions, 'reset'>): string =>
  reset === undefined
    ? "delete that before each run, as with --reset 'rm -f shop.db'"
    : 'see that --reset deletes all of it, in the directory of the search'

/** Whether two undisturbed runs made the same calls, left the same records, and ended in the same way. */
export const isSameRun = (first: ProgramRun, second: ProgramRun): boolean => {
  const listEnds = ({ ends, notTried }: ProgramRun) =>
    JSON.stringify([ends.map(({ exitCode, isTimedOut }) => [exitCode, isTimedOut]), notTried])
  return listEnds(first) === listEnds(second) && findDifference(first, second) === undefined
}

/** Describes a call that only one of the two runs made or, if their calls are the same, a difference in the final records. */
const findDifference = (first: ProgramRun, second: ProgramRun): string | undefined => {
  const listCalls = ({ steps }: ProgramRun) =>
    steps.flatMap(({ actor, call }) => (call ? call.describe() + (actor === '' ? '' : ` in program ${actor}`) : []))
  const findMissing = (run: ProgramRun, other: ProgramRun) => {
    const [call] = subtract(listCalls(run), listCalls(other))
    return call && shorten(call, 300)
  }
  const [missing, added] = [findMissing(first, second), findMissing(second, first)]
  if (missing !== undefined && second.steps.length === 0)
    return `the second run calls nothing, and the first sends ${missing}`
  if (missing !== undefined && added !== undefined) return `the first run sends ${missing}, and the second run ${added}`
  if (missing !== undefined) return `only the first run sends ${missing}`
  if (added !== undefined) return `only the second run sends ${added}`
  const { differences, canceled } = compareRecords(first.projects, second.projects)
  const [difference] = [...differences, ...canceled]
  return difference && `the second run leaves other records: ${difference}`
}
