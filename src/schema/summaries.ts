import * as z from 'zod/mini'
import { described, type SchemasOf } from './zod-helpers.ts'
import { ClockStatus } from './clock-document.ts'
import { buildUnpagedListSchema } from './list.ts'

/** The summary of a project. */
export interface ProjectSummary {
  /** Always `project`. */
  object: 'project'
  /** The id of the project. */
  id: string
  /** The number of changes of its data. */
  revision: number
  /** The number of users. */
  users: number
  /** The number of payment links. */
  paymentLinks: number
  /** The `preferredLocale` of users that are created without one. */
  preferredLocale: string
  /** The clock of the project. */
  clock: ClockStatus
}
export const ProjectSummary = z.object({
  object: z.literal('project'),
  id: z.string(),
  revision: z.int(),
  users: z.int(),
  paymentLinks: z.int(),
  preferredLocale: z.string(),
  clock: ClockStatus,
} satisfies SchemasOf<ProjectSummary>)

export const ProjectList = buildUnpagedListSchema(ProjectSummary)

/** The summary of a snapshot: a named copy of the state. */
export interface Snapshot {
  /** The name. */
  name: string
  /** When the snapshot was saved, by the mock clock. */
  createdAt: string
  /** The number of users. */
  users: number
  /** The number of payment links. */
  paymentLinks: number
}
export const Snapshot = z.object({
  name: z.string(),
  createdAt: z.string(),
  users: z.int(),
  paymentLinks: z.int(),
} satisfies SchemasOf<Snapshot>)

/** The summary of a sandbox. */
export interface SandboxSummary {
  /** The name. */
  name: string
  /** How many projects it has. */
  projects: number
  /** When it was created, by the clock of the machine. */
  createdAt: string
}
export const SandboxSummary = z.object({
  name: z.string(),
  projects: described(z.int(), 'How many projects it has.'),
  createdAt: described(z.string(), 'By the clock of the machine.'),
} satisfies SchemasOf<SandboxSummary>)

/** A call of the control API for one project. */
export interface PreparingCall {
  /** The method. */
  method: 'POST' | 'PUT'
  /** The path below `/__admin/projects/{project}`. */
  path: string
  /** The body. */
  body: Record<string, unknown>
}
const PreparingCall = z.object({
  method: z.enum(['POST', 'PUT']),
  path: described(z.string(), 'The path below `/__admin/projects/{project}`.'),
  body: z.record(z.string(), z.unknown()),
} satisfies SchemasOf<PreparingCall>)

/** A situation: a result of an operation, or a fault of any, with the number of times that clients were shown it. */
export interface CoverageItem {
  /** The operation. Null: any operation. */
  operation: string | null
  /** For example `409 paymentLinkNotActive`, `200 second page` or `no response`. */
  situation: string
  /** How often a client was shown it. */
  seen: number
  /** The first request. Null: none. */
  request: string | null
  /** The sandbox of the first request. Absent: none. */
  sandbox?: string | undefined
  /** If it was never shown: the calls after which the next call of the client shows it. Absent: any call shows it. */
  show?: PreparingCall[] | undefined
}
export const CoverageItem = z.object({
  operation: described(z.nullable(z.string()), 'Null: any operation.'),
  situation: described(z.string(), 'For example `409 paymentLinkNotActive`, `200 second page` or `no response`.'),
  seen: described(z.int(), 'How often a client was shown it.'),
  request: described(z.nullable(z.string()), 'The first request. Null: none.'),
  sandbox: described(z.optional(z.string()), 'The sandbox of the first request. Absent: none.'),
  show: described(
    z.optional(z.array(PreparingCall)),
    'If it was never shown: the calls after which the next call of the client shows it. Absent: any call shows it.',
  ),
} satisfies SchemasOf<CoverageItem>)

/** All situations, and how many of them clients were shown. */
export interface Coverage {
  /** Always `coverage`. */
  object: 'coverage'
  /** The number of situations that were shown. */
  seen: number
  /** The number of all situations. */
  total: number
  /** The situations. */
  items: CoverageItem[]
}
export const Coverage = z.object({
  object: z.literal('coverage'),
  seen: described(z.int(), 'The number of situations that were shown.'),
  total: described(z.int(), 'The number of all situations.'),
  items: z.array(CoverageItem),
} satisfies SchemasOf<Coverage>)
