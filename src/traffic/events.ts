import type { MockEvent } from '../schema/recorded-request.ts'
import type { OnEnd } from './pending-delays.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
/** An event before it has its id. */
type NewEvent = WithoutId<MockEvent>

export interface FollowOptions {
  readonly project?: string | undefined
  /** The id of the last event that the reader received. @default the newest */
  readonly after?: number | undefined
  readonly onEnd: OnEnd
  /** Is called when the reader is so slow that it will miss events. */
  readonly onBehind?: (() => void) | undefined
}

/** A running subscription. `return` also ends a `next` that waits. */
export interface EventSubscription extends AsyncIterable<MockEvent> {
  next(): Promise<IteratorResult<MockEvent, undefined>>
  return(): Promise<IteratorResult<MockEvent, undefined>>
}

interface StoredEvent {
  readonly id: number
  readonly project: string | undefined
  readonly size: number
  readonly make: () => NewEvent
  /** The number of the `clear` that removed it. Later readers do not receive it. */
  clearedBy?: number
}

interface Reader {
  hasEnded: boolean
  /** Is called after each event, and when the reader ends. Undefined before its first read. */
  notify?: () => void
}

/** The past events of a mock, in order. */
interface EventLog {
  stored: StoredEvent[]
  lastId: number
  /** The id of the newest event that was dropped to make room. */
  droppedId: number
  clears: number
  isStopped: boolean
}

/** The limits of past events: their number, and their approximate number of characters. */
const maxEvents = 1000
const maxSize = 16 * 1024 * 1024

export const createEvents = () => {
  const log: EventLog = { stored: [], lastId: 0, droppedId: 0, clears: 0, isStopped: false }
  let size = 0
  const readers = new Set<Reader>()
  const notify = () => {
    for (const reader of readers) reader.notify?.()
  }
  const keep = (kept: StoredEvent[]) => {
    log.stored = kept
    size = kept.reduce((sum, event) => sum + event.size, 0)
  }
  return {
    /** Adds an event. `make` builds it when it is read. `eventSize` is its approximate number of characters. */
    publish: (project: string | undefined, eventSize: number, make: () => NewEvent): void => {
      log.stored.push({ id: ++log.lastId, project, size: eventSize, make })
      size += eventSize
      // Half is dropped at once: dropping one would move all others each time.
      if (log.stored.length > maxEvents * 2 || size > maxSize) {
        const half = Math.floor(log.stored.length / 2)
        log.droppedId = log.stored[half - 1]?.id ?? log.droppedId
        keep(log.stored.slice(half))
      }
      notify()
    },
    /** Yields the stored events after `after`, then all later events, of one project or of all. */
    follow: (options: FollowOptions): EventSubscription => {
      const reader: Reader = { hasEnded: false }
      readers.add(reader)
      const forget = () => void readers.delete(reader)
      const events = followEvents(log, reader, options, forget)
      const subscription: EventSubscription = {
        next: () => events.next(),
        // Without the wake, a generator that waits would end only with the next event.
        return: () => {
          endReader(reader)
          // A subscription that was never read has no `finally`.
          forget()
          return events.return(undefined)
        },
        [Symbol.asyncIterator]: () => subscription,
      }
      return subscription
    },
    /** Deletes past events. Current readers still receive them. Ids continue. */
    clear: (project?: string): void => {
      log.clears++
      const isPast = (event: StoredEvent) => project === undefined || event.project === project
      if (readers.size === 0) return keep(log.stored.filter((event) => !isPast(event)))
      for (const event of log.stored) if (isPast(event)) event.clearedBy ??= log.clears
    },
    isStreaming: () => readers.size > 0,
    stop: (): void => {
      log.isStopped = true
      notify()
    },
  }
}

/** Yields the events of a reader, and waits for more until it ends. `forget` removes the reader. */
async function* followEvents(
  log: EventLog,
  reader: Reader,
  { project, after = log.lastId, onEnd, onBehind }: FollowOptions,
  forget: () => void,
): AsyncGenerator<MockEvent, undefined, undefined> {
  const clearsAtStart = log.clears
  let seenId = Math.min(after, log.lastId)
  const isForReader = (event: StoredEvent) =>
    (project === undefined || event.project === project || event.project === undefined) &&
    (event.clearedBy === undefined || event.clearedBy > clearsAtStart)
  /** Ends the wait for the next event. */
  let wake = () => {}
  reader.notify = () => {
    wake()
    if (seenId < log.droppedId) onBehind?.()
  }
  const stopListening = onEnd(() => endReader(reader))
  try {
    while (!reader.hasEnded && !log.isStopped) {
      if (seenId < log.droppedId) {
        const count = log.droppedId - seenId
        seenId = log.droppedId
        yield { id: seenId, type: 'dropped', count }
        continue
      }
      const next = log.stored.find(({ id }) => id > seenId)
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      seenId = next.id
      if (isForReader(next)) yield { ...next.make(), id: next.id }
    }
    return undefined
  } finally {
    forget()
    stopListening()
  }
}

const endReader = (reader: Reader) => {
  reader.hasEnded = true
  reader.notify?.()
}
