import { redactedHeader, redactedHeaders } from '../domain/tokens.ts'
import type { RecordChange } from '../domain/transaction.ts'
import type { BehaviorKey, Behaviors } from '../schema/behavior.ts'
import type { Fields } from '../schema/is-record.ts'
import type { OperationId } from '../schema/operation.ts'
import type { Change, RecordedRequest, Violation } from '../schema/traffic.ts'
import { maxStateDepth, parseJson } from '../wire/json.ts'

/** A request as a matcher looks at it, before or after it is answered. */
export interface MatchableRequest {
  /** Undefined: the path names none. */
  readonly project: string | undefined
  readonly operation: OperationId | undefined
  readonly method: string
  /** The complete URL of the request. */
  readonly url: string
  /** Names and values, one after the other. */
  readonly headers: readonly string[]
  /** The text of the body; undefined where there was none, or where it was not read. */
  readonly text: string | undefined
  /** Undefined: nothing was answered. */
  readonly status: number | undefined
}

/** A request and its response. The readable form is made on demand. */
export interface Recorded extends MatchableRequest {
  readonly id: string
  /** Milliseconds since 1970, by the clock of the project. */
  readonly receivedAt: number
  readonly duration: number
  readonly answer: { readonly headers: Readonly<Record<string, string>>; readonly text: string | null } | undefined
  readonly behaviors: Behaviors
  readonly assumed: readonly BehaviorKey[]
  readonly violations: readonly Violation[]
  readonly changes: readonly RecordChange[]
  readonly fault: string | undefined
}

/** How many characters of a body are shown. Matchers use the whole body. */
const shownBody = 16 * 1024

/** The entry of the journal: what was sent and answered, with the secrets as short hashes. */
export const entryOf = (recorded: Recorded): RecordedRequest => ({
  id: recorded.id,
  project: recorded.project ?? null,
  operation: recorded.operation ?? null,
  method: recorded.method,
  path: pathOf(recorded),
  query: queryOf(recorded),
  status: recorded.status ?? null,
  receivedAt: new Date(recorded.receivedAt).toISOString(),
  durationMilliseconds: recorded.duration,
  request: { headers: headersOf(recorded), ...bodyOf(recorded.text) },
  response: responseOf(recorded),
  assumed: Object.fromEntries(recorded.assumed.map((key) => [key, recorded.behaviors[key]])),
  violations: [...recorded.violations],
  changes: recorded.changes.map(changeOf),
  fault: recorded.fault ?? null,
})

/** `/projects/acme/users`, not decoded. */
export const pathOf = ({ url }: MatchableRequest): string => {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return start === -1 ? '/' : url.slice(start).split(/[?#]/, 1)[0]!
}

export const queryOf = ({ url }: MatchableRequest): Record<string, string | string[]> => {
  const parameters = new URL(url).searchParams
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}

/** The headers by lower-case name. Repeated ones are joined, and secrets are short hashes. */
export const headersOf = ({ headers }: MatchableRequest): Record<string, string> => {
  const all = new Map<string, string>()
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase()
    const value = redactedHeader(name, headers[i + 1]!)
    all.set(name, all.has(name) ? `${all.get(name)}, ${value}` : value)
  }
  return Object.fromEntries(all)
}

/** The parsed JSON of a text. Undefined if it is invalid. */
export const jsonIn = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: parseJson(text, { maxDepth: maxStateDepth }) }
  } catch {
    return undefined
  }
}

const responseOf = ({ method, answer }: Recorded): RecordedRequest['response'] =>
  // A HEAD is answered as a GET, less the body.
  answer ? { headers: redactedHeaders(answer.headers), ...bodyOf(method === 'HEAD' ? null : answer.text) } : null

const bodyValue = (text: string | null | undefined): unknown =>
  text === undefined || text === null || text === '' ? null : (jsonIn(text) ?? { value: text }).value

const bodyOf = (text: string | null | undefined) =>
  text !== undefined && text !== null && text.length > shownBody
    ? { body: text.slice(0, shownBody), truncated: true }
    : { body: bodyValue(text), truncated: false }

/** The changed fields of a record: all of them if it was created or deleted. */
export const changeOf = ({ resource, from, to }: RecordChange): Change => {
  const id = (to ?? from)!.id
  if (from === undefined || to === undefined)
    return { resource, id, from: from ? { ...from } : null, to: to ? { ...to } : null }
  const before: Fields = { ...from }
  const after: Fields = { ...to }
  const changed = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
  const pick = (fields: Fields) => Object.fromEntries(changed.map((key) => [key, fields[key]]))
  return { resource, id, from: pick(before), to: pick(after) }
}
