import { errors, hasCode, listLines } from '../../core/schema/error.ts'
import {
  type ExploreResult,
  formatFailureCount,
  formatFailure,
  groupFailures,
  type InterleaveResult,
  type SearchEnd,
} from '../../explore/result.ts'
import { type FaultControl, verifyFaults } from '../../core/client/fault-control.ts'
import type { RequestControl } from '../../core/client/request-control.ts'
import { isRecord } from '../../core/schema/json-value.ts'
import type { Matcher } from '../../core/schema/matcher.ts'
import type { OperationId } from '../../core/schema/operation-routes.ts'
import { checkBoolean, checkOptions, type OptionChecks, requireOption } from '../../core/schema/check-options.ts'
import { pluralize, quote } from '../../core/schema/problem.ts'
import { requireAwait } from './require-await.ts'
import type { Times } from '../../core/schema/verification.ts'

/** The expected count of requests, and how long to wait for them. */
export interface ReceivedOptions {
  /** A number is the exact count. @default at least once */
  readonly times?: number | Times | undefined
  /** How long to wait, in milliseconds: at most 600000. @default 0 */
  readonly within?: number | undefined
}

/** The options of `toHaveNoFailures`. */
export interface FailureOptions {
  /** Accepts a search that ended before it tried everything. @default false */
  readonly incomplete?: boolean | undefined
}

// The mock validates the values.
const failureChecks: OptionChecks<FailureOptions> = { incomplete: checkBoolean }
const matcherMessage = "needs an operation such as 'createUser', or a matcher such as { operation: 'createUser' }"
const matcherFields: readonly (keyof Matcher)[] = ['method', 'path', 'project', 'status', 'headers', 'query', 'body']
const receivedChecks: OptionChecks<ReceivedOptions> = { times: () => undefined, within: () => undefined }

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
  /**
   * Expects that `explore` or `interleave` tried everything and found no failure. The message shows the smallest one. Not a
   * promise.
   *
   * @param options with `incomplete: true`, a search that reached a limit passes too
   * @throws `invalidOptions` for unknown options
   */
  toHaveNoFailures(options?: FailureOptions): void
}

type Receiver = Pick<FaultControl & RequestControl, 'requests' | 'violations' | 'faults'>

interface MatcherResult {
  /** Whether the assertion holds. */
  readonly pass: boolean
  /** Returns the message of a failure. */
  readonly message: () => string
}

/**
 * The matchers for vitest and jest.
 *
 * @example
 * expect.extend(matchers)
 */
export const matchers = {
  /** Expects requests of a mock or of one of its projects. */
  toHaveReceived(
    this: unknown,
    received: unknown,
    expectedRequests: OperationId | Matcher,
    options: ReceivedOptions = {},
  ): Promise<MatcherResult> {
    return checkReceiver(this, 'toHaveReceived', received, async ({ requests }) => {
      if (typeof expectedRequests === 'string' && isRecord(options)) requireNoMatcher(expectedRequests, options)
      const { times = { atLeast: 1 }, within } = checkOptions('toHaveReceived', '{ times: 1 }', receivedChecks, options)
      const match = typeof expectedRequests === 'string' ? { operation: expectedRequests } : expectedRequests
      requireOption('toHaveReceived', isRecord(match), matcherMessage, expectedRequests)
      await requests.verify({ match, times, within })
      if (!(this as { isNot?: boolean } | undefined)?.isNot) return ''
      // A failure to expect none lists the requests.
      const countMessage = await requests.verify({ match, times: 0 }).then(
        () => 'was seen 0 times.',
        ({ message }: Error) => message,
      )
      const given = Object.keys(options).length > 0 ? [expectedRequests, options] : [expectedRequests]
      const assertionArguments = given.map((argument) => JSON.stringify(argument)).join(', ')
      return `expected not toHaveReceived(${assertionArguments}): it ${/was seen .*/s.exec(countMessage)?.[0] ?? countMessage}`
    })
  },
  /** Expects that the specification allows all requests. */
  toHaveNoViolations(this: unknown, received: unknown): Promise<MatcherResult> {
    return checkReceiver(this, 'toHaveNoViolations', received, async ({ violations }) => {
      await violations.verify()
      return 'expected a violation of the specification, but no request violates it.'
    })
  },
  /** Expects that every fault has applied. */
  toHaveNoUnusedFaults(this: unknown, received: unknown): Promise<MatcherResult> {
    return checkReceiver(this, 'toHaveNoUnusedFaults', received, async ({ faults, requests }) => {
      const allFaults = await faults.list()
      await verifyFaults(allFaults, requests)
      return `expected a fault that never applied, but ${allFaults.length === 0 ? 'there is no fault' : `each of ${pluralize(allFaults.length, 'fault')} applied`}.`
    })
  },
  /** Expects that a search found no failure. */
  toHaveNoFailures(
    this: { readonly isNot?: boolean } | void,
    searchResult: unknown,
    options: FailureOptions = {},
  ): MatcherResult {
    if (!isSearchResult(searchResult))
      throw new TypeError(
        'expect(...).toHaveNoFailures needs the result of `await explore(...)` or `await interleave(...)`.',
      )
    const { incomplete = false } = checkOptions('toHaveNoFailures', '{ incomplete: true }', failureChecks, options)
    const { runs, failures, endedBy, notTried } = searchResult
    const groups = groupFailures<ExploreResult['failures'][number] | InterleaveResult['failures'][number]>(failures)
    const [smallestGroup] = groups
    if (smallestGroup === undefined) {
      // `not` needs a failure, however the search ended.
      const [omission] = notTried
      const omissionReason = omission && `'${omission.replay}' was not tried to its end: ${omission.why}`
      const incompleteReason = incomplete || this?.isNot ? undefined : (incompleteEnds[endedBy] ?? omissionReason)
      return {
        pass: incompleteReason === undefined,
        message: () =>
          incompleteReason === undefined
            ? `expected a failure, but found none in ${pluralize(runs, 'run')}.`
            : `found no failure in ${pluralize(runs, 'run')}, but the search is not exhausted: ${incompleteReason} ` +
              'To accept that, expect toHaveNoFailures({ incomplete: true }).',
      }
    }
    const [smallestFailure, ...alike] = smallestGroup
    return {
      pass: false,
      message: () =>
        `found ${formatFailureCount(groups.length, failures.length)} in ${pluralize(runs, 'run')}. The smallest:\n\n${formatFailure(smallestFailure, alike)}`,
    }
  },
}

const requireNoMatcher = (operation: string, options: object): void => {
  const fields = matcherFields.filter((name) => Object.hasOwn(options, name))
  if (fields.length === 0) return
  const matcher = [`operation: ${quote(operation)}`, ...fields.map((name) => `${name}: ...`)].join(', ')
  const message = `toHaveReceived has the unknown option ${quote(fields[0])}. A matcher is the first argument: toHaveReceived({ ${matcher} }).`
  throw errors.invalidOptions({ message })
}

/** Why a search without a failure proves nothing, and the remedy. */
const incompleteEnds: Readonly<Partial<Record<SearchEnd, string>>> = {
  budget: 'its budget ended. Raise `budget`, or pass `budget: null`.',
  maxRuns: 'it reached maxRuns. Raise `maxRuns`.',
  signal: 'its signal was aborted.',
}

const isSearchResult = (value: unknown): value is ExploreResult | InterleaveResult =>
  Array.isArray((value as Partial<ExploreResult> | null | undefined)?.failures)

/**
 * A failed verification fails the matcher; other errors are thrown. `state` is the `this` of the matcher, and `verify`
 * returns the message of the negated matcher.
 */
const checkReceiver = (
  state: unknown,
  matcher: string,
  received: unknown,
  verify: (receiver: Receiver) => Promise<string>,
): Promise<MatcherResult> =>
  requireAwait(state, matcher, async () => {
    if (!isReceiver(received))
      throw new TypeError(`expect(...).${matcher} needs a mock or one of its projects, such as mock.project('acme').`)
    try {
      const message = await verify(received)
      return { pass: true, message: () => message }
    } catch (error) {
      if (!hasCode(error, 'verificationFailed', 'violationsFound')) throw error
      return { pass: false, message: () => listLines(error).join('\n') }
    }
  })

const isReceiver = (value: unknown): value is Receiver =>
  typeof (value as Partial<Receiver> | null | undefined)?.requests?.verify === 'function'
