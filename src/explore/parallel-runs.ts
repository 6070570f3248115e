// Starts runs early, in parallel. The search uses their results in order, so its outcome does not depend on the number of jobs.

export interface Work<T> {
  readonly key: string
  readonly start: () => Promise<T>
}

/** @param countLeft returns how many more results the search can use */
export const createLookahead = <T>(jobs: number, countLeft: () => number) => {
  const startedWork = new Map<string, Promise<T>>()
  /** For each result in progress, a promise that resolves when the result settles. */
  const runningWork = new Map<Promise<T>, Promise<void>>()
  let isClosed = false
  const waitForEnd = () => Promise.race(runningWork.values())
  const beginWork = ({ key, start }: Work<T>): Promise<T> => {
    const result = start()
    const noteEnd = () => void runningWork.delete(result)
    // Ignore an error here, because `take` rejects with it.
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
    /** Starts `work` if necessary, and waits for its result. Meanwhile, starts the work that `listNext` lists. */
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
    close: async (): Promise<void> => {
      isClosed = true
      await Promise.all(runningWork.values())
    },
  }
}
