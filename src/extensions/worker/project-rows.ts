import * as z from 'zod/mini'
import { exportProject, buildProjectState } from '../../domain/documents.ts'
import { noPaymentLinks, type ProjectState, type RecordKind, noUsers } from '../../domain/projects.ts'
import { type Entry, isRecord, type Resource, type Tombstone, toRecord } from '../../domain/position.ts'
import type { Store } from '../../domain/store.ts'
import { InvoiceId, StoredPaymentLink } from '../../schema/payment-link.ts'
import { ProjectDocument } from '../../schema/seed.ts'
import { User } from '../../schema/user.ts'
import type { Row, Texts } from './storage.ts'

const kinds = ['users', 'paymentLinks'] as const

/** Converts a whole state to rows: one with all records, and one with the invoices. */
export const toRows = (state: ProjectState): Row[] => {
  const all = kinds.map((kind) => [
    kind,
    [...state[kind].scan('asc'), ...state[kind].listTombstones()].map((entry) => toStored(entry)),
  ])
  return [{ kind: 'records', id: '', text: JSON.stringify(Object.fromEntries(all)) }, toInvoicesRow(state)]
}

/** Converts changed records to rows. They are newer than the row with all records. */
export const toChangedRows = (
  before: ProjectState,
  state: ProjectState,
  ids: Readonly<Record<RecordKind, Iterable<string>>>,
): Row[] => [
  ...kinds.flatMap((kind) =>
    [...ids[kind]].map((id) => ({ kind, id, text: JSON.stringify(toStored(state[kind].getEntry(id)!)) })),
  ),
  ...(state.invoices === before.invoices ? [] : [toInvoicesRow(state)]),
]

const toInvoicesRow = ({ invoices }: ProjectState): Row => ({
  kind: 'invoices',
  id: '',
  text: JSON.stringify([...invoices]),
})

/** Converts a record or a tombstone to the JSON that is stored. */
const toStored = (entry: Entry<object>): StoredEntry<object> =>
  isRecord(entry)
    ? { sequence: entry.sequence, value: entry.value }
    : { sequence: entry.sequence, id: entry.id, createdAt: entry.createdAt }

/** Returns the state without its records and invoices, which have rows of their own. */
export const getDocument = (state: ProjectState): ProjectDocument => {
  const {
    users: _,
    paymentLinks: __,
    ...document
  } = exportProject({
    ...state,
    users: noUsers,
    paymentLinks: noPaymentLinks,
    invoices: new Set(),
  })
  return document
}

const Deleted = z.object({ sequence: z.int(), id: z.string(), createdAt: z.string() })
const UserEntry = z.union([z.object({ sequence: z.int(), value: User }), Deleted])
const PaymentLinkEntry = z.union([z.object({ sequence: z.int(), value: StoredPaymentLink }), Deleted])
const Records = z.object({ users: z.array(UserEntry), paymentLinks: z.array(PaymentLinkEntry) })
const Invoices = z.array(InvoiceId)

/** Builds the state that a document and its rows describe. Throws if they are damaged. */
export const buildState = (store: Store, project: string, document: unknown, texts: Texts): ProjectState => {
  const parse = <T>(schema: z.ZodMiniType<T>, kind: string): T =>
    schema.parse(JSON.parse(texts.get(kind)?.get('') ?? ''))
  const parseChanges = <T>(schema: z.ZodMiniType<T>, kind: RecordKind): T[] =>
    [...(texts.get(kind)?.values() ?? [])].map((text) => schema.parse(JSON.parse(text)))
  const all = parse(Records, 'records')
  const users = [...all.users, ...parseChanges(UserEntry, 'users')]
  const paymentLinks = [...all.paymentLinks, ...parseChanges(PaymentLinkEntry, 'paymentLinks')]
  return {
    ...buildProjectState(store, project, ProjectDocument.parse(document)),
    invoices: new Set(parse(Invoices, 'invoices')),
    users: noUsers.load(toLatestEntries(users)),
    paymentLinks: noPaymentLinks.load(toLatestEntries(paymentLinks)),
  }
}

type StoredEntry<T> = { readonly sequence: number; readonly value: T } | Tombstone

/** A later entry replaces an earlier one of the same id. */
const toLatestEntries = <T extends Resource>(stored: readonly StoredEntry<T>[]): Entry<T>[] => {
  const latest = new Map(stored.map((entry) => ['value' in entry ? entry.value.id : entry.id, entry]))
  return [...latest.values()].map((entry) => ('value' in entry ? toRecord(entry.value, entry.sequence) : entry))
}
