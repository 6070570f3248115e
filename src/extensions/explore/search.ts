import type { ParsedSearch } from './options.ts'
import type { Outcome } from './run.ts'

const interval = 500

// Kept from the import on: clients may run under fake timers.
const now = performance.now.bind(performance)

export type Search = ReturnType<typeof startSearch>

/** Starts a search. It counts runs, and lets the process do other work between them. */
export const startSearch = ({ signal, onProgress }: Pick<ParsedSearch, 'signal' | 'onProgress'>) => {
  const progress = { runs: 0, calls: 0 }
  let reported = now()
  // A message is the shortest way through the event loop that all runtimes have.
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.addEventListener('message', () => waiting.shift()?.())
  port1.start()
  /** Waits until all microtasks have run. */
  const settle = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      port2.postMessage(null)
    })
  return {
    progress,
    settle,
    isStopped: () => signal?.aborted === true,
    /** Counts a run. Returns false if the search was stopped. */
    count: async ({ requests }: Outcome): Promise<boolean> => {
      progress.runs++
      progress.calls += requests.length
      if (now() - reported >= interval) {
        reported = now()
        onProgress?.({ ...progress })
      }
      await settle()
      return signal?.aborted !== true
    },
    [Symbol.dispose]: () => port1.close(),
  }
}
