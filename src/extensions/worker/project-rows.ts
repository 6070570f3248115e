import * as z from 'zod/mini'
import { exportProject, buildProjectState } from '../../domain/documents.ts'
import {
  type Collections,
  type RecordKind,
  type RecordValue,
  kinds,
  mapKinds,
  recordKinds,
} from '../../domain/kinds.ts'
import type { ProjectState } from '../../domain/transaction.ts'
import { getId, isStoredRecord, toRecord, type Entry } from '../../domain/collection.ts'
import type { Store } from '../../domain/store.ts'
import { InvoiceId } from '../../schema/payment-link.ts'
import { ProjectDocument } from '../../schema/seed.ts'
import type { StoredRow, Texts } from './storage.ts'

/** Converts a whole state to rows: one with all records, and one with the invoices. */
export const toRows = (state: ProjectState): StoredRow[] => {
  const all = mapKinds((kind) =>
    [...state[kind].scan('asc'), ...state[kind].listTombstones()].map((entry) => toStored(entry)),
  )
  return [{ kind: 'records', id: '', text: JSON.stringify(all) }, toInvoicesRow(state)]
}

/** Converts changed records to rows. They are newer than the row with all records. */
export const toChangedRows = (
  before: ProjectState,
  state: ProjectState,
  ids: Readonly<Record<RecordKind, Iterable<string>>>,
): StoredRow[] => [
  ...recordKinds.flatMap((kind) =>
    [...ids[kind]].map((id) => ({ kind, id, text: JSON.stringify(toStored(state[kind].getEntry(id)!)) })),
  ),
  ...(state.invoices === before.invoices ? [] : [toInvoicesRow(state)]),
]

const toInvoicesRow = ({ invoices }: ProjectState): StoredRow => ({
  kind: 'invoices',
  id: '',
  text: JSON.stringify([...invoices]),
})

/** Converts a record or a tombstone to the JSON that is stored. */
const toStored = (entry: Entry<object>): StoredEntry =>
  isStoredRecord(entry)
    ? { sequence: entry.sequence, value: entry.value }
    : { sequence: entry.sequence, id: entry.id, createdAt: entry.createdAt }

/** Returns the state without its records and invoices, which have rows of their own. */
export const getDocument = (state: ProjectState): ProjectDocument => {
  const emptied = { ...state, ...mapKinds<Collections>((kind) => kinds[kind].empty), invoices: new Set<string>() }
  const { users: _, paymentLinks: __, ...document } = exportProject(emptied)
  return document
}

const StoredEntry = z.union([
  z.object({ sequence: z.int(), id: z.string(), createdAt: z.string() }),
  // The kind of the record checks its value.
  z.object({ sequence: z.int(), value: z.unknown() }),
])
type StoredEntry = z.infer<typeof StoredEntry>
const StoredRecords = z.object(
  mapKinds<Record<RecordKind, z.ZodMiniArray<typeof StoredEntry>>>(() => z.array(StoredEntry)),
)
const Invoices = z.array(InvoiceId)

/** Builds the state that a document and its rows describe. Throws if they are damaged. */
export const buildStoredState = (store: Store, project: string, document: unknown, texts: Texts): ProjectState => {
  const parse = <T>(schema: z.ZodMiniType<T>, kind: string): T =>
    schema.parse(JSON.parse(texts.get(kind)?.get('') ?? ''))
  const all = parse(StoredRecords, 'records')
  const loadKind = <K extends RecordKind>(kind: K) => {
    const changed = [...(texts.get(kind)?.values() ?? [])].map((text) => StoredEntry.parse(JSON.parse(text)))
    return kinds[kind].empty.load(toLatestEntries(kind, [...all[kind], ...changed]))
  }
  return {
    ...buildProjectState(store, project, ProjectDocument.parse(document)),
    invoices: new Set(parse(Invoices, 'invoices')),
    ...mapKinds<Collections>(loadKind),
  }
}

/** A later entry replaces an earlier one of the same id. */
const toLatestEntries = <K extends RecordKind>(kind: K, stored: readonly StoredEntry[]): Entry<RecordValue<K>>[] => {
  const { schema } = kinds[kind]
  const entries = stored.map((entry): Entry<RecordValue<K>> =>
    'value' in entry ? toRecord(schema.parse(entry.value), entry.sequence) : entry,
  )
  return [...new Map(entries.map((entry) => [getId(entry), entry])).values()]
}
