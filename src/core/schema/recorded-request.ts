import * as z from 'zod/mini'
import { described, documentation, buildRecordSchema } from './zod-helpers.ts'
import { BehaviorValue } from './behavior.ts'
import { Fault } from './fault.ts'
import { buildUnpagedListSchema } from './list.ts'
import { OperationId } from './operation-routes.ts'
import { PaymentLinkView } from './payment-link.ts'
import { ProjectSummary } from './summaries.ts'
import { User } from './user.ts'

// No enum in the document: many code generators cannot read one that is nullable.
const OperationName = OperationId.clone().register(documentation, { enum: undefined })

export const Violation = z.object({
  spec: described(z.string(), 'The section of the specification.'),
  path: described(z.string(), 'The part of the request.'),
  message: described(z.string(), 'The problem, and a valid value.'),
})
/** A part of a request that violates the specification, even if the mock accepted it. */
export type Violation = z.infer<typeof Violation>

export const Change = z.object({
  resource: described(z.enum(['user', 'paymentLink']), 'The kind of the record.'),
  id: described(z.string(), 'The id of the record.'),
  from: described(z.nullable(z.record(z.string(), z.unknown())), 'The changed fields before. Null: the record is new.'),
  to: described(
    z.nullable(z.record(z.string(), z.unknown())),
    'The changed fields after. Null: the record was deleted.',
  ),
})
/** A changed record. */
export type Change = z.infer<typeof Change>

/** The headers that contain secrets, in lower case. Recorded requests show short hashes instead. */
export const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-auth-token',
  'api-key',
])

const RecordedMessage = z.object({
  headers: described(
    buildRecordSchema(z.string(), z.string()),
    'The headers. The names are in lower case. Secrets are short hashes.',
  ),
  body: described(z.unknown(), 'The parsed JSON, or else the text. Null: no body.'),
  truncated: described(z.boolean(), 'Whether the body was truncated. It is then the start of the text.'),
})

export const RecordedRequest = z.object({
  id: described(z.string(), 'The `Mock-Request-Id` of the response.'),
  project: described(z.nullable(z.string()), 'The project. Null: the path names no project.'),
  operation: described(z.nullable(OperationName), 'The operation. Null: no route matched.'),
  method: described(z.string(), 'The method.'),
  path: described(z.string(), 'The path as it was sent.'),
  query: described(
    buildRecordSchema(z.string(), z.union([z.string(), z.array(z.string())])),
    'The query parameters by name.',
  ),
  status: described(z.nullable(z.int()), 'The status. Null: no response was sent.'),
  receivedAt: described(z.string(), 'The time by the clock of the project.'),
  durationMilliseconds: described(
    z.number(),
    'How long it took, by the clock of the machine, delays of faults included.',
  ),
  request: described(RecordedMessage, 'The request.'),
  response: described(z.nullable(RecordedMessage), 'The response. Null: no response was sent.'),
  assumed: described(z.record(z.string(), BehaviorValue), 'The behavior values that the response depends on.'),
  violations: described(z.array(Violation), 'The parts of the request that violate the specification.'),
  changes: described(z.array(Change), 'The records that the request changed.'),
  fault: described(z.nullable(z.string()), 'The fault that applied. Null: none.'),
  superseded: described(
    z.optional(z.literal(true)),
    'The request was delivered again by the effect `duplicate`: the client got the second response.',
  ),
})
/** A request of a client, and its response. */
export type RecordedRequest = z.infer<typeof RecordedRequest>

export const RecordedRequests = z.extend(buildUnpagedListSchema(RecordedRequest), {
  items: described(z.array(RecordedRequest), 'The requests, oldest first.'),
  dropped: described(z.int(), 'The number of dropped requests.'),
})
/** The recorded requests. */
export type RecordedRequests = z.infer<typeof RecordedRequests>

export const Assumption = z.object({
  key: described(z.string(), 'The behavior.'),
  value: described(BehaviorValue, 'Its value.'),
  count: described(z.int(), 'The number of responses.'),
  first: described(z.string(), 'The first request.'),
})
/** The value of a behavior that responses of this run depended on. */
export type Assumption = z.infer<typeof Assumption>

export const ViolationCount = z.extend(Violation, {
  operation: described(z.nullable(OperationName), 'The operation. Null: no route matched.'),
  count: described(z.int(), 'How often it occurred.'),
  first: described(z.string(), 'The first request.'),
})
export type ViolationCount = z.infer<typeof ViolationCount>

export const Violations = z.extend(buildUnpagedListSchema(ViolationCount), {
  items: described(z.array(ViolationCount), 'The violations in the order of their first occurrence.'),
  dropped: described(z.int(), 'The number of dropped violations.'),
})
/** The violations of the requests of a mock or a project. */
export type Violations = z.infer<typeof Violations>

export const ProjectReport = z.object({
  summary: ProjectSummary,
  requests: described(z.array(RecordedRequest), 'The last 20, oldest first.'),
  users: described(z.array(User), 'At most 10.'),
  paymentLinks: described(z.array(PaymentLinkView), 'At most 10.'),
  faults: z.array(Fault),
})
export type ProjectReport = z.infer<typeof ProjectReport>

export const Report = z.object({
  object: z.literal('report'),
  projects: described(z.array(ProjectReport), 'At most 10, the one that was used last first.'),
})
export type Report = z.infer<typeof Report>

const id = described(z.int(), 'The number of the event. A stream can resume after it.')

export const MockEvent = z.discriminatedUnion('type', [
  z.object({
    id,
    type: described(z.literal('request'), 'A request was recorded.'),
    project: described(z.nullable(z.string()), 'The project. Null: the path names no project.'),
    request: described(RecordedRequest, 'The request and its response.'),
  }),
  z.object({
    id,
    type: described(z.literal('change'), 'A record was changed.'),
    project: described(z.string(), 'The project of the record.'),
    change: described(Change, 'The record, before and after.'),
  }),
  z.object({
    id,
    type: described(z.literal('fault'), 'A fault applied.'),
    project: described(z.string(), 'The project of the request.'),
    fault: described(z.string(), 'The id of the fault.'),
    request: described(z.string(), 'The id of the request.'),
  }),
  z.object({
    id,
    type: described(z.literal('payment'), 'A payment attempt failed.'),
    project: described(z.string(), 'The project of the payment link.'),
    paymentLink: described(z.string(), 'The id of the payment link.'),
    outcome: described(z.literal('failed'), 'Always `failed`: a payment that succeeds is a change.'),
  }),
  z.object({
    id,
    type: described(z.literal('reset'), 'The state was replaced.'),
    project: described(z.nullable(z.string()), 'The project. Null: all projects.'),
    reason: described(z.enum(['reset', 'loaded', 'restored', 'deleted']), 'How the state was replaced.'),
  }),
  z.object({
    id,
    type: described(z.literal('dropped'), 'Events were dropped.'),
    count: described(z.int(), 'The number of dropped events.'),
  }),
])
/** An event: a recorded request, a changed record, an applied fault or a replaced state. */
export type MockEvent = z.infer<typeof MockEvent>
