import * as z from 'zod/mini'
import { described } from './zod-helpers.ts'
import { ClockStatus } from './clock-document.ts'
import { Locale } from './field.ts'
import { ProjectId } from './seed.ts'

export const Health = z.object({ status: z.literal('ok'), version: z.string(), uptimeSeconds: z.number() })
export type Health = z.infer<typeof Health>

/** The summary of a project. `revision` grows by one with each change of its data. */
export const ProjectSummary = z.object({
  object: z.literal('project'),
  id: z.string(),
  revision: z.int(),
  users: z.int(),
  paymentLinks: z.int(),
  preferredLocale: z.string(),
  clock: ClockStatus,
})
export type ProjectSummary = z.infer<typeof ProjectSummary>

/** The fields of a project that can be set. */
export const ProjectChange = z.object({ preferredLocale: z.optional(Locale) })

/** The summary of a snapshot: a named copy of the state. */
export const Snapshot = z.object({ name: z.string(), createdAt: z.string(), users: z.int(), paymentLinks: z.int() })
export type Snapshot = z.infer<typeof Snapshot>

/** The body that saves a snapshot. */
export const SnapshotCreate = z.object({ name: ProjectId.check(z.maxLength(200)) })

/** The summary of a sandbox. */
export const SandboxSummary = z.object({
  name: z.string(),
  projects: described(z.int(), 'How many projects it has.'),
  createdAt: described(z.string(), 'By the clock of the machine.'),
})
export type SandboxSummary = z.infer<typeof SandboxSummary>

/** A situation: a result of an operation, or a fault of any, with the number of times that clients were shown it. */
export const CoverageItem = z.object({
  operation: described(z.nullable(z.string()), 'Null: any operation.'),
  situation: described(z.string(), 'For example `409 paymentLinkNotActive`, `200 second page` or `no response`.'),
  seen: described(z.int(), 'How often a client was shown it.'),
  request: described(z.nullable(z.string()), 'The first request. Null: none.'),
  sandbox: described(z.optional(z.string()), 'The sandbox of the first request. Absent: none.'),
  show: described(
    z.optional(z.string()),
    'If it was never shown: a line of TypeScript, after which the client is shown it.',
  ),
})
export type CoverageItem = z.infer<typeof CoverageItem>

/** All situations, and how many of them clients were shown. */
export const Coverage = z.object({
  object: z.literal('coverage'),
  seen: described(z.int(), 'The number of situations that were shown.'),
  total: described(z.int(), 'The number of all situations.'),
  items: z.array(CoverageItem),
})
export type Coverage = z.infer<typeof Coverage>
