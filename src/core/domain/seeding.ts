import { type BehaviorChoices, defaultBehaviors, type Profile, profiles } from '../schema/behavior.ts'
import type { ClockDocument } from '../schema/clock-document.ts'
import { omitUndefined } from '../schema/json-value.ts'
import type { ProjectDocument, Seed } from '../schema/seed.ts'
import { clampTime, createClock, getStart } from './clock.ts'
import { type Entry, toRecord } from './collection.ts'
import { createIds } from './ids.ts'
import {
  type Collections,
  type KindCollection,
  type RecordKind,
  type RecordSeed,
  type RecordValue,
  kinds,
  mapKinds,
} from './kinds.ts'
import type { ProjectSettings, ProjectState, StoreState } from './project-state.ts'

/** The settings of a document, or those of flags, environment and options, which override documents. */
interface SettingsDocument {
  readonly idSeed?: string | undefined
  readonly clock?: ClockDocument | undefined
  readonly behaviors?: BehaviorChoices | undefined
}

export interface InitialOptions extends SettingsDocument {
  readonly seed?: Seed | undefined
  /** The behaviors that the seed does not set. @default 'default' */
  readonly profile?: Profile | undefined
}

export const createInitialState = ({ seed = {}, profile = 'default', ...overrides }: InitialOptions): StoreState => {
  const behaviors = { ...defaultBehaviors, ...profiles[profile] }
  return buildState(seed, () => ({ idSeed: 'paylink-mock', clock: createClock(), behaviors }), overrides)
}

/** @param getBase returns the settings that the document omits, for the store or a project */
export const buildState = (
  document: Seed,
  getBase: (project?: string) => ProjectSettings,
  overrides: SettingsDocument = {},
): StoreState => ({
  ...mergeSettings(getBase(), document, overrides),
  template: document.template ?? {},
  projects: new Map(
    Object.entries(document.projects ?? {}).map(([id, project]) => [
      id,
      buildProject(id, project, mergeSettings(getBase(id), document, project, overrides)),
    ]),
  ),
  draws: new Map(Object.entries(document.progress?.draws ?? {})),
})

/** Later documents win. */
export const mergeSettings = (base: ProjectSettings, ...documents: readonly SettingsDocument[]): ProjectSettings =>
  documents.reduce<ProjectSettings>(
    (mergedSettings, { idSeed, clock, behaviors = {} }) => ({
      idSeed: idSeed ?? mergedSettings.idSeed,
      clock: clock === undefined ? mergedSettings.clock : createClock(clock),
      behaviors: { ...mergedSettings.behaviors, ...omitUndefined(behaviors) },
    }),
    base,
  )

export const createFromTemplate = (
  id: string,
  { template, draws, ...settings }: Omit<StoreState, 'projects'>,
): ProjectState => buildProject(id, { ...template, progress: { counters: { draws: draws.get(id) } } }, settings)

export const buildProject = (
  project: string,
  document: ProjectDocument,
  { idSeed, clock, behaviors }: ProjectSettings,
): ProjectState => {
  // Assumed: the specification leaves the locale to the project.
  const { preferredLocale = 'en-US', invoices, scheduledPayments = [], progress } = document
  const state: Omit<ProjectState, RecordKind> = {
    idSeed,
    preferredLocale,
    invoices: new Set(invoices),
    scheduledPayments,
    counters: { usr: 0, pml: 0, draws: 0, ...omitUndefined(progress?.counters ?? {}) },
    clock,
    behaviors,
  }
  return { ...state, ...mapKinds<Collections>((kind) => seedRecords(kind, project, document, state)) }
}

/** Increases the id counter in `counters`. */
const seedRecords = <K extends RecordKind>(
  kind: K,
  project: string,
  document: ProjectDocument,
  { idSeed, clock, preferredLocale, counters }: Omit<ProjectState, RecordKind>,
): KindCollection<K> => {
  const { empty, prefix, defaults, generate } = kinds[kind]
  const listedSeeds: readonly RecordSeed<K>[] = document[kind] ?? []
  const deletedRecords = document.progress?.deleted?.[kind] ?? []
  const generatedSeeds = document.generate === undefined ? [] : generate(document.generate, `${idSeed} ${project}`)
  const recordCount = generatedSeeds.length + listedSeeds.length
  if (recordCount + deletedRecords.length === 0) return empty.copy()
  const takenIds = new Set([...listedSeeds, ...deletedRecords].map(({ id }) => id))
  const createId = createIds(idSeed, project, prefix)
  const newId = () => {
    let id: string
    do id = createId(counters[prefix]++)
    while (takenIds.has(id))
    return id
  }
  const clockStart = getStart(clock)
  const createRecord = (seed: RecordSeed<K>, index: number) => {
    const createdAt = new Date(clampTime(clockStart - (recordCount - index) * 1000)).toISOString()
    return defaults(seed, { id: seed.id ?? newId(), createdAt, preferredLocale })
  }

  // Listed records get their ids first, so that another `generate` does not change them.
  const listedRecords = listedSeeds.map((seed, index) => createRecord(seed, generatedSeeds.length + index))
  const records = [...generatedSeeds.map(createRecord), ...listedRecords]
  // Deleted records keep their positions among the others.
  const deletedPositions = new Set(deletedRecords.map(({ index }) => index))
  let sequence = 0
  const entries = records.map((record): Entry<RecordValue<K>> => {
    while (deletedPositions.has(sequence)) sequence++
    return toRecord(record, sequence++)
  })
  return empty.load([...entries, ...deletedRecords.map(({ index, ...deleted }) => ({ ...deleted, sequence: index }))])
}
