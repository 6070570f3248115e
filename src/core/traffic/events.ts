import type { RecordChange } from '../domain/history.ts'
import type { MockEvent } from '../schema/recorded-request.ts'
import { describeChange, type StoredRequest, toRecordedRequest } from './journal.ts'
import type { OnEnd } from './waits.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

/** Requests and changes get their readable form when they are read. */
type NewEvent =
  | { readonly type: 'request'; readonly project: string; readonly request: StoredRequest }
  | { readonly type: 'change'; readonly project: string; readonly change: RecordChange }
  | WithoutId<Exclude<MockEvent, { readonly type: 'request' | 'change' | 'dropped' }>>

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
  readonly size: number
  readonly event: NewEvent
  /** The number of the `clear` that removed it. Later readers do not receive it. */
  clearedBy?: number
}

interface Reader {
  hasEnded: boolean
  /** Is called after each event, and when the reader ends. Undefined before its first read. */
  notify?: () => void
}

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

/** The approximate size of an event without the texts of a record, in characters. */
export const baseEventSize = 500

export const createEvents = () => {
  const log: EventLog = { stored: [], lastId: 0, droppedId: 0, clears: 0, isStopped: false }
  let totalSize = 0
  const eventReaders = new Set<Reader>()
  const notify = () => {
    for (const reader of eventReaders) reader.notify?.()
  }
  return {
    /** @param size the approximate number of characters */
    publish: (event: NewEvent, size = baseEventSize): void => {
      log.stored.push({ id: ++log.lastId, size, event })
      totalSize += size
      while (log.stored.length > maxEvents || (totalSize > maxEventSize && log.stored.length > 1)) {
        const oldest = log.stored.shift()!
        log.droppedId = oldest.id
        totalSize -= oldest.size
      }
      notify()
    },
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
      for (const stored of log.stored)
        if (project === undefined || stored.event.project === project) stored.clearedBy ??= log.clears
      if (eventReaders.size > 0) return
      log.stored = log.stored.filter(({ clearedBy }) => clearedBy === undefined)
      totalSize = log.stored.reduce((sum, { size }) => sum + size, 0)
    },
    isStreaming: () => eventReaders.size > 0,
    stop: (): void => {
      log.isStopped = true
      notify()
    },
  }
}

async function* followEvents(
  log: EventLog,
  reader: Reader,
  { project, after = log.lastId, onEnd, onBehind }: FollowOptions,
  removeReader: () => void,
): AsyncGenerator<MockEvent, undefined, undefined> {
  const clearsAtStart = log.clears
  let seenId = Math.min(after, log.lastId)
  const isForReader = ({ event, clearedBy = Infinity }: StoredEvent) =>
    (project === undefined || event.project === project || event.project === null) && clearedBy > clearsAtStart
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
      if (isForReader(nextEvent)) yield toMockEvent(nextEvent)
    }
    return undefined
  } finally {
    removeReader()
    stopListening()
  }
}

const toMockEvent = ({ id, event }: StoredEvent): MockEvent => {
  if (event.type === 'request')
    return { ...event, project: event.project || null, request: toRecordedRequest(event.request), id }
  return event.type === 'change' ? { ...event, change: describeChange(event.change), id } : { ...event, id }
}

const endReader = (reader: Reader) => {
  reader.hasEnded = true
  reader.notify?.()
}
