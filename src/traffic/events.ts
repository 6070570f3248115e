import type { MockEvent } from '../schema/event.ts'
import type { OnEnd } from './pending-delays.ts'

type Without<T> = T extends unknown ? Omit<T, 'id'> : never
/** An event before it has its number. */
type NewEvent = Without<MockEvent>

/** The events of a mock, in order. */
export interface Events {
  /**
   * `make` is asked of its subject when somebody reads the event; `size` is about how many characters it holds. Without
   * a project it is about all of them.
   */
  publish<S>(project: string | undefined, make: (subject: S) => NewEvent, subject: S, size?: number): void
  /** The events of one project or of all: those behind `after` that are still there, then those to come. Ends with the mock. */
  follow(options: FollowOptions): EventSubscription
  /** Clears past events. Current readers still receive them. Ids continue. */
  forget(project?: string): void
  stop(): void
}

interface FollowOptions {
  readonly project?: string | undefined
  /** The id of the event that was seen last. @default the newest */
  readonly after?: number | undefined
  readonly onEnd: OnEnd
  /** Told that the reader is so far behind that it will miss events. */
  readonly onBehind?: (() => void) | undefined
}

/** Events as they are read. `return` ends them also while the next one is waited for. */
export interface EventSubscription extends AsyncIterable<MockEvent> {
  next(): Promise<IteratorResult<MockEvent, undefined>>
  return(): Promise<IteratorResult<MockEvent, undefined>>
}

interface Stored {
  readonly id: number
  readonly project: string | undefined
  // Two fields instead of a closure, which would be more garbage.
  readonly make: (subject: never) => NewEvent
  readonly subject: unknown
  readonly size: number
  /** Which forgetting it fell to: nobody who comes after it gets the event. */
  forgotten?: number
}

interface Reader {
  ended: boolean
  /** Wakes it, where it waits. */
  ring: () => void
}

/** How many past events can still be read, and about how many characters of them. */
const most = 1000
const maxSize = 16 * 1024 * 1024
const usualSize = 500

export const createEvents = (): Events => {
  let stored: Stored[] = []
  let size = 0
  let last = 0
  /** The id of the newest event that went for want of room. */
  let gone = 0
  let forgettings = 0
  const life = { stopped: false }
  const followers = new Set<() => void>()
  const wake = () => {
    for (const follower of followers) follower()
  }
  const keep = (kept: Stored[]) => {
    stored = kept
    size = kept.reduce((sum, one) => sum + one.size, 0)
  }

  async function* read(reader: Reader, { project, after = last, onEnd, onBehind }: FollowOptions) {
    const begun = forgettings
    let seen = Math.min(after, last)
    const isFor = (one: Stored) =>
      (project === undefined || one.project === project || one.project === undefined) &&
      !((one.forgotten ?? Infinity) <= begun)
    const follower = () => {
      reader.ring()
      if (seen < gone) onBehind?.()
    }
    const stopListening = onEnd(() => end(reader))
    followers.add(follower)
    try {
      while (!reader.ended && !life.stopped) {
        // The reader learns how many events were dropped.
        if (seen < gone) {
          const count = gone - seen
          seen = gone
          yield { id: gone, type: 'dropped', count } satisfies MockEvent
          continue
        }
        const next = behind(stored, seen)
        if (next === undefined) {
          await new Promise<void>((resolve) => {
            reader.ring = resolve
          })
          continue
        }
        seen = next.id
        if (isFor(next)) yield { ...next.make(next.subject as never), id: next.id }
      }
    } finally {
      followers.delete(follower)
      stopListening()
    }
  }
  return {
    publish: (project, make, subject, weight = usualSize) => {
      stored.push({ id: ++last, project, make, subject, size: weight })
      size += weight
      // Half goes at once: one by one would move all the others each time.
      if (stored.length > most * 2 || size > maxSize) {
        const half = Math.floor(stored.length / 2)
        gone = stored[half - 1]?.id ?? gone
        keep(stored.slice(half))
      }
      wake()
    },
    follow: (options) => {
      const reader: Reader = { ended: false, ring: () => {} }
      const events = read(reader, options)
      const following: EventSubscription = {
        next: () => events.next() as ReturnType<EventSubscription['next']>,
        // A generator that waits would end only with the next event.
        return: () => {
          end(reader)
          return events.return(undefined) as ReturnType<EventSubscription['return']>
        },
        [Symbol.asyncIterator]: () => following,
      }
      return following
    },
    forget: (project) => {
      forgettings++
      const isPast = (one: Stored) => project === undefined || one.project === project
      if (followers.size === 0) return keep(stored.filter((one) => !isPast(one)))
      for (const one of stored) if (isPast(one)) one.forgotten ??= forgettings
    },
    stop: () => {
      life.stopped = true
      wake()
    },
  }
}

const end = (reader: Reader) => {
  reader.ended = true
  reader.ring()
}

/** The first event behind an id: ids rise. */
const behind = (stored: readonly Stored[], id: number): Stored | undefined => {
  let low = 0
  let high = stored.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (stored[middle]!.id > id) high = middle
    else low = middle + 1
  }
  return stored[low]
}
