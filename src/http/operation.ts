import type { z } from 'zod/mini'
import type { Transaction } from '../domain/transaction.ts'
import type { Behaviors } from '../schema/behavior.ts'
import { type OperationId, operationRoutes } from '../schema/operation-routes.ts'
import type { PathParams } from '../schema/command.ts'
import type { Route } from '../wire/route.ts'
import type { RecordKind, ViewSettings } from '../domain/kinds.ts'

/** The parsed input of an operation, without HTTP. */
interface Input<P = Readonly<Record<string, string>>, Q = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  /** True for a HEAD request, which does not count as a retrieve. */
  readonly headersOnly: boolean
}

// Declared as methods, whose parameters are bivariant, so that one array can contain operations with different inputs.
interface Functions<P, Q, B, R> {
  /** Checks the query against the records, before the body is validated. */
  checkQuery?(tx: Transaction, query: Q): void
  handle(tx: Transaction, input: Input<P, Q, B>): R
  /** Returns the JSON of the result as a client sees it. */
  view(result: R, settings: ViewSettings): string
}

/** A request of the story that makes the examples of the OpenAPI document, and its response. */
export interface OperationExample {
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

/** The text of an operation in the OpenAPI document, under the behaviors for all projects. */
interface Documentation {
  describe(behaviors: Behaviors): string
  listExamples(behaviors: Behaviors): readonly OperationExample[]
  /** Returns the body with the limits that behaviors add to its schema. @default the body */
  documentBody?(behaviors: Behaviors): z.ZodMiniType
}

/** An operation of spec §4. Routing, validation, OpenAPI, faults and the journal read the same definition. */
export interface Operation
  extends Route, Documentation, Functions<Readonly<Record<string, string>>, unknown, unknown, unknown> {
  readonly id: OperationId
  /** The section of the specification. */
  readonly spec: string
  /** Whether a success has the status of `createStatus`. */
  readonly creates: boolean
  /** The kind of the records that a list or a search returns. Undefined: it is neither. */
  readonly lists?: RecordKind | undefined
}

interface Definition<Id extends OperationId, Q extends z.ZodMiniObject, B extends z.ZodMiniType, R>
  extends
    Pick<Operation, 'spec' | 'summary' | 'response' | 'errors' | 'lists'>,
    Documentation,
    Functions<PathParams<(typeof operationRoutes)[Id]['path']>, z.output<Q>, z.output<B>, R> {
  readonly id: Id
  readonly creates?: boolean
  readonly query?: Q
  readonly body?: B
}

/** Completes the definition of an operation. Its schemas and its path are the types of the handler's input. */
export const defineOperation = <const Id extends OperationId, Q extends z.ZodMiniObject, B extends z.ZodMiniType, R>(
  definition: Definition<Id, Q, B, R>,
): Operation => ({
  ...operationRoutes[definition.id],
  creates: false,
  status: definition.creates ? 201 : 200,
  ...definition,
})
