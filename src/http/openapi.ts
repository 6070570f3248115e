import { version } from '../version.ts'
import { describeRoutes } from '../wire/openapi.ts'
import type { ApiOptions } from './exchange.ts'
import type { OperationId } from './operation.ts'

/** The OpenAPI 3.1 document of the mocked API, from the table of its operations. */
export const openApiDocument = ({ operations, basePath }: Pick<ApiOptions, 'operations' | 'basePath'>): unknown => {
  const responseOf = (id: OperationId) => operations.find((operation) => operation.id === id)!.response!
  return describeRoutes({
    title: 'Users and payment links',
    description:
      'The interface that paylink-mock mocks: users, and payment links through which a user pays an invoice.',
    version,
    named: {
      User: responseOf('retrieveUser'),
      UserList: responseOf('listUsers'),
      PaymentLink: responseOf('retrievePaymentLink'),
      PaymentLinkList: responseOf('listPaymentLinks'),
    },
    routes: operations.map((operation) => ({ ...operation, path: `${basePath}${operation.path}` })),
    errors: {
      all: ['tokenMissing', 'tokenUnknown', 'tokenExpired', 'tokenNotForProject', 'projectNotFound', 'notAcceptable'],
      body: ['malformedBody', 'bodyTooLarge', 'unsupportedMediaType'],
    },
    tagOf: (route) => (route.path.includes('/paymentLinks') ? 'Payment links' : 'Users'),
  })
}
