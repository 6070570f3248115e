import { toWellFormed } from './text.ts'

/** The values of `type` of an error. */
export type ErrorType =
  | 'unauthenticated'
  | 'permissionDenied'
  | 'notFound'
  | 'methodNotAllowed'
  | 'notAcceptable'
  | 'invalidRequest'
  | 'conflict'
  | 'tooLarge'
  | 'unsupportedMediaType'
  | 'rateLimited'
  | 'internal'

/** One problem: its path, and a message that says which value is valid. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/**
 * All error codes with their status, type and title. The domain throws the codes; HTTP and OpenAPI use the status.
 * Assumed: spec §7 shows neither statuses nor codes.
 */
export const errorCodes = {
  tokenMissing: [401, 'unauthenticated', 'No bearer token was sent.'],
  tokenInvalid: [401, 'unauthenticated', 'The token is not one of the configured tokens.'],
  tokenExpired: [401, 'unauthenticated', 'The token has expired.'],
  tokenNotForProject: [403, 'permissionDenied', 'The token is not valid for this project.'],
  adminTokenMissing: [401, 'unauthenticated', 'The control API requires a token.'],
  adminTokenWrong: [401, 'unauthenticated', 'The admin token is not the configured one.'],
  hostNotAllowed: [403, 'permissionDenied', 'The control API is not available under this Host.'],
  originNotAllowed: [403, 'permissionDenied', 'Web pages of another origin may not call the control API.'],
  routeNotFound: [404, 'notFound', 'There is no such route.'],
  projectNotFound: [404, 'notFound', 'There is no such project.'],
  userNotFound: [404, 'notFound', 'There is no such user.'],
  paymentLinkNotFound: [404, 'notFound', 'There is no such payment link.'],
  methodNotAllowed: [405, 'methodNotAllowed', 'The route exists, with other methods.'],
  notAcceptable: [406, 'notAcceptable', 'The Accept header does not allow JSON.'],
  malformedRequest: [400, 'invalidRequest', 'The request is not valid HTTP.'],
  requestTimeout: [408, 'invalidRequest', 'The request took too long to arrive.'],
  expectationFailed: [417, 'invalidRequest', 'The Expect header has an unknown value.'],
  headersTooLarge: [431, 'invalidRequest', 'The request headers are too large.'],
  unsupportedTransferCoding: [501, 'internal', 'The Transfer-Encoding is not chunked.'],
  invalidQuery: [400, 'invalidRequest', 'A query parameter is invalid.'],
  cursorNotFound: [400, 'invalidRequest', 'A cursor is not the id of a record of this list.'],
  cursorDeleted: [400, 'invalidRequest', 'A cursor is the id of a deleted record.'],
  bodyTooLarge: [413, 'tooLarge', 'The request body is too large.'],
  unsupportedMediaType: [415, 'unsupportedMediaType', 'The request body is not sent as JSON.'],
  malformedBody: [400, 'invalidRequest', 'The request body is not valid JSON.'],
  invalidBody: [422, 'invalidRequest', 'The request body is JSON but violates the schema.'],
  idempotencyKeyInvalid: [400, 'invalidRequest', 'The Idempotency-Key header is empty or too long.'],
  idempotencyKeyReused: [422, 'invalidRequest', 'The Idempotency-Key was sent before, with another body.'],
  invoiceNotFound: [422, 'invalidRequest', 'The project has no such invoice.'],
  paymentLinkNotActive: [409, 'conflict', 'The payment link is not active.'],
  emailTaken: [409, 'conflict', 'Another user of the project has this email.'],
  snapshotNotFound: [404, 'notFound', 'There is no such snapshot.'],
  tooManySnapshots: [409, 'conflict', 'The project has the maximum number of snapshots in a Worker.'],
  scheduledPaymentNotFound: [404, 'notFound', 'There is no scheduled payment for this payment link.'],
  sandboxNotFound: [404, 'notFound', 'There is no such sandbox.'],
  tooManySandboxes: [503, 'internal', 'All sandboxes are in use.'],
  requestNotFound: [404, 'notFound', 'There is no such request in the journal.'],
  faultNotFound: [404, 'notFound', 'There is no such fault.'],
  verificationFailed: [409, 'conflict', 'Verification failed.'],
  journalTruncated: [409, 'conflict', 'The verification may depend on requests that were dropped from the journal.'],
  violationsFound: [409, 'conflict', 'Clients sent requests that violate the specification.'],
  idTaken: [409, 'conflict', 'Another record of the project has this id.'],
  invalidOptions: [422, 'invalidRequest', 'The options or the seed of the mock are invalid.'],
  stateUnreadable: [409, 'conflict', 'The stored state of the project cannot be loaded.'],
  stateReplaced: [503, 'internal', 'The state was replaced during the request.'],
  rateLimited: [429, 'rateLimited', 'The rate limit of a fault was exceeded.'],
  injectedFault: [503, 'internal', 'A fault applied. The status is that of the fault.'],
  shuttingDown: [503, 'internal', 'The server is stopping.'],
  internal: [500, 'internal', 'An unexpected error in the mock.'],
} as const satisfies Record<string, readonly [status: number, type: ErrorType, summary: string]>

export type ErrorCode = keyof typeof errorCodes

/** The statuses of the control API that differ: its clients get 422 for any invalid part of a call. */
export const controlStatuses = { invalidQuery: 422 } as const satisfies Partial<Record<ErrorCode, number>>

/** The error of an invalid query of the control API. */
export const invalidControlQuery = (message: string, options: Pick<MockErrorOptions, 'details' | 'hint'> = {}) =>
  new MockError('invalidQuery', message, { ...options, status: controlStatuses.invalidQuery })

/** The error object. */
export interface ErrorObject {
  readonly object: 'error'
  readonly type: ErrorType
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly details?: readonly Problem[]
}

interface MockErrorOptions {
  /** How to fix the request. */
  readonly hint?: string | undefined
  /** One entry for each problem, up to `maxProblems`. */
  readonly details?: readonly Problem[] | undefined
  /** Overrides the status of the code. */
  readonly status?: number | undefined
  /** Overrides the type of the code. */
  readonly type?: ErrorType | undefined
  /** The other fields of the error object. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined
  /** The underlying error. */
  readonly cause?: unknown
}

/** The maximum number of reported problems. One more is collected, to know whether the list is complete. */
export const maxProblems = 1000

const toWellFormedProblem = ({ path, message }: Problem): Problem => ({
  path: toWellFormed(path),
  message: toWellFormed(message),
})

/** The error of a rejected request or call. It has changed nothing. */
export class MockError extends Error {
  override readonly name = 'MockError'
  readonly code: ErrorCode
  readonly type: ErrorType
  readonly status: number
  readonly hint: string | undefined
  readonly details: readonly Problem[] | undefined
  /** The result of a failed verification: `expected`, `actual` and `nearMisses`. */
  readonly facts: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, message: string, options: MockErrorOptions = {}) {
    super(toWellFormed(message), 'cause' in options ? { cause: options.cause } : undefined)
    const [status, type] = errorCodes[code]
    this.code = code
    this.type = options.type ?? type
    this.status = options.status ?? status
    this.hint = options.hint && toWellFormed(options.hint)
    this.details = options.details?.slice(0, maxProblems).map(toWellFormedProblem)
    this.facts = options.facts
  }

  /** Returns the error object of responses and documents. Assumed: spec §7 shows no format. */
  toJSON(): ErrorObject {
    return {
      object: 'error',
      type: this.type,
      code: this.code,
      message: this.message,
      ...(this.hint !== undefined && { hint: this.hint }),
      ...(this.details !== undefined && { details: this.details }),
      ...this.facts,
    }
  }
}
