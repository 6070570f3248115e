// Starts runs before their turn, so that several are in progress at the same time. Their results are used in the usual order, so
// a search finds the same failures with any number of jobs.

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
  const startedWork = new Map<string, Promise<T>>()
  /** The work in progress, and its end. */
  const runningWork = new Map<Promise<T>, Promise<void>>()
  let isClosed = false
  const waitForEnd = () => Promise.race(runningWork.values())
  const beginWork = ({ key, start }: Work<T>): Promise<T> => {
    const result = start()
    const noteEnd = () => void runningWork.delete(result)
    // An error is reported when the result is taken.
    runningWork.set(result, result.then(noteEnd, noteEnd))
    startedWork.set(key, result)
    return result
  }
  /** Starts work that will probably be needed, as long as there is room. */
  const fillJobs = (listNext: () => Iterable<Work<T>>): void => {
    const isFull = () => isClosed || runningWork.size >= jobs || startedWork.size >= countLeft()
    if (isFull()) return
    for (const work of listNext()) {
      if (isFull()) return
      if (!startedWork.has(work.key)) void beginWork(work)
    }
  }
  return {
    /** Returns the result of some work, and starts other work while it waits. */
    take: async (work: Work<T>, listNext: () => Iterable<Work<T>>): Promise<T> => {
      while (!startedWork.has(work.key) && runningWork.size >= jobs) await waitForEnd()
      const result = startedWork.get(work.key) ?? beginWork(work)
      while (runningWork.has(result)) {
        fillJobs(listNext)
        await waitForEnd()
      }
      startedWork.delete(work.key)
      return result
    },
    /** Waits for the work in progress. */
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all(runningWork.values())
    },
  }
}
