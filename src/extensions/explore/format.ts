// Failures and results as text.
import { isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import { pluralize } from '../../schema/problem.ts'
import { shorten, toPrintableLines } from '../../schema/text.ts'
import {
  type ExploredRequest,
  type Failure,
  getMessage,
  type InterleaveResult,
  type SearchEnd,
  type SearchResult,
} from './result.ts'
import type { FaultPlace } from './schedule-text.ts'

// If there are more, only the first and the last are shown.
const maxLines = 20

/** Formats a failure: the error, the faults or the order of actors, each call with its response, and the line to repeat it. */
export const formatFailure = (failure: Failure<FaultPlace> | Failure<string>): string =>
  formatWithEnd(failure, [`only: '${failure.replay}'`])

/** Like `formatFailure`, with other lines at the end. */
export const formatWithEnd = (
  { schedule, error, requests, sleeps }: Failure<FaultPlace> | Failure<string>,
  end: readonly string[],
): string => {
  const faults = schedule.filter((step) => typeof step !== 'string')
  const width = Math.max(0, ...[...requests, ...sleeps].map(({ actor }) => actor?.length ?? 0))
  const isOneDay = new Set([...requests, ...sleeps].map(({ time }) => time.slice(0, 10))).size < 2
  const start = ({ time, actor }: { readonly time: string; readonly actor: string | null }) =>
    `${isOneDay ? time.slice(11, -1) : time}  ${actor === null ? '' : `${actor.padEnd(width)}  `}`
  const listSleeps = (calls: number) =>
    sleeps.filter((sleep) => sleep.calls === calls).map((sleep) => `     ${start(sleep)}a sleep ends`)
  const lines = requests.flatMap((request, index) => [
    ...listSleeps(index),
    `${request.fault === null ? ' ' : '!'} ${index + 1}. ${start(request)}${formatCall(request)}`,
  ])
  lines.push(...listSleeps(requests.length))
  const left = lines.length - maxLines
  if (left > 0) lines.splice(maxLines / 2, left, `  ... ${left} more ...`)
  const title = faults.length > 0 ? `With ${faults.map(formatPlace).join(', and ')}:` : 'In this order:'
  return toPrintableLines([getMessage(error), title, ...lines, ...end].join('\n'))
}

const formatPlace = ({ effect, phase, call, operation }: FaultPlace): string =>
  `${effect} ${phase} call ${call}, ${operation}`

const formatCall = ({ method, path, body, status, response, fault }: ExploredRequest): string =>
  `${method} ${path}${body === null ? '' : ` ${shorten(body, 100)}`} -> ${status ?? 'no response'}${summarize(response)}` +
  (fault === null ? '' : ` (${fault})`)

/** Summarizes a response: the code of an error, the length of a list, or the id and status of a record. */
const summarize = (response: string | null): string => {
  const value = parseJsonIfValid(response ?? '')
  const { code, items, id, status } = isRecord(value) ? value : {}
  const parts = Array.isArray(items) ? [`items: ${items.length}`] : [code, id, status]
  return parts.map((part) => (typeof part === 'string' ? ` ${part}` : '')).join('')
}

/** Formats a result in one paragraph: what was tried, why the search ended, and the smallest failure. */
export const formatResult = (result: SearchResult<FaultPlace> | InterleaveResult): string => {
  const { runs, calls, failures, endedBy } = result
  const [first] = failures
  const distinct = new Set(failures.map(({ error }) => getMessage(error))).size
  const mayHelp = 'isolated' in result && !result.isolated && ['maxRuns', 'budget', 'maxFailures'].includes(endedBy)
  return [
    `${pluralize(runs, 'run')} with ${pluralize(calls, 'call')}: ${ends[endedBy]}.`,
    ...(mayHelp ? ['If the actors share nothing but the mock, `isolated: true` may need fewer runs.'] : []),
    first === undefined
      ? 'No failures.'
      : `${pluralize(distinct, 'distinct failure')}. The smallest, '${first.replay}': ${getMessage(first.error)}`,
  ].join(' ')
}

const ends: Readonly<Record<SearchEnd, string>> = {
  complete: 'exhausted',
  only: 'not exhausted, because only the given schedules ran',
  maxRuns: 'not exhausted, because it reached maxRuns',
  maxFailures: 'not exhausted, because it reached maxFailures',
  budget: 'not exhausted, because its budget ended',
  signal: 'not exhausted, because its signal was aborted',
  maxCalls: 'not exhausted, because a run reached maxCalls',
}
