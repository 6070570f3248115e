import * as z from 'zod'
import { MockEvent } from './event.ts'
import { Fault, FaultRule } from './fault.ts'
import { PathPattern } from './matcher.ts'
import { Method, OperationId } from './operation.ts'
import { Assumption, Entries, Entry, Violations } from './traffic.ts'
import { Verification, Verified } from './verification.ts'
import { items, type Verb } from './verb.ts'

const whole = (form: RegExp, what: string) => z.string(what).regex(form, what).transform(Number).optional()

/** Which entries of the journal are asked for. */
const RequestsQuery = z.object({
  operation: OperationId.optional(),
  method: Method.optional(),
  path: PathPattern.optional(),
  project: z.string().optional(),
  status: whole(/^[1-5]\d\d$/, 'must be a status such as 409'),
  since: z.string().optional(),
  limit: whole(/^\d{1,9}$/, 'must be an integer from 0'),
})

/** What was called, what was broken on purpose, and what that relied on. */
export const trafficVerbs = {
  listRequests: {
    scope: 'both',
    method: 'GET',
    path: '/requests',
    summary: 'List the requests of clients, oldest first',
    query: RequestsQuery,
    response: Entries,
  },
  forgetRequests: { scope: 'both', method: 'DELETE', path: '/requests', summary: 'Forget the requests' },
  retrieveRequest: {
    scope: 'both',
    method: 'GET',
    path: '/requests/{request}',
    summary: 'See a request and its answer',
    response: Entry,
  },
  verifyRequests: {
    scope: 'both',
    method: 'POST',
    path: '/requests/verify',
    summary: 'Verify what was called, now or within some time (409 if it was not)',
    body: Verification,
    response: Verified,
  },

  listViolations: {
    scope: 'both',
    method: 'GET',
    path: '/violations',
    summary: 'List what clients sent that the specification does not allow',
    response: Violations,
  },
  verifyViolations: {
    scope: 'both',
    method: 'POST',
    path: '/violations/verify',
    summary: 'Verify that there is none (409 if there is)',
    response: Violations,
  },
  listAssumptions: {
    scope: 'both',
    method: 'GET',
    path: '/assumptions',
    summary: 'List the readings that answers relied on',
    response: items(Assumption),
  },

  listFaults: { scope: 'both', method: 'GET', path: '/faults', summary: 'List the faults', response: items(Fault) },
  addFault: {
    scope: 'both',
    method: 'POST',
    path: '/faults',
    summary: 'Break what is called, as a rule says',
    status: 201,
    body: FaultRule,
    response: Fault,
  },
  removeFaults: { scope: 'both', method: 'DELETE', path: '/faults', summary: 'Take the faults away' },
  retrieveFault: { scope: 'both', method: 'GET', path: '/faults/{fault}', summary: 'See a fault', response: Fault },
  removeFault: { scope: 'both', method: 'DELETE', path: '/faults/{fault}', summary: 'Take a fault away' },

  events: {
    scope: 'both',
    method: 'GET',
    path: '/events',
    summary: 'Follow what happens, as server-sent events',
    event: MockEvent,
  },
} as const satisfies Record<string, Verb>
