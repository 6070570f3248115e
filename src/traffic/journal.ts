import { errors } from '../schema/error.ts'
import type { StoredRequest } from './record.ts'

export interface JournalLimits {
  /** The maximum number of requests of a project. @default 1000 */
  readonly entries?: number | undefined
  /** The memory that this journal shares with others. @default memory of its own */
  readonly memory?: JournalMemory | undefined
}

/** The memory limit that several journals share. When it is exceeded, the largest project loses its oldest requests. */
export interface JournalMemory {
  readonly buffers: Set<Buffer>
  /** Adds to the total size, and drops requests if it exceeds the limit. */
  grow(size: number): void
}

/**
 * Creates the memory limit of journals.
 * @param maxSize the maximum size of all their requests together, in characters
 */
export const createJournalMemory = (maxSize = 64 * 1024 * 1024): JournalMemory => {
  const buffers = new Set<Buffer>()
  let total = 0
  // Frees a tenth at once, because the search for the largest project costs more than a request.
  const makeRoom = () => {
    const largest = [...buffers].toSorted((a, b) => b.size - a.size)
    for (const buffer of largest) {
      if (total <= maxSize * 0.9) return
      const target = Math.min(buffer.size - (total - maxSize * 0.9), buffer.size * 0.75)
      while (buffer.size > target && buffer.entries.length > 0) total -= dropOldest(buffer)
    }
  }
  return {
    buffers,
    grow: (size) => {
      total += size
      if (total > maxSize) makeRoom()
    },
  }
}

/** The recorded requests. Each project has a maximum number, and all of them share a memory limit. */
export type Journal = ReturnType<typeof createJournal>

interface JournalEntry {
  readonly request: StoredRequest
  /** The position among the requests of all projects. */
  readonly sequence: number
  readonly size: number
}

export const createJournal = (limits: JournalLimits = {}) => {
  const { entries = 1000, memory = createJournalMemory() } = limits
  const buffers = new Map<string, Buffer>()
  const epochs = new Map<string, number>()
  const listeners = new Set<(request: StoredRequest) => void>()
  let epoch = 0
  let sequence = 0

  const getBuffer = (project: string): Buffer => {
    const buffer = buffers.get(project) ?? { entries: [], size: 0, dropped: 0 }
    buffers.set(project, buffer)
    memory.buffers.add(buffer)
    return buffer
  }
  const clear = (project?: string) => {
    for (const [name, buffer] of project === undefined ? [...buffers] : [[project, buffers.get(project)] as const]) {
      if (buffer === undefined) continue
      buffers.delete(name)
      memory.buffers.delete(buffer)
      memory.grow(-buffer.size)
    }
  }
  const getBuffers = (project: string | undefined): Buffer[] =>
    project === undefined ? [...buffers.values()] : [buffers.get(project) ?? []].flat()
  /** Returns the requests of one project or of all, oldest first. */
  const list = (project?: string): StoredRequest[] =>
    getBuffers(project)
      .flatMap((buffer) => buffer.entries)
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ request }) => request)

  return {
    /** Returns how often the project was reset. A request that began before a reset is not recorded after it. */
    getEpoch: (project: string): number => epoch + (epochs.get(project) ?? 0),
    /** Records a request. Returns its approximate size in characters. */
    add: (request: StoredRequest): number => {
      const size = getSize(request)
      const buffer = getBuffer(request.project)
      buffer.entries.push({ request, sequence: sequence++, size })
      buffer.size += size
      memory.grow(size - (buffer.entries.length > entries ? dropOldest(buffer) : 0))
      for (const listener of listeners) listener(request)
      return size
    },
    list,
    /** Returns how many requests were dropped to make room. */
    countDropped: (project?: string): number => getBuffers(project).reduce((sum, buffer) => sum + buffer.dropped, 0),
    /** Throws `requestNotFound` if the id is unknown. */
    get: (id: string, project?: string): StoredRequest => {
      const request = list(project).find((one) => one.id === id)
      if (request === undefined) throw errors.requestNotFound(id)
      return request
    },
    clear,
    /** Clears the journal and starts a new epoch. */
    reset: (project?: string): void => {
      clear(project)
      if (project === undefined) epoch++
      else epochs.set(project, (epochs.get(project) ?? 0) + 1)
    },
    /** Calls the listener with each new request. Returns a function that removes the listener. */
    onAdd: (listener: (request: StoredRequest) => void) => {
      listeners.add(listener)
      return (): void => void listeners.delete(listener)
    },
  }
}

/** The approximate size of a request without its texts. */
const baseSize = 500

const getSize = ({ url, headers, text, response, violations }: StoredRequest): number => {
  let size = baseSize + url.length + (text?.length ?? 0) + (response?.text?.length ?? 0)
  for (const part of headers) size += part.length
  for (const { path, message } of violations) size += path.length + message.length
  return size
}

/** The recorded requests of one project, oldest first. */
interface Buffer {
  readonly entries: JournalEntry[]
  /** The sum of the sizes of the entries. */
  size: number
  /** How many requests were dropped. */
  dropped: number
}

/** Drops the oldest entry. Returns its size. */
const dropOldest = (buffer: Buffer): number => {
  const { size = 0 } = buffer.entries.shift() ?? {}
  buffer.size -= size
  buffer.dropped++
  return size
}
