import { type ErrorCode, errorDefinitions } from '../schema/error.ts'
import type { FaultRule } from '../schema/fault.ts'
import { type Fields, isRecord } from '../schema/json-value.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import { type OperationId, readOperations } from '../schema/operation-routes.ts'
import { PaymentLinkStatus } from '../schema/payment-link.ts'
import type { PreparingCall } from '../schema/summaries.ts'
import type { Situation } from '../traffic/coverage-counts.ts'
import { keyErrors, type Operation } from './operation.ts'
import type { RequestOutcome } from './outcome.ts'
import type { ApiRequest } from './request.ts'

// Each situation has the calls of the control API that prepare it. The next call of the operation shows it to the client.

const addFault = (rule: FaultRule): readonly PreparingCall[] => [{ method: 'POST', path: '/faults', body: { ...rule } }]
const addLink = (linkFields: object = {}): PreparingCall => ({
  method: 'POST',
  path: '/paymentLinks',
  body: { invoice: 'inv_1', ...linkFields },
})

/** By name: the fault that shows a situation of any operation. */
const anyFaults = {
  '401': { effect: { status: 401 } },
  '403': { effect: { status: 403 } },
  '429 with Retry-After': { effect: { status: 429, headers: { 'retry-after': '1' } } },
  '5xx': { effect: { status: 503 } },
  'lost response after a change': {
    match: { operation: 'createPaymentLink' },
    phase: 'after',
    effect: { connection: 'reset' },
  },
  'no response': { effect: { connection: 'reset' } },
  'broken JSON': { effect: { corrupt: 'malformed' } },
  'late response': { effect: { delay: { milliseconds: 1500 } } },
  'stale read': { effect: { stale: { changes: 1 } } },
  'duplicate delivery': { effect: { duplicate: true } },
} as const satisfies Record<string, FaultRule>

const anySituations = Object.fromEntries(
  Object.entries(anyFaults).map(([name, rule]) => [name, { operation: null, name, show: addFault(rule) }]),
) as Readonly<Record<keyof typeof anyFaults, Situation>>

/** An error is sent by a fault, so that the client can call with any record. */
const prepareError = (operation: OperationId, code: ErrorCode): readonly PreparingCall[] => {
  const { status, type, summary: message } = errorDefinitions[code]
  return addFault({ match: { operation }, effect: { status, body: { object: 'error', type, code, message } } })
}

/** A success needs the record that the operation is about. */
const prepareSuccess = ({ path }: Operation): readonly PreparingCall[] | undefined => {
  if (path.includes('{user}')) return [{ method: 'POST', path: '/users', body: { email: 'ada@example.com' } }]
  return path.includes('{paymentLink}') ? [addLink()] : undefined
}

type PreparedResults = readonly (readonly [words: string, calls: readonly PreparingCall[]])[]

const prepareListPages = ({ kind }: Operation): PreparedResults => {
  const putState = (body: Fields): readonly PreparingCall[] => [{ method: 'PUT', path: '/state', body }]
  const elevenRecords = putState({ generate: kind === 'users' ? { users: 11 } : { paymentLinks: { active: 11 } } })
  return [
    ['empty page', putState({})],
    ['second page', elevenRecords],
    ['page before', elevenRecords],
  ]
}

const completedAfterActive = 'completed after active'

const preparedStatuses: PreparedResults = [
  ...PaymentLinkStatus.options.map((status) => [status, [addLink({ status })]] as const),
  [
    completedAfterActive,
    [
      addLink({ id: 'pml_paidlater' }),
      { method: 'POST', path: '/paymentLinks/pml_paidlater/pay', body: { when: { reads: 2 } } },
    ],
  ],
]

/** Successes are distinguished by words such as `empty page`, and errors by their code. */
interface OperationSituations {
  readonly success: readonly [Situation]
  readonly byWords: ReadonlyMap<string, Situation>
  readonly byError: ReadonlyMap<unknown, Situation>
}

/** Cached, because they depend only on the operation. */
const situationCache = new WeakMap<Operation, OperationSituations>()

const buildSituations = (operation: Operation): OperationSituations => {
  const { id, status } = operation
  const preparedResults = operation.isList
    ? prepareListPages(operation)
    : id === 'retrievePaymentLink'
      ? preparedStatuses
      : []
  // Only its own errors: every operation has a query, but only lists use it.
  const errorCodes = operation.errors.filter(
    (code) => !keyErrors.some((one) => one === code) && (code !== 'invalidQuery' || operation.isList),
  )
  const createSituation = (name: string, show: Situation['show']): Situation => ({ operation: id, name, show })
  const createErrorSituation = (code: ErrorCode) =>
    createSituation(`${errorDefinitions[code].status} ${code}`, prepareError(id, code))
  const operationSituations: OperationSituations = {
    success: [createSituation(`${status}`, prepareSuccess(operation))],
    byWords: new Map(preparedResults.map(([words, show]) => [words, createSituation(`${status} ${words}`, show)])),
    byError: new Map(errorCodes.map((code) => [code, createErrorSituation(code)])),
  }
  situationCache.set(operation, operationSituations)
  return operationSituations
}

export const listSituations = (operations: readonly Operation[]): readonly Situation[] => [
  ...operations.flatMap((operation) => {
    const { success, byWords, byError } = situationCache.get(operation) ?? buildSituations(operation)
    return [...success, ...byWords.values(), ...byError.values()]
  }),
  ...Object.values(anySituations),
]

/** Returns the situations that the client of a request was shown. Assumed: a HEAD request shows none. */
export const findShown = (request: ApiRequest, outcome: RequestOutcome): readonly Situation[] => {
  const { operation, req } = request
  const { response, fault, error, past, assumed } = outcome
  if (operation === undefined || req.method === 'HEAD') return []
  const operationSituations = situationCache.get(operation) ?? buildSituations(operation)
  if (fault === undefined && error === undefined && past === undefined)
    return findResultSituations(request, outcome, operationSituations)
  const lateSituations = fault?.isLate ? [anySituations['late response']] : []
  if (response === undefined) {
    // A client that gives up a late response has a timeout, as it should.
    if (hasMadeChange(operation, outcome)) return [anySituations['lost response after a change'], ...lateSituations]
    return fault?.isLate ? lateSituations : [anySituations['no response']]
  }
  const { status, headers } = response
  const effect = fault?.effect
  const shownSituations =
    effect?.corrupt === undefined
      ? [...findResponseSituations(request, outcome, operationSituations)]
      : [anySituations['broken JSON']]
  if (status === 401) shownSituations.push(anySituations['401'])
  if (status === 403) shownSituations.push(anySituations['403'])
  if (status === 429 && 'retry-after' in headers) shownSituations.push(anySituations['429 with Retry-After'])
  if (status >= 500) shownSituations.push(anySituations['5xx'])
  shownSituations.push(...lateSituations)
  // A 404 may come from a record that is newer than the shown state. A stale list is often the same as the current one.
  const showsPast = past !== undefined && (effect?.stale !== undefined || assumed.listFreshness !== undefined)
  if (showsPast && (status < 300 || status === 404)) shownSituations.push(anySituations['stale read'])
  if (effect?.duplicate) shownSituations.push(anySituations['duplicate delivery'])
  return shownSituations
}

/** A client that repeats a read repeats no change, even if the read completed a payment that waited for it. */
const hasMadeChange = ({ id }: Operation, { changes, fault }: RequestOutcome): boolean =>
  (changes.length > 0 || fault?.hasChangedBefore === true) && !readOperations.includes(id)

/** A fault can send the response of another situation. */
const findResponseSituations = (
  request: ApiRequest,
  outcome: RequestOutcome,
  operationSituations: OperationSituations,
): readonly Situation[] => {
  const { fault, error, response } = outcome
  let code: unknown = error
  if (fault?.effect.status !== undefined && fault.effect.status === response?.status) {
    const { status, body } = fault.effect
    if (status < 300) return operationSituations.success
    code = isRecord(body) ? body.code : undefined
  } else if (error === undefined)
    return response === undefined || response.status >= 300
      ? []
      : findResultSituations(request, outcome, operationSituations)
  const situation = operationSituations.byError.get(code)
  return situation === undefined ? [] : [situation]
}

const findResultSituations = (
  { operation, project, options }: ApiRequest,
  { shown }: RequestOutcome,
  { success, byWords }: OperationSituations,
): readonly Situation[] => {
  if (shown === undefined || byWords.size === 0) return success
  const listShown = (...words: readonly string[]) => [...success, ...words.flatMap((word) => byWords.get(word) ?? [])]
  if (!operation?.isList) {
    const { id, status } = shown.result as { readonly id: string; readonly status: PaymentLinkStatus }
    const wasActive = options.traffic.coverage.noteStatus(project, id, status)
    return wasActive ? listShown(completedAfterActive, status) : listShown(status)
  }
  const { after, before } = shown.query as ListQuery
  if ((shown.result as Page<unknown>).items.length === 0) return listShown('empty page')
  if (before !== undefined) return listShown('page before')
  return after === undefined ? success : listShown('second page')
}
