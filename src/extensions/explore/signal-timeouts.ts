// `AbortSignal.timeout` by the clock of a run: client code calls it without the `sleep` of its actor.
type StartTimeout = (milliseconds: number) => AbortSignal

const original = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout')!
const startOriginal = AbortSignal.timeout.bind(AbortSignal)

let current: StartTimeout | undefined
let runs = 0

/** Replaces `AbortSignal.timeout` until the end of the run. `enter` sets the function of the actor that continues. */
export const replaceSignalTimeouts = () => {
  if (runs++ === 0) AbortSignal.timeout = (milliseconds) => (current ?? startOriginal)(milliseconds)
  return {
    enter: (start: StartTimeout | undefined) => void (current = start),
    [Symbol.dispose]: () => {
      current = undefined
      if (--runs === 0) Object.defineProperty(AbortSignal, 'timeout', original)
    },
  }
}
