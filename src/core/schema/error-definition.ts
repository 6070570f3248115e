import type { Problem } from './problem.ts'

const typesByStatus = {
  401: 'unauthenticated',
  403: 'permissionDenied',
  404: 'notFound',
  405: 'methodNotAllowed',
  406: 'notAcceptable',
  409: 'conflict',
  413: 'tooLarge',
  415: 'unsupportedMediaType',
  429: 'rateLimited',
} as const

/** The values of `type` of an error. */
export type ErrorType = (typeof typesByStatus)[keyof typeof typesByStatus] | 'invalidRequest' | 'internal'

export const getErrorType = (status: number): ErrorType => {
  const types: Readonly<Record<number, ErrorType>> = typesByStatus
  return types[status] ?? (status >= 500 ? 'internal' : 'invalidRequest')
}

/** The parts of an error that depend on the request. */
export interface ErrorContent {
  /** The request, the problem and the remedy. */
  readonly message: string
  /** How to fix the request. */
  readonly hint?: string | undefined
  /** One entry for each problem, up to `maxProblems`. */
  readonly details?: readonly Problem[] | undefined
  /** Overrides the status of the code. */
  readonly status?: number | undefined
  /** Overrides the type of the code. */
  readonly type?: ErrorType | undefined
  /** The headers that its response must have. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The other fields of the error object. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined
  /** The underlying error. */
  readonly cause?: unknown
}

/** The prefixes of the routes of a mock. */
export interface RoutePrefixes {
  /** `/@name` in a sandbox, else an empty string. */
  readonly mock: string
  /** The same with the base path, for the mocked API. */
  readonly api: string
}

/** The default message is the summary. A text with paths is a function of their prefixes. */
type ErrorText = string | Partial<ErrorContent> | ((at: RoutePrefixes) => string | Partial<ErrorContent>)

export interface ErrorDefinition<Facts extends readonly unknown[]> {
  readonly status: number
  readonly type: ErrorType
  /** The meaning of the code, for the reference and the OpenAPI documents. */
  readonly summary: string
  // A method, whose parameters are bivariant, so that errors with different facts are in one table.
  describe(...facts: Facts): ErrorText
  /** The setting with which the mocked API has this error. @default any */
  readonly condition?: string
  /** The facts of the example in the OpenAPI documents. */
  readonly example: Facts
}

/** Defines an error. Its code is its name in the table. The last argument has the facts of an example, if it needs any. */
export const defineError = <Facts extends readonly unknown[] = []>(
  status: number,
  summary: string | Pick<ErrorDefinition<Facts>, 'summary' | 'condition'>,
  describe: (...facts: Facts) => ErrorText = () => ({}),
  ...example: NoInfer<Facts>
): ErrorDefinition<Facts> => ({
  status,
  type: getErrorType(status),
  ...(typeof summary === 'string' ? { summary } : summary),
  describe,
  example,
})
