import * as z from 'zod'
import { MockError } from '../schema/error.ts'
import type { Matcher } from '../schema/matcher.ts'
import type { OperationId } from '../schema/operation.ts'
import { parseOptions } from '../schema/options.ts'
import type { Violations } from '../schema/traffic.ts'
import type { Times, Verification, Verified } from '../schema/verification.ts'

/** The expected count of requests, and how long to wait for them. */
export interface ReceivedOptions {
  /** A number is the exact count. @default at least once */
  readonly times?: number | Times | undefined
  /** In milliseconds. @default 0 */
  readonly within?: number | undefined
}

// The mock validates the values.
const Options = z.object({
  times: z.custom<ReceivedOptions['times']>().optional(),
  within: z.custom<number>().optional(),
})

/** The matchers as methods of `expect`, for the types of a test runner. */
export interface PaylinkMatchers<R = unknown> {
  /** Expects requests of an operation, or requests that match. Returns a promise. */
  toHaveReceived(what: OperationId | Matcher, options?: ReceivedOptions): R
  /** Expects that the specification allows all requests. Returns a promise. */
  toHaveNoViolations(): R
}

/** A mock or one of its projects, embedded or connected. */
interface Receiver {
  readonly requests: { verify(verification: Verification): Promise<Verified> }
  readonly violations: { verify(): Promise<Violations> }
}

interface Result {
  readonly pass: boolean
  readonly message: () => string
}

/** For `expect.extend(matchers)` in vitest and jest. */
export const matchers = {
  toHaveReceived: async (
    received: unknown,
    what: OperationId | Matcher,
    options: ReceivedOptions = {},
  ): Promise<Result> => {
    const { times = { atLeast: 1 }, within } = parseOptions('toHaveReceived', '{ times: 1 }', Options, options)
    const match = typeof what === 'string' ? { operation: what } : what
    return check('toHaveReceived', received, ({ requests }) => requests.verify({ match, times, within }))
  },
  toHaveNoViolations: (received: unknown): Promise<Result> =>
    check('toHaveNoViolations', received, ({ violations }) => violations.verify()),
}

/** A failed verification fails the matcher. Other errors, such as a stopped mock, are thrown. */
const check = async (
  matcher: string,
  received: unknown,
  verify: (receiver: Receiver) => Promise<Verified | Violations>,
): Promise<Result> => {
  if (!isReceiver(received))
    throw new TypeError(`expect(...).${matcher} needs a mock or one of its projects, such as mock.project('acme').`)
  try {
    const found = await verify(received)
    const seen = 'actual' in found ? `: it was seen ${found.actual === 1 ? 'once' : `${found.actual} times`}` : ''
    return { pass: true, message: () => `expected not ${matcher}${seen}.` }
  } catch (error) {
    if (!(error instanceof MockError) || (error.code !== 'verificationFailed' && error.code !== 'violationsFound'))
      throw error
    return { pass: false, message: () => [error.message, error.hint ?? []].flat().join('\n') }
  }
}

const isReceiver = (value: unknown): value is Receiver =>
  typeof (value as Partial<Receiver> | null | undefined)?.requests?.verify === 'function'
