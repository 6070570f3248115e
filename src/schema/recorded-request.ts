import * as z from 'zod/mini'
import { described, buildRecordSchema, type SchemasOf } from './zod-helpers.ts'
import { BehaviorValue } from './behavior.ts'
import { Fault } from './fault.ts'
import { buildUnpagedListSchema } from './list.ts'
import type { OperationId } from './operation-routes.ts'
import { PaymentLinkView } from './payment-link.ts'
import { ProjectSummary } from './summaries.ts'
import { User } from './user.ts'

// No enum in the document: many code generators cannot read one that is nullable.
const OperationName = z.string() as z.ZodMiniType<OperationId>

/** A part of a request that violates the specification, even if the mock accepted it. */
export interface Violation {
  /** The section of the specification. */
  spec: string
  /** The part of the request. */
  path: string
  /** The problem, and a valid value. */
  message: string
}
export const Violation = z.object({
  spec: described(z.string(), 'The section of the specification.'),
  path: described(z.string(), 'The part of the request.'),
  message: described(z.string(), 'The problem, and a valid value.'),
} satisfies SchemasOf<Violation>)

/** A changed record. */
export interface Change {
  /** The kind of the record. */
  resource: 'user' | 'paymentLink'
  /** The id of the record. */
  id: string
  /** The changed fields before. Null: the record is new. */
  from: Record<string, unknown> | null
  /** The changed fields after. Null: the record was deleted. */
  to: Record<string, unknown> | null
}
export const Change = z.object({
  resource: z.enum(['user', 'paymentLink']),
  id: z.string(),
  from: z.nullable(z.record(z.string(), z.unknown())),
  to: z.nullable(z.record(z.string(), z.unknown())),
} satisfies SchemasOf<Change>)

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

/** A recorded request or response without its first line. */
export interface RecordedMessage {
  /** The headers. The names are in lower case. Secrets are short hashes. */
  headers: Record<string, string>
  /** The parsed JSON, or else the text. Null: no body. */
  body: unknown
  /** Whether the body was truncated. It is then the start of the text. */
  truncated: boolean
}
const RecordedMessage = z.object({
  headers: described(
    buildRecordSchema(z.string(), z.string()),
    'The names are in lower case. Secrets are short hashes.',
  ),
  body: described(z.unknown(), 'The parsed JSON, or else the text. Null: no body.'),
  truncated: described(z.boolean(), 'Whether the body was truncated. It is then the start of the text.'),
} satisfies SchemasOf<RecordedMessage>)

/** A request of a client, and its response. */
export interface RecordedRequest {
  /** The `Mock-Request-Id` of the response. */
  id: string
  /** The project. Null: the path names no project. */
  project: string | null
  /** The operation. Null: no route matched. */
  operation: OperationId | null
  /** The method. */
  method: string
  /** The path as it was sent. */
  path: string
  /** The query parameters by name. */
  query: Record<string, string | string[]>
  /** The status. Null: no response was sent. */
  status: number | null
  /** The time by the clock of the project. */
  receivedAt: string
  /** How long it took, by the clock of the machine, delays of faults included. */
  durationMilliseconds: number
  /** The request. */
  request: RecordedMessage
  /** The response. Null: no response was sent. */
  response: RecordedMessage | null
  /** The behavior values that the response depends on. */
  assumed: Record<string, BehaviorValue>
  /** The parts of the request that violate the specification. */
  violations: Violation[]
  /** The records that the request changed. */
  changes: Change[]
  /** The fault that applied. Null: none. */
  fault: string | null
  /** The request was delivered again by the effect `duplicate`: the client got the second response. */
  superseded?: true | undefined
}
export const RecordedRequest = z.object({
  id: described(z.string(), 'The `Mock-Request-Id` of the response.'),
  project: described(z.nullable(z.string()), 'Null: the path names no project.'),
  operation: described(z.nullable(OperationName), 'Null: no route matched.'),
  method: z.string(),
  path: described(z.string(), 'The path as it was sent.'),
  query: buildRecordSchema(z.string(), z.union([z.string(), z.array(z.string())])),
  status: described(z.nullable(z.int()), 'Null: no response was sent.'),
  receivedAt: described(z.string(), 'The time by the clock of the project.'),
  durationMilliseconds: z.number(),
  request: RecordedMessage,
  response: described(z.nullable(RecordedMessage), 'Null: no response was sent.'),
  assumed: described(z.record(z.string(), BehaviorValue), 'The behavior values that the response depends on.'),
  violations: z.array(Violation),
  changes: z.array(Change),
  fault: described(z.nullable(z.string()), 'The fault that applied.'),
  superseded: described(
    z.optional(z.literal(true)),
    'The request was delivered again by the effect `duplicate`: the client got the second response.',
  ),
} satisfies SchemasOf<RecordedRequest>)

/** The recorded requests. */
export interface RecordedRequests {
  /** Always `list`. */
  object: 'list'
  /** The requests, oldest first. */
  items: RecordedRequest[]
  /** The number of dropped requests. */
  dropped: number
}
export const RecordedRequests = z.extend(buildUnpagedListSchema(RecordedRequest), {
  dropped: z.int(),
}) satisfies z.ZodMiniType<RecordedRequests>

/** The value of a behavior that responses of this run depended on. */
export interface Assumption {
  /** The behavior. */
  key: string
  /** Its value. */
  value: BehaviorValue
  /** The number of responses. */
  count: number
  /** The first request. */
  first: string
}
export const Assumption = z.object({
  key: z.string(),
  value: BehaviorValue,
  count: described(z.int(), 'The number of responses.'),
  first: described(z.string(), 'The first request.'),
} satisfies SchemasOf<Assumption>)

/** A violation, and how often it occurred. */
export interface ViolationCount extends Violation {
  /** The operation. Null: no route matched. */
  operation: OperationId | null
  /** How often it occurred. */
  count: number
  /** The first request. */
  first: string
}
export const ViolationCount = z.extend(Violation, {
  operation: z.nullable(OperationName),
  count: z.int(),
  first: described(z.string(), 'The first request.'),
}) satisfies z.ZodMiniType<ViolationCount>

/** The violations of the requests of a mock or a project. */
export interface Violations {
  /** Always `list`. */
  object: 'list'
  /** The violations in the order of their first occurrence. */
  items: ViolationCount[]
  /** The number of dropped violations. */
  dropped: number
}
export const Violations = z.extend(buildUnpagedListSchema(ViolationCount), {
  dropped: z.int(),
}) satisfies z.ZodMiniType<Violations>

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
export type MockEvent = {
  /** The number of the event. A stream can resume after it. */
  id: number
} & (
  | {
      /** A request was recorded. */
      type: 'request'
      /** The project. Null: the path names no project. */
      project: string | null
      /** The request and its response. */
      request: RecordedRequest
    }
  | {
      /** A record was changed. */
      type: 'change'
      /** The project of the record. */
      project: string
      /** The record, before and after. */
      change: Change
    }
  | {
      /** A fault applied. */
      type: 'fault'
      /** The project of the request. */
      project: string
      /** The id of the fault. */
      fault: string
      /** The id of the request. */
      request: string
    }
  | {
      /** A payment attempt failed. */
      type: 'payment'
      /** The project of the payment link. */
      project: string
      /** The id of the payment link. */
      paymentLink: string
      /** Always `failed`: a payment that succeeds is a change. */
      outcome: 'failed'
    }
  | {
      /** The state was replaced. */
      type: 'reset'
      /** The project. Null: all projects. */
      project: string | null
      /** How the state was replaced. */
      reason: 'reset' | 'loaded' | 'restored' | 'deleted'
    }
  | {
      /** Events were dropped. */
      type: 'dropped'
      /** The number of dropped events. */
      count: number
    }
)
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
]) satisfies z.ZodMiniType<MockEvent>
