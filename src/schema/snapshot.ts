import * as z from 'zod'
import { ProjectId } from './seed.ts'

/** A named copy of the state, at a glance. */
export const Snapshot = z.object({ name: z.string(), createdAt: z.string(), users: z.int(), paymentLinks: z.int() })
export type Snapshot = z.infer<typeof Snapshot>

/** What a snapshot is saved under. */
export const SnapshotName = z.object({ name: ProjectId.max(200) })
