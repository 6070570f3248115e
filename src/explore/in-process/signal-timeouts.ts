// Runs `AbortSignal.timeout` on the mock clock while a run is in progress.
import type { Life, Run } from '../run.ts'

const originalTimeout = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') ?? {}
const startOriginalTimeout = AbortSignal.timeout.bind(AbortSignal)

let startTimeout: typeof AbortSignal.timeout | undefined
let runsInProgress = 0

export type SignalTimeouts = ReturnType<typeof replaceSignalTimeouts>

/** Replaces `AbortSignal.timeout` until the result is disposed. */
export const replaceSignalTimeouts = (run: Run) => {
  /** The calls that have no response yet, each with the signal that the client passed. */
  const openCalls = new Set<{ readonly life: Life; readonly signal: AbortSignal | undefined }>()
  const givenSignals = new WeakSet<AbortSignal>()

  /**
   * A timeout matters while a call with its signal is open, or while its actor waits for nothing else. `participant` is the actor
   * whose step created the timeout. The code that created it may belong to another actor that was waiting for this step.
   */
  const isUseful = ({ participant }: Life, timeout: AbortSignal): boolean => {
    const hasEnded = participant.hasEnded()
    // A signal that no call received directly may be part of any call's signal, as with `AbortSignal.any`.
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
    /** Sets the actor whose code runs next. */
    enter: (life: Life | undefined): void => {
      startTimeout = life && ((milliseconds) => start(life, milliseconds))
    },
    /** Marks a call as open until `response` settles. `signal` is undefined if the client passed it inside a `Request`. */
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
