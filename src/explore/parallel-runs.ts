// Starts runs ahead of time so that several are in progress. The search uses their results in the original order, so it finds the
// same failures with any number of jobs.

/** Work that can start before its result is needed. */
export interface Work<T> {
  readonly key: string
  readonly start: () => Promise<T>
}

/** Creates a queue that starts work early. `countLeft` returns the maximum number of results that are still needed. */
export const createLookahead = <T>(jobs: number, countLeft: () => number) => {
  const startedWork = new Map<string, Promise<T>>()
  /** The results in progress, each with a promise that resolves when it settles. */
  const runningWork = new Map<Promise<T>, Promise<void>>()
  let isClosed = false
  const waitForEnd = () => Promise.race(runningWork.values())
  const beginWork = ({ key, start }: Work<T>): Promise<T> => {
    const result = start()
    const noteEnd = () => void runningWork.delete(result)
    // Ignore an error here: `take` rejects with it.
    runningWork.set(result, result.then(noteEnd, noteEnd))
    startedWork.set(key, result)
    return result
  }
  const fillJobs = (listNext: () => Iterable<Work<T>>): void => {
    const isFull = () => isClosed || runningWork.size >= jobs || startedWork.size >= countLeft()
    if (isFull()) return
    for (const work of listNext()) {
      if (isFull()) return
      if (!startedWork.has(work.key)) void beginWork(work)
    }
  }
  return {
    /** Returns the result of `work`. Starts likely next work while it waits. */
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
    /** Starts no further work, and waits for the work in progress. */
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all(runningWork.values())
    },
  }
}
