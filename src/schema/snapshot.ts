import { z } from 'zod'

/** A named copy of the state, at a glance. */
export const Snapshot = z.object({ name: z.string(), createdAt: z.string(), users: z.int(), paymentLinks: z.int() })
export type Snapshot = z.infer<typeof Snapshot>

/** What a snapshot is saved under. */
export const SnapshotName = z.object({ name: z.string().min(1).max(200) })
