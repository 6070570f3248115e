// Starts runs before their turn, so that several are in progress at the same time. Their results are used in the usual order, so
// a search finds the same with any number of jobs.

/** Work that can start before its result is needed. */
export interface Work<T> {
  readonly key: string
  readonly start: () => Promise<T>
}

/**
 * Creates a queue that starts work early.
 *
 * @param jobs how much work may be in progress at the same time
 * @param countLeft returns how many results may still be needed
 */
export const createLookahead = <T>(jobs: number, countLeft: () => number) => {
  const started = new Map<string, Promise<T>>()
  /** The work in progress, and its end. */
  const running = new Map<Promise<T>, Promise<void>>()
  let isClosed = false
  const waitForEnd = () => Promise.race(running.values())
  const begin = ({ key, start }: Work<T>): Promise<T> => {
    const result = start()
    const noteEnd = () => void running.delete(result)
    // An error is reported when the result is taken.
    running.set(result, result.then(noteEnd, noteEnd))
    started.set(key, result)
    return result
  }
  /** Starts work that will probably be needed, as long as there is room. */
  const fill = (listNext: () => Iterable<Work<T>>): void => {
    const isFull = () => isClosed || running.size >= jobs || started.size >= countLeft()
    if (isFull()) return
    for (const work of listNext()) {
      if (isFull()) return
      if (!started.has(work.key)) void begin(work)
    }
  }
  return {
    /** Returns the result of some work, and starts other work while it waits. */
    take: async (work: Work<T>, listNext: () => Iterable<Work<T>>): Promise<T> => {
      while (!started.has(work.key) && running.size >= jobs) await waitForEnd()
      const result = started.get(work.key) ?? begin(work)
      while (running.has(result)) {
        fill(listNext)
        await waitForEnd()
      }
      started.delete(work.key)
      return result
    },
    /** Waits for the work in progress. */
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all(running.values())
    },
  }
}
