import { onTestFinished, vi } from 'vitest'
import { within } from '../../support/within.ts'
import { removeDeadlines } from './deadlines.js'

/** Until the test is over, no deadline ends anything: neither a timer of a second, or of `minimum` milliseconds, nor a limit of Node. */
export const withoutDeadlines = (minimum?: number): void => onTestFinished(removeDeadlines(minimum))

/** Watches the timers of one length: a test that uses a length of its own sees its own timers alone. */
export const watchTimers = (milliseconds: number) => {
  const running = new Set<unknown>()
  const set = globalThis.setTimeout
  const clear = globalThis.clearTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, length?: number, ...rest: unknown[]) => {
    const timer = set(act, length, ...rest)
    if (length === milliseconds) running.add(timer)
    return timer
  }) as typeof setTimeout)
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    running.delete(timer)
    clear(timer)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return {
    running: () => running.size,
    /** Resolves once so many are running. */
    until: (count: number) => {
      const look = async (): Promise<void> => {
        if (running.size === count) return
        await new Promise((resolve) => setImmediate(resolve))
        await look()
      }
      return within(`${count} timers`, look())
    },
  }
}

/** Lets everything work until something is so, for at most ten thousand turns: a test that hangs says what it missed. */
export const reach = async (what: string, isReached: () => boolean | Promise<boolean>): Promise<void> => {
  for (let turn = 0; turn < 10_000; turn++) {
    if (await isReached()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`After ten thousand turns there is not ${what}.`)
}
