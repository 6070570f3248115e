import { errors, hasCode } from '../schema/error.ts'
import type {
  MockEvent,
  Assumption,
  RecordedRequests,
  RecordedRequest,
  Violations,
} from '../schema/recorded-request.ts'
import type { Coverage } from '../schema/summaries.ts'
import type { Fault, FaultRule } from '../schema/fault.ts'
import type { Matcher } from '../schema/matcher.ts'
import { checkOptions, type OptionChecks } from '../schema/check-options.ts'
import { ignoreError, withCallerStack, type ScopedCall } from './call.ts'
import type { Verification, VerificationSuccess } from '../schema/verification.ts'
import { pluralize } from '../schema/problem.ts'
import type { EventReader } from '../schema/command.ts'
import { createLazyIterable } from './event-subscription.ts'

/** A fault that was created. `remove` or the end of an `await using` block removes it. */
export interface FaultHandle extends Fault, AsyncDisposable {
  /** Returns the fault with its current `hits` and `remaining`. */
  refresh(): Promise<Fault>
  /** Removes the fault, and releases the requests that it holds. */
  remove(): Promise<void>
  /**
   * Waits until the fault holds at least `held` requests, and returns it.
   *
   * @param held @default 1
   * @param options `within`: how long to wait, in milliseconds. @default 2000
   * @throws MockError `verificationFailed` if it holds fewer after that time, `invalidBody` without the effect `hold`
   */
  waitForHeld(held?: number, options?: { readonly within?: number }): Promise<Fault>
  /**
   * Releases the oldest requests that the fault holds now.
   *
   * @param count @default all of them
   * @throws MockError `invalidBody` without the effect `hold`
   */
  release(count?: number): Promise<Fault>
}

/** Filters recorded requests. `limit` keeps the newest. `since` is a request id (exclusive) or a time (inclusive). */
export interface RequestsQuery extends Pick<Matcher, 'operation' | 'method' | 'path' | 'project' | 'status'> {
  /** Only requests after the one with this id, or received at this time or later. */
  readonly since?: string
  /** The maximum number of requests. The newest are returned. @default all */
  readonly limit?: number
}

/** The traffic of one project or of all: the journal, violations, faults and events. */
export interface TrafficControl {
  /** The journal. A reset clears it. */
  readonly requests: {
    /** Lists the requests, oldest first, with the number of dropped ones. */
    list(query?: RequestsQuery): Promise<RecordedRequests>
    /** Returns the request with this `Mock-Request-Id`. @throws MockError `requestNotFound` */
    get(id: string): Promise<RecordedRequest>
    /**
     * Verifies that matching requests were received.
     *
     * @throws MockError `verificationFailed` or `journalTruncated`, with `facts`: expected, actual and the nearest requests
     * @example
     * await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer any' } })
     * await acme.requests.verify({ match: { operation: 'listUsers' }, times: { exactly: 1 } })
     */
    verify(verification: Verification): Promise<VerificationSuccess>
    /** Deletes all recorded requests. */
    clear(): Promise<void>
  }
  /** The parts of requests that violate the specification. */
  readonly violations: {
    /** Lists requests that the specification does not allow, including those that the mock accepted. */
    list(): Promise<Violations>
    /** Fails a test that caused violations. @throws MockError `violationsFound` */
    verify(): Promise<Violations>
  }
  /** Lists the behavior values that responses depended on, with counts. */
  assumptions(): Promise<readonly Assumption[]>
  /**
   * Returns how often clients were shown each situation. A situation that was never shown has a line that shows it.
   * `formatCoverage` formats it. A reset of a project keeps the counts; a reset of all clears them.
   */
  coverage(): Promise<Coverage>
  /** Forgets what clients were shown. */
  clearCoverage(): Promise<void>
  /** The faults of the project, or of all projects. */
  readonly faults: {
    /**
     * Creates a fault.
     *
     * @param options `required`: whether the end of its `await using` block rejects with `verificationFailed` if the fault never
     *   applied. @default false
     * @throws MockError `invalidBody` if it has no effect or can never apply, `invalidOptions` for an invalid option
     * @example
     * await using fault = await acme.faults.add({ match: { operation: 'createUser' }, effect: { status: 503 } })
     */
    add(rule: FaultRule, options?: FaultOptions): Promise<FaultHandle>
    /** Lists the faults, oldest first. */
    list(): Promise<readonly Fault[]>
    /** Removes a fault. @default all faults @throws MockError `faultNotFound` */
    remove(id?: string): Promise<void>
  }
  /** Subscribes to events: from the first `next()` on, or after the event with the id `after`. */
  events(options?: { readonly after?: number }): AsyncIterable<MockEvent>
}

interface FaultOptions {
  /** Whether the end of its `await using` block rejects if the fault never applied. @default false */
  readonly required?: boolean | undefined
}

// The mock validates the id.
const eventsChecks = { after: () => undefined }
const faultChecks: OptionChecks<FaultOptions> = {
  required: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
}

/** Creates the traffic part of the control API. */
export const createTrafficControl = (
  call: ScopedCall<string | undefined>,
  follow: (after?: number) => EventReader,
): TrafficControl => ({
  requests: {
    list: (query = {}) => call('listRequests', { query }),
    get: (request) => call('retrieveRequest', { params: { request } }),
    verify: (body) => call('verifyRequests', { body }),
    clear: () => call('clearRequests'),
  },
  violations: {
    list: () => call('listViolations'),
    verify: () => call('verifyViolations'),
  },
  assumptions: () => call('listAssumptions').then(({ items }) => items),
  // Without a format, the coverage is data.
  coverage: () => call('readCoverage') as Promise<Coverage>,
  clearCoverage: () => call('clearCoverage'),
  faults: {
    add: async (body, options = {}) => {
      const { required } = checkOptions('faults.add', '{ required: true }', faultChecks, options)
      return createFaultHandle(call, await call('addFault', { body }), required)
    },
    list: () => call('listFaults').then(({ items }) => items),
    // An explicit undefined is a mistake and must not remove all faults.
    remove: (...named) =>
      named.length === 0 ? call('removeFaults') : call('removeFault', { params: { fault: named[0]! } }),
  },
  events: (options = {}) => {
    const { after } = checkOptions('events', '{ after: 0 }', eventsChecks, options)
    return createLazyIterable(() => follow(after))
  },
})

const createFaultHandle = (call: ScopedCall<string | undefined>, fault: Fault, required = false): FaultHandle => {
  const params = { fault: fault.id }
  const refresh = () => call('retrieveFault', { params })
  const remove = () => call('removeFault', { params })
  const verify = async () => verifyFaults([await refresh()], { verify: (body) => call('verifyRequests', { body }) })
  const methods: Omit<FaultHandle, keyof Fault> = {
    waitForHeld: (held, { within } = {}) => call('waitForHeld', { params, body: { held, within } }),
    release: (count) => call('releaseFault', { params, body: { count } }),
    refresh,
    remove,
    // A reset may have removed it.
    [Symbol.asyncDispose]: () => (required ? verify().finally(remove) : remove()).catch(ignoreError('faultNotFound')),
  }
  return { ...fault, ...withCallerStack(methods) }
}

type Requests = Pick<TrafficControl['requests'], 'verify'>

/** Rejects with `verificationFailed` if a fault never applied. The message names each, and the nearest request. */
export const verifyFaults = async (faults: readonly Fault[], requests: Requests): Promise<void> => {
  const unused = faults.filter(({ hits }) => hits === 0)
  if (unused.length === 0) return
  throw errors.verificationFailed({
    unusedFaults: await Promise.all(unused.map((fault) => describeUnused(fault, requests))),
  })
}

const describeUnused = async ({ id, match, project, effect }: Fault, requests: Requests): Promise<string> => {
  const subject = `Fault '${id}' with ${JSON.stringify(effect)} never applied`
  try {
    const { actual } = await requests.verify({ match: { ...match, ...(project !== null && { project }) } })
    return `${subject}, although the journal has ${pluralize(actual, 'request')} that ${actual === 1 ? 'matches' : 'match'}. They came before it, a newer fault applied, or its skip, probability, from or until excluded them.`
  } catch (error) {
    if (!hasCode(error, 'verificationFailed', 'journalTruncated')) throw error
    return `${subject}: ${error.message}`
  }
}

/** Prints a warning if a fault never applied: at the end of a test, that is often a mistake in its match. */
export const warnOfUnusedFaults = async ({
  faults,
  requests,
}: Pick<TrafficControl, 'faults' | 'requests'>): Promise<void> =>
  verifyFaults(await faults.list(), requests).catch((error: unknown) => {
    if (!hasCode(error, 'verificationFailed')) throw error
    console.warn(error.message)
  })
