/** Sends requests concurrently, in every order of the scheduler. */
import type * as fc from 'fast-check'
import { type FaultHandle, MockError } from '../../../src/node/index.ts'
import type { Sent } from './actions.ts'

interface ReceivedResponse {
  readonly status: number
  readonly text: string
}

/** Sends a request whose body arrives in two parts, each when the scheduler says so. */
export const sendInPieces = async (
  fetch: (address: string, init: RequestInit) => Promise<Response>,
  scheduler: fc.Scheduler,
  { path, body, ...init }: Sent,
): Promise<ReceivedResponse> => {
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

/** Runs a race in which requests wait in holds. The scheduler decides when they are released, and when the holds end. */
export const race = async (
  scheduler: fc.Scheduler,
  holds: readonly FaultHandle[],
  run: () => readonly Promise<unknown>[],
): Promise<void> => {
  const ended = Promise.all(run())
  const step = async (name: string, change: (hold: FaultHandle) => Promise<unknown>) => {
    await scheduler.schedule(Promise.resolve(), name)
    await Promise.all(holds.map((hold) => change(hold).catch(ignoreRemoved)))
  }
  const release = () => step('a release', (hold) => hold.release())
  await scheduler.waitFor(Promise.all([release(), release(), step('the end of the holds', (hold) => hold.remove())]))
  await scheduler.waitFor(ended)
}

// A reset removes the holds of its project.
const ignoreRemoved = (error: unknown) => {
  if (!(error instanceof MockError) || error.code !== 'faultNotFound') throw error
}
