import type { Matcher } from '../schema/matcher.ts'
import type { Assumption, RecordedRequest, RecordedRequests, Violations } from '../schema/recorded-request.ts'
import type { Coverage } from '../schema/summaries.ts'
import type { Verification, VerificationSuccess } from '../schema/verification.ts'
import { getItems, type ScopedCall } from './call.ts'

/** Filters recorded requests. `limit` keeps the newest. `since` is a request id (exclusive) or a time (inclusive). */
export interface RequestsQuery extends Pick<Matcher, 'operation' | 'method' | 'path' | 'project' | 'status'> {
  /** Only requests after the one with this id, or received at this time or later. */
  readonly since?: string | undefined
  /** The maximum number of requests. The newest are returned. @default all */
  readonly limit?: number | undefined
}

/** The journal of one project or of all, and the diagnostics made from it. */
export interface RequestControl {
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
}

export const createRequestControl = (call: ScopedCall): RequestControl => ({
  requests: {
    list: (query = {}) => call('listRequests', { query }),
    get: (request) => call('retrieveRequest', { params: { request } }),
    verify: (body) => call('verifyRequests', { body }),
    clear: () => call('clearRequests'),
  },
  violations: { list: () => call('listViolations'), verify: () => call('verifyViolations') },
  assumptions: () => call('listAssumptions').then(getItems),
  // Without a format, the coverage is data.
  coverage: () => call('readCoverage') as Promise<Coverage>,
  clearCoverage: () => call('clearCoverage'),
})
