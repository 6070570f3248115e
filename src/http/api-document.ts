import type { Behaviors } from '../schema/behavior.ts'
import { type ErrorCode, errorDefinitions } from '../schema/error.ts'
import { type OperationId, pathParameters } from '../schema/operation-routes.ts'
import { version } from '../schema/version.ts'
import { buildDocument, type RouteDocs } from '../wire/build-document.ts'
import type { DocumentedErrors } from '../wire/error-responses.ts'
import { createExamples } from './examples.ts'
import { keyedOperations, maxKeyLength } from './idempotency-keys.ts'
import type { Operation } from './operation.ts'
import type { ApiOptions } from './request-context.ts'

const describeApi = ({
  invalidBodyStatus,
  unknownFields,
}: Behaviors) => `The API that paylink-mock mocks. A section (§) is one of its
specification. *Assumed* marks a choice where the specification is silent; most of them are behaviors that you can change.

- **Projects** are sandboxes. A project is created on its first use.
- **Checks** run in this order: token (401, 403), route (404), method (405), headers (406, 415), the records in the path
  (404), query (400), body (413, 400, ${invalidBodyStatus}), state (409). A rejected request changes nothing.
- **Other paths** return 404 with the code \`routeNotFound\`. Each GET also works as HEAD. OPTIONS returns 204 with
  \`Allow\` and needs no token.
- **Unknown fields** of a request are ${unknownFields === 'reject' ? 'rejected' : 'ignored'}. Responses have only the fields below.
- **Behaviors**: this document shows those that apply to all projects. A project can have others.`

/** The names of the response schemas, by the operation that has them. */
const schemaNames: Readonly<Partial<Record<OperationId, string>>> = {
  retrieveUser: 'User',
  listUsers: 'UserList',
  retrievePaymentLink: 'PaymentLink',
  listPaymentLinks: 'PaymentLinkList',
}

interface ApiDocumentOptions extends Pick<ApiOptions, 'operations' | 'basePath' | 'provider'> {
  /** The behaviors for all projects. */
  readonly behaviors: Behaviors
}

/** Builds the OpenAPI 3.1 document of the mocked API from its operations and the behaviors. */
export const buildApiDocument = ({ operations, basePath, provider, behaviors }: ApiDocumentOptions): unknown => {
  const examples = createExamples(operations, provider, behaviors)
  return buildDocument({
    title: 'Users and payment links',
    description: describeApi(behaviors),
    version,
    server: basePath === '' ? '/' : basePath,
    tags: [
      { name: 'Users', description: 'The end consumers of subscriptions (§2.2).' },
      { name: 'Payment links', description: 'URLs that show a page on which a user pays an invoice (§2.3).' },
    ],
    namedSchemas: Object.fromEntries(
      operations.flatMap(({ id, response }) => (response && schemaNames[id] ? [[schemaNames[id], response]] : [])),
    ),
    security: [{ bearer: [] }],
    strictBodies: behaviors.unknownFields === 'reject',
    routes: operations.map((operation) => ({
      ...operation,
      status: operation.creates ? behaviors.createStatus : operation.status,
      ...(operation.documentBody && { body: operation.documentBody(behaviors) }),
    })),
    getDocs: (operation: Operation): RouteDocs => ({
      tag: operation.path.includes('paymentLinks') ? 'Payment links' : 'Users',
      description: operation.describe(behaviors),
      ...examples.get(operation.id),
      ...(keyedOperations.has(operation.id) && { requestHeaders: { 'Idempotency-Key': describeKeyHeader(behaviors) } }),
    }),
    pathParameters: Object.fromEntries(
      Object.entries(pathParameters).map(([name, { description, example }]) => [
        name,
        { description, schema: { type: 'string' }, example },
      ]),
    ),
    headers: responseHeaders,
    errors: describeErrors(behaviors),
  })
}

const describeHeader = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})

/** The headers of every response. All but the first are optional. */
const responseHeaders = {
  'Mock-Request-Id': {
    ...describeHeader(
      'The id of the request in the journal. It is the same in every run.',
      'req_ecx5mv6EDdxLEQg3fPxyeyjsb1Xf',
    ),
    required: true,
  },
  'Mock-Assumed': describeHeader(
    'The behaviors that decided this response. Absent if no behavior did.',
    'createStatus=201, emailVerifiedOnCreate=true',
  ),
  'Mock-Fault': describeHeader(
    'The id of the fault that applied to this request. Absent if no fault did.',
    'flt_fW2gSpnxoVN21pGEhwPhCJMGzHba',
  ),
  'RateLimit-Limit': describeHeader('How many requests a window allows. Sent while a fault limits the rate.', '5'),
  'RateLimit-Remaining': describeHeader('How many requests are left in this window.', '4'),
  'RateLimit-Reset': describeHeader('Seconds until the next window.', '60'),
  RateLimit: describeHeader('The requests that are left, and the seconds until the next window.', '"default";r=4;t=60'),
  'RateLimit-Policy': describeHeader('The requests of a window, and its length in seconds.', '"default";q=5;w=60'),
}

const describeKeyHeader = ({ idempotencyKey }: Behaviors) =>
  idempotencyKey === 'replay'
    ? {
        description: 'A request with the key of an earlier one gets its response again, without a second effect (§5).',
        schema: { type: 'string', minLength: 1, maxLength: maxKeyLength },
      }
    : { description: 'Ignored: the specification does not define it (§5).', schema: { type: 'string' } }

const shared: readonly ErrorCode[] = [
  'tokenMissing',
  'tokenInvalid',
  'tokenExpired',
  'tokenNotForProject',
  'projectNotFound',
  'methodNotAllowed',
  'notAcceptable',
  'unsupportedMediaType',
  'rateLimited',
  'injectedFault',
  'stateReplaced',
]

/** Describes the errors of the mocked API. Behaviors decide their format and a status. */
const describeErrors = ({ errorFormat, invalidBodyStatus }: Behaviors): DocumentedErrors => ({
  format: errorFormat,
  shared,
  // An unneeded body is also read and checked.
  getCodes: ({ errors = [] }) => [...shared, 'malformedBody', 'bodyTooLarge', ...errors],
  others: ['routeNotFound'],
  statuses: { invalidBody: invalidBodyStatus },
  conditions: Object.fromEntries(Object.entries(errorDefinitions).map(([code, { condition }]) => [code, condition])),
})
