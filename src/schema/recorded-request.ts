import * as z from 'zod/mini'
import { described, buildRecordSchema } from './zod-helpers.ts'
import { Fault } from './fault.ts'
import { PaymentLinkView } from './payment-link.ts'
import { ProjectSummary } from './summaries.ts'
import { User } from './user.ts'

const Id = z.string()
const Value = z.union([z.string(), z.number(), z.boolean()])
type Value = z.infer<typeof Value>

/** A part of a request that violates the specification, even if the mock accepted it. */
export const Violation = z.object({
  spec: described(z.string(), 'The section of the specification.'),
  path: described(z.string(), 'The part of the request.'),
  message: described(z.string(), 'The problem, and a valid value.'),
})
export type Violation = z.infer<typeof Violation>

/** A changed record, with the changed fields before and after. `from` is null for a new record, `to` for a deleted one. */
export const Change = z.object({
  resource: z.enum(['user', 'paymentLink']),
  id: Id,
  from: z.nullable(z.record(z.string(), z.unknown())),
  to: z.nullable(z.record(z.string(), z.unknown())),
})
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

const Message = z.object({
  headers: described(
    buildRecordSchema(z.string(), z.string()),
    'The names are in lower case. Secrets are short hashes.',
  ),
  body: described(z.unknown(), 'The parsed JSON, or else the text. Null: no body.'),
  truncated: described(z.boolean(), 'Whether the body was truncated. It is then the start of the text.'),
})

type Message = z.infer<typeof Message>

/** A request of a client, and its response. */
export const RecordedRequest = z.object({
  id: described(Id, 'The `Mock-Request-Id` of the response.'),
  project: described(z.nullable(z.string()), 'Null: the path names no project.'),
  operation: described(z.nullable(z.string()), 'Null: no route matched.'),
  method: z.string(),
  path: described(z.string(), 'The path as it was sent.'),
  query: buildRecordSchema(z.string(), z.union([z.string(), z.array(z.string())])),
  status: described(z.nullable(z.int()), 'Null: no response was sent.'),
  receivedAt: described(z.string(), 'The time by the clock of the project.'),
  durationMilliseconds: z.number(),
  request: Message,
  response: described(z.nullable(Message), 'Null: no response was sent.'),
  assumed: described(z.record(z.string(), Value), 'The behavior values that the response depends on.'),
  violations: z.array(Violation),
  changes: z.array(Change),
  fault: described(z.nullable(z.string()), 'The fault that applied.'),
  superseded: described(
    z.optional(z.literal(true)),
    'The request was delivered again by the effect `duplicate`: the client got the second response.',
  ),
})
export type RecordedRequest = z.infer<typeof RecordedRequest>

/** The recorded requests, oldest first, and the number of dropped ones. */
export const RecordedRequests = z.object({
  object: z.literal('list'),
  items: z.array(RecordedRequest),
  dropped: z.int(),
})
export type RecordedRequests = z.infer<typeof RecordedRequests>

/** The value of a behavior that responses of this run depended on. */
export const Assumption = z.object({
  key: z.string(),
  value: Value,
  count: described(z.int(), 'The number of responses.'),
  first: described(Id, 'The first request.'),
})
export type Assumption = z.infer<typeof Assumption>

/** A violation, and how often it occurred. */
export const ViolationCount = z.extend(Violation, {
  operation: z.nullable(z.string()),
  count: z.int(),
  first: described(Id, 'The first request.'),
})
export type ViolationCount = z.infer<typeof ViolationCount>

/** Violations in the order of their first occurrence, and the number of dropped ones. */
export const Violations = z.object({ object: z.literal('list'), items: z.array(ViolationCount), dropped: z.int() })
export type Violations = z.infer<typeof Violations>

/** The newest requests and records of a project. */
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

/** An event: a recorded request, a changed record, an applied fault or a replaced state. */
export const MockEvent = z.discriminatedUnion('type', [
  z.object({ id, type: z.literal('request'), project: z.nullable(z.string()), request: RecordedRequest }),
  z.object({ id, type: z.literal('change'), project: z.string(), change: Change }),
  z.object({ id, type: z.literal('fault'), project: z.string(), fault: z.string(), request: z.string() }),
  z.object({
    id,
    type: z.literal('payment'),
    project: z.string(),
    paymentLink: z.string(),
    outcome: z.literal('failed'),
  }),
  z.object({
    id,
    type: z.literal('reset'),
    project: described(z.nullable(z.string()), 'Null: all projects.'),
    reason: z.enum(['reset', 'loaded', 'restored', 'deleted']),
  }),
  z.object({ id, type: z.literal('dropped'), count: described(z.int(), 'The number of dropped events.') }),
])
export type MockEvent = z.infer<typeof MockEvent>
