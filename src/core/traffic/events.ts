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
  readonly createEvent: () => NewEvent
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
const maxEventSize = 16 * 1024 * 1024

export const createEvents = () => {
  const log: EventLog = { stored: [], lastId: 0, droppedId: 0, clears: 0, isStopped: false }
  let totalSize = 0
  const eventReaders = new Set<Reader>()
  const notify = () => {
    for (const reader of eventReaders) reader.notify?.()
  }
  const keepEvents = (keptEvents: StoredEvent[]) => {
    log.stored = keptEvents
    totalSize = keptEvents.reduce((sum, event) => sum + event.size, 0)
  }
  return {
    /** Adds an event. `make` builds it when it is read. `eventSize` is its approximate number of characters. */
    publish: (project: string | undefined, eventSize: number, createEvent: () => NewEvent): void => {
      log.stored.push({ id: ++log.lastId, project, size: eventSize, createEvent })
      totalSize += eventSize
      // Half is dropped at once: dropping one would move all others each time.
      if (log.stored.length > maxEvents * 2 || totalSize > maxEventSize) {
        const halfCount = Math.floor(log.stored.length / 2)
        log.droppedId = log.stored[halfCount - 1]?.id ?? log.droppedId
        keepEvents(log.stored.slice(halfCount))
      }
      notify()
    },
    /** Yields the stored events after `after`, then all later events, of one project or of all. */
    follow: (options: FollowOptions): EventSubscription => {
      const reader: Reader = { hasEnded: false }
      eventReaders.add(reader)
      const removeReader = () => void eventReaders.delete(reader)
      const events = followEvents(log, reader, options, removeReader)
      const subscription: EventSubscription = {
        next: () => events.next(),
        // Without the wake, a generator that waits would end only with the next event.
        return: () => {
          endReader(reader)
          // A subscription that was never read has no `finally`.
          removeReader()
          return events.return(undefined)
        },
        [Symbol.asyncIterator]: () => subscription,
      }
      return subscription
    },
    /** Deletes past events. Current readers still receive them. Ids continue. */
    clear: (project?: string): void => {
      log.clears++
      const isOfProject = (event: StoredEvent) => project === undefined || event.project === project
      if (eventReaders.size === 0) return keepEvents(log.stored.filter((event) => !isOfProject(event)))
      for (const event of log.stored) if (isOfProject(event)) event.clearedBy ??= log.clears
    },
    isStreaming: () => eventReaders.size > 0,
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
  removeReader: () => void,
): AsyncGenerator<MockEvent, undefined, undefined> {
  const clearsAtStart = log.clears
  let seenId = Math.min(after, log.lastId)
  const isForReader = (event: StoredEvent) =>
    (project === undefined || event.project === project || event.project === undefined) &&
    (event.clearedBy === undefined || event.clearedBy > clearsAtStart)
  /** Ends the wait for the next event. */
  let wakeReader = () => {}
  reader.notify = () => {
    wakeReader()
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
      const nextEvent = log.stored.find(({ id }) => id > seenId)
      if (nextEvent === undefined) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve
        })
        continue
      }
      seenId = nextEvent.id
      if (isForReader(nextEvent)) yield { ...nextEvent.createEvent(), id: nextEvent.id }
    }
    return undefined
  } finally {
    removeReader()
    stopListening()
  }
}

const endReader = (reader: Reader) => {
  reader.hasEnded = true
  reader.notify?.()
}
