import * as z from 'zod/mini'
import {
  buildProjectState,
  type Collections,
  type Core,
  type Entry,
  exportProject,
  getId,
  isStoredRecord,
  kinds,
  mapKinds,
  type ProjectState,
  type RecordKind,
  recordKinds,
  type RecordValue,
  type SavedProject,
  toRecord,
} from '../core/mock/extension.ts'
import { errors } from '../core/schema/error.ts'
import { InvoiceId } from '../core/schema/payment-link.ts'
import { HashedToken, type ProjectDocument, StoredDocument } from '../core/schema/seed.ts'
import { Snapshot } from '../core/schema/summaries.ts'
import { parseRow, type Row, type Storage, type Texts } from './storage.ts'

const currentFormat = 1
const projectScope = 'state'

/** How many request ids are reserved at once, so that a read writes nothing. After an eviction, unused ids are skipped. */
const reservedIds = 1000

/** The number of changed records above which writing all records at once costs less. */
const maxChanges = 1000

type OwnFaults = ReturnType<Core['root']['traffic']['faults']['getOwn']>

const Head = z.object({
  format: z.int(),
  revision: z.int(),
  /** The number of request ids that are used or reserved. */
  requests: z.int(),
  tokens: z.optional(z.array(HashedToken)),
  faults: z.optional(z.custom<OwnFaults>()),
  /** The state without its records. Undefined: the project was deleted. */
  project: z.optional(z.unknown()),
})

/** A part of an object's project, in its mock and in a scope of its storage. */
interface StoredPart {
  readonly scope: string
  /** Loads the stored texts. Throws if they are damaged: then the next `save` replaces them. */
  load(texts: Texts): void
  save(): void
}

/** Creates the part that stores a project, except its snapshots. `changed` has the records to save; `save` clears it. */
export const createStoredProject = (
  { store, tokens, traffic: { faults } }: Core['root'],
  project: string,
  storage: Storage,
  changed: Readonly<Record<RecordKind, Set<string>>>,
): StoredPart => {
  const { revisions } = store.projects
  const requests = store.requests.counts

  const readCurrent = () => ({
    state: store.states.find(project),
    tokens: tokens.getOwn(project),
    // As JSON, because the hits of a fault change.
    faults: JSON.stringify(faults.getOwn(project)),
    revision: revisions.get(project) ?? 0,
    requests: requests.get(project) ?? 0,
    generation: store.states.getGeneration(project),
  })

  let stored: ReturnType<typeof readCurrent> | undefined

  const write = (next: ReturnType<typeof readCurrent>) => {
    const { state, generation, ...counts } = next
    const before = stored?.state
    const document = state && getDocument(state)
    const value = { format: currentFormat, ...counts, faults: faults.getOwn(project), project: document }
    const head = { kind: 'head', value }
    const isReplaced = before === undefined || state === undefined || generation !== stored?.generation
    if (isReplaced || recordKinds.reduce((sum, kind) => sum + changed[kind].size, 0) > maxChanges)
      storage.replace(projectScope, [...(state === undefined ? [] : toRows(state)), head])
    else storage.write(projectScope, [...toChangedRows(before, state, changed), head])
    stored = next
  }

  return {
    scope: projectScope,
    load: (texts) => {
      if (texts.size === 0) return
      // Even a project that cannot be read can be deleted.
      store.projects.ensure(project)
      const head = parseRow(Head, texts, 'head')
      if (head.tokens !== undefined) tokens.restore(project, head.tokens)
      if (head.faults !== undefined) faults.restore(project, head.faults)
      try {
        if (head.format !== currentFormat)
          throw new Error(`The format is ${head.format}; this version reads ${currentFormat}.`)
        if (head.project === undefined) store.states.delete(project)
        else store.states.load(project, buildStoredState(store, project, head.project, texts))
      } finally {
        // Loading a project is not a change of it.
        revisions.set(project, head.revision)
        requests.set(project, head.requests)
      }
      stored = readCurrent()
    },
    save: () => {
      const next = readCurrent()
      // A request to an unknown project stores nothing.
      if (next.state === undefined && next.revision === 0) return
      const reserved =
        stored !== undefined && next.requests <= stored.requests ? stored.requests : next.requests + reservedIds
      const wanted = { ...next, requests: reserved }
      if (stored === undefined || !isEqual(stored, wanted)) write(wanted)
      for (const kind of recordKinds) changed[kind].clear()
    },
  }
}

const isEqual = <T extends object>(a: T, b: T): boolean =>
  (Object.keys(a) as (keyof T)[]).every((name) => a[name] === b[name])

/** The maximum number of snapshots of a project. Assumed: each is a whole copy, and a storage is limited. */
export const maxSnapshots = 20

const snapshotsScope = 'snapshots'
const getScope = (name: string): string => `snapshot ${JSON.stringify(name)}`

/** Creates the part that stores the snapshots. The state of a snapshot is loaded when it is restored. */
export const createStoredSnapshots = (
  { store, snapshots }: Core['root'],
  project: string,
  storage: Storage,
): StoredPart => {
  let stored: ReadonlyMap<string, SavedProject> | undefined

  const loadState = (name: string) => {
    const texts = storage.read(getScope(name))
    try {
      return buildStoredState(store, project, parseRow(z.unknown(), texts, 'head'), texts)
    } catch (cause) {
      throw errors.stateUnreadable({ project, snapshot: name, cause })
    }
  }
  return {
    scope: snapshotsScope,
    load: (texts) => {
      const list = texts.size === 0 ? [] : parseRow(z.array(Snapshot), texts, 'list')
      for (const snapshot of list) snapshots.addSaved(project, { snapshot, load: () => loadState(snapshot.name) })
      stored = new Map(snapshots.getSaved(project))
    },
    save: () => {
      const own = snapshots.getSaved(project)
      const before = stored ?? new Map<string, SavedProject>()
      const changed = [...own].filter(([name, saved]) => before.get(name) !== saved)
      if (stored !== undefined && changed.length === 0 && own.size === before.size) return
      for (const [name, { load }] of changed) {
        const state = load()
        storage.replace(getScope(name), [...toRows(state), { kind: 'head', value: getDocument(state) }])
      }
      for (const name of before.keys()) if (!own.has(name)) storage.replace(getScope(name), [])
      // In one row, which keeps their order.
      const list = [...own.values()].map(({ snapshot }) => snapshot)
      storage.replace(snapshotsScope, list.length === 0 ? [] : [{ kind: 'list', value: list }])
      stored = new Map(own)
    },
  }
}

/** Converts a whole state to rows: one with all records, and one with the invoices. */
const toRows = (state: ProjectState): Row[] => {
  const records = mapKinds((kind) => [...state[kind].scan('asc'), ...state[kind].listTombstones()].map(toStored))
  return [{ kind: 'records', value: records }, toInvoicesRow(state)]
}

/** Converts changed records to rows. They are newer than the row with all records. */
const toChangedRows = (
  before: ProjectState,
  state: ProjectState,
  ids: Readonly<Record<RecordKind, Iterable<string>>>,
): Row[] => [
  ...recordKinds.flatMap((kind) =>
    [...ids[kind]].map((id) => ({ kind, id, value: toStored(state[kind].getEntry(id)!) })),
  ),
  ...(state.invoices === before.invoices ? [] : [toInvoicesRow(state)]),
]

const toInvoicesRow = ({ invoices }: ProjectState): Row => ({ kind: 'invoices', value: [...invoices] })

const toStored = (entry: Entry<object>): StoredEntry =>
  isStoredRecord(entry)
    ? { sequence: entry.sequence, value: entry.value }
    : { sequence: entry.sequence, id: entry.id, createdAt: entry.createdAt }

/** Returns the state without its records and invoices, which have rows of their own. */
const getDocument = (state: ProjectState): ProjectDocument => {
  const emptiedState = { ...state, ...mapKinds<Collections>((kind) => kinds[kind].empty), invoices: new Set<string>() }
  const { users: _, paymentLinks: __, ...document } = exportProject(emptiedState)
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

/** Builds the state that a document and its rows describe. Throws if they are damaged. */
const buildStoredState = (
  store: Core['root']['store'],
  project: string,
  document: unknown,
  texts: Texts,
): ProjectState => {
  const storedRecords = parseRow(StoredRecords, texts, 'records')
  const loadKind = <K extends RecordKind>(kind: K) => {
    const changed = [...(texts.get(kind)?.values() ?? [])].map((text) => StoredEntry.parse(JSON.parse(text)))
    const entries = [...storedRecords[kind], ...changed].map((entry): Entry<RecordValue<K>> =>
      'value' in entry ? toRecord(kinds[kind].schema.parse(entry.value), entry.sequence) : entry,
    )
    // A later entry replaces an earlier one of the same id.
    return kinds[kind].empty.load([...new Map(entries.map((entry) => [getId(entry), entry])).values()])
  }
  return {
    ...buildProjectState(store, project, StoredDocument.parse(document)),
    invoices: new Set(parseRow(z.array(InvoiceId), texts, 'invoices')),
    ...mapKinds<Collections>(loadKind),
  }
}
