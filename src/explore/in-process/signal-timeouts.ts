// Runs `AbortSignal.timeout` on the mock clock while a run is in progress.
import type { Life, Participant, Run } from '../run.ts'

const originalTimeout = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') ?? {}
const startOriginalTimeout = AbortSignal.timeout.bind(AbortSignal)

let startTimeout: typeof AbortSignal.timeout | undefined
let runsInProgress = 0

export type SignalTimeouts = ReturnType<typeof replaceSignalTimeouts>

/** Replaces `AbortSignal.timeout` until the result is disposed. */
export const replaceSignalTimeouts = (run: Run) => {
  /** The calls that have no response yet, each with the signal that the client passed. */
  const openCalls = new Set<{ readonly life: Life; readonly signal: AbortSignal | undefined }>()
  const sentSignals = new WeakSet<AbortSignal>()
  /** The signals that user code reads, listens to, combines with others, or passes to another call. */
  const sharedSignals = new WeakSet<AbortSignal>()
  let sending: AbortSignal | undefined
  const owners = new Map<AbortSignal, Participant>()
  /** The timeouts of a single call that has ended, if the actor then sent another call, in which they could expire. */
  const missedSignals = new Set<AbortSignal>()
  /** The actors that used a missed signal again. Its timeout during the other call was not tried. */
  const unplanned = new Set<string>()
  let ownStart: typeof startTimeout

  const isOfOneCall = (timeout: AbortSignal): boolean => sentSignals.has(timeout) && !sharedSignals.has(timeout)

  const share = (signal: AbortSignal): void => {
    const isAborted: unknown = Reflect.get(AbortSignal.prototype, 'aborted', signal)
    if (missedSignals.has(signal) && isAborted === false) unplanned.add(owners.get(signal)!.name)
    sharedSignals.add(signal)
  }

  const hasCall = ({ participant }: Life, timeout: AbortSignal): boolean => {
    const hasEnded = participant.hasEnded()
    const mayMatter = !isOfOneCall(timeout)
    return [...openCalls].some(
      ({ life, signal }) =>
        !life.isKilled && (signal === timeout || (mayMatter && (hasEnded || life.participant === participant))),
    )
  }

  /**
   * A timeout that was sent with a single call matters while that call is open, or while its actor waits only for timeouts.
   * Any other timeout may matter until its actor has ended and no call is open. `participant` is the actor whose step created
   * the timeout, even if another actor, which was waiting for this step, called `AbortSignal.timeout`.
   */
  const isUseful = (life: Life, timeout: AbortSignal): boolean => {
    const { participant } = life
    if (hasCall(life, timeout)) return true
    if (participant.hasEnded()) return false
    return !isOfOneCall(timeout) || run.listWaiting(participant.name).every((one) => one.timeout !== undefined)
  }

  /** Marks the signal as shared if code other than `fetch` uses it. */
  const watch = (signal: AbortSignal): void => {
    for (const name of ['aborted', 'reason', 'throwIfAborted', 'addEventListener'] as const)
      Object.defineProperty(signal, name, {
        get: () => {
          if (sending !== signal) share(signal)
          const value: unknown = Reflect.get(AbortSignal.prototype, name, signal)
          return typeof value === 'function' ? value.bind(signal) : value
        },
      })
  }

  const start = (life: Life, milliseconds: number): AbortSignal => {
    // Called only to throw the runtime's error for an invalid delay, such as a negative delay after a deadline.
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
    /** Sets the actor whose code runs next, for the timeouts that it creates. */
    enter: (life: Life | undefined): void => {
      startTimeout = ownStart = life && ((milliseconds) => start(life, milliseconds))
    },
    /** Calls `fetch`, and remembers the signal that the client passed, because `Request` replaces it with another object. */
    send: <T>(signal: AbortSignal | undefined, fetch: () => T): T => {
      sending = signal
      const response = fetch()
      sending = undefined
      return response
    },
    /** Returns a function to call when the client reads the response body of the call that is being sent. */
    createReadNote: () => {
      const signal = sending
      return () => {
        if (signal !== undefined && missedSignals.has(signal)) share(signal)
      }
    },
    hasOpenCall: (life: Life): boolean => [...openCalls].some((call) => call.life === life),
    /** Marks a call as open until `response` settles. */
    holdOpen: <T>(life: Life, response: Promise<T>): Promise<T> => {
      const call = { life, signal: sending }
      openCalls.add(call)
      if (sending !== undefined && sentSignals.has(sending)) share(sending)
      if (sending !== undefined) sentSignals.add(sending)
      const isOpen = (signal: AbortSignal) => [...openCalls].some((one) => one.signal === signal)
      for (const [signal, owner] of owners)
        if (owner === life.participant && isOfOneCall(signal) && !isOpen(signal)) missedSignals.add(signal)
      return response.finally(() => openCalls.delete(call))
    },
    unplanned: unplanned as ReadonlySet<string>,
    [Symbol.dispose]: () => {
      // Another search of this process may have set it since.
      if (startTimeout === ownStart) startTimeout = undefined
      if (--runsInProgress === 0) Object.defineProperty(AbortSignal, 'timeout', originalTimeout)
    },
  }
}
