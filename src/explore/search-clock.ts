// The clock of a search. Enforces its limits, reports progress, and lets client code run between steps.
import type { ParsedSearch } from './options.ts'
import type { SearchEnd } from './result.ts'

/** The minimum time between progress reports, in milliseconds. */
const progressInterval = 500

// Captured at import, because tests may install fake timers later.
const now = performance.now.bind(performance)

export type SearchClock = ReturnType<typeof startClock>

export const startClock = (limits: Pick<ParsedSearch, 'signal' | 'budget' | 'maxRuns' | 'onProgress'>) => {
  const { signal, budget, maxRuns, onProgress } = limits
  const start = now()
  const progress = { runs: 0, calls: 0 }
  let reported = start
  // Unlike `progress.runs`, also counts runs that were stopped.
  let tried = 0
  // Posting a message is the fastest way to schedule a macrotask that works in every runtime.
  const { port1, port2 } = new MessageChannel()
  let endSettle = () => {}
  port1.addEventListener('message', () => endSettle())
  port1.start()
  const getSpentTime = () => (budget === null ? 0 : (now() - start) / budget)
  return {
    now,
    /** Waits until all microtasks have run. Supports only one caller at a time. */
    settle: () =>
      new Promise<void>((resolve) => {
        endSettle = resolve
        port2.postMessage(null)
      }),
    /** Returns the remaining budget, in milliseconds of real time. */
    getTimeLeft: () => (budget === null ? Infinity : start + budget - now()),
    /** Returns the spent share of `maxRuns` or of `budget`, whichever is larger, from 0 to 1. */
    getSpent: () => Math.min(1, Math.max(tried / maxRuns, getSpentTime())),
    throwIfLimitReached: (): void => {
      if (signal?.aborted) throw new Ended('signal')
      if (getSpentTime() >= 1) throw new Ended('budget')
      if (tried >= maxRuns) throw new Ended('maxRuns')
    },
    progress,
    countTry: () => void tried++,
    countLeft: () => maxRuns - tried,
    countRun: (calls: number): void => {
      progress.runs++
      progress.calls += calls
      if (now() - reported < progressInterval) return
      reported = now()
      onProgress?.({ ...progress })
    },
    [Symbol.dispose]: () => port1.close(),
  }
}

/** Thrown to end a search early. */
export class Ended {
  readonly by: SearchEnd
  constructor(by: SearchEnd) {
    this.by = by
  }
}
