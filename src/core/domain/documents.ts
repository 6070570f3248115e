import { pickBehaviors } from '../schema/behavior.ts'
import { omitUndefined } from '../schema/json-value.ts'
import {
  type DeletedRecord,
  type ProjectDocument,
  type ProjectPatch,
  type Seed,
  type SeedPatch,
  Template,
} from '../schema/seed.ts'
import { exportClock } from './clock.ts'
import { type Collections, type RecordKind, type RecordValue, mapKinds, recordKinds } from './kinds.ts'
import { buildProject, buildState, mergeSettings } from './seeding.ts'
import { isStoredRecord, byPosition, compareTexts, type Entry, type Resource } from './collection.ts'
import type { ProjectState, ProjectSettings } from './project-state.ts'
import type { Transaction } from './transaction.ts'
import type { Store } from './store.ts'

/** Exports the whole state as a seed document. A mock that loads it continues where this one stopped. */
export const exportAll = (store: Store): Seed => {
  const { idSeed, clock, behaviors, template, draws } = store.states.getDefaults()
  const sharedSettings = { idSeed, clock, behaviors }
  const exportProjectById = (id: string) =>
    [id, store.read(id, ({ state }) => exportProject(state, sharedSettings))] as const
  const sortedDraws = [...draws].toSorted(([a], [b]) => compareTexts(a, b))
  return {
    idSeed,
    clock: exportClock(clock),
    behaviors,
    template,
    projects: Object.fromEntries(store.projects.listNames().map(exportProjectById)),
    ...(sortedDraws.length > 0 && { progress: { draws: Object.fromEntries(sortedDraws) } }),
  }
}

/** Restores the initial clock and behaviors if the document omits them. */
export const loadAll = (store: Store, document: Seed): void =>
  store.states.replaceAll(buildState(document, store.states.getBase), 'loaded')

export const loadProject = (store: Store, id: string, document: ProjectDocument): void =>
  store.states.replace(id, buildProjectState(store, id, document), 'loaded')

/** Settings that the document omits get their initial values. */
export const buildProjectState = (store: Store, id: string, document: ProjectDocument): ProjectState =>
  buildProject(id, document, mergeSettings(store.states.getBase(id), document))

export const patchAll = (store: Store, { clock, behaviors, template, projects = {} }: SeedPatch): void => {
  if (clock !== undefined) store.clock.set(clock)
  if (behaviors !== undefined) store.behaviors.set(behaviors)
  if (template !== undefined) {
    const mergedTemplate = { ...store.states.getDefaults().template, ...omitUndefined(template) }
    // The schema orders the fields, so that an export is the same after a load.
    store.states.setTemplate(Template.parse(mergedTemplate))
  }
  for (const [id, project] of Object.entries(projects)) patchProject(store, id, project)
}

export const patchProject = (store: Store, id: string, document: ProjectPatch): void => {
  const { clock, behaviors } = document
  if (clock !== undefined) store.clock.set(clock, id)
  if (behaviors !== undefined) store.behaviors.set(behaviors, id)
  store.update(id, (tx) => patchRecords(tx, document))
}

const patchRecords = (tx: Transaction, { preferredLocale, invoices = [], ...records }: ProjectPatch) => {
  if (preferredLocale !== undefined) tx.set('preferredLocale', preferredLocale)
  const newInvoices = invoices.filter((invoice) => !tx.state.invoices.has(invoice))
  if (newInvoices.length > 0) tx.set('invoices', new Set([...tx.state.invoices, ...newInvoices]))
  for (const kind of recordKinds) for (const seed of records[kind] ?? []) tx.overwrite(kind, seed)
}

/** @param sharedSettings the settings for all projects, which the document leaves out */
export const exportProject = (state: ProjectState, sharedSettings?: ProjectSettings): ProjectDocument => {
  const behaviors = pickBehaviors(state.behaviors, (key) => state.behaviors[key] !== sharedSettings?.behaviors[key])
  const { draws, ...counters } = state.counters
  const deletedByKind = recordKinds
    .map((kind) => [kind, exportDeleted(state[kind])] as const)
    .filter(([, records]) => records.length > 0)
  return {
    ...(state.idSeed !== sharedSettings?.idSeed && { idSeed: state.idSeed }),
    preferredLocale: state.preferredLocale,
    ...(state.invoices.size > 0 && { invoices: [...state.invoices] }),
    ...(Object.keys(behaviors).length > 0 && { behaviors }),
    clock: exportClock(state.clock),
    ...mapKinds<{ [K in RecordKind]: RecordValue<K>[] }>((kind) =>
      [...state[kind].scan('asc')].map(({ value }) => value),
    ),
    ...(state.scheduledPayments.length > 0 && { scheduledPayments: [...state.scheduledPayments] }),
    progress: {
      counters: { ...counters, ...(draws > 0 && { draws }) },
      ...(deletedByKind.length > 0 && { deleted: Object.fromEntries(deletedByKind) }),
    },
  }
}

/** Each index counts all records, including deleted ones. */
const exportDeleted = (records: Collections[RecordKind]): DeletedRecord[] => {
  const tombstones = records.listTombstones()
  if (tombstones.length === 0) return []
  const sortedEntries: Entry<Resource>[] = [...records.scan('asc'), ...tombstones]
  return sortedEntries
    .toSorted(byPosition)
    .flatMap((entry, index) => (isStoredRecord(entry) ? [] : [{ id: entry.id, createdAt: entry.createdAt, index }]))
}
