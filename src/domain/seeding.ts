import type { Behaviors } from '../schema/behavior.ts'
import type { DeletedRecord, ProjectDocument } from '../schema/seed.ts'
import { type Clock, clampTime, getStart } from './clock.ts'
import { createIds } from './ids.ts'
import { type RecordKind, type RecordSeed, type RecordValue, kinds, mapKinds } from './kinds.ts'
import type { GeneratedSeeds } from './generate.ts'
import { toRecord } from './collection.ts'
import { type Entry } from './position.ts'
import type { Collections, ProjectState } from './transaction.ts'

/** The locale of a project without one in its seed. Assumed: the specification leaves it to the project. */
const defaultLocale = 'en-US'

interface SeedingSettings {
  readonly project: string
  readonly idSeed: string
  readonly clock: Clock
  readonly behaviors: Behaviors
}

/** Builds a project from its document. The same document and settings result in the same project. */
export const buildProject = (document: ProjectDocument, settings: SeedingSettings): ProjectState => {
  const { idSeed, project, clock, behaviors } = settings
  const { preferredLocale = defaultLocale, progress: { counters = {}, deleted = {} } = {} } = document
  const draws = `${idSeed} ${project}`
  const counted = { draws: counters.draws ?? 0 } as ProjectState['counters']
  const collections = mapKinds<Collections>((kind) => {
    const { prefix, empty, generate } = kinds[kind]
    const { entries, counter } = createEntries(kind, document[kind], generate(document.generate ?? {}, draws), {
      ...settings,
      preferredLocale,
      counter: counters[prefix],
      deleted: deleted[kind],
    })
    counted[prefix] = counter
    return entries.length === 0 ? empty : empty.load(entries)
  })
  return {
    idSeed,
    preferredLocale,
    invoices: new Set(document.invoices),
    ...collections,
    scheduledPayments: document.scheduledPayments ?? [],
    counters: counted,
    clock,
    behaviors,
  }
}

interface RecordSettings extends SeedingSettings {
  readonly preferredLocale: string
  readonly counter: number | undefined
  readonly deleted: readonly DeletedRecord[] | undefined
}

/** Creates records with the ids and times that their seeds leave out. */
const createEntries = <K extends RecordKind>(
  kind: K,
  listed: readonly RecordSeed<K>[] = [],
  generated: GeneratedSeeds<RecordSeed<K>>,
  { project, idSeed, clock, preferredLocale, counter: firstCounter = 0, deleted = [] }: RecordSettings,
): { entries: Entry<RecordValue<K>>[]; counter: number } => {
  const { prefix, defaults } = kinds[kind]
  const taken = new Set([...listed.map((seed) => seed.id), ...deleted.map(({ id }) => id)])
  const start = getStart(clock)
  const total = generated.count + listed.length
  const createId = createIds(idSeed, project, prefix)
  let counter = firstCounter
  const newId = () => {
    let id: string
    do id = createId(counter++)
    while (taken.has(id))
    return id
  }
  const createRecord = (seed: RecordSeed<K>, index: number) => {
    const createdAt = new Date(clampTime(start - (total - index) * 1000)).toISOString()
    return defaults(seed, { id: seed.id ?? newId(), createdAt, preferredLocale })
  }

  // Listed records get their ids first, so that another `generate` does not change them.
  const last = listed.map((seed, index) => createRecord(seed, generated.count + index))
  const entries: Entry<RecordValue<K>>[] = deleted.map(({ id, createdAt, index }) => ({
    id,
    createdAt,
    sequence: index,
  }))
  // Deleted records keep their positions among the others.
  const deletedAt = new Set(deleted.map(({ index }) => index))
  let sequence = 0
  const add = (record: RecordValue<K>) => {
    while (deletedAt.has(sequence)) sequence++
    entries.push(toRecord(record, sequence++))
  }
  let index = 0
  for (const seed of generated.seeds) add(createRecord(seed, index++))
  for (const record of last) add(record)
  return { entries, counter }
}
