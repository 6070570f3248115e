import type { EventReader } from '../control/commands.ts'
import type { MockEvent } from '../schema/recorded-request.ts'
import { withCallerStack } from './call.ts'

/** Each iterator calls `openReader` with its first `next()`. An error of `openReader` rejects that call. */
export const createLazyIterable = (openReader: () => EventReader): AsyncIterable<MockEvent> => ({
  [Symbol.asyncIterator]: () => {
    let reader: EventReader | undefined
    let isDone = false
    return withCallerStack({
      next: async (): Promise<IteratorResult<MockEvent, undefined>> => {
        if (isDone) return { done: true, value: undefined }
        reader ??= openReader()
        return reader.next()
      },
      return: async (): Promise<IteratorReturnResult<undefined>> => {
        isDone = true
        await reader?.return()
        return { done: true, value: undefined }
      },
    })
  },
})

type OpenStream = (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>

/** Reads server-sent events. Ends when the server stops or `return()` is called. */
export const readEvents = (openStream: OpenStream): EventReader => {
  const abortController = new AbortController()
  const events = parseEvents(openStream, abortController.signal)
  return {
    next: () =>
      events.next().catch((error: unknown): IteratorReturnResult<undefined> => {
        if (abortController.signal.aborted) return { done: true, value: undefined }
        throw error
      }),
    // Without the abort, a generator that waits would end only with the next event.
    return: () => {
      abortController.abort()
      return events.return(undefined)
    },
  }
}

async function* parseEvents(
  openStream: OpenStream,
  signal: AbortSignal,
): AsyncGenerator<MockEvent, undefined, undefined> {
  const decoder = new TextDecoder()
  const reader = (await openStream(signal)).getReader()
  let unreadText = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return undefined
    const lines = (unreadText + decoder.decode(value, { stream: true })).split('\n')
    unreadText = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as MockEvent
  }
}
