import type { z } from 'zod'
import type { Transaction } from '../domain/transaction.ts'
import { type OperationId, operationRoutes } from '../schema/operation.ts'
import type { Route } from '../wire/route.ts'
import type { ViewSettings } from './serialize.ts'

/** The parsed input of a handler, without HTTP. */
export interface Input<Q = unknown, B = unknown> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Q
  readonly body: B
  /** Whether the client asks for the headers alone (HEAD), which is no retrieve. */
  readonly headersOnly: boolean
}

/** An operation of spec §4 as a value: routing, validation, OpenAPI and the journal read the same row. */
export interface Operation extends Route {
  readonly id: OperationId
  /** The section that describes it. */
  readonly spec: string
  readonly creates: boolean
  /** Refuses a query that only the rows can judge, before the body is looked at. */
  readonly checkQuery: (tx: Transaction, query: unknown) => unknown
  readonly handle: (tx: Transaction, input: Input) => unknown
  /** The result as a client sees it, as JSON. */
  readonly view: (result: unknown, settings: ViewSettings) => string
}

interface Definition<Q extends z.ZodObject, B extends z.ZodType, R> extends Omit<
  Route,
  'method' | 'path' | 'query' | 'body' | 'status'
> {
  readonly id: OperationId
  readonly spec: string
  readonly creates?: boolean
  readonly checkQuery?: (tx: Transaction, query: z.output<Q>) => unknown
  readonly query?: Q
  readonly body?: B
  readonly handle: (tx: Transaction, input: Input<z.output<Q>, z.output<B>>) => R
  readonly view: (result: R, settings: ViewSettings) => string
}

/** Types a row of the table: what its schemas parse is what its handler gets. */
export const defineOperation = <Q extends z.ZodObject, B extends z.ZodType, R>(
  definition: Definition<Q, B, R>,
): Operation => ({
  ...operationRoutes[definition.id],
  creates: false,
  status: definition.creates ? 201 : 200,
  ...definition,
  checkQuery: (tx, query) => definition.checkQuery?.(tx, query as z.output<Q>),
  handle: (tx, input) => definition.handle(tx, input as Input<z.output<Q>, z.output<B>>),
  view: (result, settings) => definition.view(result as R, settings),
})
