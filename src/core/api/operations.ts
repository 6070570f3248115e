import * as z from 'zod/mini'
import { kinds, type RecordKind, type RecordValue, type ViewSettings } from '../domain/kinds.ts'
import { listPage } from '../domain/pagination.ts'
import {
  cancelPaymentLink,
  completePaymentLink,
  createPaymentLink,
  findPaymentLinkProblems,
  listPaymentLinks,
  readPaymentLink,
} from '../domain/payment-links.ts'
import { type Transaction } from '../domain/transaction.ts'
import { createUser, findUserProblems, searchUsers, updateUser } from '../domain/users.ts'
import type { Behaviors } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import { buildListSchema, ListQuery, type Page, PaymentLinkListQuery } from '../schema/list.ts'
import { type OperationId, operationRoutes } from '../schema/operation-routes.ts'
import { buildPaymentLinkCreateSchema, buildPaymentLinkSchema } from '../schema/payment-link.ts'
import type { Problem } from '../schema/problem.ts'
import { User, UserCreate, UserSearch, UserUpdate } from '../schema/user.ts'
import { documentation } from '../schema/zod-helpers.ts'
import type { PathParams, Route } from '../openapi/route.ts'

/** The parsed input of an operation, without HTTP. */
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
  /** The errors of its own rules. */
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
  /** Whether a second request has another effect than the first, so that it may have an `Idempotency-Key`. */
  readonly isKeyed: boolean
  /** Returns the JSON of a result as a client sees it. */
  view(result: unknown, viewSettings: ViewSettings): string
}

/**
 * Returns a function that completes the definition of an operation on a kind of record. The schemas and the path are the types
 * of the handler's input. Only lists have a query.
 */
const defineOperationsOf = <K extends RecordKind>(kind: K, spec: string, recordSchema: z.ZodMiniType) => {
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

/** The errors of the operations with keys. */
export const keyErrors = ['idempotencyKeyInvalid', 'idempotencyKeyReused'] as const satisfies readonly ErrorCode[]

type ResultView<T> = (result: T, viewSettings: ViewSettings) => string

/** Caches the JSON of each record: a record never changes. */
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

/** Returns the JSON object of a list: its items and cursors. Spec §2.4. */
const createListView =
  <T>(view: ResultView<T>): ResultView<Page<T>> =>
  ({ items, moreItemsAfter, moreItemsBefore }, viewSettings) => {
    let itemTexts = ''
    for (const item of items) itemTexts += itemTexts === '' ? view(item, viewSettings) : `,${view(item, viewSettings)}`
    return `{"object":"list","items":[${itemTexts}],"moreItemsAfter":${JSON.stringify(moreItemsAfter)},"moreItemsBefore":${JSON.stringify(moreItemsBefore)}}`
  }

const searchMatchTexts = {
  ignoreCase: 'case is ignored',
  exact: 'case matters',
  contains: 'a part of an email matches',
}
const metadataUpdateTexts = {
  merge: '`metadata` is merged key by key, and null removes a key',
  replace: '`metadata` is replaced as a whole',
}
const orderTexts = { newestFirst: 'newest first', oldestFirst: 'oldest first' }
const freshnessTexts = {
  immediate: 'shows every change at once',
  delayed: 'shows the project as it was 2,000 ms ago by the mock clock',
}
const cancelInactiveTexts = {
  conflict: 'a link that is not active is rejected',
  idempotent: 'a canceled link is returned unchanged, and a completed one is rejected',
}

const examplePayer = { fullName: 'Katherine Johnson', email: 'katherine@example.com', taxNumber: 'GB123456789' }

// The demo seed has neither this user nor the address of the minimal example, so that both can be created.
const exampleUser = {
  email: examplePayer.email,
  birthday: '1990-12-31',
  fullName: examplePayer.fullName,
  metadata: { customer: 'c-1918' },
  preferredLocale: 'en-GB',
}

const defineForUsers = defineOperationsOf('users', '§4.1', User)

/** The operations of spec §4.1. */
const userOperations: readonly Operation[] = [
  defineForUsers({
    id: 'createUser',
    summary: 'Create a user',
    describe: () =>
      'Creates a user (§4.1). Only `email` is required. `preferredLocale` defaults to that of the project.',
    listExamples: () => [
      {
        name: 'minimal',
        sent: 'Only required fields',
        received: 'The user, with defaults',
        body: { email: 'hedy@example.com' },
      },
      { name: 'complete', sent: 'All fields', received: 'The user', body: exampleUser },
    ],
    creates: true,
    body: UserCreate,
    documentBody: (behaviors) => limitMetadata(UserCreate, behaviors),
    errors: ['emailTaken'],
    findProblems: (tx, body) => findUserProblems(tx, body),
    handle: (tx, { body }) => createUser(tx, body),
  }),
  defineForUsers({
    id: 'listUsers',
    summary: 'List users',
    describe: ({ listFreshness }) =>
      `Returns the users of the project in batches, newest first (§4.1). Assumed: it ${freshnessTexts[listFreshness]}.`,
    listExamples: () => [{ name: 'all', received: 'A batch of users' }],
    query: ListQuery,
    handle: (tx, { query }) => listPage(tx, 'users', query),
  }),
  defineForUsers({
    id: 'searchUsers',
    summary: 'Search users',
    describe: ({ searchMatch, listFreshness }) =>
      `Returns the users with this email (§4.1). Assumed: ${searchMatchTexts[searchMatch]}, a search is paged like a list, and it ${freshnessTexts[listFreshness]}.`,
    listExamples: () => [
      { name: 'found', sent: 'An email', received: 'The matching users', body: { email: exampleUser.email } },
    ],
    query: ListQuery,
    body: UserSearch,
    handle: (tx, { query, body }) => searchUsers(tx, body, query),
  }),
  defineForUsers({
    id: 'retrieveUser',
    summary: 'Retrieve a user',
    describe: () => 'Returns one user by its id (§4.1).',
    listExamples: () => [{ name: 'found', received: 'The user' }],
    handle: (tx, { params }) => tx.require('users', params.user),
  }),
  defineForUsers({
    id: 'updateUser',
    summary: 'Update a user',
    describe: ({ metadataUpdate }) =>
      `Sets the fields that are sent (§4.1). Other fields keep their values. Assumed: ${metadataUpdateTexts[metadataUpdate]}, and a null \`email\` changes nothing.`,
    listExamples: () => [
      {
        name: 'change',
        sent: 'A new locale and another metadata key',
        received: 'The updated user',
        body: { metadata: { plan: 'family' }, preferredLocale: 'pt-BR' },
      },
    ],
    body: UserUpdate,
    documentBody: (behaviors) => limitMetadata(UserUpdate, behaviors),
    errors: ['emailTaken'],
    findProblems: (tx, body, { user }) => findUserProblems(tx, body, user),
    handle: (tx, { params, body }) => updateUser(tx, params.user, body),
  }),
  defineForUsers({
    id: 'deleteUser',
    summary: 'Delete a user',
    describe: () => 'Deletes a user and returns it (§4.1). Assumed: nothing else is deleted.',
    listExamples: () => [{ name: 'deleted', received: 'The deleted user' }],
    handle: (tx, { params }) => tx.delete('users', params.user),
  }),
]

/** Creates the operations of spec §4, with the name of the provider in the mocked API. */
export const createOperations = (provider: string): readonly Operation[] => {
  const defineForLinks = defineOperationsOf('paymentLinks', '§4.2', buildPaymentLinkSchema(provider))
  const exampleLinkBody = (invoice: string, payment: object) => ({ invoice, type: provider, [provider]: payment })
  return [
    ...userOperations,
    defineForLinks({
      id: 'createPaymentLink',
      summary: 'Create a payment link',
      describe: () =>
        'Creates a link for paying an invoice (§4.2). Its status is `active`. Assumed: an invoice may have several links.',
      listExamples: ({ payerFields }) => [
        {
          name: 'minimal',
          sent: 'Only required fields',
          received: 'The payment link',
          body: exampleLinkBody('inv_100', { user: payerFields === 'required' ? examplePayer : {} }),
        },
        {
          name: 'complete',
          sent: 'With the payer and a redirect',
          received: 'The payment link, without the payer',
          body: exampleLinkBody('inv_101', { user: examplePayer, redirectUrl: 'https://shop.example/done' }),
        },
      ],
      creates: true,
      body: buildPaymentLinkCreateSchema(provider),
      documentBody: (behaviors) => buildPaymentLinkCreateSchema(provider, behaviors),
      errors: ['invoiceNotFound'],
      findProblems: (tx, body) => findPaymentLinkProblems(tx, body, provider),
      handle: (tx, { body }) => createPaymentLink(tx, body),
    }),
    defineForLinks({
      id: 'listPaymentLinks',
      summary: 'List payment links',
      describe: ({ paymentLinkOrder, listFreshness }) =>
        `Returns the payment links of the project in batches (§4.2). Assumed: ${orderTexts[paymentLinkOrder]}, and it ${freshnessTexts[listFreshness]}.`,
      listExamples: () => [{ name: 'all', received: 'A batch of payment links' }],
      query: PaymentLinkListQuery,
      handle: (tx, { query }) => listPaymentLinks(tx, query),
    }),
    defineForLinks({
      id: 'retrievePaymentLink',
      summary: 'Retrieve a payment link',
      describe: () => 'Returns one payment link by its id (§4.2).',
      listExamples: () => [
        { name: 'active', received: 'The payment link' },
        {
          name: 'completed',
          received: 'The payment link after a payment',
          prepare: (tx, { paymentLink }) => void completePaymentLink(tx, paymentLink),
        },
      ],
      handle: (tx, { params, headersOnly }) =>
        headersOnly ? tx.require('paymentLinks', params.paymentLink) : readPaymentLink(tx, params.paymentLink),
      countRead: (tx, { paymentLink: id }) => void (tx.state.paymentLinks.get(id) && readPaymentLink(tx, id)),
    }),
    defineForLinks({
      id: 'cancelPaymentLink',
      summary: 'Cancel a payment link',
      describe: ({ cancelInactive }) =>
        `Cancels an active payment link, so that it can no longer be paid (§3). Assumed: ${cancelInactiveTexts[cancelInactive]}.`,
      listExamples: () => [
        { name: 'canceled', received: 'The canceled payment link', follows: 'createPaymentLink.minimal' },
      ],
      errors: ['paymentLinkNotActive'],
      handle: (tx, { params }) => cancelPaymentLink(tx, params.paymentLink),
    }),
  ]
}

/** Adds the limits of `metadataLimits=strings` to a documented body. */
function limitMetadata(body: typeof UserCreate | typeof UserUpdate, { metadataLimits }: Behaviors): z.ZodMiniType {
  if (metadataLimits === 'none') return body
  // A key whose value is null is not stored, so it is neither counted nor limited.
  const metadata = z
    .optional(z.record(z.string(), z.nullable(z.string().check(z.maxLength(255)))))
    .register(documentation, {
      description:
        'Key-value pairs of the client (§2.2): at most 10, with keys of 1 to 40 characters. A null value is never stored.',
      patternProperties: { '^[\\s\\S]{1,40}$': { type: ['string', 'null'], maxLength: 255 } },
      additionalProperties: { type: 'null' },
    })
  return z.extend(body, { metadata })
}
