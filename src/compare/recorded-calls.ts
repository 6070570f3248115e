import { getBearerToken, kinds, type RecordKind } from '../core/mock/extension.ts'
import { type Fields, isRecord, parseJsonIfValid } from '../core/schema/json-value.ts'
import { findOperation, type OperationId, readOperations } from '../core/schema/operation-routes.ts'
import { decodePart } from '../core/schema/url.ts'

/** A call and its response, as recorded by the proxy. */
export interface Exchange {
  /** Milliseconds since 1970, on the clock of this machine. */
  readonly start: number
  readonly end: number
  readonly method: string
  /** The path and query, without the base path of the service. */
  readonly target: string
  readonly headers: readonly [name: string, value: string][]
  readonly body: Uint8Array
  /** The reason why there is no response. Undefined if there is a response. */
  readonly failure: string | undefined
  readonly response: { readonly status: number; readonly contentType: string; readonly text: string } | undefined
}

export interface ServiceCall extends Exchange {
  /** Counts from 1, in the order in which the calls ended. */
  readonly number: number
  readonly operation: OperationId | undefined
  readonly kind: RecordKind
  readonly project: string
  /** The target, with ids replaced by ids that the mock accepts. */
  readonly mockTarget: string
  /** The id of the record in the path, in the form that the mock accepts. */
  readonly id: string | undefined
  readonly query: URLSearchParams
  readonly token: string | undefined
  readonly sentFields: Fields
  readonly status: number
  readonly json: unknown
  /** Empty unless the response is successful. */
  readonly shownRecords: readonly ShownRecord[]
  readonly isList: boolean
  readonly isWrite: boolean
  readonly isCreate: boolean
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
}

/** A record in a response, with an id that the mock accepts. `partner` is a copy of the field named after the provider. */
export type ShownRecord = Fields & { readonly id: string; readonly createdAt: string }

/** @param provider the service's name for the field `partner` */
export const readServiceCall = (exchange: Exchange, number: number, provider: string): ServiceCall => {
  const { method, target, headers, body, response } = exchange
  const [path = '', search] = target.split(/\?(.*)/s)
  const { id: operation, params = {} } = findOperation(method, path) ?? {}
  const kind: RecordKind = operation?.includes('PaymentLink') ? 'paymentLinks' : 'users'
  const idSegment = params.user ?? params.paymentLink
  const serviceId = idSegment && decodeSegment(idSegment)
  const id = serviceId && toMockId(kind, serviceId)
  const query = new URLSearchParams(search)
  const json = response === undefined ? undefined : parseJsonIfValid(response.text)
  const requestBody = parseJsonIfValid(new TextDecoder().decode(body))
  const status = response?.status ?? 0
  const isList = operation !== undefined && /^(?:list|search)/.test(operation)
  // Keep the target as sent, except for ids and cursors that the mock would reject.
  const mockPath = id === undefined || id === serviceId ? path : path.split('/').with(4, id).join('/')
  const mockSearch = replaceCursors(query, kind) ? query.toString() : search
  return {
    ...exchange,
    number,
    operation,
    kind,
    project: decodeSegment(params.project ?? ''),
    id,
    query,
    mockTarget: mockSearch === undefined ? mockPath : `${mockPath}?${mockSearch}`,
    token: getBearerToken(findHeader(headers, 'authorization') ?? ''),
    sentFields: isRecord(requestBody) ? requestBody : {},
    status,
    json,
    shownRecords: status >= 200 && status < 300 && method !== 'HEAD' ? listRecords(kind, json, provider) : [],
    isList,
    isWrite: operation !== undefined && !readOperations.includes(operation),
    isCreate: operation?.startsWith('create') ?? false,
    key: findHeader(headers, 'idempotency-key'),
  }
}

const decodeSegment = (text: string): string => decodePart(text) ?? text

const findHeader = (headers: Exchange['headers'], name: string): string | undefined =>
  headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1]

/** Escapes an id that the mock would reject. */
const toMockId = (kind: RecordKind, id: string): string =>
  new RegExp(`^${kinds[kind].prefix}_[\\w.~-]+$`).test(id)
    ? id
    : `${kinds[kind].prefix}_~${id.replace(/[^\w.-]/g, (character) => `~${character.charCodeAt(0)}`)}`

/** Replaces cursors that the mock would reject. Returns true if it replaced any. */
const replaceCursors = (query: URLSearchParams, kind: RecordKind): boolean => {
  let isChanged = false
  for (const name of ['after', 'before']) {
    const cursor = query.get(name) ?? ''
    if (cursor === '' || toMockId(kind, cursor) === cursor) continue
    query.set(name, toMockId(kind, cursor))
    isChanged = true
  }
  return isChanged
}

export const getCursor = ({ query }: ServiceCall): string => query.get('before') ?? query.get('after') ?? ''

export const hasServiceId = (mockIds: ReadonlySet<string>, serviceId: string): boolean =>
  mockIds.has(toMockId('users', serviceId)) || mockIds.has(toMockId('paymentLinks', serviceId))

const listRecords = (kind: RecordKind, json: unknown, provider: string): ShownRecord[] => {
  const items = isRecord(json) && Array.isArray(json.items) ? (json.items as unknown[]) : [json]
  return items
    .filter((item): item is ShownRecord => isRecord(item) && typeof item.id === 'string' && isTime(item.createdAt))
    .map((record) => ({ ...record, id: toMockId(kind, record.id), partner: record[provider] }))
}

/** Accepts ISO 8601 times with or without a zone. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(parseTime(value))

export const hasZone = (time: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)

/** Returns milliseconds since 1970. Assumes UTC if the time has no zone. */
export const parseTime = (time: string): number => Date.parse(hasZone(time) ? time : `${time}Z`)

/** Returns the email in lower case, because emails are compared case-insensitively. */
export const getEmail = ({ email }: Fields): string | undefined =>
  typeof email === 'string' ? email.toLowerCase() : undefined
