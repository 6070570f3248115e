// Makes `AbortSignal.timeout` use the mock clock while a run is in progress.
import type { Life, Participant, Run } from '../run.ts'

const originalTimeout = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') ?? {}
const startOriginalTimeout = AbortSignal.timeout.bind(AbortSignal)

let startTimeout: typeof AbortSignal.timeout | undefined
let runsInProgress = 0

export type SignalTimeouts = ReturnType<typeof replaceSignalTimeouts>

/** Replaces `AbortSignal.timeout` until the returned object is disposed. */
export const replaceSignalTimeouts = (run: Run) => {
  /** The calls without a response so far, each with the signal that the client passed. */
  const openCalls = new Set<{ readonly life: Life; readonly signal: AbortSignal | undefined }>()
  const sentSignals = new WeakSet<AbortSignal>()
  /** The signals that user code reads, listens to, combines with others, or passes to more than one call. */
  const sharedSignals = new WeakSet<AbortSignal>()
  let sending: AbortSignal | undefined
  const owners = new Map<AbortSignal, Participant>()
  /** Timeouts of a single, ended call that could still expire during a later call of the same actor. */
  const missedSignals = new Set<AbortSignal>()
  /** The actors that used a missed timeout again. The search has not tried to let it expire during the later call. */
  const actorsWithMissedTimeouts = new Set<string>()
  let startOfThisRun: typeof startTimeout

  const isForSingleCall = (timeout: AbortSignal): boolean => sentSignals.has(timeout) && !sharedSignals.has(timeout)

  const markShared = (signal: AbortSignal): void => {
    const isAborted: unknown = Reflect.get(AbortSignal.prototype, 'aborted', signal)
    if (missedSignals.has(signal) && isAborted === false) actorsWithMissedTimeouts.add(owners.get(signal)!.name)
    sharedSignals.add(signal)
  }

  const hasCall = ({ participant }: Life, timeout: AbortSignal): boolean => {
    const hasEnded = participant.hasEnded()
    const mayMatter = !isForSingleCall(timeout)
    return [...openCalls].some(
      ({ life, signal }) =>
        !life.isKilled && (signal === timeout || (mayMatter && (hasEnded || life.participant === participant))),
    )
  }

  /**
   * Whether a timeout can still affect the code. The timeout of a single call matters while the call is open, or while its actor
   * waits only for timeouts. Any other timeout matters until its actor has ended and no call is open. `life` belongs to the
   * actor whose step created the timeout, even if another actor that waited for this step called `AbortSignal.timeout`.
   */
  const isUseful = (life: Life, timeout: AbortSignal): boolean => {
    const { participant } = life
    if (hasCall(life, timeout)) return true
    if (participant.hasEnded()) return false
    return !isForSingleCall(timeout) || run.listWaiting(participant.name).every((one) => one.timeout !== undefined)
  }

  /** Marks the signal as shared as soon as code other than `fetch` uses it. */
  const watch = (signal: AbortSignal): void => {
    for (const name of ['aborted', 'reason', 'throwIfAborted', 'addEventListener'] as const)
      Object.defineProperty(signal, name, {
        get: () => {
          if (sending !== signal) markShared(signal)
          const value: unknown = Reflect.get(AbortSignal.prototype, name, signal)
          return typeof value === 'function' ? value.bind(signal) : value
        },
      })
  }

  const start = (life: Life, milliseconds: number): AbortSignal => {
    // Let the runtime throw its error for an invalid delay, such as a negative delay after a missed deadline.
    if (!Number.isInteger(milliseconds) || milliseconds < 0 || milliseconds >= 2 ** 32)
      startOriginalTimeout(milliseconds)
    const controller = new AbortController()
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const { signal } = controller
    const abort = () => controller.abort(reason)
    watch(signal)
    owners.set(signal, life.participant)
    void run
      .sleep(life, milliseconds, {
        isUseful: () => isUseful(life, signal),
        hasCall: () => hasCall(life, signal),
        abort,
      })
      .then(abort)
    return signal
  }

  if (runsInProgress++ === 0)
    AbortSignal.timeout = (milliseconds) => (startTimeout ?? startOriginalTimeout)(milliseconds)
  return {
    /** Sets the actor to which new timeouts belong. */
    enter: (life: Life | undefined): void => {
      startTimeout = startOfThisRun = life && ((milliseconds) => start(life, milliseconds))
    },
    /** Calls `fetch` with `sending` set to the client's signal, because a `Request` has a signal object of its own. */
    send: <T>(signal: AbortSignal | undefined, fetch: () => T): T => {
      sending = signal
      const response = fetch()
      sending = undefined
      return response
    },
    /** Returns a function to call whenever the client reads from the response body of the current call. */
    createReadListener: () => {
      const signal = sending
      return () => {
        if (signal !== undefined && missedSignals.has(signal)) markShared(signal)
      }
    },
    hasOpenCall: (life: Life): boolean => [...openCalls].some((call) => call.life === life),
    /** Marks a call as open until `response` settles. */
    trackOpenCall: <T>(life: Life, response: Promise<T>): Promise<T> => {
      const call = { life, signal: sending }
      openCalls.add(call)
      if (sending !== undefined && sentSignals.has(sending)) markShared(sending)
      if (sending !== undefined) sentSignals.add(sending)
      const isOpen = (signal: AbortSignal) => [...openCalls].some((one) => one.signal === signal)
      for (const [signal, owner] of owners)
        if (owner === life.participant && isForSingleCall(signal) && !isOpen(signal)) missedSignals.add(signal)
      return response.finally(() => openCalls.delete(call))
    },
    actorsWithMissedTimeouts: actorsWithMissedTimeouts as ReadonlySet<string>,
    [Symbol.dispose]: () => {
      // Another search in this process may have replaced `startTimeout` since.
      if (startTimeout === startOfThisRun) startTimeout = undefined
      if (--runsInProgress === 0) Object.defineProperty(AbortSignal, 'timeout', originalTimeout)
    },
  }
}
