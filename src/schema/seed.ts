import * as z from 'zod'
import { BehaviorChoices } from './behavior.ts'
import { ClockDocument } from './clock.ts'
import { documentation } from './documentation.ts'
import { Locale, Timestamp } from './field.ts'
import { InvoiceId, PaymentLinkSeed, type PaymentLinkStatus } from './payment-link.ts'
import { ScheduledPayment } from './scheduled-payment.ts'
import { recordSchema } from './record.ts'
import { crossFieldCheck, unique } from './cross-field-check.ts'
import { Token } from './token.ts'
import { UserSeed } from './user.ts'

/** The maximum number of generated records in a project. More do not fit into the default memory of Node. */
const maxGenerated = 2_000_000

const Count = z.int().min(0).optional().register(documentation, { maximum: maxGenerated })

interface GenerateCounts {
  readonly users?: unknown
  readonly paymentLinks?: { readonly [K in PaymentLinkStatus]?: unknown } | null | undefined
}

const sumNumbers = (counts: readonly unknown[]): number =>
  counts.filter((count) => typeof count === 'number').reduce((sum, count) => sum + count, 0)

/** Generated records: the same for the same seed, and older than the listed ones. */
export const Generate = z
  .object({
    users: Count,
    paymentLinks: z.object({ active: Count, completed: Count, canceled: Count }).optional(),
  })
  .check(
    crossFieldCheck<GenerateCounts>(({ users, paymentLinks }) =>
      sumNumbers([users, paymentLinks?.active, paymentLinks?.completed, paymentLinks?.canceled]) > maxGenerated
        ? [{ path: [], message: `must be at most ${maxGenerated} records in total.` }]
        : [],
    ),
  )
export interface Generate {
  readonly users?: number | undefined
  readonly paymentLinks?: { readonly [K in PaymentLinkStatus]?: number | undefined } | undefined
}

/** The initial content of unlisted projects. Records are listed oldest first. */
export const Template = z.object({
  preferredLocale: Locale.optional(),
  invoices: z.array(InvoiceId).optional(),
  users: z.array(UserSeed).check(unique('id')).optional(),
  paymentLinks: z.array(PaymentLinkSeed).check(unique('id')).optional(),
  generate: Generate.optional(),
})
export interface Template {
  readonly preferredLocale?: string | undefined
  readonly invoices?: string[] | undefined
  readonly users?: UserSeed[] | undefined
  readonly paymentLinks?: PaymentLinkSeed[] | undefined
  readonly generate?: Generate | undefined
}

// Beyond 2 ** 53, adding one has no effect.
const Counter = z.int().min(0).max(1e15)

/** A deleted record. `index` is its position among all records of its kind, including deleted ones, oldest first. */
const DeletedRecord = z.object({ id: z.string(), createdAt: Timestamp, index: Counter })
export interface DeletedRecord {
  readonly id: string
  readonly createdAt: string
  readonly index: number
}

/** The counters of an export, with which a loaded state continues. */
const Progress = z.object({
  counters: z.object({ usr: Counter.optional(), pml: Counter.optional(), draws: Counter.optional() }).optional(),
  deleted: z
    .object({
      users: z.array(DeletedRecord).check(unique('id')).optional(),
      paymentLinks: z.array(DeletedRecord).check(unique('id')).optional(),
    })
    .optional(),
})

interface Progress {
  readonly counters?: { readonly [K in 'usr' | 'pml' | 'draws']?: number | undefined } | undefined
  readonly deleted?:
    { readonly users?: DeletedRecord[] | undefined; readonly paymentLinks?: DeletedRecord[] | undefined } | undefined
}

/** The state of one project: a part of a seed, and the body of `/__admin/projects/{project}/state`. */
export const ProjectDocument = Template.extend({
  idSeed: z.string().optional(),
  behaviors: BehaviorChoices.optional(),
  clock: ClockDocument.optional(),
  scheduledPayments: z.array(ScheduledPayment).optional(),
  progress: Progress.optional(),
})
export interface ProjectDocument extends Template {
  readonly idSeed?: string | undefined
  readonly behaviors?: BehaviorChoices | undefined
  readonly clock?: ClockDocument | undefined
  readonly scheduledPayments?: ScheduledPayment[] | undefined
  readonly progress?: Progress | undefined
}

/** Records to add to a project, or to overwrite, and its settings. */
export const ProjectPatch = ProjectDocument.omit({
  idSeed: true,
  generate: true,
  scheduledPayments: true,
  progress: true,
})
export type ProjectPatch = Omit<ProjectDocument, 'idSeed' | 'generate' | 'scheduledPayments' | 'progress'>

/** Assumed: a project id is any text that fits into one segment of a path. */
export const ProjectId = z
  .string()
  .min(1)
  .regex(/^(?!\.{1,2}$)\P{Surrogate}*$/u, 'must be text that a URL can contain as one path segment')
  // Other languages support neither the lookahead nor the property.
  .register(documentation, { pattern: '[^.]|\\.{3}' })

/** The document format of seed files, exports, snapshots and fixtures. */
export const Seed = z.object({
  $schema: z.string().optional(),
  idSeed: z.string().optional(),
  clock: ClockDocument.optional(),
  behaviors: BehaviorChoices.optional(),
  tokens: z.array(Token).check(unique('token')).optional(),
  template: Template.optional(),
  projects: recordSchema(ProjectId, ProjectDocument).optional(),
  // A fault for all projects draws random numbers even for a project that does not exist yet.
  progress: z.object({ draws: recordSchema(ProjectId, Counter).optional() }).optional(),
})
export type Seed = SeedInput
/** The input of a seed. Only the `email` of a user and the `invoice` of a payment link are required. */
export interface SeedInput {
  readonly $schema?: string | undefined
  readonly idSeed?: string | undefined
  readonly clock?: ClockDocument | undefined
  readonly behaviors?: BehaviorChoices | undefined
  readonly tokens?: Token[] | undefined
  readonly template?: Template | undefined
  readonly projects?: Record<string, ProjectDocument> | undefined
  readonly progress?: { readonly draws?: Record<string, number> | undefined } | undefined
}

/** Records to add to a state, or to overwrite, and its settings. */
export const SeedPatch = z.object({
  // For editors.
  $schema: z.string().optional(),
  clock: ClockDocument.optional(),
  behaviors: BehaviorChoices.optional(),
  template: Template.optional(),
  projects: recordSchema(ProjectId, ProjectPatch).optional(),
})
export interface SeedPatch extends Pick<SeedInput, '$schema' | 'clock' | 'behaviors' | 'template'> {
  readonly projects?: Record<string, ProjectPatch> | undefined
}
