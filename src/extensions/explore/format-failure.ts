import { isRecord } from '../../schema/is-record.ts'
import { shorten } from '../../schema/text.ts'
import type { FaultPlace } from './options.ts'
import type { ExploredRequest, Failure } from './run.ts'

// If there are more requests, only the first and the last are shown.
const maxLines = 20

/** Formats a failure: the error, the faults or the order of actors, and each call with its response. */
export const formatFailure = ({ schedule, error, requests }: Failure<FaultPlace> | Failure<string>): string => {
  const faults = schedule.filter((step) => typeof step !== 'string')
  const width = Math.max(0, ...requests.map(({ actor }) => actor?.length ?? 0))
  const lines = requests.map((request, index) => {
    const place = faults.find(({ call }) => call === index + 1)
    const actor = request.actor === null ? '' : `${request.actor.padEnd(width)}  `
    const fault = place === undefined ? '' : ` (${place.effect} ${place.phase} the operation)`
    return `${fault === '' ? ' ' : '!'} ${index + 1}. ${actor}${formatCall(request)}${fault}`
  })
  const left = lines.length - maxLines
  if (left > 0) lines.splice(maxLines / 2, left, `  ... ${left} more ...`)
  const title = faults.length > 0 ? `With ${faults.map(formatPlace).join(', and ')}:` : 'In this order:'
  // Control characters from clients must not move the cursor of the terminal.
  return [getMessage(error), title, ...lines].join('\n').replace(/(?!\n)\p{Cc}/gu, '?')
}

export const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const formatPlace = ({ effect, phase, call, operation }: FaultPlace): string =>
  `${effect} ${phase} call ${call}, ${operation}`

const formatCall = ({ method, path, body, status, response }: ExploredRequest): string =>
  `${method} ${path}${body === null ? '' : ` ${shorten(body, 100)}`} -> ${status ?? 'no response'}${summarize(response)}`

/** Summarizes a response: the code of an error, the length of a list, or the id and status of a record. */
const summarize = (response: string | null): string => {
  const { code, items, id, status } = parseFields(response)
  const parts = Array.isArray(items) ? [`items: ${items.length}`] : [code, id, status]
  return parts.map((part) => (typeof part === 'string' ? ` ${part}` : '')).join('')
}

const parseFields = (response: string | null): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(response ?? 'null')
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
