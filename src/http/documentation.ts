import type { Behaviors } from '../schema/behavior.ts'
import type { ErrorCode } from '../schema/error.ts'
import type { OperationId } from '../schema/operation.ts'
import type { DocumentedErrors } from '../wire/error-responses.ts'

const searches = { ignoreCase: 'case is ignored', exact: 'case matters', contains: 'a part of an email matches' }
const updates = {
  merge: '`metadata` is merged key by key, and null removes a key',
  replace: '`metadata` is replaced as a whole',
}
const cancels = {
  conflict: 'a link that is not active is rejected',
  idempotent: 'a canceled link is returned unchanged, and a completed one is rejected',
}
const orders = { newestFirst: 'newest first', oldestFirst: 'oldest first' }

/** Describes the operations under these behaviors. */
export const describeOperations = (behaviors: Behaviors): Readonly<Record<OperationId, string>> => ({
  createUser: 'Creates a user (§4.1). Only `email` is required. `preferredLocale` defaults to that of the project.',
  listUsers: 'Returns the users of the project in batches, newest first (§4.1).',
  searchUsers: `Returns the users with this email (§4.1). Assumed: ${searches[behaviors.searchMatch]}, and a search is paged like a list.`,
  retrieveUser: 'Returns one user by its id (§4.1).',
  updateUser: `Sets the fields that are sent (§4.1). Other fields keep their values. Assumed: ${updates[behaviors.metadataUpdate]}, and a null \`email\` changes nothing.`,
  deleteUser: 'Deletes a user and returns it (§4.1). Assumed: nothing else is deleted.',
  createPaymentLink:
    'Creates a link for paying an invoice (§4.2). Its status is `active`. Assumed: an invoice may have several links.',
  listPaymentLinks: `Returns the payment links of the project in batches (§4.2). Assumed: ${orders[behaviors.paymentLinkOrder]}.`,
  retrievePaymentLink: 'Returns one payment link by its id (§4.2).',
  cancelPaymentLink: `Cancels an active payment link, so that it can no longer be paid (§3). Assumed: ${cancels[behaviors.cancelInactive]}.`,
})

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
export const describeErrors = ({ errorFormat, invalidBodyStatus }: Behaviors): DocumentedErrors => ({
  format: errorFormat,
  shared,
  // An unneeded body is also read and checked.
  getCodes: ({ errors = [] }) => [...shared, 'malformedBody', 'bodyTooLarge', ...errors],
  others: ['routeNotFound'],
  statuses: { invalidBody: invalidBodyStatus },
  conditions: {
    tokenInvalid: 'configured tokens',
    tokenExpired: 'configured tokens',
    tokenNotForProject: 'configured tokens and `wrongProjectToken=403`, the default',
    projectNotFound: '`unknownProject=notFound` or `wrongProjectToken=404`',
    notAcceptable: '`requestHeaders=required`',
    cursorDeleted: '`deletedCursor=reject`, the default',
    emailTaken: '`duplicateEmail=conflict`',
    idempotencyKeyInvalid: '`idempotencyKey=replay`',
    idempotencyKeyReused: '`idempotencyKey=replay`',
    invoiceNotFound: '`invoiceIds=seeded`',
    rateLimited: 'a fault that limits the rate',
    injectedFault: 'a fault with this status; another fault can have any other status',
  },
})
