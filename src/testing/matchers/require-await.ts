// A test that does not wait for an assertion ends before its result, which the runner then blames on the next test.
import { runForCaller } from '../../core/client/call.ts'

/** The part of what vitest passes to a matcher as `this`. Other runners have no `task`. */
interface MatcherState {
  /** Whether the assertion is one of `expect.soft`. */
  readonly soft?: boolean
  readonly task?: {
    readonly result?: { readonly state: string }
    readonly context: { readonly onTestFinished: (call: () => void) => void }
  }
}

/** Runs an assertion. If the test does not wait for it, the test fails at its line. `state` is the `this` of the matcher. */
export const requireAwait = <T>(state: unknown, matcher: string, runAssertion: () => Promise<T>): Promise<T> => {
  const { task, soft } = (state ?? {}) as MatcherState
  if (task === undefined) return runAssertion()
  const notAwaitedError = new Error(
    `${matcher} was not awaited, so the test ended without its result. Write: await expect(...).${matcher}(...).`,
  )
  let isAwaited = false
  const onFinished = () => {
    // A test that failed before it could wait has a problem of its own.
    if (!isAwaited && task.result?.state !== 'fail') throw notAwaitedError
  }
  try {
    task.context.onTestFinished(onFinished)
  } catch {
    // The test has ended: this is a hook of it.
    return runAssertion()
  }
  // vitest itself calls `then` to read the result, and once more for a soft assertion.
  return new AwaitedPromise(runAssertion(), soft ? 2 : 1, () => {
    isAwaited = true
  })
}

/** A promise that reports when it is awaited. */
class AwaitedPromise<T> extends Promise<T> {
  // `then` of the base class calls the constructor of a plain promise.
  static override readonly [Symbol.species] = Promise
  readonly #calls: number
  readonly #onAwait: () => void

  constructor(promise: Promise<T>, calls: number, onAwait: () => void) {
    super((resolve) => resolve(promise))
    this.#calls = calls
    this.#onAwait = onAwait
    // Nobody handles the error of a forgotten promise.
    super.then(undefined, () => {})
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    onResolved?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (this.#calls > 0) {
      // vitest creates the error in `onResolved`. After a promise of this class, its stack would not have the test.
      // oxlint-disable-next-line typescript/unbound-method -- it only marks a place in the stack
      const awaitedResult = runForCaller(this.then, () => super.then(onResolved, onRejected))
      return new AwaitedPromise(awaitedResult, this.#calls - 1, this.#onAwait)
    }
    this.#onAwait()
    return super.then(onResolved, onRejected)
  }
}
