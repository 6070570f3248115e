// `AbortSignal.timeout` by the clock of the mock, while a run is in progress.
import type { Life, Run } from '../run.ts'

const originalTimeout = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') ?? {}
const startOriginalTimeout = AbortSignal.timeout.bind(AbortSignal)

let startTimeout: typeof AbortSignal.timeout | undefined
let runsInProgress = 0

export type SignalTimeouts = ReturnType<typeof replaceSignalTimeouts>

/** Replaces `AbortSignal.timeout` until the end of the run. */
export const replaceSignalTimeouts = (run: Run) => {
  /** The calls without a response: the signal that each was given. */
  const openCalls = new Set<{ readonly life: Life; readonly signal: AbortSignal | undefined }>()
  const givenSignals = new WeakSet<AbortSignal>()

  /**
   * A timeout matters while a call with its signal has no response, or to an actor that waits for nothing else. `participant` is
   * the actor whose step created it: the code may be that of another one, which waited for it.
   */
  const isUseful = ({ participant }: Life, timeout: AbortSignal): boolean => {
    const hasEnded = participant.hasEnded()
    // Unless it was given to a call, it may be part of the signal of any call.
    const isPart = !givenSignals.has(timeout)
    for (const { life, signal } of openCalls)
      if (!life.isKilled && (signal === timeout || (isPart && (hasEnded || life.participant === participant))))
        return true
    return !hasEnded && run.listWaiting(participant.name).every((one) => one.isUseful !== undefined)
  }

  const start = (life: Life, milliseconds: number): AbortSignal => {
    const controller = new AbortController()
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const { signal } = controller
    void run.sleep(life, milliseconds, () => isUseful(life, signal)).then(() => controller.abort(reason))
    return signal
  }

  if (runsInProgress++ === 0)
    AbortSignal.timeout = (milliseconds) => (startTimeout ?? startOriginalTimeout)(milliseconds)
  return {
    /** Sets the actor that continues. */
    enter: (life: Life | undefined): void => {
      startTimeout = life && ((milliseconds) => start(life, milliseconds))
    },
    /** Notes that a call has no response until the promise settles. `signal` is undefined if it is part of a `Request`. */
    holdOpen: <T>(life: Life, signal: AbortSignal | undefined, response: Promise<T>): Promise<T> => {
      const call = { life, signal }
      openCalls.add(call)
      if (signal !== undefined) givenSignals.add(signal)
      return response.finally(() => openCalls.delete(call))
    },
    [Symbol.dispose]: () => {
      startTimeout = undefined
      if (--runsInProgress === 0) Object.defineProperty(AbortSignal, 'timeout', originalTimeout)
    },
  }
}
