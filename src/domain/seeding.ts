import type { Behaviors } from '../schema/behavior.ts'
import type { StoredPaymentLink } from '../schema/payment-link.ts'
import type { Gone as GoneDocument, ProjectDocument } from '../schema/seed.ts'
import type { User } from '../schema/user.ts'
import { type Clock, inRange, startOf } from './clock.ts'
import type { Tombstone } from './record-order.ts'
import { paymentLinkWithDefaults, userWithDefaults } from './apply-defaults.ts'
import { type Generated, generatePaymentLinks, generateUsers } from './generate.ts'
import { deriveId } from './ids.ts'
import { counting, type OnProgress } from './progress.ts'
import { paymentLinksOf, type Prefix, type ProjectState, usersOf } from './project.ts'

/** The locale of a project whose seed says nothing. Assumed: the specification leaves it to the project. */
const defaultLocale = 'en-US'

interface Settings {
  readonly project: string
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
  readonly onProgress?: OnProgress | undefined
}

/** A project as its document says: the same for the same document and settings. */
export const buildProject = (document: ProjectDocument, settings: Settings): ProjectState => {
  const preferredLocale = document.preferredLocale ?? defaultLocale
  const { counters = {}, gone = {} } = document.progress ?? {}
  const make = `${settings.idSeed} ${settings.project}`
  const users = complete(
    'usr',
    { written: document.users, generated: generateUsers(document.generate?.users ?? 0, make) },
    { ...settings, drawn: counters.usr, gone: gone.users },
    (seed, id, createdAt): User => userWithDefaults(seed, { id, createdAt, preferredLocale }),
  )
  const paymentLinks = complete(
    'pml',
    { written: document.paymentLinks, generated: generatePaymentLinks(document.generate?.paymentLinks, make) },
    { ...settings, drawn: counters.pml, gone: gone.paymentLinks },
    (seed, id, createdAt): StoredPaymentLink => paymentLinkWithDefaults(seed, { id, createdAt }),
  )
  return {
    idSeed: settings.idSeed,
    preferredLocale,
    invoices: new Set(document.invoices),
    users: usersOf(users.rows, users.gone, settings.onProgress),
    paymentLinks: paymentLinksOf(paymentLinks.rows, paymentLinks.gone, settings.onProgress),
    scheduledPayments: document.scheduledPayments ?? [],
    counters: { usr: users.counter, pml: paymentLinks.counter, draws: counters.draws ?? 0 },
    clock: settings.clock,
    behaviors: settings.behaviors,
  }
}

interface Seeds<S> {
  readonly written: readonly S[] | undefined
  readonly generated: Generated<S>
}

interface Run extends Settings {
  readonly drawn: number | undefined
  readonly gone: readonly GoneDocument[] | undefined
}

/** Rows with the ids and times that their seeds leave out. */
const complete = <S extends { readonly id?: string | undefined }, R>(
  prefix: Prefix,
  { written = [], generated }: Seeds<S>,
  { project, idSeed, clock, onProgress, drawn = 0, gone = [] }: Run,
  fill: (seed: S, id: string, createdAt: string) => R,
): { rows: R[]; gone: Tombstone[]; counter: number } => {
  const pinned = new Set([...written.map((seed) => seed.id), ...gone.map((row) => row.id)])
  const start = startOf(clock)
  const total = generated.count + written.length
  let counter = drawn
  const newId = () => {
    let id: string
    do id = deriveId(idSeed, project, prefix, counter++)
    while (pinned.has(id))
    return id
  }
  const tell = counting(onProgress)
  const row = (seed: S, index: number) => {
    tell()
    const createdAt = new Date(inRange(start - (total - index) * 1000)).toISOString()
    return fill(seed, seed.id ?? newId(), createdAt)
  }

  // Written records get their ids first, so that another `generate` does not change them.
  const last = written.map((seed, index) => row(seed, generated.count + index))
  const rows: R[] = []
  for (const seed of generated.seeds) rows.push(row(seed, rows.length))
  for (const one of last) rows.push(one)
  return { rows, gone: gone.map(({ id, createdAt, index }) => ({ id, createdAt, sequence: index })), counter }
}
