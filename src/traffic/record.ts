import { kinds } from '../domain/kinds.ts'
import { getId, isStoredRecord } from '../domain/collection.ts'
import { redactHeader, redactHeaders } from '../domain/tokens.ts'
import type { RecordChange } from '../domain/transaction.ts'
import type { BehaviorKey, Behaviors } from '../schema/behavior.ts'
import { type Fields, hasSameJson } from '../schema/json-value.ts'
import type { OperationId } from '../schema/operation-routes.ts'
import { cut } from '../schema/text.ts'
import type { Change, RecordedRequest, Violation } from '../schema/recorded-request.ts'
import { maxStateDepth, parseJson } from '../wire/json.ts'
import type { ResponseData } from '../wire/respond.ts'
import { findPathStart } from '../schema/url.ts'

/** A request that a matcher can match, with or without its response. */
export interface MatchableRequest {
  /** Empty if the path names no project. */
  readonly project: string
  readonly operation: OperationId | undefined
  readonly method: string
  /** The complete URL of the request. */
  readonly url: string
  /** Names and values alternate. */
  readonly headers: readonly string[]
  /** The text of the body. Undefined if there was none, or if it was not read. */
  readonly text: string | undefined
  /** Undefined if no response was sent. */
  readonly status: number | undefined
}

/** A request and its response. `toRecordedRequest` converts it to its readable form. */
export interface StoredRequest extends MatchableRequest {
  readonly id: string
  /** Milliseconds since 1970, by the clock of the project. */
  readonly receivedAt: number
  /** Milliseconds of the machine's clock. */
  readonly duration: number
  /** Undefined if no response was sent. */
  readonly response: Pick<ResponseData, 'headers' | 'text'> | undefined
  readonly behaviors: Behaviors
  readonly assumed: readonly BehaviorKey[]
  readonly violations: readonly Violation[]
  readonly changes: readonly RecordChange[]
  readonly fault: string | undefined
  /** Whether the request was delivered again, and the client got the second response. */
  readonly superseded: boolean
}

/** The maximum number of characters of a body that are shown. Matchers use the whole body. */
const shownBody = 16 * 1024

/** Converts a request to its readable form, with short hashes instead of secrets. */
export const toRecordedRequest = (recorded: StoredRequest): RecordedRequest => ({
  id: recorded.id,
  project: recorded.project || null,
  operation: recorded.operation ?? null,
  method: recorded.method,
  path: getPath(recorded),
  query: getQuery(recorded),
  status: recorded.status ?? null,
  receivedAt: new Date(recorded.receivedAt).toISOString(),
  durationMilliseconds: recorded.duration,
  request: { headers: getHeaders(recorded), ...truncateBody(recorded.text) },
  response: toMessage(recorded),
  assumed: Object.fromEntries(recorded.assumed.map((key) => [key, recorded.behaviors[key]])),
  violations: [...recorded.violations],
  changes: recorded.changes.map(describeChange),
  fault: recorded.fault ?? null,
  ...(recorded.superseded && { superseded: true as const }),
})

/** Returns the path of a request, such as `/projects/acme/users`. It is not decoded. */
export const getPath = ({ url }: MatchableRequest): string => {
  const start = findPathStart(url)
  return start === -1 ? '/' : url.slice(start).replace(/[?#].*/s, '')
}

export const getQuery = ({ url }: MatchableRequest): Record<string, string | string[]> => {
  const all = new Map<string, string | string[]>()
  for (const [name, value] of new URL(url).searchParams) {
    const known = all.get(name)
    all.set(name, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(all)
}

/** Returns the headers by lower-case name. Repeated headers are joined, and secrets are short hashes. */
export const getHeaders = ({ headers }: MatchableRequest): Record<string, string> => {
  const all = new Map<string, string>()
  let name = ''
  for (const [index, text] of headers.entries()) {
    if (index % 2 === 0) name = text.toLowerCase()
    else {
      const known = all.get(name)
      const value = redactHeader(name, text)
      all.set(name, known === undefined ? value : `${known}, ${value}`)
    }
  }
  return Object.fromEntries(all)
}

/** Parses JSON. Returns undefined if it is invalid. */
export const tryParseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: parseJson(text, { maxDepth: maxStateDepth }) }
  } catch {
    return undefined
  }
}

const toMessage = ({ method, response }: StoredRequest): RecordedRequest['response'] =>
  // The response to HEAD is that to GET without the body.
  response
    ? { headers: redactHeaders(response.headers), ...truncateBody(method === 'HEAD' ? null : response.text) }
    : null

const parseBody = (text: string | null | undefined): unknown =>
  text === undefined || text === null || text === '' ? null : (tryParseJson(text) ?? { value: text }).value

const truncateBody = (text: string | null | undefined) =>
  text !== undefined && text !== null && text.length > shownBody
    ? { body: cut(text, shownBody), truncated: true }
    : { body: parseBody(text), truncated: false }

/** Returns the changed fields of a record. A created or deleted record has all fields. */
export const describeChange = ({ kind, from, to }: RecordChange): Change => {
  const changed = { resource: kinds[kind].object, id: getId(to) }
  const before: Fields | null = from && isStoredRecord(from) ? { ...from.value } : null
  const after: Fields | null = isStoredRecord(to) ? { ...to.value } : null
  if (before === null || after === null) return { ...changed, from: before, to: after }
  const names = Object.keys(after).filter((name) => !hasSameJson(before[name], after[name]))
  const pick = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return { ...changed, from: pick(before), to: pick(after) }
}
