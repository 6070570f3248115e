import { type ErrorCode, hasCode, listLines, MockError } from '../schema/error.ts'

type AnyFunction = (...args: readonly unknown[]) => unknown

// V8 and the other large engines have it. The language does not.
const { captureStackTrace } = Error as { captureStackTrace?: (target: object, omitted: AnyFunction) => void }

/**
 * Wraps the functions of an object and of the objects inside it. If a call rejects, the stack of the error starts at the
 * line that called the function: a test runner shows that line, and the mock's own lines would hide it.
 */
export const withCallerStack = <T extends object>(api: T): T => {
  const wrapped = { ...api }
  for (const key of Reflect.ownKeys(api)) {
    const value: unknown = Reflect.get(api, key)
    if (typeof value === 'function') Reflect.set(wrapped, key, wrap(value as AnyFunction))
    if (typeof value === 'object' && value !== null) Reflect.set(wrapped, key, withCallerStack(value))
  }
  return wrapped
}

const wrap = (method: AnyFunction): AnyFunction => {
  const wrapped: AnyFunction = (...args) => {
    const caller: { readonly stack?: string } = {}
    captureStackTrace?.(caller, wrapped)
    const result = method(...args)
    if (!(result instanceof Promise)) return result
    return result.catch((error: unknown) => {
      if (error instanceof Error) showCaller(error, /\n +at [^]*/.exec(caller.stack ?? '')?.[0] ?? '')
      throw error
    })
  }
  return wrapped
}

const showCaller = (error: Error, lines: string): void => {
  if (lines === '') return
  // An unexpected error needs its own lines too. Runners print the stack, and not all of them print the hint.
  const own = error instanceof MockError ? `${error.name}: ${listLines(error).join('\n')}` : error.stack
  // Fails without an exception for a frozen error.
  Reflect.set(error, 'stack', `${own}${lines}`)
}

/** Ignores the error with this code. */
export const ignoreError =
  (code: ErrorCode) =>
  (error: unknown): void => {
    if (!hasCode(error, code)) throw error
  }
