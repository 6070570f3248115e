import type { Behaviors } from '../schema/behavior.ts'
import type { Metadata } from '../schema/field.ts'
import type { PaymentLinkSeed, StoredPaymentLink } from '../schema/payment-link.ts'
import type { DeletedRecord, ProjectDocument } from '../schema/seed.ts'
import { emptyUser, type User, type UserSeed } from '../schema/user.ts'
import { type Clock, clampTime, getStart } from './clock.ts'
import { type GeneratedSeeds, generatePaymentLinks, generateUsers } from './generate.ts'
import { deriveId } from './ids.ts'
import { noPaymentLinks, noUsers, type Prefix, type ProjectState } from './projects.ts'
import { type Entry, type Resource, toRecord } from './position.ts'
import { omitUndefined } from '../schema/is-record.ts'

/** The locale of a project without one in its seed. Assumed: the specification leaves it to the project. */
const defaultLocale = 'en-US'

interface Settings {
  readonly project: string
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** Builds a project from its document. The same document and settings result in the same project. */
export const buildProject = (document: ProjectDocument, settings: Settings): ProjectState => {
  const { idSeed, project, clock, behaviors } = settings
  const { preferredLocale = defaultLocale, progress: { counters = {}, deleted = {} } = {} } = document
  const draws = `${idSeed} ${project}`
  const users = createRecords(
    'usr',
    { listed: document.users, generated: generateUsers(document.generate?.users ?? 0, draws) },
    { ...settings, counter: counters.usr, deleted: deleted.users },
    (seed, id, createdAt): User => buildUser(seed, { id, createdAt, preferredLocale }),
  )
  const paymentLinks = createRecords(
    'pml',
    { listed: document.paymentLinks, generated: generatePaymentLinks(document.generate?.paymentLinks, draws) },
    { ...settings, counter: counters.pml, deleted: deleted.paymentLinks },
    (seed, id, createdAt): StoredPaymentLink => buildPaymentLink(seed, { id, createdAt }),
  )
  return {
    idSeed,
    preferredLocale,
    invoices: new Set(document.invoices),
    users: noUsers.load(users.entries),
    paymentLinks: noPaymentLinks.load(paymentLinks.entries),
    scheduledPayments: document.scheduledPayments ?? [],
    counters: { usr: users.counter, pml: paymentLinks.counter, draws: counters.draws ?? 0 },
    clock,
    behaviors,
  }
}

interface Seeds<S> {
  readonly listed: readonly S[] | undefined
  readonly generated: GeneratedSeeds<S>
}

interface RecordSettings extends Settings {
  readonly counter: number | undefined
  readonly deleted: readonly DeletedRecord[] | undefined
}

/** Creates records with the ids and times that their seeds leave out. */
const createRecords = <S extends { readonly id?: string | undefined }, R extends Resource>(
  prefix: Prefix,
  { listed = [], generated }: Seeds<S>,
  { project, idSeed, clock, counter: firstCounter = 0, deleted = [] }: RecordSettings,
  create: (seed: S, id: string, createdAt: string) => R,
): { entries: Entry<R>[]; counter: number } => {
  const taken = new Set([...listed.map((seed) => seed.id), ...deleted.map(({ id }) => id)])
  const start = getStart(clock)
  const total = generated.count + listed.length
  let counter = firstCounter
  const newId = () => {
    let id: string
    do id = deriveId(idSeed, project, prefix, counter++)
    while (taken.has(id))
    return id
  }
  const createRecord = (seed: S, index: number) => {
    const createdAt = new Date(clampTime(start - (total - index) * 1000)).toISOString()
    return create(seed, seed.id ?? newId(), createdAt)
  }

  // Listed records get their ids first, so that another `generate` does not change them.
  const last = listed.map((seed, index) => createRecord(seed, generated.count + index))
  const entries: Entry<R>[] = deleted.map(({ id, createdAt, index }) => ({ id, createdAt, sequence: index }))
  // Deleted records keep their positions among the others.
  const deletedAt = new Set(deleted.map(({ index }) => index))
  let sequence = 0
  const add = (record: R) => {
    while (deletedAt.has(sequence)) sequence++
    entries.push(toRecord(record, sequence++))
  }
  let index = 0
  for (const seed of generated.seeds) add(createRecord(seed, index++))
  for (const record of last) add(record)
  return { entries, counter }
}

/** The defaults of a new record. */
interface Defaults {
  readonly id: string
  readonly createdAt: string
}

/** Completes a user with defaults. */
export const buildUser = (seed: UserSeed, defaults: Defaults & { readonly preferredLocale: string }): User => ({
  ...emptyUser,
  ...defaults,
  ...omitUndefined(seed),
  metadata: omitNulls(seed.metadata ?? emptyUser.metadata),
})

/**
 * Completes a payment link with defaults. Assumed: a canceled or completed link was closed when it was created. A link
 * that was closed before its default creation time was created when it was closed.
 */
export const buildPaymentLink = (seed: PaymentLinkSeed, defaults: Defaults): StoredPaymentLink => {
  const closedAt = seed.canceledAt ?? seed.completedAt ?? defaults.createdAt
  const createdAt = seed.createdAt ?? (closedAt < defaults.createdAt ? closedAt : defaults.createdAt)
  const status = seed.status ?? 'active'
  return {
    object: 'paymentLink',
    id: seed.id ?? defaults.id,
    canceledAt: status === 'canceled' ? (seed.canceledAt ?? createdAt) : null,
    completedAt: status === 'completed' ? (seed.completedAt ?? createdAt) : null,
    createdAt,
    partner: { redirectUrl: seed.partner?.redirectUrl ?? null },
    invoice: seed.invoice,
    status,
    type: 'partner',
    payer: seed.payer ?? {},
  }
}

/** Removes null values. Assumed: null in metadata means no value, so it is never stored. */
export const omitNulls = (metadata: Metadata): Metadata =>
  Object.values(metadata).includes(null)
    ? Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
    : metadata
