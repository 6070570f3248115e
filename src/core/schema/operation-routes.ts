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

export const pathParameters = {
  project: { description: 'The id of the project.', example: 'acme' },
  user: { description: 'The id of a user.', example: 'usr_kzpR6DxzpzzXpI3x0qz4AEA6wYB0' },
  paymentLink: { description: 'The id of a payment link.', example: 'pml_ZxdOqqX8WYB6OUTwshqeHqVocKAG' },
}

export const operationIds = Object.keys(operationRoutes) as (keyof typeof operationRoutes)[]

export const OperationId = enumOfNames(operationIds)
/** The id of an operation of the mocked API. */
export type OperationId = z.infer<typeof OperationId>

/** The named groups of the pattern are the parameters. */
export const toPathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

const operationPatterns = operationIds.map((id) => {
  const { method, path } = operationRoutes[id]
  return { id, method, pattern: toPathPattern(path) }
})

/** HEAD finds the operation of GET. The parameters are not decoded. */
export const findOperation = (method: string, path: string) => {
  for (const { id, method: routeMethod, pattern } of operationPatterns) {
    const match = routeMethod === (method === 'HEAD' ? 'GET' : method) ? pattern.exec(path) : null
    if (match !== null) return { id, params: { ...match.groups } }
  }
  return undefined
}

export const readOperations: readonly OperationId[] = [
  'listUsers',
  'searchUsers',
  'retrieveUser',
  'listPaymentLinks',
  'retrievePaymentLink',
]

export const Method = enumOfNames(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** A method of HTTP. */
export type Method = z.infer<typeof Method>

/** The error suggests the nearest name. */
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
