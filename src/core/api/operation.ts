import type * as z from 'zod/mini'
import { kinds, type RecordKind, type RecordValue, type ViewSettings } from '../domain/kinds.ts'
import { type Transaction } from '../domain/transaction.ts'
import type { PathParams, Route } from '../openapi/route.ts'
import type { Behaviors } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import { buildListSchema, type Page } from '../schema/list.ts'
import { type OperationId, operationRoutes } from '../schema/operation-routes.ts'
import type { Problem } from '../schema/problem.ts'

interface OperationInput<P = Readonly<Record<string, string>>, Q = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  /** True for a HEAD request, which does not count as a retrieve. */
  readonly headersOnly: boolean
}

/** A request of the story that makes the examples of the OpenAPI document, and its response. */
interface OperationExample {
  readonly name: string
  /** The summaries of the request, if it has a body, and of its response. */
  readonly sent?: string
  readonly received: string
  readonly body?: unknown
  /** The example that it directly follows, `createPaymentLink.minimal`. @default the one before it in the registry */
  readonly follows?: `${OperationId}.${string}`
  /** Changes the records that were created last, before the request. */
  readonly prepare?: (tx: Transaction, ids: Readonly<Record<'user' | 'paymentLink', string>>) => void
}

/** The definition of an operation. The texts depend on the behaviors for all projects. */
interface OperationDefinition<Id extends OperationId, P, Q, B, R> {
  readonly id: Id
  readonly summary: string
  /** Whether a success has the status of `createStatus`. @default false */
  readonly creates?: boolean
  readonly errors?: readonly ErrorCode[]
  describe(behaviors: Behaviors): string
  listExamples(behaviors: Behaviors): readonly OperationExample[]
  /** Returns the body with the limits that behaviors add to its schema. @default the body */
  documentBody?(behaviors: Behaviors): z.ZodMiniType
  /** Returns the problems that behaviors add to those of the schema. The body may violate the schema. @default none */
  findProblems?(tx: Transaction, body: unknown, params: P): readonly Problem[]
  /** Counts a read, if the client was shown an earlier state. @default nothing is counted */
  countRead?(tx: Transaction, params: P): void
  // Declared as a method, whose parameters are bivariant, so that one array can contain operations with different inputs.
  handle(tx: Transaction, input: OperationInput<P, Q, B>): R
}

/** An operation of spec §4. Routing, validation, OpenAPI, faults and the journal read the same definition. */
export interface Operation
  extends Route, OperationDefinition<OperationId, Readonly<Record<string, string>>, unknown, unknown, unknown> {
  readonly id: OperationId
  readonly response: z.ZodMiniType
  readonly errors: readonly ErrorCode[]
  readonly spec: string
  readonly kind: RecordKind
  /** Whether it is a list or a search. */
  readonly isList: boolean
  /** Whether a repeated request has another effect, so that it may have an `Idempotency-Key`. */
  readonly isKeyed: boolean
  view(result: unknown, viewSettings: ViewSettings): string
}

/** The schemas and the path determine the types of the handler's input. Only lists have a query. */
export const defineOperationsOf = <K extends RecordKind>(kind: K, spec: string, recordSchema: z.ZodMiniType) => {
  const listSchema = buildListSchema(recordSchema)
  const viewRecord = createRecordView(kind)
  const viewList = createListView(viewRecord)
  return <const Id extends OperationId, Q extends z.ZodMiniObject, B extends z.ZodMiniType>(
    definition: { readonly query?: Q; readonly body?: B } & OperationDefinition<
      Id,
      PathParams<(typeof operationRoutes)[Id]['path']>,
      z.output<Q>,
      z.output<B>,
      RecordValue<K> | Page<RecordValue<K>>
    >,
  ): Operation => {
    const { method, path } = operationRoutes[definition.id]
    const isList = definition.query !== undefined
    const isKeyed = method === 'POST' && !isList
    return {
      ...definition,
      method,
      path,
      spec,
      kind,
      isList,
      isKeyed,
      status: definition.creates ? 201 : 200,
      response: isList ? listSchema : recordSchema,
      errors: [
        ...(path.includes(`{${kinds[kind].object}}`) ? [`${kinds[kind].object}NotFound` as const] : []),
        'invalidQuery',
        ...(isList ? (['cursorNotFound', 'cursorDeleted'] as const) : []),
        ...(definition.body === undefined ? [] : (['invalidBody'] as const)),
        ...(definition.errors ?? []),
        ...(isKeyed ? keyErrors : []),
      ],
      view: isList ? viewList : viewRecord,
    }
  }
}

export const keyErrors = ['idempotencyKeyInvalid', 'idempotencyKeyReused'] as const satisfies readonly ErrorCode[]

type ResultView<T> = (result: T, viewSettings: ViewSettings) => string

/** Caches the JSON of each record, because records never change. */
const createRecordView = <K extends RecordKind>(kind: K): ResultView<RecordValue<K>> => {
  const viewCache = new WeakMap<object, { readonly text: string; readonly settings: ViewSettings }>()
  return (record, viewSettings) => {
    const cachedView = viewCache.get(record)
    if (cachedView !== undefined && isSameSettings(cachedView.settings, viewSettings)) return cachedView.text
    const viewText = JSON.stringify(kinds[kind].view(record, viewSettings))
    viewCache.set(record, { text: viewText, settings: viewSettings })
    return viewText
  }
}

const isSameSettings = (a: ViewSettings, b: ViewSettings): boolean =>
  a.provider === b.provider && a.timestampPrecision === b.timestampPrecision && a.payUrl === b.payUrl

/** Spec §2.4. */
const createListView =
  <T>(view: ResultView<T>): ResultView<Page<T>> =>
  ({ items, moreItemsAfter, moreItemsBefore }, viewSettings) => {
    let itemTexts = ''
    for (const item of items) itemTexts += itemTexts === '' ? view(item, viewSettings) : `,${view(item, viewSettings)}`
    return `{"object":"list","items":[${itemTexts}],"moreItemsAfter":${JSON.stringify(moreItemsAfter)},"moreItemsBefore":${JSON.stringify(moreItemsBefore)}}`
  }

export const freshnessTexts = {
  immediate: 'shows every change at once',
  delayed: 'shows the project as it was 2,000 ms ago by the mock clock',
}
