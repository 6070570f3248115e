import * as z from 'zod/mini'
import { defineCommand } from '../command-definition.ts'
import { Coverage } from '../summaries.ts'
import { Fault, FaultRule, HeldCheck, Release } from '../fault.ts'
import { JournalQuery, buildUnpagedListSchema } from '../list.ts'
import { Assumption, MockEvent, RecordedRequest, RecordedRequests, Report, Violations } from '../recorded-request.ts'
import { Verification, VerificationSuccess } from '../verification.ts'
import { described } from '../zod-helpers.ts'

/** The recorded requests, the diagnostics made from them, the faults and the events. */
export const trafficCommands = {
  listRequests: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/requests',
    summary: 'List recorded requests',
    description: 'The oldest request comes first.',
    query: JournalQuery,
    response: RecordedRequests,
  }),

  clearRequests: defineCommand({
    scope: 'both',
    method: 'DELETE',
    path: '/requests',
    summary: 'Clear the journal',
  }),

  retrieveRequest: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/requests/{request}',
    summary: 'Retrieve a recorded request',
    response: RecordedRequest,
    errors: ['requestNotFound'],
  }),

  verifyRequests: defineCommand({
    scope: 'both',
    method: 'POST',
    path: '/requests/verify',
    summary: 'Verify requests',
    description: 'Responds with 409 if the verification fails, after waiting up to `within` milliseconds.',
    body: Verification,
    response: VerificationSuccess,
    errors: ['verificationFailed', 'journalTruncated'],
    examples: {
      times: { summary: 'One request', value: { match: { operation: 'createUser' }, times: { exactly: 1 } } },
      within: { summary: 'Wait for a request', value: { match: { operation: 'createPaymentLink' }, within: 2000 } },
      sequence: {
        summary: 'Two requests in this order',
        value: { sequence: [{ operation: 'createUser' }, { operation: 'createPaymentLink' }] },
      },
    },
  }),

  listViolations: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/violations',
    summary: 'List violations',
    description: 'Requests that violate the specification, even if the mock accepted them.',
    response: Violations,
  }),

  verifyViolations: defineCommand({
    scope: 'both',
    method: 'POST',
    path: '/violations/verify',
    summary: 'Verify that there are no violations',
    description: 'Responds with 409 if there are any.',
    response: Violations,
    errors: ['violationsFound'],
  }),

  listAssumptions: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/assumptions',
    summary: 'List assumptions',
    description: 'The behaviors that responses relied on.',
    response: buildUnpagedListSchema(Assumption),
  }),

  readCoverage: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/coverage',
    summary: 'Read the coverage',
    description:
      'The situations that clients were shown, and those that they never were. A reset of all projects clears the counts.',
    text: true,
    query: z.object({ format: described(z.optional(z.enum(['json', 'text'])), 'Default: `json`.') }),
    response: Coverage,
  }),

  clearCoverage: defineCommand({
    scope: 'both',
    method: 'DELETE',
    path: '/coverage',
    summary: 'Clear the coverage',
  }),

  listFaults: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/faults',
    summary: 'List faults',
    response: buildUnpagedListSchema(Fault),
  }),

  addFault: defineCommand({
    scope: 'both',
    method: 'POST',
    path: '/faults',
    summary: 'Create a fault',
    status: 201,
    body: FaultRule,
    response: Fault,
    examples: {
      unavailable: {
        summary: 'The next create of a user fails',
        value: { match: { operation: 'createUser' }, effect: { status: 503, headers: { 'retry-after': '1' } } },
      },
      lost: {
        summary: 'The link is created, but the response is lost',
        value: { match: { operation: 'createPaymentLink' }, phase: 'after', effect: { connection: 'reset' } },
      },
      slow: {
        summary: 'Every response is late',
        value: { times: null, effect: { delay: { milliseconds: 200, jitter: 50 } } },
      },
      hold: {
        summary: 'A request that waits for its release',
        value: { match: { operation: 'createPaymentLink' }, effect: { hold: true } },
      },
      stale: { summary: 'A list that misses the newest change', value: { effect: { stale: { changes: 1 } } } },
      duplicate: { summary: 'A request that is delivered twice', value: { effect: { duplicate: true } } },
      evolve: { summary: 'A later release of the service', value: { times: null, effect: { evolve: true } } },
      rateLimit: { summary: 'A rate limit', value: { effect: { rateLimit: { limit: 5, window: 1000 } } } },
    },
  }),

  removeFaults: defineCommand({
    scope: 'both',
    method: 'DELETE',
    path: '/faults',
    summary: 'Delete all faults',
  }),

  retrieveFault: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/faults/{fault}',
    summary: 'Retrieve a fault',
    response: Fault,
    errors: ['faultNotFound'],
  }),

  removeFault: defineCommand({
    scope: 'both',
    method: 'DELETE',
    path: '/faults/{fault}',
    summary: 'Delete a fault',
    errors: ['faultNotFound'],
  }),

  releaseFault: defineCommand({
    scope: 'both',
    method: 'POST',
    path: '/faults/{fault}/release',
    summary: 'Release held requests',
    body: Release,
    response: Fault,
    errors: ['faultNotFound'],
    examples: {
      all: { summary: 'All requests that wait now', value: {} },
      one: { summary: 'The oldest request', value: { count: 1 } },
    },
  }),

  waitForHeld: defineCommand({
    scope: 'both',
    method: 'POST',
    path: '/faults/{fault}/wait',
    summary: 'Wait for held requests',
    body: HeldCheck,
    response: Fault,
    errors: ['faultNotFound', 'verificationFailed'],
    examples: { one: { summary: 'At least one request', value: { held: 1, within: 2000 } } },
  }),

  report: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/report',
    summary: 'Report what happened',
    description:
      'The last requests, records and faults of a project, or of the ten projects that were used last, as text.',
    text: true,
    query: z.object({ format: described(z.optional(z.enum(['text', 'json'])), 'Default: `text`.') }),
    response: Report,
  }),

  events: defineCommand({
    scope: 'both',
    method: 'GET',
    path: '/events',
    summary: 'Stream events',
    description: 'Sends server-sent events.',
    event: MockEvent,
  }),
}
