import * as z from 'zod'
import type { Command } from './commands.ts'
import { described, documentation } from './documentation.ts'
import { Fault, FaultRule, HeldCheck, Release } from './fault.ts'
import { unpagedListOf } from './list.ts'
import { PathPattern } from './matcher.ts'
import { Method, OperationId } from './operation.ts'
import { Assumption, MockEvent, RecordedRequest, RecordedRequests, Report, Violations } from './traffic.ts'
import { Verification, Verified } from './verification.ts'

const integer = (form: RegExp, message: string, range: { description: string; minimum: number; maximum: number }) =>
  z
    .string(message)
    .regex(form, message)
    .transform(Number)
    .optional()
    .register(documentation, { type: 'integer', ...range })

/** The filters of the journal. */
const RequestsQuery = z.object({
  operation: described(OperationId.optional(), 'Only requests to this operation.'),
  method: described(Method.optional(), 'Only requests with this method.'),
  path: described(PathPattern.optional(), 'Only requests to this path; `*` matches one segment.'),
  project: described(z.string().optional(), 'Only requests to this project.'),
  status: integer(/^[1-5]\d\d$/, 'must be a status such as 409', {
    description: 'Only requests with this response status.',
    minimum: 100,
    maximum: 599,
  }),
  since: z.string().optional().register(documentation, {
    description: 'Only requests after the one with this id, or received at this ISO 8601 time or later.',
    minLength: 1,
  }),
  limit: integer(/^\d{1,9}$/, 'must be an integer from 0', {
    description: 'How many requests are returned at most: the newest. Default: all of them.',
    minimum: 0,
    maximum: 999_999_999,
  }),
})

/** The recorded requests, the diagnostics made from them, the faults and the events. */
export const trafficCommands = {
  listRequests: {
    scope: 'both',
    method: 'GET',
    path: '/requests',
    summary: 'List recorded requests',
    query: RequestsQuery,
    response: RecordedRequests,
  },
  clearRequests: { scope: 'both', method: 'DELETE', path: '/requests', summary: 'Clear the journal' },
  retrieveRequest: {
    scope: 'both',
    method: 'GET',
    path: '/requests/{request}',
    summary: 'Retrieve a recorded request',
    response: RecordedRequest,
    errors: ['requestNotFound'],
  },
  verifyRequests: {
    scope: 'both',
    method: 'POST',
    path: '/requests/verify',
    summary: 'Verify requests',
    body: Verification,
    response: Verified,
    errors: ['verificationFailed', 'journalTruncated'],
  },

  listViolations: {
    scope: 'both',
    method: 'GET',
    path: '/violations',
    summary: 'List violations',
    response: Violations,
  },
  verifyViolations: {
    scope: 'both',
    method: 'POST',
    path: '/violations/verify',
    summary: 'Verify that there are no violations',
    response: Violations,
    errors: ['violationsFound'],
  },
  listAssumptions: {
    scope: 'both',
    method: 'GET',
    path: '/assumptions',
    summary: 'List assumptions',
    response: unpagedListOf(Assumption),
  },

  listFaults: { scope: 'both', method: 'GET', path: '/faults', summary: 'List faults', response: unpagedListOf(Fault) },
  addFault: {
    scope: 'both',
    method: 'POST',
    path: '/faults',
    summary: 'Create a fault',
    status: 201,
    body: FaultRule,
    response: Fault,
  },
  removeFaults: { scope: 'both', method: 'DELETE', path: '/faults', summary: 'Delete all faults' },
  retrieveFault: {
    scope: 'both',
    method: 'GET',
    path: '/faults/{fault}',
    summary: 'Retrieve a fault',
    response: Fault,
    errors: ['faultNotFound'],
  },
  removeFault: {
    scope: 'both',
    method: 'DELETE',
    path: '/faults/{fault}',
    summary: 'Delete a fault',
    errors: ['faultNotFound'],
  },

  releaseFault: {
    scope: 'both',
    method: 'POST',
    path: '/faults/{fault}/release',
    summary: 'Release held requests',
    body: Release,
    response: Fault,
    errors: ['faultNotFound'],
  },
  waitForHeld: {
    scope: 'both',
    method: 'POST',
    path: '/faults/{fault}/wait',
    summary: 'Wait for held requests',
    body: HeldCheck,
    response: Fault,
    errors: ['faultNotFound', 'verificationFailed'],
  },

  report: {
    scope: 'both',
    method: 'GET',
    path: '/report',
    summary: 'Report what happened',
    query: z.object({ format: described(z.enum(['text', 'json']).optional(), 'Default: `text`.') }),
    response: Report,
    text: true,
  },
  events: {
    scope: 'both',
    method: 'GET',
    path: '/events',
    summary: 'Stream events',
    event: MockEvent,
  },
} as const satisfies Record<string, Command>
