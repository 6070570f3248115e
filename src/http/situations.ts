import { errorDefinitions, type ErrorCode } from '../schema/error.ts'
import { isRecord } from '../schema/json-value.ts'
import type { ListQuery, Page } from '../schema/list.ts'
import { type OperationId, readOperations } from '../schema/operation-routes.ts'
import { PaymentLinkStatus } from '../schema/payment-link.ts'
import type { Situation } from '../traffic/coverage-counts.ts'
import { keyErrors } from './idempotency-keys.ts'
import type { Operation } from './operation.ts'
import type { ApiOptions, RequestContext } from './request-context.ts'
import {
  anySituations,
  formatErrorLine,
  formatPageLine,
  formatPaymentLinkLine,
  formatSuccessLine,
} from './show-situation.ts'

/** The situations of one operation, as positions in the list of all. */
interface OperationSituations {
  /** The success alone: the most frequent case. */
  readonly success: readonly [number]
  /** A success with these words, such as `empty page`. */
  readonly byWords: ReadonlyMap<string, readonly number[]>
  readonly byError: ReadonlyMap<ErrorCode, number>
  /** What distinguishes its successes. Undefined: nothing. */
  readonly shows: 'page' | 'status' | undefined
}

interface Situations {
  readonly list: readonly Situation[]
  readonly byOperation: ReadonlyMap<OperationId, OperationSituations>
  readonly any: Readonly<Record<keyof typeof anySituations, number>>
}

const pageWords = ['empty page', 'second page', 'page before'] as const
const completedAfterActive = 'completed after active'

const isList = ({ query }: Operation): boolean => query !== undefined && 'after' in query.shape
const isPaymentLinkRetrieve = ({ method, path }: Operation): boolean =>
  method === 'GET' && path.endsWith('/{paymentLink}')

/** The errors that an operation declares for its own reasons. Every operation has a query, but few use it. */
const listOwnErrors = ({ errors = [], query }: Operation): readonly ErrorCode[] =>
  errors.filter((code) => !keyErrors.some((one) => one === code) && (code !== 'invalidQuery' || query !== undefined))

const listOwn = (operation: Operation, provider: string): readonly Situation[] => {
  const create = (words: string, show: string): Situation => ({
    operation: operation.id,
    name: `${operation.status} ${words}`.trim(),
    show,
  })
  return [
    create('', formatSuccessLine(operation, provider)),
    ...(isList(operation) ? pageWords.map((page) => create(page, formatPageLine(operation, page))) : []),
    ...(isPaymentLinkRetrieve(operation)
      ? [...PaymentLinkStatus.options, completedAfterActive].map((words) => create(words, formatPaymentLinkLine(words)))
      : []),
    ...listOwnErrors(operation).map((code) => ({
      operation: operation.id,
      name: getErrorName(code),
      show: formatErrorLine(operation.id, code),
    })),
  ]
}

const getErrorName = (code: ErrorCode): string => `${errorDefinitions[code].status} ${code}`

const getShown = (operation: Operation): OperationSituations['shows'] => {
  if (isList(operation)) return 'page'
  return isPaymentLinkRetrieve(operation) ? 'status' : undefined
}

type Registry = Pick<ApiOptions, 'operations' | 'provider'>

/** The situations of operations: they derive from the operations and their errors alone. */
const cache = new WeakMap<readonly Operation[], Situations>()

const buildSituations = ({ operations, provider }: Registry): Situations => {
  const list = operations.flatMap((operation) => listOwn(operation, provider))
  const byOperation = new Map(
    operations.map((operation): [OperationId, OperationSituations] => {
      const own = [...list.entries()].filter(([, situation]) => situation.operation === operation.id)
      const find = (name: string): number => own.find(([, situation]) => situation.name === name)![0]
      const success = find(`${operation.status}`)
      const toWords = ({ name }: Situation) => name.replace(`${operation.status} `, '')
      const byWords = new Map(own.map(([index, situation]) => [toWords(situation), [success, index]]))
      byWords.get(completedAfterActive)?.push(find(`${operation.status} completed`))
      const byError = new Map(listOwnErrors(operation).map((code) => [code, find(getErrorName(code))]))
      return [operation.id, { success: [success], byWords, byError, shows: getShown(operation) }]
    }),
  )
  const names = Object.keys(anySituations) as (keyof typeof anySituations)[]
  const situations: Situations = {
    list: [...list, ...names.map((name) => ({ operation: null, name, show: anySituations[name] }))],
    byOperation,
    any: Object.fromEntries(names.map((name, index) => [name, list.length + index])) as Situations['any'],
  }
  cache.set(operations, situations)
  return situations
}

/** Lists the situations of the operations, and then those of any operation. */
export const listSituations = (registry: Registry): readonly Situation[] =>
  (cache.get(registry.operations) ?? buildSituations(registry)).list

const none: readonly number[] = []

/** Returns the indexes of the situations that the client of a request was shown. Assumed: a HEAD request shows none. */
export const findShown = (context: RequestContext): readonly number[] => {
  const { operation, options, req, response, effect, error, past, assumed } = context
  if (operation === undefined || req.method === 'HEAD') return none
  const { byOperation, any } = cache.get(options.operations) ?? buildSituations(options)
  const own = byOperation.get(operation.id)!
  if (effect === undefined && error === undefined && past === undefined) return findResult(context, own)
  if (response === undefined) return findMissing(context, any)
  const { status, headers } = response
  const shown = effect?.corrupt === undefined ? [...findBody(context, own)] : [any['broken JSON']]
  if (status === 401) shown.push(any['401'])
  if (status === 403) shown.push(any['403'])
  if (status === 429 && 'retry-after' in headers) shown.push(any['429 with Retry-After'])
  if (status >= 500) shown.push(any['5xx'])
  if (context.isLate) shown.push(any['late response'])
  // A record that an earlier state does not have is not found. A behavior shows an earlier list, which is often the same.
  const showsPast = past !== undefined && (effect?.stale !== undefined || assumed.includes('listFreshness'))
  if (showsPast && (status < 300 || status === 404)) shown.push(any['stale read'])
  if (effect?.duplicate) shown.push(any['duplicate delivery'])
  return shown
}

/** The situations of a response that never arrived. A client that gives up a late one has a timeout, as it should. */
const findMissing = (context: RequestContext, any: Situations['any']): readonly number[] => {
  const late = context.isLate ? [any['late response']] : []
  if (hasMadeChange(context)) return [any['lost response after a change'], ...late]
  return context.isLate ? late : [any['no response']]
}

/** A read may complete a payment that waits for it, but a client that repeats it repeats no change. */
const hasMadeChange = ({ operation, changes, hasChangedBefore }: RequestContext): boolean =>
  (changes.length > 0 || hasChangedBefore) && !readOperations.some((id) => id === operation?.id)

/** The situations of a response that arrived. A fault can send the response of another situation. */
const findBody = (context: RequestContext, own: OperationSituations): readonly number[] => {
  const { effect, error, response } = context
  if (effect?.status !== undefined && effect.status === response?.status) {
    const { status, body } = effect
    if (status < 300) return own.success
    const index = isRecord(body) ? own.byError.get(body.code as ErrorCode) : undefined
    return index === undefined ? none : [index]
  }
  if (error === undefined) return response === undefined || response.status >= 300 ? none : findResult(context, own)
  const index = own.byError.get(error)
  return index === undefined ? none : [index]
}

/** The situations of a success. */
const findResult = (
  { result, query, project, options }: RequestContext,
  { success, byWords, shows }: OperationSituations,
): readonly number[] => {
  if (shows === undefined || result === undefined) return success
  if (shows === 'status') {
    const { id, status } = result as { readonly id: string; readonly status: PaymentLinkStatus }
    const wasActive = options.traffic.coverage.noteStatus(project, id, status)
    return byWords.get(wasActive ? completedAfterActive : status)!
  }
  const { after, before } = query as ListQuery
  if ((result as Page<unknown>).items.length === 0) return byWords.get('empty page')!
  if (before !== undefined) return byWords.get('page before')!
  return after === undefined ? success : byWords.get('second page')!
}
