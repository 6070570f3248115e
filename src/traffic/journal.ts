import { Refusal } from '../schema/error.ts'
import type { Recorded } from './record.ts'
import { Ring } from './ring.ts'

export interface JournalLimits {
  /** Entries of one project. @default 1000 */
  readonly entries?: number | undefined
  /** Characters of all projects, about. @default 64 Mi */
  readonly size?: number | undefined
}

/** What was called, bounded: each project by its entries, all of them by their size, where the fullest gives way. */
export interface Journal {
  /** Counts the times that a project's journal was emptied by a reset: what was begun before one is not written after it. */
  epochOf(project: string | undefined): number
  /** Answers about how many characters the entry holds. */
  add(recorded: Recorded): number
  /** Entries oldest first, of one project or of all. */
  list(project?: string): Recorded[]
  /** How many are there no more, because there was no room. */
  dropped(project?: string): number
  /** Refuses (`requestNotFound`) an id that names none. */
  get(id: string, project?: string): Recorded
  forget(project?: string): void
  /** Empties the journal, and begins another epoch. */
  reset(project?: string): void
  /** Tells of each entry as it is written, until what it returns is called. */
  onAdd(listener: (recorded: Recorded) => void): () => void
}

const defaultLimits = { entries: 1000, size: 64 * 1024 * 1024 }

export const createJournal = (limits: JournalLimits = {}): Journal => {
  const { entries = defaultLimits.entries, size: most = defaultLimits.size } = limits
  const rings = new Map<string, Ring>()
  const epochs = new Map<string, number>()
  const listeners = new Set<(recorded: Recorded) => void>()
  let epoch = 0
  let sequence = 0
  let total = 0

  const ringOf = (project: string): Ring => {
    const ring = rings.get(project) ?? new Ring(entries)
    rings.set(project, ring)
    return ring
  }
  // Rare, and then for long: looking for the fullest at each entry would cost more than the request.
  const makeRoom = () => {
    const fullest = [...rings.values()].toSorted((a, b) => b.size - a.size)
    for (const ring of fullest) {
      if (total <= most * 0.9) return
      total -= ring.dropOldest(Math.max(total - most * 0.9, ring.size / 4))
    }
  }
  const remove = (project: string | undefined) => {
    if (project === undefined) {
      rings.clear()
      total = 0
    } else {
      total -= rings.get(project)?.size ?? 0
      rings.delete(project)
    }
  }
  const ringsOf = (project: string | undefined): Ring[] =>
    project === undefined ? [...rings.values()] : [rings.get(project) ?? []].flat()
  const list = (project?: string): Recorded[] =>
    ringsOf(project)
      .flatMap((ring) => ring.items)
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ recorded }) => recorded)

  return {
    epochOf: (project) => epoch + (epochs.get(nameOf(project)) ?? 0),
    add: (recorded) => {
      const size = sizeOf(recorded)
      total += ringOf(nameOf(recorded.project)).push(recorded, sequence++, size)
      if (total > most) makeRoom()
      for (const listener of listeners) listener(recorded)
      return size
    },
    list,
    dropped: (project) => ringsOf(project).reduce((sum, ring) => sum + ring.dropped, 0),
    get: (id, project) => {
      const found = list(project).find((recorded) => recorded.id === id)
      if (found === undefined) throw new Refusal('requestNotFound', `No request '${id}' in the journal.`)
      return found
    },
    forget: remove,
    reset: (project) => {
      remove(project)
      if (project === undefined) epoch++
      else epochs.set(project, (epochs.get(project) ?? 0) + 1)
    },
    onAdd: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What an entry weighs beside its texts, about. */
const overhead = 500

const sizeOf = ({ url, headers, text, answer, violations }: Recorded): number => {
  let size = overhead + url.length + (text?.length ?? 0) + (answer?.text?.length ?? 0)
  for (const part of headers) size += part.length
  for (const { path, message } of violations) size += path.length + message.length
  return size
}

// A request whose path names no project stands under the name that no project can have.
const nameOf = (project: string | undefined): string => project ?? ''
