import { hasCode, listLines } from '../../schema/error.ts'
import { type ExploreResult, formatFailure, type InterleaveResult } from '../explore/result.ts'
import { type TrafficControl, verifyFaults } from '../../client/traffic-control.ts'
import type { Matcher } from '../../schema/matcher.ts'
import type { OperationId } from '../../schema/operation-routes.ts'
import { checkOptions } from '../../schema/check-options.ts'
import type { Violations } from '../../schema/recorded-request.ts'
import { pluralize } from '../../schema/problem.ts'
import type { Times, VerificationSuccess } from '../../schema/verification.ts'

/** The expected count of requests, and how long to wait for them. */
export interface ReceivedOptions {
  /** A number is the exact count. @default at least once */
  readonly times?: number | Times | undefined
  /** In milliseconds. @default 0 */
  readonly within?: number | undefined
}

// The mock validates the values.
const checks = { times: () => undefined, within: () => undefined }

/** The matchers as methods of `expect`, for the types of a test runner. */
export interface PaylinkMatchers<R = unknown> {
  /**
   * Expects requests of a mock or of one of its projects.
   *
   * @param what an operation, or a matcher for requests
   * @param options the expected count, and how long to wait for it
   * @returns a promise, so the assertion must be awaited
   * @throws `invalidOptions` for unknown options or an invalid matcher
   * @throws TypeError if the received value is not a mock or a project
   * @example
   * await expect(project).toHaveReceived('retrievePaymentLink', { times: 1 })
   */
  toHaveReceived(what: OperationId | Matcher, options?: ReceivedOptions): R
  /**
   * Expects that the specification allows all requests of a mock or of one of its projects.
   *
   * @returns a promise, so the assertion must be awaited
   * @throws TypeError if the received value is not a mock or a project
   * @example
   * await expect(project).toHaveNoViolations()
   */
  toHaveNoViolations(): R
  /**
   * Expects that every fault of a mock or of one of its projects has applied. The message has the nearest requests.
   *
   * @returns a promise, so the assertion must be awaited
   * @throws TypeError if the received value is not a mock or a project
   */
  toHaveNoUnusedFaults(): R
  /** Expects that `explore` or `interleave` found no failure. The message shows the smallest one. Not a promise. */
  toHaveNoFailures(): void
}

/** A mock or one of its projects, embedded or connected. */
type Receiver = Pick<TrafficControl, 'requests' | 'violations' | 'faults'>

interface Result {
  readonly pass: boolean
  readonly message: () => string
}

/**
 * The matchers for vitest and jest.
 *
 * @example
 * expect.extend(matchers)
 */
export const matchers = {
  toHaveReceived: async (
    received: unknown,
    what: OperationId | Matcher,
    options: ReceivedOptions = {},
  ): Promise<Result> => {
    const { times = { atLeast: 1 }, within } = checkOptions('toHaveReceived', '{ times: 1 }', checks, options)
    const match = typeof what === 'string' ? { operation: what } : what
    return check('toHaveReceived', received, ({ requests }) => requests.verify({ match, times, within }))
  },
  toHaveNoViolations: (received: unknown): Promise<Result> =>
    check('toHaveNoViolations', received, ({ violations }) => violations.verify()),
  toHaveNoUnusedFaults: (received: unknown): Promise<Result> =>
    check('toHaveNoUnusedFaults', received, async ({ faults, requests }) =>
      verifyFaults(await faults.list(), requests),
    ),
  toHaveNoFailures: (received: unknown): Result => {
    if (!isSearchResult(received))
      throw new TypeError(
        'expect(...).toHaveNoFailures needs the result of `await explore(...)` or `await interleave(...)`.',
      )
    const { runs, failures } = received
    const [smallest] = failures
    return {
      pass: smallest === undefined,
      message: () =>
        smallest === undefined
          ? `expected a failure, but found none in ${pluralize(runs, 'run')}.`
          : `found ${pluralize(failures.length, 'failure')} in ${pluralize(runs, 'run')}. The smallest:\n\n${formatFailure(smallest)}`,
    }
  },
}

const isSearchResult = (value: unknown): value is ExploreResult | InterleaveResult =>
  Array.isArray((value as Partial<ExploreResult> | null | undefined)?.failures)

/** A failed verification fails the matcher. Other errors, such as a stopped mock, are thrown. */
const check = async (
  matcher: string,
  received: unknown,
  verify: (receiver: Receiver) => Promise<VerificationSuccess | Violations | void>,
): Promise<Result> => {
  if (!isReceiver(received))
    throw new TypeError(`expect(...).${matcher} needs a mock or one of its projects, such as mock.project('acme').`)
  try {
    const found = await verify(received)
    const seen =
      found && 'actual' in found ? `: it was seen ${found.actual === 1 ? 'once' : `${found.actual} times`}` : ''
    return { pass: true, message: () => `expected not ${matcher}${seen}.` }
  } catch (error) {
    if (!hasCode(error, 'verificationFailed', 'violationsFound')) throw error
    return { pass: false, message: () => listLines(error).join('\n') }
  }
}

const isReceiver = (value: unknown): value is Receiver =>
  typeof (value as Partial<Receiver> | null | undefined)?.requests?.verify === 'function'
