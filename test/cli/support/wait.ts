import { onTestFinished } from 'vitest'

/** Longer than any machine needs, in milliseconds: it ends a test that hangs, and says nothing about speed. */
export const maxWait = 300_000

/** Waits for a promise. A test that waits for an event that never comes says what it waited for. */
export const within = async <T>(what: string, promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${maxWait} ms for ${what}.`)), maxWait)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Timers of a second or more never fire until the test is over: what closes meanwhile does not wait for a deadline. */
export const withoutDeadlines = (): void => {
  const { setTimeout } = globalThis
  const set = (act: () => void, milliseconds = 0, ...rest: []) =>
    milliseconds >= 1000 ? setTimeout(() => {}, 2 ** 31 - 1).unref() : setTimeout(act, milliseconds, ...rest)
  globalThis.setTimeout = Object.assign(set, setTimeout)
  onTestFinished(() => void (globalThis.setTimeout = setTimeout))
}
