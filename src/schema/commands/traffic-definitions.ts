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
  listRequests: defineCommand('both', 'GET', '/requests', 'List recorded requests', {
    description: 'The oldest request comes first.',
    query: JournalQuery,
    response: RecordedRequests,
  }),

  clearRequests: defineCommand('both', 'DELETE', '/requests', 'Clear the journal'),

  retrieveRequest: defineCommand('both', 'GET', '/requests/{request}', 'Retrieve a recorded request', {
    response: RecordedRequest,
  }),

  verifyRequests: defineCommand('both', 'POST', '/requests/verify', 'Verify requests', {
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

  listViolations: defineCommand('both', 'GET', '/violations', 'List violations', {
    description: 'Requests that violate the specification, even if the mock accepted them.',
    response: Violations,
  }),

  verifyViolations: defineCommand('both', 'POST', '/violations/verify', 'Verify that there are no violations', {
    description: 'Responds with 409 if there are any.',
    response: Violations,
    errors: ['violationsFound'],
  }),

  listAssumptions: defineCommand('both', 'GET', '/assumptions', 'List assumptions', {
    description: 'The behaviors that responses relied on.',
    response: buildUnpagedListSchema(Assumption),
  }),

  readCoverage: defineCommand('both', 'GET', '/coverage', 'Read the coverage', {
    description:
      'The situations that clients were shown, and those that they never were. A reset of all projects clears the counts.',
    text: true,
    query: z.object({ format: described(z.optional(z.enum(['json', 'text'])), 'Default: `json`.') }),
    response: Coverage,
  }),

  clearCoverage: defineCommand('both', 'DELETE', '/coverage', 'Clear the coverage'),
  listFaults: defineCommand('both', 'GET', '/faults', 'List faults', { response: buildUnpagedListSchema(Fault) }),

  addFault: defineCommand('both', 'POST', '/faults', 'Create a fault', {
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

  removeFaults: defineCommand('both', 'DELETE', '/faults', 'Delete all faults'),

  retrieveFault: defineCommand('both', 'GET', '/faults/{fault}', 'Retrieve a fault', { response: Fault }),

  removeFault: defineCommand('both', 'DELETE', '/faults/{fault}', 'Delete a fault'),

  releaseFault: defineCommand('both', 'POST', '/faults/{fault}/release', 'Release held requests', {
    body: Release,
    response: Fault,
    examples: {
      all: { summary: 'All requests that wait now', value: {} },
      one: { summary: 'The oldest request', value: { count: 1 } },
    },
  }),

  waitForHeld: defineCommand('both', 'POST', '/faults/{fault}/wait', 'Wait for held requests', {
    body: HeldCheck,
    response: Fault,
    errors: ['verificationFailed'],
    examples: { one: { summary: 'At least one request', value: { held: 1, within: 2000 } } },
  }),

  report: defineCommand('both', 'GET', '/report', 'Report what happened', {
    description:
      'The last requests, records and faults of a project, or of the ten projects that were used last, as text.',
    text: true,
    query: z.object({ format: described(z.optional(z.enum(['text', 'json'])), 'Default: `text`.') }),
    response: Report,
  }),

  events: defineCommand('both', 'GET', '/events', 'Stream events', {
    description: 'Sends server-sent events.',
    event: MockEvent,
  }),
}
