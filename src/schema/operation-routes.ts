import * as z from 'zod/mini'
import { formatList } from './problem.ts'
import { findNearest } from './text.ts'

/** The methods and paths of the operations of spec §4. */
export const operationRoutes = {
  createUser: { method: 'POST', path: '/projects/{project}/users' },
  listUsers: { method: 'GET', path: '/projects/{project}/users' },
  searchUsers: { method: 'POST', path: '/projects/{project}/users/search' },
  retrieveUser: { method: 'GET', path: '/projects/{project}/users/{user}' },
  updateUser: { method: 'PATCH', path: '/projects/{project}/users/{user}' },
  deleteUser: { method: 'DELETE', path: '/projects/{project}/users/{user}' },
  createPaymentLink: { method: 'POST', path: '/projects/{project}/paymentLinks' },
  listPaymentLinks: { method: 'GET', path: '/projects/{project}/paymentLinks' },
  retrievePaymentLink: { method: 'GET', path: '/projects/{project}/paymentLinks/{paymentLink}' },
  cancelPaymentLink: { method: 'POST', path: '/projects/{project}/paymentLinks/{paymentLink}/cancel' },
} as const

/** The parameters of these paths. */
export const pathParameters = {
  project: { description: 'The id of the project.', example: 'acme' },
  user: { description: 'The id of a user.', example: 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0' },
  paymentLink: { description: 'The id of a payment link.', example: 'pml_ZxdOqqX8WYB6OUTwshqeHqVocKAG' },
}

/** The id of an operation of the mocked API. */
export type OperationId = keyof typeof operationRoutes
export const operationIds = Object.keys(operationRoutes) as OperationId[]

export const OperationId = enumOfNames(operationIds)

/** The operations that read records, and change none. */
export const readOperations: readonly OperationId[] = [
  'listUsers',
  'searchUsers',
  'retrieveUser',
  'listPaymentLinks',
  'retrievePaymentLink',
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** A method of HTTP. */
export type Method = (typeof methods)[number]
export const Method = enumOfNames(methods)

/** Returns a schema for these names. Its error suggests the nearest one. */
function enumOfNames<const N extends string>(names: readonly N[]) {
  return z.enum(names, {
    error: ({ input }) => {
      const nearestName = typeof input === 'string' ? findNearest(input, names) : undefined
      return nearestName === undefined || nearestName === input
        ? `must be ${formatList(names)}`
        : `must be spelled '${nearestName}'`
    },
  })
}
