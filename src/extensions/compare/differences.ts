// Which parts of a response are compared, and how.
import { type Fields, isRecord, toSortedJson } from '../../schema/json-value.ts'
import { hasZone, isDuring, isTime, parseTime, type ServiceCall } from './service-call.ts'
import type { Prediction } from './predictor.ts'

/** One difference between the responses of the service and of the mock. */
export interface ResponseDifference {
  /** `outcome`, `status`, `errorFormat`, `contentType`, `items`, or the path of a field. */
  readonly path: string
  readonly service: unknown
  readonly mock: unknown
}

/** Facts from the run that decide the comparison of a response. */
export interface KnownFacts {
  /** Whether the run has seen all records of this kind. */
  readonly isComplete: boolean
  /** The `paymentUrl` of each link, and the link of each. */
  readonly paymentUrls: ReadonlyMap<string, string>
  /** When the call created or canceled its record, as the response says. Undefined: it did neither. */
  readonly changedAt: number | undefined
}

type Add = (path: string, service: unknown, mock: unknown) => void

/** Lists the differences. An empty list: the responses are the same as far as the specification goes. */
export const listDifferences = (call: ServiceCall, prediction: Prediction, facts: KnownFacts): ResponseDifference[] => {
  const { status, json, method } = call
  const differences: ResponseDifference[] = []
  const add: Add = (path, service, mock) => void differences.push({ path, service, mock })
  const isError = status >= 400
  const isSameOutcome = isError === prediction.status >= 400
  if (!isSameOutcome) add('outcome', isError ? 'error' : 'success', isError ? 'success' : 'error')
  if (status !== prediction.status) add('status', status, prediction.status)
  if (!isSameOutcome || method === 'HEAD') return differences
  if (isError) {
    const [service, mock] = [getErrorFormat(call), isProblem(prediction.contentType) ? 'problem' : 'object']
    if (service !== undefined && service !== mock) add('errorFormat', service, mock)
    return differences
  }
  const mediaType = getMediaType(call)
  if (!isJsonType(mediaType)) add('contentType', mediaType, 'application/json')
  if (!isRecord(json) || !isRecord(prediction.json)) add('items', 'no JSON object', 'a JSON object')
  else if (call.isList) compareLists(call, json, prediction.json, facts, add)
  else compareFields('', json, prediction.json, facts, add)
  if (facts.changedAt !== undefined) compareTime(call, facts.changedAt, add)
  return differences
}

const getMediaType = (call: ServiceCall): string => call.response?.contentType.split(';')[0]!.trim().toLowerCase() ?? ''

const isJsonType = (mediaType: string): boolean => /^application\/(?:json|[\w.-]+\+json)$/.test(mediaType)

const isProblem = (contentType: string): boolean => contentType.startsWith('application/problem+json')

/** The specification has no form of errors, but bodies are JSON. Only RFC 9457 has a media type of its own. Undefined: no body. */
const getErrorFormat = (call: ServiceCall): string | undefined => {
  const mediaType = getMediaType(call)
  if (call.response?.text === '') return undefined
  if (!isJsonType(mediaType) || call.json === undefined) return mediaType || 'no media type'
  return isProblem(mediaType) ? 'problem' : 'object'
}

const defaultLimit = 10

const compareLists = (call: ServiceCall, service: Fields, mock: Fields, facts: KnownFacts, add: Add) => {
  if (service.object !== mock.object) add('object', service.object, mock.object)
  if (!Array.isArray(service.items)) return add('items', 'no list', 'a list')
  const items = service.items as Fields[]
  const known = mock.items as Fields[]
  const [ids, knownIds] = [items, known].map((list) => list.map((item) => item?.id)) as [unknown[], unknown[]]
  if (JSON.stringify(ids) !== JSON.stringify(knownIds)) return add('items', ids, knownIds)
  items.forEach((item, index) => compareFields(`items[${index}].`, item, known[index]!, facts, add))
  const isBackward = call.query.has('before')
  const hasCursor = isBackward || call.query.has('after')
  // A page ends before its limit only where the list ends.
  const next = isBackward ? service.moreItemsBefore : service.moreItemsAfter
  const limit = Number(call.query.get('limit') ?? defaultLimit)
  if (ids.length < limit && typeof next === 'string') add('items', `${ids.length} and more`, `${limit}`)
  for (const [name, edge] of [
    ['moreItemsAfter', ids.at(-1)],
    ['moreItemsBefore', ids[0]],
  ] as const) {
    if (service[name] === mock[name]) continue
    // Records that the run has not seen may follow.
    const mayHaveMore = mock[name] === null && !facts.isComplete && (hasCursor || name === 'moreItemsAfter')
    if (mayHaveMore && typeof service[name] === 'string' && (edge === undefined || service[name] === edge)) continue
    add(name, service[name], mock[name])
  }
}

/** Compares the fields that the mock sends. Others are beyond the specification. */
const compareFields = (prefix: string, service: Fields, mock: Fields, { paymentUrls }: KnownFacts, add: Add) => {
  for (const [name, value] of Object.entries(mock)) {
    const sent = service[name]
    const path = `${prefix}${name}`
    if (sent === undefined) add(path, undefined, value)
    else if (name === 'paymentUrl') {
      // The address is that of the service, but always the same, and of this link alone.
      const id = String(mock.id)
      const known = paymentUrls.get(id)
      if (typeof sent !== 'string' || !URL.canParse(sent)) add(path, sent, 'a URL')
      else if (known !== undefined && known !== sent) add(path, sent, known)
      else if ((paymentUrls.get(sent) ?? id) !== id) add(path, `that of ${paymentUrls.get(sent)}`, 'one of its own')
    } else if (name.endsWith('At') && isTime(sent) && !hasZone(sent)) add(path, sent, value)
    else if (hasOtherFormat(name, sent)) {
      // No behavior has this format. It is listed once, with the fields beyond the specification.
      if (typeof value !== 'string' || parseTime(sent) !== parseTime(value)) add(path, sent, value)
    } else if (toSortedJson(sent) !== toSortedJson(value)) add(path, sent, value)
  }
}

/** A change happens while its call is in progress. */
const compareTime = (call: ServiceCall, changedAt: number, add: Add) => {
  const name = call.isCreate ? 'createdAt' : 'canceledAt'
  if (!isDuring(call, changedAt)) add(name, (call.json as Fields)[name], new Date(call.end).toISOString())
}

/** Whether a time has a format that neither value of `timestampPrecision` has. */
const hasOtherFormat = (name: string, value: unknown): value is string =>
  name.endsWith('At') && isTime(value) && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(value)

/** The fields of the service that the mock does not know, or whose format it does not have. */
export const listUnknownFields = (call: ServiceCall, prediction: Prediction): string[] => {
  if (!isRecord(call.json) || !isRecord(prediction.json) || call.status >= 300 || prediction.status >= 300) return []
  const list = (prefix: string, service: unknown, mock: unknown) =>
    isRecord(service) && isRecord(mock)
      ? Object.keys(service)
          .filter((name) => !(name in mock) || hasOtherFormat(name, service[name]))
          .map((name) => `${prefix}${name}${name in mock ? ' (its format)' : ''}`)
      : []
  const [service, mock] = [call.json.items, prediction.json.items]
  const nested = Array.isArray(service) && Array.isArray(mock) ? list(`${call.kind}.`, service[0], mock[0]) : []
  return [...list(call.isList ? 'list.' : `${call.kind}.`, call.json, prediction.json), ...nested]
}
