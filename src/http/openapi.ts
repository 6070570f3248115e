import { version } from '../version.ts'
import { describeRoutes, type RouteDocs } from '../wire/openapi.ts'
import { errorDocs } from './error-docs.ts'
import type { ApiOptions } from './exchange.ts'
import type { OperationId } from '../schema/operation.ts'
import { paymentLinkDocs } from './payment-link-docs.ts'
import { userDocs } from './user-docs.ts'

const description = `The interface that paylink-mock mocks. The sections (§) are those of its specification; where that
is silent, a sentence starts with *Assumed*, and most often a behavior of the mock chooses another reading.

- **Projects** are sandboxes: a project comes into being when it is first used.
- **Requests** are refused in this order: token (401, 403), route (404), method (405), headers (406, 415), what the path
  names (404), query (400), body (413, 400, 422), state (409). What is refused has changed nothing.
- **A path that is not listed here** answers 404 with the code \`routeNotFound\`. Each GET can be asked as HEAD; OPTIONS
  answers 204 with \`Allow\`, and needs no token.
- **Unknown fields** of a request are ignored, unless \`unknownFields=reject\`. Responses have no other fields than those listed.`

/** The OpenAPI 3.1 document of the mocked API, from the table of its operations. */
export const openApiDocument = ({
  operations,
  basePath,
  provider,
}: Pick<ApiOptions, 'operations' | 'basePath' | 'provider'>): unknown => {
  const responseOf = (id: OperationId) => operations.find((operation) => operation.id === id)!.response!
  const docs: Readonly<Record<OperationId, RouteDocs>> = { ...userDocs, ...paymentLinkDocs(provider) }
  return describeRoutes({
    title: 'Users and payment links',
    description,
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
    routes: operations,
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
    errors: {
      all: [
        ...(['tokenMissing', 'tokenUnknown', 'tokenExpired', 'tokenNotForProject', 'projectNotFound'] as const),
        ...(['methodNotAllowed', 'notAcceptable', 'unsupportedMediaType'] as const),
      ],
      body: ['malformedBody', 'bodyTooLarge'],
      docs: errorDocs,
    },
  })
}

const named = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
