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
  /** The id of the record in the path. */
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
  const id = params.user ?? params.paymentLink
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
    id: id === undefined ? undefined : decode(id),
    query: new URLSearchParams(query),
    token: /^Bearer +(\S+) *$/i.exec(findHeader(headers, 'authorization') ?? '')?.[1],
    sent: isRecord(sent) ? sent : {},
    status,
    json,
    shown: status >= 200 && status < 300 && method !== 'HEAD' ? listRecords(json) : [],
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

const listRecords = (json: unknown): ShownRecord[] => {
  const items = isRecord(json) && Array.isArray(json.items) ? (json.items as unknown[]) : [json]
  return items.filter(
    (item): item is ShownRecord =>
      isRecord(item) && typeof item.id === 'string' && typeof item.createdAt === 'string' && isTime(item.createdAt),
  )
}

/** Whether a value is a time of ISO 8601, with or without a zone. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(parseTime(value))

export const hasZone = (time: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)

/** Returns milliseconds since 1970. A time without a zone is in UTC. */
export const parseTime = (time: string): number => Date.parse(hasZone(time) ? time : `${time}Z`)
