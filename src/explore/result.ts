// The results of a search: its failures, with the calls and sleeps of each, and their text.
import { isRecord, parseJsonIfValid } from '../core/schema/json-value.ts'
import { pluralize } from '../core/schema/problem.ts'
import { shorten, toPrintableLines } from '../core/schema/text.ts'
import type { FaultPlace } from './schedule-text.ts'

/** Why a search ended. `complete`: everything was tried. */
export type SearchEnd = 'complete' | 'only' | 'maxRuns' | 'maxFailures' | 'budget' | 'signal'

/** A schedule that was planned, and not tried to its end. */
export interface NotTried {
  /** The schedule as text. Empty: that of a run without a fault, or of a run that left its path at its first step. */
  readonly replay: string
  /** Why it was not tried. */
  readonly why: string
}

/** The result of a search. `S` is a fault place, or a step of an actor. */
export interface SearchResult<S> {
  /** How often the client code ran. */
  readonly runs: number
  /** The calls of all runs. */
  readonly calls: number
  /** Whether everything that was planned was tried, and the code under test behaves as the search assumes. */
  readonly exhausted: boolean
  /** Whether the signal, `budget` or `maxFailures` ended the search. */
  readonly stopped: boolean
  /** Why the search ended. */
  readonly endedBy: SearchEnd
  /** The schedules that were not tried to their end: those of runs that `maxCalls` or `timeout` ended. */
  readonly notTried: readonly NotTried[]
  /** What could not be planned, as sentences. */
  readonly caveats: readonly string[]
  /** The failures: those with the fewest faults, and then with the fewest changes of actor, come first. */
  readonly failures: readonly Failure<S>[]
}
/** The result of `explore`. */
export type ExploreResult = SearchResult<FaultPlace>
/** The result of `interleave`. */
export interface InterleaveResult extends SearchResult<string> {
  /** Whether the actors promised to share nothing but the mock. */
  readonly isolated: boolean
}

/** The end of one run. */
export interface Outcome {
  /** The error of the invariant, or a `RunError`. Null if the invariant holds. */
  readonly error: unknown
  /** The calls in their order. */
  readonly requests: readonly ExploredRequest[]
  /** The sleeps in their order. */
  readonly sleeps: readonly ExploredSleep[]
  /** The events between the calls: the code was killed, or a customer paid. */
  readonly events: readonly ExploredEvent[]
}

/** A run that failed. `S` is a fault place, or a step of an actor. */
export interface Failure<S> extends Outcome {
  /** The faults, or the steps of the actors. */
  readonly schedule: readonly S[]
  /** The schedule as text, for `only` and `replay`. */
  readonly replay: string
}

/** A call in a run: a request, or a command of the control API. */
export interface ExploredRequest {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The id of the operation or command. Null: no route matched. */
  readonly operation: string | null
  /** The method. */
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The text of the body. */
  readonly body: string | null
  /** Null: the client received no response. */
  readonly status: number | null
  /** The text of the response. */
  readonly response: string | null
  /** When it was made, by the mock clock. */
  readonly time: string
  /** The effect of a fault on the call. Null if it had none. */
  readonly fault: string | null
  /** What else the mock knows of the call: what it created although its client received no success, or a repeated key. */
  readonly note: string | null
}

/** A sleep, or the delay of a call, that ended in a run. */
export interface ExploredSleep {
  /** Null in `explore`. */
  readonly actor: string | null
  /** The number of calls before it ended. */
  readonly calls: number
  /** When it ended, by the mock clock. */
  readonly time: string
}

/** An event between two calls of a run. */
export interface ExploredEvent extends ExploredSleep {
  /** For example `the customer pays pml_1 of inv_7`. */
  readonly text: string
}

/** The error of a run that did not end, or whose client code must succeed but threw. */
export class RunError extends Error {
  /** Always `RunError`. */
  override readonly name = 'RunError'
  /** Why the run failed. */
  readonly code: 'deadlock' | 'maxCalls' | 'timeout' | 'flowFailed'

  constructor(code: RunError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// If there are more, only the first and the last are shown.
const maxLines = 20

/**
 * Formats a failure: the error, the faults or the order of actors, each call with its response, and the line to repeat it.
 *
 * @param alike other schedules with the same failure, of which only the lines to repeat them are shown
 */
export const formatFailure = (
  failure: Failure<FaultPlace> | Failure<string>,
  alike: readonly Pick<Failure<unknown>, 'replay'>[] = [],
): string =>
  formatWithEnd(failure, [
    `only: '${failure.replay}'`,
    ...indentList(
      sameFailure,
      alike.map(({ replay }) => `only: '${replay}'`),
    ),
  ])

export const sameFailure = 'The same failure:'

export const indentList = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)]

/** Groups failures with the same error, after the same calls if their schedules have faults. Keeps their order. */
export const groupFailures = <F extends Pick<Failure<FaultPlace | string>, 'error' | 'schedule'>>(
  failures: readonly F[],
): (readonly [F, ...F[]])[] => {
  const groups = new Map<string, [F, ...F[]]>()
  for (const failure of failures) {
    const calls = failure.schedule.flatMap((step) => (typeof step === 'string' ? [] : step.call))
    const key = JSON.stringify([getMessage(failure.error), calls])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [failure])
    else group.push(failure)
  }
  return [...groups.values()]
}

/** `no failures`, `1 failure`, or `2 failures, with 5 schedules` */
export const formatFailureCount = (failures: number, schedules: number): string =>
  failures === 0
    ? 'no failures'
    : `${pluralize(failures, 'failure')}${schedules > failures ? `, with ${pluralize(schedules, 'schedule')}` : ''}`

/** Like `formatFailure`, with other lines at the end. */
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

export const formatExploredCall = ({
  method,
  path,
  body,
  status,
  response,
  fault,
  note,
}: Omit<ExploredRequest, 'actor'>): string =>
  `${method} ${path}${body === null ? '' : ` ${shorten(body, 100)}`} -> ${status ?? 'no response'}${summarizeResponse(response)}` +
  (fault === null ? '' : ` (${fault})`) +
  (note === null ? '' : `\n      ${note}`)

/** Summarizes a response: the code of an error, the length of a list, or the id and status of a record. */
const summarizeResponse = (response: string | null): string => {
  const value = parseJsonIfValid(response ?? '')
  const { code, items, id, status } = isRecord(value) ? value : {}
  const parts = Array.isArray(items) ? [`items: ${items.length}`] : [code, id, status]
  return parts.map((part) => (typeof part === 'string' ? ` ${part}` : '')).join('')
}

/** Returns the error of a response of the mock, with its problems. Undefined if it has none. */
export const readError = (response: string | null | undefined) => {
  const body = parseJsonIfValid(response ?? '')
  if (!isRecord(body) || typeof body.code !== 'string') return undefined
  const { code, message, detail, hint, details } = body
  const problems = Array.isArray(details) && details.length > 0 ? details : [{ message: message ?? detail }]
  const texts = [...problems.map((one) => isRecord(one) && one.message), hint]
  return { code, text: texts.filter((text) => typeof text === 'string').join(' ') }
}

/** Formats a result in one paragraph: what was tried, why the search ended, and the smallest failure. */
export const formatResult = (result: SearchResult<FaultPlace> | InterleaveResult): string => {
  const { runs, calls, failures, endedBy } = result
  const [smallestFailure] = failures
  const count = formatFailureCount(
    groupFailures<Failure<FaultPlace> | Failure<string>>(failures).length,
    failures.length,
  )
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
