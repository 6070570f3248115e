// Which parts of a response are compared, and how.
import { type Fields, isRecord, toSortedJson } from '../../schema/json-value.ts'
import type { CallSituation } from './service-knowledge.ts'
import type { Prediction } from './predictor.ts'
import { hasTiedCursor } from './project-content.ts'
import { hasZone, isTime, parseTime, type ServiceCall } from './recorded-calls.ts'

export interface ResponseDifference {
  /** `outcome`, `status`, `errorFormat`, `body`, `items`, or the path of a field. */
  readonly path: string
  readonly service: unknown
  readonly mock: unknown
}

type AddDifference = (path: string, service: unknown, mock: unknown) => void

/** Lists the differences. An empty list: the responses are the same as far as the specification goes. */
export const listDifferences = (situation: CallSituation, prediction: Prediction): ResponseDifference[] => {
  const { call } = situation
  const { status, json, method } = call
  const differences: ResponseDifference[] = []
  const addDifference: AddDifference = (path, service, mock) => void differences.push({ path, service, mock })
  const isError = status >= 400
  const isSameOutcome = isError === prediction.status >= 400
  if (!isSameOutcome) addDifference('outcome', isError ? 'error' : 'success', isError ? 'success' : 'error')
  if (status !== prediction.status) addDifference('status', status, prediction.status)
  if (!isSameOutcome || method === 'HEAD') return differences
  if (isError) {
    const [service, mock] = [getErrorFormat(call), isProblem(prediction.contentType) ? 'problem' : 'object']
    if (service !== undefined && service !== mock) addDifference('errorFormat', service, mock)
    return differences
  }
  if (!isRecord(json) || !isRecord(prediction.json)) addDifference('body', 'no JSON object', 'a JSON object')
  else if (call.isList) compareLists(situation, json, prediction.json, addDifference)
  else compareFields('', json, prediction.json, situation, addDifference)
  return differences
}

const isProblem = (contentType: string): boolean => /^application\/problem\+json\b/i.test(contentType)

/** The specification has no form of errors, but bodies are JSON. Only RFC 9457 has a media type of its own. Undefined: no body. */
const getErrorFormat = ({ response, json }: ServiceCall): string | undefined => {
  if (response === undefined || response.text === '') return undefined
  if (json === undefined) return `no JSON (${response.contentType || 'no media type'})`
  return isProblem(response.contentType) ? 'problem' : 'object'
}

const defaultLimit = 10

const compareLists = (situation: CallSituation, service: Fields, mock: Fields, addDifference: AddDifference) => {
  const { call, shownContent } = situation
  const { query } = call
  if (service.object !== mock.object) addDifference('object', service.object, mock.object)
  if (!Array.isArray(service.items)) return addDifference('items', 'no list', 'a list')
  const serviceItems = service.items as (Fields | null)[]
  const mockItems = mock.items as Fields[]
  const serviceIds = serviceItems.map((item) => item?.id)
  const mockIds = mockItems.map(({ id }) => id)
  if (toSortedJson(serviceIds) !== toSortedJson(mockIds)) return addDifference('items', serviceIds, mockIds)
  for (const [index, item] of mockItems.entries())
    compareFields(`items[${index}].`, serviceItems[index] ?? {}, item, situation, addDifference)
  const isBackward = query.has('before')
  const hasCursor = isBackward || query.has('after')
  const nextCursor = isBackward ? 'moreItemsBefore' : 'moreItemsAfter'
  const isFull = serviceIds.length >= Number(query.get('limit') ?? defaultLimit)
  const isComplete = situation.isComplete && !(shownContent && hasTiedCursor(shownContent, call))
  const edgeIds = { moreItemsAfter: serviceIds.at(-1), moreItemsBefore: serviceIds[0] }
  for (const [name, edgeId] of Object.entries(edgeIds)) {
    if (service[name] === mock[name]) continue
    // Records that the run has not seen may follow, but a page ends before its limit only where the list ends.
    const mayHaveMore = mock[name] === null && !isComplete && (name === nextCursor ? isFull : hasCursor)
    if (mayHaveMore && typeof service[name] === 'string' && (edgeId === undefined || service[name] === edgeId)) continue
    addDifference(name, service[name], mock[name])
  }
}

/** Compares the fields that the mock sends. Others are beyond the specification. */
const compareFields = (
  prefix: string,
  service: Fields,
  mock: Fields,
  { paymentUrls }: CallSituation,
  addDifference: AddDifference,
) => {
  for (const [name, mockValue] of Object.entries(mock)) {
    const serviceValue = service[name]
    const path = `${prefix}${name}`
    if (name === 'paymentUrl' && serviceValue !== undefined)
      comparePaymentUrl(path, serviceValue, String(mock.id), paymentUrls, addDifference)
    else if (!isSameField(name, serviceValue, mockValue)) addDifference(path, serviceValue, mockValue)
  }
}

/** The address is that of the service, but always the same, and of this link alone. */
const comparePaymentUrl = (
  path: string,
  serviceValue: unknown,
  id: string,
  urls: CallSituation['paymentUrls'],
  addDifference: AddDifference,
) => {
  const knownUrl = urls.get(id)
  if (typeof serviceValue !== 'string' || !URL.canParse(serviceValue)) return addDifference(path, serviceValue, 'a URL')
  if (knownUrl !== undefined && knownUrl !== serviceValue) return addDifference(path, serviceValue, knownUrl)
  const urlOwner = urls.get(serviceValue) ?? id
  if (urlOwner !== id) addDifference(path, `that of ${urlOwner}`, 'one of its own')
}

const isSameField = (name: string, service: unknown, mock: unknown): boolean => {
  if (name.endsWith('At') && isTime(service) && !hasZone(service)) return false
  // No behavior has this format. It is listed once, with the fields beyond the specification.
  if (hasOtherFormat(name, service)) return typeof mock === 'string' && parseTime(service) === parseTime(mock)
  return toSortedJson(service) === toSortedJson(mock)
}

/** Whether a time has a format that neither value of `timestampPrecision` has. */
const hasOtherFormat = (name: string, value: unknown): value is string =>
  name.endsWith('At') && isTime(value) && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(value)

/** The fields of the service that the mock does not know, or whose format it does not have. */
export const listUnknownFields = (call: ServiceCall, prediction: Prediction): string[] => {
  if (!isRecord(call.json) || !isRecord(prediction.json) || call.status >= 300 || prediction.status >= 300) return []
  const listServiceFields = (prefix: string, service: unknown, mock: unknown) =>
    isRecord(service) && isRecord(mock)
      ? Object.keys(service)
          .filter((name) => !(name in mock) || hasOtherFormat(name, service[name]))
          .map((name) => `${prefix}${name}${name in mock ? ' (its format)' : ''}`)
      : []
  const [service, mock] = [call.json.items, prediction.json.items]
  const itemFields =
    Array.isArray(service) && Array.isArray(mock) ? listServiceFields(`${call.kind}.`, service[0], mock[0]) : []
  return [...listServiceFields(call.isList ? 'list.' : `${call.kind}.`, call.json, prediction.json), ...itemFields]
}
