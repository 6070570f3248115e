import * as z from 'zod/mini'
import { described } from './zod-helpers.ts'
import { ClockStatus } from './clock-document.ts'
import { buildUnpagedListSchema } from './list.ts'

export const ProjectSummary = z.object({
  object: described(z.literal('project'), 'Always `project`.'),
  id: described(z.string(), 'The id of the project.'),
  revision: described(z.int(), 'The number of changes of its data.'),
  users: described(z.int(), 'The number of users.'),
  paymentLinks: described(z.int(), 'The number of payment links.'),
  preferredLocale: described(z.string(), 'The `preferredLocale` of users that are created without one.'),
  clock: described(ClockStatus, 'The clock of the project.'),
})
/** The summary of a project. */
export type ProjectSummary = z.infer<typeof ProjectSummary>

export const ProjectList = buildUnpagedListSchema(ProjectSummary)

export const Snapshot = z.object({
  name: described(z.string(), 'The name.'),
  createdAt: described(z.string(), 'When the snapshot was saved, by the mock clock.'),
  users: described(z.int(), 'The number of users.'),
  paymentLinks: described(z.int(), 'The number of payment links.'),
})
/** The summary of a snapshot: a named copy of the state. */
export type Snapshot = z.infer<typeof Snapshot>

export const SandboxSummary = z.object({
  name: described(z.string(), 'The name.'),
  projects: described(z.int(), 'How many projects it has.'),
  createdAt: described(z.string(), 'When it was created, by the clock of the machine.'),
})
export type SandboxSummary = z.infer<typeof SandboxSummary>

const PreparingCall = z.object({
  method: described(z.enum(['POST', 'PUT']), 'The method.'),
  path: described(z.string(), 'The path below `/__admin/projects/{project}`.'),
  body: described(z.record(z.string(), z.unknown()), 'The body.'),
})
/** A call of the control API for one project. */
export type PreparingCall = z.infer<typeof PreparingCall>

export const CoverageItem = z.object({
  operation: described(z.nullable(z.string()), 'The operation. Null: any operation.'),
  situation: described(z.string(), 'For example `409 paymentLinkNotActive`, `200 second page` or `no response`.'),
  seen: described(z.int(), 'How often a client was shown it.'),
  request: described(z.nullable(z.string()), 'The first request. Null: none.'),
  sandbox: described(z.optional(z.string()), 'The sandbox of the first request. Absent: none.'),
  show: described(
    z.optional(z.array(PreparingCall)),
    'If it was never shown: the calls after which the next call of the client shows it. Absent: any call shows it.',
  ),
})
/** A situation: a result of an operation, or a fault of any, with the number of times that clients were shown it. */
export type CoverageItem = z.infer<typeof CoverageItem>

export const Coverage = z.object({
  object: described(z.literal('coverage'), 'Always `coverage`.'),
  seen: described(z.int(), 'The number of situations that were shown.'),
  total: described(z.int(), 'The number of all situations.'),
  items: described(z.array(CoverageItem), 'The situations.'),
})
/** All situations, and how many of them clients were shown. */
export type Coverage = z.infer<typeof Coverage>
