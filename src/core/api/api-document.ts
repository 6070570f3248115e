import { createInitialState } from '../domain/seeding.ts'
import { createStore } from '../domain/store.ts'
import type { Behaviors } from '../schema/behavior.ts'
import type { Examples } from '../openapi/route.ts'
import { type ErrorCode, errorDefinitions, serverErrors } from '../schema/error.ts'
import { pathParameters } from '../schema/operation-routes.ts'
import { buildDocument } from '../openapi/build-document.ts'
import type { DocumentedErrors } from '../openapi/error-responses.ts'
import { maxKeyLength } from './idempotency-keys.ts'
import type { Operation } from './operation.ts'
import type { ApiOptions } from './request.ts'
import { responseHeaders } from './response-headers.ts'

const describeApi = (behaviors: Behaviors) => `The API that paylink-mock mocks. § refers to a section of its
specification, docs/specification.md in the package. *Assumed* marks a choice where the specification is silent; most of them are behaviors that you can change.

- **Projects** are in every path, and share nothing. A project is created on its first use.
- **Checks** run in this order: token (401, 403), route (404), method (405), headers (406, 415), the records in the path
  (404), query (400), body (413, 400, ${behaviors.invalidBodyStatus}), state (409). A rejected request changes nothing.
- **Other paths** return 404 with the code \`routeNotFound\`. Each GET also works as HEAD. OPTIONS returns 204 with
  \`Allow\` and needs no token.
- **Unknown fields** of a request are ${behaviors.unknownFields === 'reject' ? 'rejected' : 'ignored'}. Responses have only the fields below.
- **Behaviors**: this document shows those that apply to all projects. A project can have others.`

export const buildApiDocument = (
  { operations, basePath, provider }: Pick<ApiOptions, 'operations' | 'basePath' | 'provider'>,
  behaviors: Behaviors,
): unknown => {
  const examples = createExamples(operations, provider, behaviors)
  return buildDocument({
    title: 'Users and payment links',
    description: describeApi(behaviors),
    server: basePath === '' ? '/' : basePath,
    tags: [
      { name: 'Users', description: 'The end consumers of subscriptions (§2.2).' },
      { name: 'Payment links', description: 'URLs that show a page on which a user pays an invoice (§2.3).' },
    ],
    // Every response is that of a GET.
    namedSchemas: Object.fromEntries(
      operations
        .filter(({ method }) => method === 'GET')
        .map(({ kind, isList, response }) => [`${schemaNames[kind]}${isList ? 'List' : ''}`, response]),
    ),
    security: [{ bearer: [] }],
    strictBodies: behaviors.unknownFields === 'reject',
    routes: operations.map((operation) => ({
      ...operation,
      status: operation.creates ? behaviors.createStatus : operation.status,
      ...(operation.documentBody && { body: operation.documentBody(behaviors) }),
      tag: operation.kind === 'users' ? 'Users' : 'Payment links',
      description: operation.describe(behaviors),
      ...examples.get(operation.id),
      ...(operation.isKeyed && { requestHeaders: { 'Idempotency-Key': describeKeyHeader(behaviors) } }),
      // An unneeded body is also read and checked. A GET has none.
      errors: [...sharedErrors, ...(operation.method === 'GET' ? [] : bodyErrors), ...operation.errors],
    })),
    pathParameters,
    headers: responseHeaders,
    errors: describeErrors(provider, behaviors),
  })
}

const schemaNames = { users: 'User', paymentLinks: 'PaymentLink' }

const describeKeyHeader = ({ idempotencyKey }: Behaviors) =>
  idempotencyKey === 'replay'
    ? {
        description: 'A request with the key of an earlier one gets its response again, without a second effect (§5).',
        schema: { type: 'string', minLength: 1, maxLength: maxKeyLength },
      }
    : { description: 'Ignored: the specification does not define it (§5).', schema: { type: 'string' } }

const sharedErrors: readonly ErrorCode[] = [
  'tokenMissing',
  'tokenInvalid',
  'tokenExpired',
  'tokenNotForProject',
  'projectNotFound',
  'methodNotAllowed',
  'notAcceptable',
  'rateLimited',
  'injectedFault',
  'stateReplaced',
  ...serverErrors,
]

const bodyErrors: readonly ErrorCode[] = ['unsupportedMediaType', 'malformedBody', 'bodyTooLarge']

const describeErrors = (provider: string, { errorFormat, invalidBodyStatus }: Behaviors): DocumentedErrors => ({
  format: errorFormat,
  examplePath: `${provider}.user`,
  shared: sharedErrors,
  others: ['routeNotFound'],
  statuses: { invalidBody: invalidBodyStatus },
  conditions: Object.fromEntries(Object.entries(errorDefinitions).map(([code, { condition }]) => [code, condition])),
})

/** In the order of their requests, which is that of the registry. */
const listExampleSteps = (operations: readonly Operation[], behaviors: Behaviors) => {
  const exampleSteps = operations.flatMap((operation) =>
    operation.listExamples(behaviors).map((example) => ({ operation, ...example })),
  )
  return exampleSteps
    .filter(({ follows }) => follows === undefined)
    .flatMap((exampleStep) => [
      exampleStep,
      ...exampleSteps.filter(({ follows }) => follows === `${exampleStep.operation.id}.${exampleStep.name}`),
    ])
}

type OperationExamples = { [K in 'requests' | 'responses']: Record<string, Examples[string]> }

/** The responses are those of a mock with these behaviors. */
const createExamples = (operations: readonly Operation[], provider: string, behaviors: Behaviors) => {
  const exampleClock = { mode: 'stepping', now: '2025-01-01T12:00:00.000Z', step: 60_000 } as const
  const exampleSeed = { projects: { acme: { invoices: ['inv_100', 'inv_101'] } } }
  const exampleStore = createStore({
    initial: createInitialState({ seed: exampleSeed, behaviors, clock: exampleClock }),
    systemNow: () => 0,
  })
  const examplePayUrl = 'http://127.0.0.1:4600/pay/acme'
  const examples = new Map<string, OperationExamples>()
  // The requests concern the records that were created last.
  const createdIds = { user: '', paymentLink: '' }
  for (const { operation, name, sent, received, body, prepare } of listExampleSteps(operations, behaviors)) {
    if (prepare !== undefined) exampleStore.update('acme', (tx) => prepare(tx, createdIds))
    const operationInput = { params: createdIds, query: operation.query?.parse({}), body: operation.body?.parse(body) }
    const exampleResult = exampleStore.update('acme', (tx) =>
      operation.handle(tx, { ...operationInput, headersOnly: false }),
    )
    const responseExample = JSON.parse(operation.view(exampleResult, { ...behaviors, provider, payUrl: examplePayUrl }))
    if (operation.creates) createdIds[responseExample.object as keyof typeof createdIds] = responseExample.id
    const operationExamples = examples.get(operation.id) ?? { requests: {}, responses: {} }
    examples.set(operation.id, operationExamples)
    if (sent !== undefined) operationExamples.requests[name] = { summary: sent, value: body }
    operationExamples.responses[name] = { summary: received, value: responseExample }
  }
  return examples
}
