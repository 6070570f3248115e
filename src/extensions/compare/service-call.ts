// The calls of a program to the service, as a proxy recorded them.
import { type Fields, isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import { type OperationId, operationIds, operationRoutes } from '../../schema/operation-routes.ts'

export type ResourceKind = 'users' | 'paymentLinks'

/** A call and its response, as the proxy passed them on. */
export interface Exchange {
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly start: number
  readonly end: number
  readonly method: string
  /** The path and the query, without the base path of the service. */
  readonly target: string
  /** Names and values alternate. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
  /** Why there is no response. Undefined: there is one. */
  readonly failure: string | undefined
  /** Undefined: the service sent none. */
  readonly response: { readonly status: number; readonly contentType: string; readonly text: string } | undefined
}

/** An exchange with what the comparison reads in it. */
export interface ServiceCall extends Exchange {
  /** From 1, in the order of the responses. */
  readonly number: number
  readonly operation: OperationId | undefined
  readonly kind: ResourceKind
  readonly project: string
  /** The path and the query with ids that the mock accepts. */
  readonly mockTarget: string
  /** The id of the record in the path, as the mock has it. */
  readonly id: string | undefined
  readonly query: URLSearchParams
  readonly token: string | undefined
  readonly sent: Fields
  readonly status: number
  readonly json: unknown
  /** The records of a successful response. */
  readonly shown: readonly ShownRecord[]
  readonly isList: boolean
  readonly isWrite: boolean
  readonly isCreate: boolean
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
}

/** A record that the service has shown. */
export type ShownRecord = Fields & { readonly id: string; readonly createdAt: string }

const patterns = operationIds.map((id) => {
  const { method, path } = operationRoutes[id]
  return { id, method, pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }
})

/** Reads a call. `number` is its place in the order of the responses. */
export const readServiceCall = (exchange: Exchange, number: number): ServiceCall => {
  const { method, target, headers, body, response } = exchange
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const known = patterns.find((one) => one.method === (method === 'HEAD' ? 'GET' : method) && one.pattern.test(path))
  const params = known?.pattern.exec(path)?.groups ?? {}
  const kind: ResourceKind = known?.id.includes('PaymentLink') ? 'paymentLinks' : 'users'
  const sentId = params.user ?? params.paymentLink
  const id = sentId === undefined ? undefined : toMockId(kind, decode(sentId))
  const parameters = new URLSearchParams(query)
  for (const name of cursors) {
    const cursor = parameters.get(name)
    if (cursor) parameters.set(name, toMockId(kind, cursor))
  }
  const json = response === undefined ? undefined : parseJsonIfValid(response.text)
  const sent = parseJsonIfValid(new TextDecoder().decode(body))
  const status = response?.status ?? 0
  const isList = known !== undefined && /^(?:list|search)/.test(known.id)
  const isWrite = known !== undefined && !isList && !known.id.startsWith('retrieve')
  return {
    ...exchange,
    number,
    operation: known?.id,
    kind,
    project: decode(params.project ?? ''),
    id,
    query: parameters,
    mockTarget: toMockTarget(target, sentId, id, parameters),
    token: /^Bearer +(\S+) *$/i.exec(findHeader(headers, 'authorization') ?? '')?.[1],
    sent: isRecord(sent) ? sent : {},
    status,
    json,
    shown: status >= 200 && status < 300 && method !== 'HEAD' ? listRecords(kind, json) : [],
    isList,
    isWrite,
    isCreate: known?.id.startsWith('create') ?? false,
    key: findHeader(headers, 'idempotency-key'),
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const findHeader = (headers: readonly string[], name: string): string | undefined => {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name)
  return at === -1 ? undefined : headers[at + 1]
}

const cursors = ['after', 'before'] as const
const prefixes: Readonly<Record<ResourceKind, string>> = { users: 'usr_', paymentLinks: 'pml_' }

/** Returns a valid id unchanged, and replaces an invalid one by an id that the mock accepts. */
const toMockId = (kind: ResourceKind, id: string): string =>
  new RegExp(`^${prefixes[kind]}[\\w.~-]+$`).test(id)
    ? id
    : `${prefixes[kind]}~${id.replace(/[^\w.-]/g, (character) => `~${character.charCodeAt(0)}`)}`

/** Replaces the ids that the mock does not accept, and leaves all else as the program has sent it. */
const toMockTarget = (
  target: string,
  sentId: string | undefined,
  id: string | undefined,
  parameters: URLSearchParams,
): string => {
  const [path = '', query] = target.split(/\?(.*)/s)
  const sent = new URLSearchParams(query)
  const hasOtherCursor = cursors.some((name) => sent.get(name) !== parameters.get(name))
  const segments = path.split('/')
  if (sentId !== undefined && id !== undefined && decode(sentId) !== id) segments[4] = id
  return [segments.join('/'), ...(query === undefined ? [] : [hasOtherCursor ? `${parameters}` : query])].join('?')
}

/** Whether a set has a record that the service shows with an id of any form. */
export const hasRecord = (ids: ReadonlySet<string>, id: string): boolean =>
  ids.has(toMockId('users', id)) || ids.has(toMockId('paymentLinks', id))

const listRecords = (kind: ResourceKind, json: unknown): ShownRecord[] => {
  const items = isRecord(json) && Array.isArray(json.items) ? (json.items as unknown[]) : [json]
  return items
    .filter(
      (item): item is ShownRecord =>
        isRecord(item) && typeof item.id === 'string' && typeof item.createdAt === 'string' && isTime(item.createdAt),
    )
    .map((record) => ({ ...record, id: toMockId(kind, record.id) }))
}

/** Whether a value is a time of ISO 8601, with or without a zone. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(parseTime(value))

export const hasZone = (time: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)

/** Returns milliseconds since 1970. A time without a zone is in UTC. */
export const parseTime = (time: string): number => Date.parse(hasZone(time) ? time : `${time}Z`)

/** How far the clock of the service may be from that of this machine, in milliseconds. */
const maxSkew = 5 * 60_000

/** Whether a time by the clock of the service may be during a call. */
export const isDuring = ({ start, end }: Exchange, time: number): boolean =>
  time >= start - maxSkew && time <= end + maxSkew
