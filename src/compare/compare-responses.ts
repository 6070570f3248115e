import type { Behaviors } from '../core/schema/behavior.ts'
import { type Fields, isRecord, toSortedJson } from '../core/schema/json-value.ts'
import type { PredictionInput } from './service-knowledge.ts'
import type { Prediction } from './predictor.ts'
import { hasTiedCursor } from './project-content.ts'
import { hasZone, isTime, parseTime, type ServiceCall } from './recorded-calls.ts'

export interface ResponseDifference {
  /** `outcome`, `status`, `errorFormat`, `body`, `items`, or a field such as `items[0].email`. */
  readonly path: string
  readonly service: unknown
  readonly mock: unknown
}

type AddDifference = (path: string, service: unknown, mock: unknown) => void

/** Lists the differences between the service's response and the prediction. Compares errors only by status and format. */
export const listDifferences = (input: PredictionInput, prediction: Prediction): ResponseDifference[] => {
  const { call } = input
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
  else if (call.isList) compareLists(input, json, prediction.json, addDifference)
  else compareFields('', json, prediction.json, input, addDifference)
  return differences
}

const isProblem = (contentType: string): boolean => /^application\/problem\+json\b/i.test(contentType)

const getErrorFormat = ({ response, json }: ServiceCall): Behaviors['errorFormat'] | undefined => {
  if (isProblem(response?.contentType ?? '') && json !== undefined) return 'problem'
  return isRecord(json) && errorFields.every((name) => typeof json[name] === 'string') ? 'object' : undefined
}

/** The string fields that identify `errorFormat=object`. The specification defines no error format. */
const errorFields = ['type', 'code', 'message']

export const findUnsupportedErrorFormat = (
  call: ServiceCall,
  { status, json }: Prediction,
): ResponseDifference | undefined => {
  if (call.status < 400 || call.method === 'HEAD' || getErrorFormat(call) !== undefined) return undefined
  const mock = status >= 400 && isRecord(json) ? Object.keys(json) : ['object', ...errorFields]
  return { path: 'errorFormat', service: describeErrorBody(call), mock }
}

const describeErrorBody = ({ response, json }: ServiceCall): unknown => {
  if (isRecord(json))
    return Object.entries(json).map(([name, value]) =>
      errorFields.includes(name) && typeof value !== 'string' ? `${name} (not a text)` : name,
    )
  if (!response?.text) return 'no body'
  return json === undefined ? `no JSON (${response.contentType || 'no media type'})` : 'no JSON object'
}

const defaultLimit = 10

const compareLists = (input: PredictionInput, service: Fields, mock: Fields, addDifference: AddDifference) => {
  const { call, shownContent } = input
  const { query } = call
  if (service.object !== mock.object) addDifference('object', service.object, mock.object)
  if (!Array.isArray(service.items)) return addDifference('items', 'no list', 'a list')
  const serviceItems = service.items as (Fields | null)[]
  const mockItems = mock.items as Fields[]
  const serviceIds = serviceItems.map((item) => item?.id)
  const mockIds = mockItems.map(({ id }) => id)
  if (toSortedJson(serviceIds) !== toSortedJson(mockIds)) return addDifference('items', serviceIds, mockIds)
  for (const [index, item] of mockItems.entries())
    compareFields(`items[${index}].`, serviceItems[index] ?? {}, item, input, addDifference)
  const isBackward = query.has('before')
  const hasCursor = isBackward || query.has('after')
  const nextCursor = isBackward ? 'moreItemsBefore' : 'moreItemsAfter'
  const isFull = serviceIds.length >= Number(query.get('limit') ?? defaultLimit)
  const isComplete = input.isComplete && !(shownContent && hasTiedCursor(shownContent, call))
  const edgeIds = { moreItemsAfter: serviceIds.at(-1), moreItemsBefore: serviceIds[0] }
  for (const [name, edgeId] of Object.entries(edgeIds)) {
    if (service[name] === mock[name]) continue
    // The service may have records that no response has shown: beyond a full page, or on the other side of the cursor.
    const mayHaveMore = mock[name] === null && !isComplete && (name === nextCursor ? isFull : hasCursor)
    if (mayHaveMore && typeof service[name] === 'string' && (edgeId === undefined || service[name] === edgeId)) continue
    addDifference(name, service[name], mock[name])
  }
}

/** Compares only the fields that the mock sends, because the specification defines no others. */
const compareFields = (
  prefix: string,
  service: Fields,
  mock: Fields,
  { paymentUrls }: PredictionInput,
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

/** The service chooses the payment URLs, but each link needs a URL of its own that never changes. */
const comparePaymentUrl = (
  path: string,
  serviceValue: unknown,
  id: string,
  urls: PredictionInput['paymentUrls'],
  addDifference: AddDifference,
) => {
  const knownUrl = urls.get(id)
  if (typeof serviceValue !== 'string' || !URL.canParse(serviceValue)) return addDifference(path, serviceValue, 'a URL')
  if (knownUrl !== undefined && knownUrl !== serviceValue) return addDifference(path, serviceValue, knownUrl)
  const urlOwner = urls.get(serviceValue) ?? id
  if (urlOwner !== id) addDifference(path, `that of ${urlOwner}`, 'a URL of its own')
}

const isSameField = (name: string, service: unknown, mock: unknown): boolean => {
  if (name.endsWith('At') && isTime(service) && !hasZone(service)) return false
  if (describeUnsupportedTimeFormat(name, service) === undefined) return toSortedJson(service) === toSortedJson(mock)
  // The mock cannot send this time format, so compare only the instants. `unknownFields` in the report lists the format.
  return typeof mock === 'string' && parseTimeLike(mock, String(service)) === parseTime(mock)
}

/** Parses a service time. Drops its fraction if the mock time has none, but keeps milliseconds, which the mock can send. */
const parseTimeLike = (mock: string, service: string): number => {
  const isComparable = [0, 3].includes(countDigits(service))
  return parseTime(isComparable || countDigits(mock) > 0 ? service : service.replace(/\.\d+/, ''))
}

const countDigits = (time: string): number => /\.(\d+)/.exec(time)?.[1]?.length ?? 0

const precisions: Readonly<Record<number, string>> = { 6: 'microseconds', 9: 'nanoseconds' }

const describeUnsupportedTimeFormat = (name: string, value: unknown): string | undefined => {
  if (!name.endsWith('At') || !isTime(value) || !hasZone(value)) return undefined
  const digits = countDigits(value)
  const parts = [
    ...([0, 3].includes(digits) ? [] : [precisions[digits] ?? `${digits} digits of a second`]),
    ...(value.endsWith('Z') ? [] : ['an offset']),
  ]
  if (parts.length > 0) return `with ${parts.join(' and ')}`
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.Z]/.test(value) ? undefined : 'in another format'
}

/** Lists the fields that only the service sends, and the time fields in a format that the mock cannot send. */
export const listUnknownFields = (call: ServiceCall, prediction: Prediction): string[] => {
  if (!isRecord(call.json) || !isRecord(prediction.json) || call.status >= 300 || prediction.status >= 300) return []
  const listServiceFields = (prefix: string, service: unknown, mock: unknown) =>
    isRecord(service) && isRecord(mock)
      ? Object.entries(service).flatMap(([name, value]) => {
          if (!(name in mock)) return `${prefix}${name}`
          const format = describeUnsupportedTimeFormat(name, value)
          return format === undefined ? [] : `${prefix}${name} (${format})`
        })
      : []
  const [service, mock] = [call.json.items, prediction.json.items]
  const itemFields =
    Array.isArray(service) && Array.isArray(mock) ? listServiceFields(`${call.kind}.`, service[0], mock[0]) : []
  return [...listServiceFields(call.isList ? 'list.' : `${call.kind}.`, call.json, prediction.json), ...itemFields]
}
