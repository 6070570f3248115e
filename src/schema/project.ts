import * as z from 'zod'
import { ClockReading } from './clock.ts'
import { Locale } from './field.ts'

/** A project at a glance. `revision` grows by one with each change of data. */
export const ProjectSummary = z.object({
  object: z.literal('project'),
  id: z.string(),
  revision: z.int(),
  users: z.int(),
  paymentLinks: z.int(),
  preferredLocale: z.string(),
  clock: ClockReading,
})
export type ProjectSummary = z.infer<typeof ProjectSummary>

/** What can be set of a project. */
export const ProjectChange = z.object({ preferredLocale: Locale.optional() })
