// The calls of a program to the service, as a proxy recorded them.
import { kinds, type RecordKind } from '../../mock/extension.ts'
import { type Fields, isRecord, parseJsonIfValid } from '../../schema/json-value.ts'
import { findOperation, type OperationId } from '../../schema/operation-routes.ts'
import { StoredPaymentLink } from '../../schema/payment-link.ts'
import { decodePart } from '../../schema/url.ts'

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
  readonly kind: RecordKind
  readonly project: string
  /** The path and the query with ids that the mock accepts. */
  readonly mockTarget: string
  /** The id of the record in the path, as the mock has it. */
  readonly id: string | undefined
  readonly query: URLSearchParams
  readonly token: string | undefined
  readonly sentFields: Fields
  readonly status: number
  readonly json: unknown
  /** The records of a successful response. */
  readonly shownRecords: readonly ShownRecord[]
  readonly isList: boolean
  readonly isWrite: boolean
  readonly isCreate: boolean
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
}

/** A record that the service has shown, with the field `partner` under this name. */
export type ShownRecord = Fields & { readonly id: string; readonly createdAt: string }

/** Reads a call. `provider` is the name that the service has for the field `partner`. */
const readServiceCall = (exchange: Exchange, number: number, provider: string): ServiceCall => {
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
  // All else is as the program has sent it.
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
    token: /^Bearer +(\S+) *$/i.exec(findHeader(headers, 'authorization') ?? '')?.[1],
    sentFields: isRecord(requestBody) ? requestBody : {},
    status,
    json,
    shownRecords: status >= 200 && status < 300 && method !== 'HEAD' ? listRecords(kind, json, provider) : [],
    isList,
    isWrite: operation !== undefined && !isList && !operation.startsWith('retrieve'),
    isCreate: operation?.startsWith('create') ?? false,
    key: findHeader(headers, 'idempotency-key'),
  }
}

const decodeSegment = (text: string): string => decodePart(text) ?? text

const findHeader = (headers: readonly string[], name: string): string | undefined => {
  const headerIndex = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name)
  return headerIndex === -1 ? undefined : headers[headerIndex + 1]
}

/** Returns a valid id unchanged, and replaces an invalid one by an id that the mock accepts. */
const toMockId = (kind: RecordKind, id: string): string =>
  new RegExp(`^${kinds[kind].prefix}_[\\w.~-]+$`).test(id)
    ? id
    : `${kinds[kind].prefix}_~${id.replace(/[^\w.-]/g, (character) => `~${character.charCodeAt(0)}`)}`

/** Replaces the cursors that the mock does not accept. Returns whether there was one. */
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

/** Returns the cursor of a page, or an empty text. */
export const getCursor = ({ query }: ServiceCall): string => query.get('before') ?? query.get('after') ?? ''

/** Whether a set has a record that the service shows with an id of any form. */
export const hasRecord = (ids: ReadonlySet<string>, id: string): boolean =>
  ids.has(toMockId('users', id)) || ids.has(toMockId('paymentLinks', id))

const listRecords = (kind: RecordKind, json: unknown, provider: string): ShownRecord[] => {
  const items = isRecord(json) && Array.isArray(json.items) ? (json.items as unknown[]) : [json]
  return items
    .filter((item): item is ShownRecord => isRecord(item) && typeof item.id === 'string' && isTime(item.createdAt))
    .map((record) => ({ ...record, id: toMockId(kind, record.id), partner: record[provider] }))
}

/** Whether a value is a time of ISO 8601, with or without a zone. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(parseTime(value))

export const hasZone = (time: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)

/** Returns milliseconds since 1970. A time without a zone is in UTC. */
export const parseTime = (time: string): number => Date.parse(hasZone(time) ? time : `${time}Z`)

/** How far the time of a change may be from its call, in milliseconds. */
const maxSkew = 5 * 60_000

/** Whether a time by the clock of the service may be during a call. */
export const isDuring = ({ start, end }: Exchange, time: number, { skew }: ServiceRun): boolean =>
  time - skew >= start - maxSkew && time - skew <= end + maxSkew

/** The calls of a run, in the order of their responses. */
export interface ServiceRun {
  readonly calls: readonly ServiceCall[]
  /** The calls at the same time that may have changed the response of a call. */
  readonly overlapping: ReadonlyMap<ServiceCall, readonly ServiceCall[]>
  /** The projects in which each token was accepted. */
  readonly accepted: ReadonlyMap<string, ReadonlySet<string>>
  /** The invoices of the links in each project: they exist, also before the service shows them. */
  readonly invoices: ReadonlyMap<string, ReadonlySet<string>>
  /** How far the clock of the service is ahead of that of this machine, in milliseconds. 0 if no response shows it. */
  readonly skew: number
}

export const readRun = (exchanges: readonly Exchange[], provider: string): ServiceRun => {
  const endedExchanges = exchanges.toSorted((a, b) => a.end - b.end)
  const calls = endedExchanges.map((exchange, index) => readServiceCall(exchange, index + 1, provider))
  const accepted = new Map<string, Set<string>>()
  const invoices = new Map<string, Set<string>>()
  const addAccepted = (acceptedSets: Map<string, Set<string>>, key: string, value: string) =>
    acceptedSets.set(key, (acceptedSets.get(key) ?? new Set()).add(value))
  for (const { token, project, status, operation, kind, shownRecords } of calls) {
    if (operation !== undefined && token !== undefined && status >= 200 && status < 300)
      addAccepted(accepted, token, project)
    for (const link of kind === 'paymentLinks' ? shownRecords : []) {
      const { data } = StoredPaymentLink.shape.invoice.safeParse(link.invoice)
      if (data !== undefined) addAccepted(invoices, project, data)
    }
  }
  return { calls, overlapping: findOverlapping(calls), accepted, invoices, skew: findSkew(calls) }
}

/** Returns the smallest skew of all creates: a replayed response has the creation time of an earlier run. */
const findSkew = (calls: readonly ServiceCall[]): number =>
  calls
    .flatMap(({ isCreate, shownRecords, end }) =>
      isCreate ? shownRecords.map(({ createdAt }) => parseTime(createdAt) - end) : [],
    )
    .toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0

const findOverlapping = (calls: readonly ServiceCall[]): Map<ServiceCall, ServiceCall[]> => {
  const overlapping = new Map<ServiceCall, ServiceCall[]>(calls.map((call) => [call, []]))
  let runningCalls: ServiceCall[] = []
  for (const call of calls.toSorted((a, b) => a.start - b.start)) {
    runningCalls = runningCalls.filter(({ end }) => end > call.start)
    for (const otherCall of runningCalls) {
      if (affectsResponse(otherCall, call)) overlapping.get(call)?.push(otherCall)
      if (affectsResponse(call, otherCall)) overlapping.get(otherCall)?.push(call)
    }
    runningCalls.push(call)
  }
  return overlapping
}

/** Whether the response of a call may depend on another one at the same time. */
const affectsResponse = (otherCall: ServiceCall, call: ServiceCall): boolean => {
  if (!otherCall.isWrite || otherCall.project !== call.project) return false
  if (call.isList) return otherCall.kind === call.kind
  if (call.id !== undefined && call.id === otherCall.id) return true
  if (call.key !== undefined && call.key === otherCall.key) return true
  const email = getEmail(call.sentFields)
  return call.isWrite && email !== undefined && email === getEmail(otherCall.sentFields)
}

/** Returns the email of a user, which is compared without case. */
export const getEmail = ({ email }: Fields): string | undefined =>
  typeof email === 'string' ? email.toLowerCase() : undefined
