import type { Behaviors } from '../schema/behavior.ts'
import type { OperationId } from '../schema/operation.ts'
import { version } from '../version.ts'
import { describeRoutes, type RouteDocs } from '../wire/openapi.ts'
import { documentedBody } from './documented-body.ts'
import { apiErrors } from './error-docs.ts'
import type { ApiOptions } from './request-context.ts'
import { paymentLinkDocs } from './payment-link-docs.ts'
import { userDocs } from './user-docs.ts'

const describe = ({
  invalidBodyStatus,
  unknownFields,
}: Behaviors) => `The API that paylink-mock mocks. The sections (§) are those of
its specification. Where that is silent, a sentence starts with *Assumed*, and usually a behavior of the mock changes it.

- **Projects** are sandboxes. A project is created on its first use.
- **Checks** run in this order: token (401, 403), route (404), method (405), headers (406, 415), the records in the path
  (404), query (400), body (413, 400, ${invalidBodyStatus}), state (409). A rejected request changes nothing.
- **Other paths** return 404 with the code \`routeNotFound\`. Each GET also works as HEAD. OPTIONS returns 204 with
  \`Allow\` and needs no token.
- **Unknown fields** of a request are ${unknownFields === 'reject' ? 'rejected' : 'ignored'}. Responses have only the fields below.
- **Behaviors**: this document shows those that apply to all projects. A project can have others.`

interface Documented extends Pick<ApiOptions, 'operations' | 'basePath' | 'provider'> {
  /** The behaviors for all projects. */
  readonly behaviors: Behaviors
}

/** The OpenAPI 3.1 document of the mocked API, from the table of its operations and the behaviors. */
export const openApiDocument = ({ operations, basePath, provider, behaviors }: Documented): unknown => {
  const responseOf = (id: OperationId) => operations.find((operation) => operation.id === id)!.response!
  const docs: Readonly<Record<OperationId, RouteDocs>> = {
    ...userDocs(behaviors),
    ...paymentLinkDocs(provider, behaviors),
  }
  return describeRoutes({
    title: 'Users and payment links',
    description: describe(behaviors),
    version,
    server: basePath === '' ? '/' : basePath,
    tags: [
      { name: 'Users', description: 'The end consumers of subscriptions (§2.2).' },
      { name: 'Payment links', description: 'URLs that show a page on which a user pays an invoice (§2.3).' },
    ],
    named: {
      User: responseOf('retrieveUser'),
      UserList: responseOf('listUsers'),
      PaymentLink: responseOf('retrievePaymentLink'),
      PaymentLinkList: responseOf('listPaymentLinks'),
    },
    security: [{ bearer: [] }],
    strictBodies: behaviors.unknownFields === 'reject',
    routes: operations.map((operation) => ({
      ...operation,
      status: operation.creates ? behaviors.createStatus : operation.status,
      body: documentedBody(operation, provider, behaviors),
    })),
    docsOf: (route) => docs[route.id as OperationId],
    pathParameters: {
      project: named('The id of the project: all that a request can see.', 'acme'),
      user: named('The id of a user.', 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0'),
      paymentLink: named('The id of a payment link.', 'pml_ZxdOqqX8WYB6OUTwshqeHqVocKAG'),
    },
    headers: {
      'Mock-Request-Id': {
        description: 'Names the request; counted for each project, and the same in every run.',
        required: true,
        schema: { type: 'string', examples: ['req_ecx5mv6EDdxLEQg3fPxyeyjsb1Xf'] },
      },
      'Mock-Assumed': {
        description: 'The open points of the specification that decided this response. Left out where there are none.',
        schema: { type: 'string', examples: ['createStatus=201, emailVerifiedOnCreate=true'] },
      },
    },
    errors: apiErrors(behaviors),
  })
}

const named = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
