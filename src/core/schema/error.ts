import type { ErrorContent, ErrorDefinition, ErrorType, RoutePrefixes } from './error-definition.ts'
import { requestErrors } from './errors/request-errors.ts'
import { mockErrors } from './errors/mock-errors.ts'
import { maxProblems, type Problem } from './problem.ts'
import { toWellFormed } from './text.ts'

/**
 * All errors by code, in the order of the reference. The domain throws them; HTTP and OpenAPI use the status.
 * Assumed: spec §7 shows neither statuses nor codes.
 */
export const errorDefinitions = { ...requestErrors, ...mockErrors }

/** The code of an error, which names its cause. */
export type ErrorCode = keyof typeof errorDefinitions

/** Every route can have these: they come from the server, from sandboxes or from bugs. */
export const serverErrors = [
  'malformedRequest',
  'requestTimeout',
  'expectationFailed',
  'headersTooLarge',
  'internal',
  'shuttingDown',
  'tooManySandboxes',
] as const satisfies readonly ErrorCode[]

/** The control API responds with 422 to any invalid part of a call. */
export const controlStatuses: Readonly<Partial<Record<ErrorCode, number>>> = { invalidQuery: 422 }

/** The error object. */
export interface ErrorObject {
  /** Always `error`. */
  readonly object: 'error'
  /** The type: errors with the same status and remedy. */
  readonly type: ErrorType
  /** The code, which names the cause. */
  readonly code: ErrorCode
  /** The request, the problem and the remedy. */
  readonly message: string
  /** How to fix the request. */
  readonly hint?: string
  /** One entry for each problem. */
  readonly details?: readonly Problem[]
}

/** The error of a rejected request or call. It has changed nothing. */
export class MockError extends Error {
  /** Always `MockError`. */
  override readonly name = 'MockError'
  /** The code, which names the cause. */
  readonly code: ErrorCode
  /** The type: errors with the same status and remedy. */
  readonly type: ErrorType
  /** The status that HTTP responds with. */
  readonly status: number
  /** How to fix the call. Undefined: the message says it. */
  readonly hint: string | undefined
  /** One entry for each problem. Undefined: the error has no list of problems. */
  readonly details: readonly Problem[] | undefined
  /** The result of a failed verification: `expected`, `actual` and `nearMisses`. */
  readonly facts: Readonly<Record<string, unknown>> | undefined
  /** The headers that an HTTP response must have, such as `allow`. Undefined: none. */
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: ErrorCode, message: string, options: Omit<ErrorContent, 'message'> = {}) {
    super(toWellFormed(message), 'cause' in options ? { cause: options.cause } : undefined)
    const { status, type } = errorDefinitions[code]
    this.code = code
    this.type = options.type ?? type
    this.status = options.status ?? status
    this.hint = options.hint && toWellFormed(options.hint)
    this.details = options.details
      ?.slice(0, maxProblems)
      .map(({ path, message }) => ({ path: toWellFormed(path), message: toWellFormed(message) }))
    this.facts = options.facts
    this.headers = options.headers
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

export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is MockError =>
  error instanceof MockError && codes.includes(error.code)

export const listLines = ({ message, hint }: MockError): string[] => [message, hint ?? []].flat()

type ErrorFactories = {
  readonly [Code in ErrorCode]: (typeof errorDefinitions)[Code] extends ErrorDefinition<infer Facts>
    ? (...facts: Facts) => MockError
    : never
}

/** For each error whose text has paths, a function that creates it again with other prefixes. */
const errorsWithPaths = new WeakMap<MockError, (prefixes: RoutePrefixes) => MockError>()

const createError = (code: ErrorCode, facts: readonly unknown[], prefixes?: RoutePrefixes): MockError => {
  const definition: ErrorDefinition<readonly unknown[]> = errorDefinitions[code]
  const errorText = definition.describe(...facts)
  const errorContent = typeof errorText === 'function' ? errorText(prefixes ?? { mock: '', api: '' }) : errorText
  const { message = definition.summary, ...options } =
    typeof errorContent === 'string' ? { message: errorContent } : errorContent
  const error = new MockError(code, message, options)
  if (typeof errorText === 'function' && prefixes === undefined)
    errorsWithPaths.set(error, (prefixes) => createError(code, facts, prefixes))
  return error
}

/** Returns the error with complete paths, which can be used as they are printed. */
export const withPrefixes = (error: MockError, prefixes: RoutePrefixes): MockError =>
  errorsWithPaths.get(error)?.(prefixes) ?? error

/** Creates errors by code: `throw errors.requestNotFound(id)`. */
export const errors = Object.fromEntries(
  Object.keys(errorDefinitions).map((code) => [code, (...facts: unknown[]) => createError(code as ErrorCode, facts)]),
) as ErrorFactories

export const createExample = (code: ErrorCode): MockError => createError(code, errorDefinitions[code].example)

export const withStatus = ({ code, message, ...options }: MockError, status: number | undefined): MockError =>
  new MockError(code, message, { ...options, status })

export const invalidControlQuery = (...facts: Parameters<ErrorFactories['invalidQuery']>): MockError =>
  withStatus(errors.invalidQuery(...facts), controlStatuses.invalidQuery)
