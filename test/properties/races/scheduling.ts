/** What is sent at once, in every order that a scheduler can think of. */
import type * as fc from 'fast-check'
import { vi } from 'vitest'
import type { Sent } from './actions.ts'

export const hour = 3_600_000

interface Answer {
  readonly status: number
  readonly text: string
}

/** Sends a request whose body arrives in two parts, each when the scheduler says so. */
export const sendInPieces = async (
  fetch: (address: string, init: RequestInit) => Promise<Response>,
  scheduler: fc.Scheduler,
  { path, body, ...init }: Sent,
): Promise<Answer> => {
  const pieces = body === '' ? {} : { body: inPieces(scheduler, body), duplex: 'half' }
  const response = await fetch(`http://mock${path}`, { ...init, ...pieces, redirect: 'manual' })
  return { status: response.status, text: await response.text() }
}

const inPieces = (scheduler: fc.Scheduler, text: string): ReadableStream<Uint8Array> => {
  const half = Math.ceil(text.length / 2)
  const parts = [text.slice(0, half), text.slice(half)]
  return new ReadableStream({
    pull: async (controller) => {
      await scheduler.schedule(Promise.resolve(), 'a piece of a body')
      const part = parts.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(part))
    },
  })
}

/** Runs a race on timers that only the scheduler moves: an hour passes when it says so. */
export const race = async (scheduler: fc.Scheduler, run: () => readonly Promise<unknown>[]): Promise<void> => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const ended = Promise.all(run())
    const hours = [1, 2].map(() =>
      scheduler.schedule(Promise.resolve(), 'an hour').then(() => vi.advanceTimersByTimeAsync(hour)),
    )
    await scheduler.waitFor(Promise.all(hours))
    // Who began to wait behind the last of them waits for one more.
    const passing = setInterval(() => vi.advanceTimersByTime(hour), 0)
    await scheduler.waitFor(ended).finally(() => clearInterval(passing))
  } finally {
    vi.useRealTimers()
  }
}
