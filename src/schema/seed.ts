import * as z from 'zod/mini'
import { Timestamp, Locale } from './field.ts'
import { unique, documentation, buildRecordSchema, crossFieldCheck, problemAt, intFrom } from './zod-helpers.ts'
import { tokenMessage, tokenPattern } from './text.ts'
import { BehaviorChoices } from './behavior.ts'
import { ClockDocument } from './clock-document.ts'
import { InvoiceId, PaymentLinkSeed, ScheduledPayment } from './payment-link.ts'
import { UserSeed } from './user.ts'

/** A token of the mocked API. Without `projects` it is valid for all. With a null `expiresAt` it never expires. */
export const Token = z.object({
  token: z.string().check(z.regex(tokenPattern, tokenMessage)),
  projects: z.optional(z.nullable(z.array(z.string()))),
  expiresAt: z.optional(z.nullable(Timestamp)),
})
export type Token = z.infer<typeof Token>

/** A token in a response: a short hash, which a test can compare. */
export const RedactedToken = z.object({
  hash: z.string(),
  projects: z.nullable(z.array(z.string())),
  expiresAt: z.nullable(z.string()),
})

export type RedactedToken = z.infer<typeof RedactedToken>

/** The tokens in a response. */
export const TokenList = z.object({ object: z.literal('list'), items: z.array(RedactedToken) })
export type TokenList = z.infer<typeof TokenList>

/** A stored token. Its digest checks a token and does not reveal it. */
export const HashedToken = z.extend(RedactedToken, { digest: z.string() })
export type HashedToken = z.infer<typeof HashedToken>

/** The body that replaces the tokens. If the list is empty, any token is valid. */
export const TokensChange = z.object({ tokens: z.array(Token).check(unique('token')) })

/** The maximum number of generated records in a document. All requests wait until they exist: about two seconds. */
const maxGenerated = 400_000

const Count = z.optional(intFrom(0)).register(documentation, { maximum: maxGenerated })

const tooMany = `must generate at most ${maxGenerated} records in total.`

// The values may be invalid, and null.
const sumNumbers = (counts: readonly unknown[]): number =>
  counts.filter((count) => typeof count === 'number').reduce((sum, count) => sum + count, 0)

const countGenerated = ({ users, paymentLinks }: Generate): number =>
  sumNumbers([users, paymentLinks?.active, paymentLinks?.completed, paymentLinks?.canceled])

/** Generated records: the same for the same seed, and older than the listed ones. */
export const Generate = z
  .object({
    users: Count,
    paymentLinks: z.optional(z.object({ active: Count, completed: Count, canceled: Count })),
  })
  .check(crossFieldCheck<Generate>((counts) => [countGenerated(counts) > maxGenerated && problemAt([], tooMany)]))
export type Generate = z.infer<typeof Generate>

/** The initial content of unlisted projects. Records are listed oldest first. */
export const Template = z.object({
  preferredLocale: z.optional(Locale),
  invoices: z.optional(z.array(InvoiceId)),
  users: z.optional(z.array(UserSeed).check(unique('id'))),
  paymentLinks: z.optional(z.array(PaymentLinkSeed).check(unique('id'))),
  generate: z.optional(Generate),
})
export type Template = z.infer<typeof Template>

// Beyond 2 ** 53, adding one has no effect.
const Counter = intFrom(0, 1e15)

/** A deleted record. `index` is its position among all records of its kind, including deleted ones, oldest first. */
export const DeletedRecord = z.object({ id: z.string(), createdAt: Timestamp, index: Counter })
export type DeletedRecord = z.infer<typeof DeletedRecord>

/** The counters of an export, with which a loaded state continues. */
const ProjectProgress = z.object({
  counters: z.optional(z.object({ usr: z.optional(Counter), pml: z.optional(Counter), draws: z.optional(Counter) })),
  deleted: z.optional(
    z.object({
      users: z.optional(z.array(DeletedRecord).check(unique('id'))),
      paymentLinks: z.optional(z.array(DeletedRecord).check(unique('id'))),
    }),
  ),
})

type ProjectProgress = z.infer<typeof ProjectProgress>

/** The state of one project: a part of a seed, and the body of `/__admin/projects/{project}/state`. */
export const ProjectDocument = z.extend(Template, {
  idSeed: z.optional(z.string()),
  behaviors: z.optional(BehaviorChoices),
  clock: z.optional(ClockDocument),
  scheduledPayments: z.optional(z.array(ScheduledPayment)),
  progress: z.optional(ProjectProgress),
})
export type ProjectDocument = z.infer<typeof ProjectDocument>

/** Records to add to a project, or to overwrite, and its settings. */
export const ProjectPatch = z.omit(ProjectDocument, {
  idSeed: true,
  generate: true,
  scheduledPayments: true,
  progress: true,
})
export type ProjectPatch = z.infer<typeof ProjectPatch>

/** Assumed: a project id is any text that fits into one segment of a path. */
export const ProjectId = z
  .string()
  .check(
    z.minLength(1),
    z.regex(/^(?!\.{1,2}$)\P{Surrogate}*$/u, 'must be text that a URL can contain as one path segment'),
  )
  // Other languages support neither the lookahead nor the property.
  .register(documentation, { pattern: '[^.]|\\.{3}' })

const findManyGenerated = ({ template, projects }: Seed) => {
  const counts = [template, ...Object.values(projects ?? {})].map((one) => countGenerated(one?.generate ?? {}))
  // A single project with too many has its own problem.
  const isOwn = counts.some((count) => count > maxGenerated)
  return [!isOwn && sumNumbers(counts) > maxGenerated && problemAt('projects', tooMany)]
}

/** The document format of seed files, exports, snapshots and fixtures. */
export const Seed = z
  .object({
    $schema: z.optional(z.string()),
    idSeed: z.optional(z.string()),
    clock: z.optional(ClockDocument),
    behaviors: z.optional(BehaviorChoices),
    tokens: z.optional(z.array(Token).check(unique('token'))),
    template: z.optional(Template),
    projects: z.optional(buildRecordSchema(ProjectId, ProjectDocument)),
    // A fault for all projects draws random numbers even for a project that does not exist yet.
    progress: z.optional(z.object({ draws: z.optional(buildRecordSchema(ProjectId, Counter)) })),
  })
  .check(crossFieldCheck<Seed>((seed) => findManyGenerated(seed)))
export type Seed = z.infer<typeof Seed>
/** The input of a seed. Only the `email` of a user and the `invoice` of a payment link are required. */
export type SeedInput = z.input<typeof Seed>

/** Records to add to a state, or to overwrite, and its settings. */
export const SeedPatch = z.object({
  // For editors.
  $schema: z.optional(z.string()),
  clock: z.optional(ClockDocument),
  behaviors: z.optional(BehaviorChoices),
  template: z.optional(Template),
  projects: z.optional(buildRecordSchema(ProjectId, ProjectPatch)),
})
export type SeedPatch = z.infer<typeof SeedPatch>
