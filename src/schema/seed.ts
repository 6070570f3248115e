import * as z from 'zod'
import { BehaviorChoices } from './behavior.ts'
import { ClockDocument } from './clock.ts'
import { documentation } from './documentation.ts'
import { Locale, Timestamp } from './field.ts'
import { InvoiceId, PaymentLinkSeed } from './payment-link.ts'
import { ScheduledPayment } from './scheduled-payment.ts'
import { recordOf } from './record.ts'
import { crossFieldCheck, unique } from './cross-field-check.ts'
import { Token } from './token.ts'
import { UserSeed } from './user.ts'

/** The most rows that `generate` makes in one project: more do not fit into the memory that Node has by default. */
const maxGenerated = 2_000_000

const Count = z.int().min(0).optional().register(documentation, { maximum: maxGenerated })

interface GenerateCounts {
  readonly users?: unknown
  readonly paymentLinks?: { readonly [K in 'active' | 'completed' | 'canceled']?: unknown } | null | undefined
}

const sumOf = (counts: readonly unknown[]): number =>
  counts.filter((count) => typeof count === 'number').reduce((sum, count) => sum + count, 0)

/** Generated records: the same for the same seed, and older than the listed ones. */
export const Generate = z
  .object({
    users: Count,
    paymentLinks: z.object({ active: Count, completed: Count, canceled: Count }).optional(),
  })
  .check(
    crossFieldCheck<GenerateCounts>(({ users, paymentLinks }) =>
      sumOf([users, paymentLinks?.active, paymentLinks?.completed, paymentLinks?.canceled]) > maxGenerated
        ? [{ path: [], message: `must be at most ${maxGenerated} rows in all.` }]
        : [],
    ),
  )
export type Generate = z.infer<typeof Generate>

/** The initial content of unlisted projects. Records are listed oldest first. */
export const Template = z.object({
  preferredLocale: Locale.optional(),
  invoices: z.array(InvoiceId).optional(),
  users: z.array(UserSeed).check(unique('id')).optional(),
  paymentLinks: z.array(PaymentLinkSeed).check(unique('id')).optional(),
  generate: Generate.optional(),
})
export type Template = z.infer<typeof Template>

// Far beyond what anybody counts to, and far from where counting by one stops working.
const Counter = z.int().min(0).max(1e15)

/** Where a deleted row stood: `index` counts all rows of its kind, deleted ones included, oldest first. */
const Gone = z.object({ id: z.string(), createdAt: Timestamp, index: Counter })
export type Gone = z.infer<typeof Gone>

/** The counters of an export, with which a loaded state continues. */
const Progress = z.object({
  counters: z.object({ usr: Counter.optional(), pml: Counter.optional(), draws: Counter.optional() }).optional(),
  gone: z
    .object({
      users: z.array(Gone).check(unique('id')).optional(),
      paymentLinks: z.array(Gone).check(unique('id')).optional(),
    })
    .optional(),
})

/** One project of the document; also the document of the control API's `/projects/{project}/state`. */
export const ProjectDocument = Template.extend({
  idSeed: z.string().optional(),
  behaviors: BehaviorChoices.optional(),
  clock: ClockDocument.optional(),
  scheduledPayments: z.array(ScheduledPayment).optional(),
  progress: Progress.optional(),
})
export type ProjectDocument = z.infer<typeof ProjectDocument>

/** Records to add to a project, or to overwrite. */
export const ProjectPatch = ProjectDocument.omit({
  idSeed: true,
  generate: true,
  scheduledPayments: true,
  progress: true,
})
export type ProjectPatch = z.infer<typeof ProjectPatch>

/** Assumed: what a project may be called. Anything that fits one segment of a path and can be typed. */
export const ProjectId = z
  .string()
  .min(1)
  .regex(/^(?!\.{1,2}$)\P{Surrogate}*$/u, 'must be text that an address can hold as one segment')
  // Other languages have neither the lookahead nor the property.
  .register(documentation, { pattern: '[^.]|\\.{3}' })

/** The one document: a seed file, an export, a snapshot and a fixture are the same. */
export const Seed = z.object({
  $schema: z.string().optional(),
  idSeed: z.string().optional(),
  clock: ClockDocument.optional(),
  behaviors: BehaviorChoices.optional(),
  tokens: z.array(Token).check(unique('token')).optional(),
  template: Template.optional(),
  projects: recordOf(ProjectId, ProjectDocument).optional(),
  // Chance may be drawn from a project that is not there yet, by a fault for all.
  progress: z.object({ draws: recordOf(ProjectId, Counter).optional() }).optional(),
})
export type Seed = z.infer<typeof Seed>
/** A seed as one writes it: everything but a user's `email` and a link's `invoice` may be left out. */
export type SeedInput = z.input<typeof Seed>

/** Records to add to a state, or to overwrite. */
export const SeedPatch = z.object({
  // An editor looks for it in a file that is added.
  $schema: z.string().optional(),
  clock: ClockDocument.optional(),
  behaviors: BehaviorChoices.optional(),
  template: Template.optional(),
  projects: recordOf(ProjectId, ProjectPatch).optional(),
})
export type SeedPatch = z.infer<typeof SeedPatch>
