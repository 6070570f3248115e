/** The errors of the model: their statuses, and functions that throw and catch them. */
import type { Json } from './formats.ts'
import type { ModelResponse } from './model.ts'
import { defaults, type BehaviorValues } from './behaviors.ts'

const errors = {
  tokenMissing: [401, 'unauthenticated'],
  tokenInvalid: [401, 'unauthenticated'],
  tokenExpired: [401, 'unauthenticated'],
  tokenNotForProject: [403, 'permissionDenied'],
  routeNotFound: [404, 'notFound'],
  methodNotAllowed: [405, 'methodNotAllowed'],
  unsupportedMediaType: [415, 'unsupportedMediaType'],
  userNotFound: [404, 'notFound'],
  paymentLinkNotFound: [404, 'notFound'],
  malformedRequest: [400, 'invalidRequest'],
  invalidQuery: [400, 'invalidRequest'],
  cursorNotFound: [400, 'invalidRequest'],
  cursorDeleted: [400, 'invalidRequest'],
  bodyTooLarge: [413, 'tooLarge'],
  malformedBody: [400, 'invalidRequest'],
  invalidBody: [422, 'invalidRequest'],
  paymentLinkNotActive: [409, 'conflict'],
  notAcceptable: [406, 'notAcceptable'],
  projectNotFound: [404, 'notFound'],
  invoiceNotFound: [422, 'invalidRequest'],
  emailTaken: [409, 'conflict'],
  idTaken: [409, 'conflict'],
  snapshotNotFound: [404, 'notFound'],
  scheduledPaymentNotFound: [404, 'notFound'],
  faultNotFound: [404, 'notFound'],
  rateLimited: [429, 'rateLimited'],
} as const

export type MockErrorCode = keyof typeof errors

/** The content of an error response: the paths of its details are a set. */
export interface MockErrorShape {
  readonly type: string
  readonly code: MockErrorCode | 'injectedFault'
  /** The path of each problem in any order; null: no `details`; 'unspecified': the documents do not say. */
  readonly details: readonly string[] | null | 'unspecified'
}

export class MockError extends Error {
  readonly code: MockErrorCode
  readonly details: MockErrorShape['details']
  readonly allow: readonly string[] | null

  constructor(code: MockErrorCode, details: MockErrorShape['details'] = null, allow: readonly string[] | null = null) {
    super(code)
    this.code = code
    this.details = details
    this.allow = allow
  }
}

export function reject(code: MockErrorCode, details: MockErrorShape['details'] = null): never {
  throw new MockError(code, details)
}

export function rejectProblems(code: MockErrorCode, problems: readonly string[]): void {
  if (problems.length > 0) throw new MockError(code, problems)
}

/** The response, or the response of the thrown error. The control API has no behaviors. */
export function catchErrors(
  respond: () => ModelResponse,
  behaviors: () => BehaviorValues = () => defaults,
): ModelResponse {
  try {
    return respond()
  } catch (thrown) {
    if (!(thrown instanceof MockError)) throw thrown
    const { code, details, allow } = thrown
    const [status, type] = errors[code]
    const error = { type, code, details }
    return createResponse(code === 'invalidBody' ? behaviors().invalidBodyStatus : status, null, { error, allow })
  }
}

/** A response with the usual defaults. */
export function createResponse(status: number, body: Json, rest: Partial<ModelResponse> = {}): ModelResponse {
  const usual = { error: null, format: 'object', allow: null, headers: {}, spoiled: null, isBroken: false } as const
  return { status, body, bodiless: status === 204, assumesFreshness: null, ...usual, ...rest }
}
