import * as z from 'zod/mini'
import { Timestamp, Locale } from './field.ts'
import {
  described,
  unique,
  documentation,
  buildRecordSchema,
  crossFieldCheck,
  problemAt,
  intFrom,
} from './zod-helpers.ts'
import { quote } from './problem.ts'
import { tokenMessage, tokenPattern } from './text.ts'
import { BehaviorChoices } from './behavior.ts'
import { ClockDocument } from './clock-document.ts'
import { InvoiceId, PaymentLinkSeed, ScheduledPayment } from './payment-link.ts'
import { UserSeed } from './user.ts'

export const Token = z.object({
  token: described(z.string().check(z.regex(tokenPattern, tokenMessage)), 'The bearer token.'),
  projects: described(
    z.optional(z.nullable(z.array(z.string()))),
    'The projects that the token is valid for. Null or omitted: all.',
  ),
  expiresAt: described(z.optional(z.nullable(Timestamp)), 'When the token expires. Null or omitted: never.'),
})
/** A token of the mocked API. */
export type Token = z.infer<typeof Token>

export const RedactedToken = z.object({
  hash: described(z.string(), 'A short hash of the token.'),
  projects: described(z.nullable(z.array(z.string())), 'The projects that the token is valid for. Null: all.'),
  expiresAt: described(z.nullable(z.string()), 'When the token expires. Null: never.'),
})
/** A token in a response: a short hash, which a test can compare. */
export type RedactedToken = z.infer<typeof RedactedToken>

export const TokenList = z.object({ object: z.literal('list'), items: z.array(RedactedToken) })
export type TokenList = z.infer<typeof TokenList>

/** The digest checks a token and does not reveal it. */
export const HashedToken = z.extend(RedactedToken, { digest: z.string() })
export type HashedToken = z.infer<typeof HashedToken>

/** The maximum number of generated records in a document. All requests wait until they exist: about two seconds. */
const maxGenerated = 400_000

const GenerateCount = z.optional(intFrom(0)).register(documentation, { maximum: maxGenerated })

const tooManyGenerated = `must generate at most ${maxGenerated} records in total.`

// The values may be invalid, and null.
const sumNumbers = (counts: readonly unknown[]): number =>
  counts.filter((count) => typeof count === 'number').reduce((sum, count) => sum + count, 0)

const countGenerated = ({ users, paymentLinks }: Generate): number =>
  sumNumbers([users, paymentLinks?.active, paymentLinks?.completed, paymentLinks?.canceled])

const GenerateFields = z.object({
  users: described(GenerateCount, 'The number of users. Default 0.'),
  paymentLinks: described(
    z.optional(
      z.object({
        active: described(GenerateCount, 'The number of active links. Default 0.'),
        completed: described(GenerateCount, 'The number of completed links. Default 0.'),
        canceled: described(GenerateCount, 'The number of canceled links. Default 0.'),
      }),
    ),
    'The number of payment links by status.',
  ),
})
/** Generated records: the same for the same seed, and older than the listed ones. */
export type Generate = z.infer<typeof GenerateFields>
export const Generate = GenerateFields.check(
  crossFieldCheck<Generate>((counts) => [countGenerated(counts) > maxGenerated && problemAt([], tooManyGenerated)]),
)

export const Template = z.object({
  preferredLocale: described(z.optional(Locale), 'The `preferredLocale` of users that are created without one.'),
  invoices: described(z.optional(z.array(InvoiceId)), 'The known invoice ids, for the behavior `invoiceIds`.'),
  users: described(z.optional(z.array(UserSeed).check(unique('id'))), 'The users, oldest first.'),
  paymentLinks: described(z.optional(z.array(PaymentLinkSeed).check(unique('id'))), 'The payment links, oldest first.'),
  generate: described(z.optional(Generate), 'Records to generate.'),
})
/** The initial content of unlisted projects. Records are listed oldest first. */
export type Template = z.infer<typeof Template>

// Beyond 2 ** 53, adding one has no effect.
const ProgressCounter = intFrom(0, 1e15)

export const DeletedRecord = z.object({
  id: described(z.string(), 'The id of the record.'),
  createdAt: described(Timestamp, 'The creation time of the record.'),
  index: described(
    ProgressCounter,
    'The position among all records of its kind, including deleted ones, oldest first.',
  ),
})
export type DeletedRecord = z.infer<typeof DeletedRecord>

const ProjectProgress = z.object({
  counters: described(
    z.optional(
      z.object({
        usr: described(z.optional(ProgressCounter), 'The ids of users.'),
        pml: described(z.optional(ProgressCounter), 'The ids of payment links.'),
        draws: described(z.optional(ProgressCounter), 'The random numbers of faults.'),
      }),
    ),
    'How many ids of each kind, and random numbers, were drawn.',
  ),
  deleted: described(
    z.optional(
      z.object({
        users: described(z.optional(z.array(DeletedRecord).check(unique('id'))), 'The deleted users.'),
        paymentLinks: described(z.optional(z.array(DeletedRecord).check(unique('id'))), 'The deleted payment links.'),
      }),
    ),
    'The deleted records, for the positions of cursors.',
  ),
})

/** A project document without the check across records: the storage of a Worker has the links elsewhere. */
export const StoredDocument = z.extend(Template, {
  idSeed: described(
    z.optional(z.string()),
    'The text that ids of the project are derived from. Default: that of the mock, with the project.',
  ),
  behaviors: described(z.optional(BehaviorChoices), 'The behavior values of the project.'),
  clock: described(z.optional(ClockDocument), 'The clock of the project. Default: that of the mock.'),
  scheduledPayments: described(z.optional(z.array(ScheduledPayment)), 'The scheduled payments.'),
  progress: described(z.optional(ProjectProgress), 'The counters of an export, with which a loaded state continues.'),
})
/** The state of one project: a part of a seed, and the body of `/__admin/projects/{project}/state`. */
export type ProjectDocument = z.infer<typeof StoredDocument>

// The values may be invalid, and null.
const findUnpayable = ({ paymentLinks, scheduledPayments }: ProjectDocument) => {
  const activeLinks = [paymentLinks ?? []].flat().filter((link) => (link?.status ?? 'active') === 'active')
  const activeIds = new Set(activeLinks.map((link) => link?.id))
  return [scheduledPayments ?? []].flat().map((payment, index) => {
    const id: unknown = payment?.paymentLink
    if (typeof id !== 'string' || activeIds.has(id)) return false
    const message = `must be the id of an active payment link of the same document (got ${quote(id)}).`
    return problemAt(['scheduledPayments', index, 'paymentLink'], message)
  })
}

export const ProjectDocument = StoredDocument.check(crossFieldCheck<ProjectDocument>(findUnpayable))

export const ProjectPatch = z.omit(StoredDocument, {
  idSeed: true,
  generate: true,
  scheduledPayments: true,
  progress: true,
})
/** Records to add to a project, or to overwrite, and its settings. */
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
  const counts = [template, ...Object.values(projects ?? {})].map((project) => countGenerated(project?.generate ?? {}))
  // A single project with too many has its own problem.
  const isOwn = counts.some((count) => count > maxGenerated)
  return [!isOwn && sumNumbers(counts) > maxGenerated && problemAt('projects', tooManyGenerated)]
}

const SeedFields = z.object({
  $schema: described(z.optional(z.string()), 'The address of the JSON schema, for editors.'),
  idSeed: described(z.optional(z.string()), 'The text that ids are derived from. Default `paylink-mock`.'),
  clock: described(z.optional(ClockDocument), 'The clock of all projects. Default: a real clock.'),
  behaviors: described(z.optional(BehaviorChoices), 'The behavior values of all projects.'),
  tokens: described(
    z.optional(z.array(Token).check(unique('token'))),
    'The bearer tokens of the mocked API. If the list is empty or omitted, any token is valid.',
  ),
  template: described(z.optional(Template), 'The initial content of unlisted projects.'),
  projects: described(z.optional(buildRecordSchema(ProjectId, ProjectDocument)), 'The projects by id.'),
  // A fault for all projects draws random numbers even for a project that does not exist yet.
  progress: described(
    z.optional(
      z.object({
        draws: described(
          z.optional(buildRecordSchema(ProjectId, ProgressCounter)),
          'The random numbers that faults for all projects drew, by project.',
        ),
      }),
    ),
    'The counters of an export, with which a loaded state continues.',
  ),
})
/** The document format of seed files, exports, snapshots and fixtures. */
export type Seed = z.infer<typeof SeedFields>
export const Seed = SeedFields.check(crossFieldCheck<Seed>(findManyGenerated))

export const SeedPatch = z.extend(z.omit(SeedFields, { idSeed: true, tokens: true, progress: true }), {
  clock: described(z.optional(ClockDocument), 'The clock of all projects.'),
  projects: described(
    z.optional(buildRecordSchema(ProjectId, ProjectPatch)),
    'The projects by id, with what to add or to overwrite.',
  ),
})
/** Records to add to a state, or to overwrite, and its settings. */
export type SeedPatch = z.infer<typeof SeedPatch>
