// The real time of a search: its limits, its reports, and the pauses in which client code runs.
import type { ParsedSearch } from './options.ts'
import type { SearchEnd } from './result.ts'

const interval = 500

// Kept from the import on: clients may run under fake timers.
const now = performance.now.bind(performance)

export type SearchClock = ReturnType<typeof startClock>

export const startClock = ({
  signal,
  budget,
  maxRuns,
  onProgress,
}: Pick<ParsedSearch, 'signal' | 'budget' | 'maxRuns' | 'onProgress'>) => {
  const start = now()
  const progress = { runs: 0, calls: 0 }
  let reported = start
  // Runs that were given up count too.
  let tried = 0
  // A message is the shortest way through the event loop that all runtimes have.
  const { port1, port2 } = new MessageChannel()
  let endSettle = () => {}
  port1.addEventListener('message', () => endSettle())
  port1.start()
  const getSpentTime = () => (budget === null ? 0 : (now() - start) / budget)
  return {
    now,
    /** Waits until all microtasks have run. Only one caller may wait at a time. */
    settle: () =>
      new Promise<void>((resolve) => {
        endSettle = resolve
        port2.postMessage(null)
      }),
    /** Returns the remaining real time of the budget, in milliseconds. */
    getTimeLeft: () => (budget === null ? Infinity : start + budget - now()),
    /** Returns the spent part of the limits, from 0 to 1. */
    getSpent: () => Math.min(1, Math.max(tried / maxRuns, getSpentTime())),
    /** Throws `Ended` if the signal was aborted, or a limit is reached. */
    requireLimits: (): void => {
      if (signal?.aborted) throw new Ended('signal')
      if (getSpentTime() >= 1) throw new Ended('budget')
      if (tried >= maxRuns) throw new Ended('maxRuns')
    },
    progress,
    countTry: () => void tried++,
    /** How many runs may follow. */
    countLeft: () => maxRuns - tried,
    /** Counts a complete run. */
    countRun: (calls: number): void => {
      progress.runs++
      progress.calls += calls
      if (now() - reported < interval) return
      reported = now()
      onProgress?.({ ...progress })
    },
    [Symbol.dispose]: () => port1.close(),
  }
}

/** Ends a search before everything was tried. */
export class Ended {
  readonly by: SearchEnd
  constructor(by: SearchEnd) {
    this.by = by
  }
}
