import type { MockEvent } from '../schema/event.ts'
import type { OnEnd } from './waits.ts'

type Without<T> = T extends unknown ? Omit<T, 'id'> : never
/** An event before it has its number. */
export type NewEvent = Without<MockEvent>

/** What has happened, one after the other, as it can be followed. */
export interface Events {
  /** `make` is asked when somebody reads the event; `size` is about how many characters it holds. */
  publish(project: string | undefined, make: () => NewEvent, size?: number): void
  /** The events of one project or of all: those behind `after` that are still there, then those to come. Ends with the mock. */
  follow(options: FollowOptions): AsyncGenerator<MockEvent, void, undefined>
  /** Forgets what is past. Events go on counting. */
  forget(project?: string): void
  stop(): void
}

export interface FollowOptions {
  readonly project?: string | undefined
  /** The id of the event that was seen last. @default the newest */
  readonly after?: number | undefined
  readonly onEnd: OnEnd
  /** Told that the reader is so far behind that it will miss events. */
  readonly onBehind?: (() => void) | undefined
}

interface Stored {
  readonly id: number
  readonly project: string | undefined
  readonly make: () => NewEvent
  readonly size: number
}

/** How many past events can still be read, and about how many characters of them. */
const most = 1000
const mostSize = 16 * 1024 * 1024
const usualSize = 500

export const createEvents = (): Events => {
  let stored: Stored[] = []
  let size = 0
  let last = 0
  const life = { stopped: false }
  const followers = new Set<() => void>()
  const wake = () => {
    for (const follower of followers) follower()
  }
  const keep = (kept: Stored[]) => {
    stored = kept
    size = kept.reduce((sum, one) => sum + one.size, 0)
  }

  async function* follow({ project, after = last, onEnd, onBehind }: FollowOptions) {
    const reader = { ended: false }
    let seen = Math.min(after, last)
    let ring = () => {}
    const follower = () => {
      ring()
      if (seen + 1 < (stored[0]?.id ?? 0)) onBehind?.()
    }
    const stopListening = onEnd(() => {
      reader.ended = true
      ring()
    })
    followers.add(follower)
    try {
      while (!reader.ended && !life.stopped) {
        const oldest = stored[0]?.id ?? last + 1
        // What nobody read in time is gone; the one who reads is told so.
        if (seen + 1 < oldest) {
          yield { id: oldest - 1, type: 'dropped', count: oldest - 1 - seen } satisfies MockEvent
          seen = oldest - 1
        }
        const next = behind(stored, seen)
        if (next === undefined) {
          await new Promise<void>((resolve) => {
            ring = resolve
          })
          continue
        }
        seen = next.id
        if (project === undefined || next.project === project || next.project === undefined)
          yield { ...next.make(), id: next.id }
      }
    } finally {
      followers.delete(follower)
      stopListening()
    }
  }
  return {
    publish: (project, make, weight = usualSize) => {
      stored.push({ id: ++last, project, make, size: weight })
      size += weight
      // Half goes at once: one by one would move all the others each time.
      if (stored.length > most * 2 || size > mostSize) keep(stored.slice(-Math.ceil(stored.length / 2)))
      wake()
    },
    follow,
    forget: (project) => keep(project === undefined ? [] : stored.filter((one) => one.project !== project)),
    stop: () => {
      life.stopped = true
      wake()
    },
  }
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
