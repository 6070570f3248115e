import { groupBy, isRecord, parseJsonIfValid } from '../core/schema/json-value.ts'
import { pluralize } from '../core/schema/problem.ts'
import { shorten, toPrintableLines } from '../core/schema/text.ts'
import type { FaultPlace } from './schedule-text.ts'

/** Why a search ended. `complete` means that it tried everything that it planned. */
export type SearchEnd = 'complete' | 'only' | 'maxRuns' | 'maxFailures' | 'budget' | 'signal'

/** A planned schedule that did not run to its end. */
export interface NotTried {
  /** The schedule as text. Empty for a run without faults, and for a run that left the planned path at its first step. */
  readonly replay: string
  /** Why the run did not reach its end. */
  readonly why: string
}

/** The result of a search. `S` is the type of an entry in a schedule: a fault place in `explore`, or a step in `interleave`. */
export interface SearchResult<S> {
  /** The number of runs. Excludes runs that the search stopped early. */
  readonly runs: number
  /** The total number of calls in these runs. */
  readonly calls: number
  /** Whether the search tried everything that it planned, and `notTried` and `caveats` are empty. */
  readonly exhausted: boolean
  /** Whether the signal, `budget` or `maxFailures` ended the search. */
  readonly stopped: boolean
  /** Why the search ended, such as `complete` or `maxRuns`. */
  readonly endedBy: SearchEnd
  /** The schedules that did not run to their end, because `maxCalls` or `timeout` ended the run. */
  readonly notTried: readonly NotTried[]
  /** Other reasons why the search is not exhausted, as sentences. */
  readonly caveats: readonly string[]
  /** The failed runs, sorted by the number of faults, then by the number of changes from one actor to another. */
  readonly failures: readonly Failure<S>[]
}
/** The result of `explore`. */
export type ExploreResult = SearchResult<FaultPlace>
/** The result of `interleave`. */
export interface InterleaveResult extends SearchResult<string> {
  /** Whether the search relied on the option `isolated`, which asserts that the actors share nothing but the mock. */
  readonly isolated: boolean
}

/** The outcome of one run. */
export interface Outcome {
  /** The error that the invariant threw, or a `RunError`. Null if the run did not fail. */
  readonly error: unknown
  /** The calls, in the order of the run. */
  readonly requests: readonly ExploredRequest[]
  /** The sleeps, in the order in which they ended. */
  readonly sleeps: readonly ExploredSleep[]
  /** The events between calls, such as a crash or a payment. */
  readonly events: readonly ExploredEvent[]
}

/** A failed run. `S` is the type of an entry in its schedule: a fault place in `explore`, or a step in `interleave`. */
export interface Failure<S> extends Outcome {
  /** The faults of the run in `explore`, or its steps in `interleave`. */
  readonly schedule: readonly S[]
  /** The schedule as text, for `only` and `replay`. */
  readonly replay: string
}

/** A call in a run: a request, or a command of the control API. */
export interface ExploredRequest {
  /** The name of the actor that sent the call. Null in `explore`. */
  readonly actor: string | null
  /** The id of the operation or command. Null if no route matches. */
  readonly operation: string | null
  /** The HTTP method, such as `POST`. */
  readonly method: string
  /** The path and query. */
  readonly path: string
  /** The body as text. Null without a body. */
  readonly body: string | null
  /** Null if the client received no response. */
  readonly status: number | null
  /** The response body as text. Null for pages, and if the client received no body. */
  readonly response: string | null
  /** The mock time of the call, in ISO 8601 format. */
  readonly time: string
  /** The fault that applied, such as `reset after the operation`. Null without a fault. */
  readonly fault: string | null
  /** What the call changed although the client received no success, and problems with its idempotency key. Null if none. */
  readonly note: string | null
}

/** The end of a sleep, or of the delay of a call. */
export interface ExploredSleep {
  /** The name of the actor. Null in `explore`. */
  readonly actor: string | null
  /** The number of calls before this point of the run. */
  readonly calls: number
  /** The mock time, in ISO 8601 format. */
  readonly time: string
}

/** An event between two calls, such as a crash or a payment. */
export interface ExploredEvent extends ExploredSleep {
  /** The event as text, such as `the customer pays pml_1 of inv_7`. */
  readonly text: string
}

/** The error of a run that did not end, or whose client code threw despite `mustSucceed`. */
export class RunError extends Error {
  /** The name of the error class: always `RunError`. */
  override readonly name = 'RunError'
  /** Why the run failed, such as `deadlock`. */
  readonly code: 'deadlock' | 'maxCalls' | 'timeout' | 'flowFailed'

  constructor(code: RunError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const getMessage = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'A value that has no text was thrown.'
  }
}

const maxLines = 20

/**
 * Formats a failure: the error, the faults, the calls with their responses, and the `only` option that repeats the run.
 *
 * @param alike other schedules with the same failure, each shown on one line
 */
export const formatFailure = (
  failure: Failure<FaultPlace> | Failure<string>,
  alike: readonly Pick<Failure<unknown>, 'replay'>[] = [],
): string => formatWithEnd(failure, [formatOnly(failure), ...listSameFailures(alike, formatOnly)])

const formatOnly = ({ replay }: Pick<Failure<unknown>, 'replay'>): string => `only: '${replay}'`

export const listSameFailures = <F>(alike: readonly F[], format: (failure: F) => string): string[] =>
  indentList('The same failure:', alike.map(format))

export const indentList = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)]

/** Groups failures with the same error and, in `explore`, with faults at the same calls. Keeps their order. */
export const groupFailures = <F extends Pick<Failure<FaultPlace | string>, 'error' | 'schedule'>>(
  failures: readonly F[],
) =>
  groupBy(failures, ({ error, schedule }) => {
    const calls = schedule.flatMap((step) => (typeof step === 'string' ? [] : step.call))
    return JSON.stringify([getMessage(error), calls])
  })

/** Returns text such as `no failures`, `1 failure`, or `2 failures, with 5 schedules`. */
export const formatFailureCount = (failures: number, schedules: number): string =>
  failures === 0
    ? 'no failures'
    : `${pluralize(failures, 'failure')}${schedules > failures ? `, with ${pluralize(schedules, 'schedule')}` : ''}`

/** Formats a failure like `formatFailure`, but ends with `endLines`. */
export const formatWithEnd = (
  { schedule, error, requests, sleeps, events }: Omit<Failure<FaultPlace | string>, 'replay'>,
  endLines: readonly string[],
): string => {
  const faults = schedule.filter((step) => typeof step !== 'string')
  const width = Math.max(0, ...[...requests, ...sleeps].map(({ actor }) => actor?.length ?? 0))
  const isOneDay = new Set([...requests, ...sleeps].map(({ time }) => time.slice(0, 10))).size < 2
  const formatLineStart = ({ time, actor }: { readonly time: string; readonly actor: string | null }) =>
    `${isOneDay ? time.slice(11, -1) : time}  ${actor === null ? '' : `${actor.padEnd(width)}  `}`
  const sleepsAndEvents = [...sleeps.map((sleep) => ({ ...sleep, text: 'a timer ends' })), ...events]
  const listEventsAfter = (calls: number) =>
    sleepsAndEvents.filter((one) => one.calls === calls).map((one) => `     ${formatLineStart(one)}${one.text}`)
  const lines = requests.flatMap((request, index) => [
    ...listEventsAfter(index),
    `${request.fault === null ? ' ' : '!'} ${index + 1}. ${formatLineStart(request)}${formatExploredCall(request)}`,
  ])
  lines.push(...listEventsAfter(requests.length))
  const omittedCount = lines.length - maxLines
  if (omittedCount > 0) lines.splice(maxLines / 2, omittedCount, `  ... ${omittedCount} more ...`)
  const title = faults.length > 0 ? `With ${faults.map(formatPlace).join(', and ')}:` : 'In this order:'
  return toPrintableLines([getMessage(error), title, ...lines, ...endLines].join('\n'))
}

const formatPlace = ({ effect, link, phase, call, operation }: FaultPlace): string =>
  `${effect}${link === undefined ? '' : `:${link}`} ${phase} call ${call}, ${operation}`

export const formatExploredCall = (request: Omit<ExploredRequest, 'actor'>): string => {
  const { method, path, body, status, response, fault, note } = request
  const sent = `${method} ${path}${body === null ? '' : ` ${shorten(body, 100)}`}`
  const received = `${status ?? 'no response'}${summarizeResponse(response)}`
  return `${sent} -> ${received}${fault === null ? '' : ` (${fault})`}${note === null ? '' : `\n      ${note}`}`
}

const summarizeResponse = (response: string | null): string => {
  const value = parseJsonIfValid(response ?? '')
  const { code, items, id, status } = isRecord(value) ? value : {}
  const parts = Array.isArray(items) ? [`items: ${items.length}`] : [code, id, status]
  return parts.map((part) => (typeof part === 'string' ? ` ${part}` : '')).join('')
}

/** Reads the code and the messages from an error response. Returns undefined if the response is not an error of the mock. */
export const readError = (response: string | null | undefined) => {
  const body = parseJsonIfValid(response ?? '')
  if (!isRecord(body) || typeof body.code !== 'string') return undefined
  const { code, message, detail, hint, details } = body
  const problems = Array.isArray(details) && details.length > 0 ? details : [{ message: message ?? detail }]
  const texts = [...problems.map((one) => isRecord(one) && one.message), hint]
  return { code, text: texts.filter((text) => typeof text === 'string').join(' ') }
}

/** Formats a result as one paragraph: what was tried, why the search ended, and the smallest failure. */
export const formatResult = (result: SearchResult<FaultPlace> | InterleaveResult): string => {
  const { runs, calls, failures, endedBy } = result
  const [smallestFailure] = failures
  const groups = groupFailures<Failure<FaultPlace> | Failure<string>>(failures)
  const count = formatFailureCount(groups.length, failures.length)
  const mayIsolate = 'isolated' in result && !result.isolated && ['maxRuns', 'budget', 'maxFailures'].includes(endedBy)
  return [
    `${pluralize(runs, 'run')} with ${pluralize(calls, 'call')}: ${describeClaim(result)}.`,
    ...result.caveats,
    ...(mayIsolate ? ['If the actors share nothing but the mock, `isolated: true` may need fewer runs.'] : []),
    smallestFailure === undefined
      ? 'No failures.'
      : `${count}. The smallest, '${smallestFailure.replay}': ${getMessage(smallestFailure.error)}`,
  ].join(' ')
}

const describeClaim = ({ endedBy, notTried, exhausted }: SearchResult<unknown>): string => {
  if (endedBy !== 'complete' || exhausted) return endTexts[endedBy]
  return notTried.length > 0
    ? `not exhausted, because ${pluralize(notTried.length, 'schedule')} did not run to the end`
    : 'not exhausted'
}

const endTexts: Readonly<Record<SearchEnd, string>> = {
  complete: 'exhausted',
  only: 'not exhausted, because only the given schedules ran',
  maxRuns: 'not exhausted, because it reached maxRuns',
  maxFailures: 'not exhausted, because it reached maxFailures',
  budget: 'not exhausted, because its budget ended',
  signal: 'not exhausted, because its signal was aborted',
}
