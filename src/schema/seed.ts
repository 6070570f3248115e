import * as z from 'zod/mini'
import { Timestamp, Locale } from './field.ts'
import {
  unique,
  documentation,
  buildRecordSchema,
  crossFieldCheck,
  problemAt,
  intFrom,
  type SchemasOf,
} from './zod-helpers.ts'
import { quote } from './problem.ts'
import { tokenMessage, tokenPattern } from './text.ts'
import { BehaviorChoices } from './behavior.ts'
import { ClockDocument } from './clock-document.ts'
import { InvoiceId, PaymentLinkSeed, ScheduledPayment } from './payment-link.ts'
import { UserSeed } from './user.ts'

/** A token of the mocked API. */
export interface Token {
  /** The bearer token. */
  token: string
  /** The projects that the token is valid for. Null or omitted: all. */
  projects?: string[] | null | undefined
  /** When the token expires. Null or omitted: never. */
  expiresAt?: string | null | undefined
}
export const Token = z.object({
  token: z.string().check(z.regex(tokenPattern, tokenMessage)),
  projects: z.optional(z.nullable(z.array(z.string()))),
  expiresAt: z.optional(z.nullable(Timestamp)),
} satisfies SchemasOf<Token>)

/** A token in a response: a short hash, which a test can compare. */
export interface RedactedToken {
  /** A short hash of the token. */
  hash: string
  /** The projects that the token is valid for. Null: all. */
  projects: string[] | null
  /** When the token expires. Null: never. */
  expiresAt: string | null
}
export const RedactedToken = z.object({
  hash: z.string(),
  projects: z.nullable(z.array(z.string())),
  expiresAt: z.nullable(z.string()),
} satisfies SchemasOf<RedactedToken>)

export const TokenList = z.object({ object: z.literal('list'), items: z.array(RedactedToken) })
export type TokenList = z.infer<typeof TokenList>

/** A stored token. Its digest checks a token and does not reveal it. */
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

/** Generated records: the same for the same seed, and older than the listed ones. */
export interface Generate {
  /** The number of users. Default 0. */
  users?: number | undefined
  /** The number of payment links by status. */
  paymentLinks?: GeneratedPaymentLinks | undefined
}
/** The number of generated payment links by status. */
interface GeneratedPaymentLinks {
  /** The number of active links. Default 0. */
  active?: number | undefined
  /** The number of completed links. Default 0. */
  completed?: number | undefined
  /** The number of canceled links. Default 0. */
  canceled?: number | undefined
}
export const Generate = z
  .object({
    users: GenerateCount,
    paymentLinks: z.optional(
      z.object({
        active: GenerateCount,
        completed: GenerateCount,
        canceled: GenerateCount,
      } satisfies SchemasOf<GeneratedPaymentLinks>),
    ),
  } satisfies SchemasOf<Generate>)
  .check(
    crossFieldCheck<Generate>((counts) => [countGenerated(counts) > maxGenerated && problemAt([], tooManyGenerated)]),
  )

/** The initial content of unlisted projects. Records are listed oldest first. */
export interface Template {
  /** The `preferredLocale` of users that are created without one. */
  preferredLocale?: string | undefined
  /** The known invoice ids, for the behavior `invoiceIds`. */
  invoices?: string[] | undefined
  /** The users, oldest first. */
  users?: UserSeed[] | undefined
  /** The payment links, oldest first. */
  paymentLinks?: PaymentLinkSeed[] | undefined
  /** Records to generate. */
  generate?: Generate | undefined
}
export const Template = z.object({
  preferredLocale: z.optional(Locale),
  invoices: z.optional(z.array(InvoiceId)),
  users: z.optional(z.array(UserSeed).check(unique('id'))),
  paymentLinks: z.optional(z.array(PaymentLinkSeed).check(unique('id'))),
  generate: z.optional(Generate),
} satisfies SchemasOf<Template>)

// Beyond 2 ** 53, adding one has no effect.
const ProgressCounter = intFrom(0, 1e15)

/** A deleted record. */
export interface DeletedRecord {
  /** The id of the record. */
  id: string
  /** The creation time of the record. */
  createdAt: string
  /** The position among all records of its kind, including deleted ones, oldest first. */
  index: number
}
export const DeletedRecord = z.object({
  id: z.string(),
  createdAt: Timestamp,
  index: ProgressCounter,
} satisfies SchemasOf<DeletedRecord>)

/** The counters of an export, with which a loaded state continues. */
interface ProjectProgress {
  /** How many ids of each kind, and random numbers, were drawn. */
  counters?: ProjectCounters | undefined
  /** The deleted records, for the positions of cursors. */
  deleted?: DeletedRecords | undefined
}
/** How many ids of each kind, and random numbers, were drawn. */
interface ProjectCounters {
  /** The ids of users. */
  usr?: number | undefined
  /** The ids of payment links. */
  pml?: number | undefined
  /** The random numbers of faults. */
  draws?: number | undefined
}
/** The deleted records of a project. */
interface DeletedRecords {
  /** The deleted users. */
  users?: DeletedRecord[] | undefined
  /** The deleted payment links. */
  paymentLinks?: DeletedRecord[] | undefined
}
const ProjectProgress = z.object({
  counters: z.optional(
    z.object({
      usr: z.optional(ProgressCounter),
      pml: z.optional(ProgressCounter),
      draws: z.optional(ProgressCounter),
    } satisfies SchemasOf<ProjectCounters>),
  ),
  deleted: z.optional(
    z.object({
      users: z.optional(z.array(DeletedRecord).check(unique('id'))),
      paymentLinks: z.optional(z.array(DeletedRecord).check(unique('id'))),
    } satisfies SchemasOf<DeletedRecords>),
  ),
} satisfies SchemasOf<ProjectProgress>)

/** The state of one project: a part of a seed, and the body of `/__admin/projects/{project}/state`. */
export interface ProjectDocument extends Template {
  /** The text that ids of the project are derived from. Default: that of the mock, with the project. */
  idSeed?: string | undefined
  /** The behavior values of the project. */
  behaviors?: BehaviorChoices | undefined
  /** The clock of the project. Default: that of the mock. */
  clock?: ClockDocument | undefined
  /** The scheduled payments. */
  scheduledPayments?: ScheduledPayment[] | undefined
  /** The counters of an export, with which a loaded state continues. */
  progress?: ProjectProgress | undefined
}
/** A project document without the check across records: the storage of a Worker has the links elsewhere. */
export const StoredDocument = z.extend(Template, {
  idSeed: z.optional(z.string()),
  behaviors: z.optional(BehaviorChoices),
  clock: z.optional(ClockDocument),
  scheduledPayments: z.optional(z.array(ScheduledPayment)),
  progress: z.optional(ProjectProgress),
}) satisfies z.ZodMiniType<ProjectDocument>

// The values may be invalid, and null.
const findUnpayable = ({ paymentLinks, scheduledPayments }: ProjectDocument) => {
  const activeLinks = [paymentLinks ?? []].flat().filter((link) => (link?.status ?? 'active') === 'active')
  const activeIds = new Set(activeLinks.map((link) => link?.id))
  return [scheduledPayments ?? []]
    .flat()
    .map(
      (payment, index) =>
        typeof payment?.paymentLink === 'string' &&
        !activeIds.has(payment.paymentLink) &&
        problemAt(
          ['scheduledPayments', index, 'paymentLink'],
          `must be the id of an active payment link of the same document (got ${quote(payment.paymentLink)}).`,
        ),
    )
}

export const ProjectDocument = StoredDocument.check(crossFieldCheck<ProjectDocument>(findUnpayable))

/** Records to add to a project, or to overwrite, and its settings. */
export type ProjectPatch = Omit<ProjectDocument, 'idSeed' | 'generate' | 'scheduledPayments' | 'progress'>
export const ProjectPatch = z.omit(StoredDocument, {
  idSeed: true,
  generate: true,
  scheduledPayments: true,
  progress: true,
}) satisfies z.ZodMiniType<ProjectPatch>

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

/** The document format of seed files, exports, snapshots and fixtures. */
export interface Seed {
  /** The address of the JSON schema, for editors. */
  $schema?: string | undefined
  /** The text that ids are derived from. Default `paylink-mock`. */
  idSeed?: string | undefined
  /** The clock of all projects. Default: a real clock. */
  clock?: ClockDocument | undefined
  /** The behavior values of all projects. */
  behaviors?: BehaviorChoices | undefined
  /** The bearer tokens of the mocked API. If the list is empty or omitted, any token is valid. */
  tokens?: Token[] | undefined
  /** The initial content of unlisted projects. */
  template?: Template | undefined
  /** The projects by id. */
  projects?: Record<string, ProjectDocument> | undefined
  /** The counters of an export, with which a loaded state continues. */
  progress?: SeedProgress | undefined
}
/** The counters of all projects. */
interface SeedProgress {
  /** The random numbers that faults for all projects drew, by project. */
  draws?: Record<string, number> | undefined
}
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
    progress: z.optional(
      z.object({ draws: z.optional(buildRecordSchema(ProjectId, ProgressCounter)) } satisfies SchemasOf<SeedProgress>),
    ),
  } satisfies SchemasOf<Seed>)
  .check(crossFieldCheck<Seed>((seed) => findManyGenerated(seed)))

/** Records to add to a state, or to overwrite, and its settings. */
export interface SeedPatch {
  /** The address of the JSON schema, for editors. */
  $schema?: string | undefined
  /** The clock of all projects. */
  clock?: ClockDocument | undefined
  /** The behavior values of all projects. */
  behaviors?: BehaviorChoices | undefined
  /** The initial content of unlisted projects. */
  template?: Template | undefined
  /** The projects by id, with what to add or to overwrite. */
  projects?: Record<string, ProjectPatch> | undefined
}
export const SeedPatch = z.object({
  $schema: z.optional(z.string()),
  clock: z.optional(ClockDocument),
  behaviors: z.optional(BehaviorChoices),
  template: z.optional(Template),
  projects: z.optional(buildRecordSchema(ProjectId, ProjectPatch)),
} satisfies SchemasOf<SeedPatch>)
