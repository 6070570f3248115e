import type { MockEvent } from '../schema/event.ts'
import type { ConnectOptions } from './connect.ts'
import { refusalOf } from './refusal.ts'

/** Follows the server-sent events at an address, behind the one that is named. Ends when the server stops, or the reader does. */
export const followEvents = (url: string, after: number | undefined, options: ConnectOptions) => {
  const ending = new AbortController()
  const events = read(url, after, options, ending.signal)
  return {
    next: () =>
      events.next().catch((reason: unknown): IteratorReturnResult<undefined> => {
        if (ending.signal.aborted) return { done: true, value: undefined }
        throw reason
      }),
    // A generator that waits would end only with the next event.
    return: () => {
      ending.abort()
      return events.return(undefined).catch(() => {})
    },
  }
}

async function* read(
  url: string,
  after: number | undefined,
  { adminToken, fetch = globalThis.fetch }: ConnectOptions,
  signal: AbortSignal,
): AsyncGenerator<MockEvent, undefined, undefined> {
  const response = await fetch(url, {
    signal,
    headers: {
      accept: 'text/event-stream',
      ...(adminToken !== undefined && { authorization: `Bearer ${adminToken}` }),
      ...(after !== undefined && { 'last-event-id': `${after}` }),
    },
  })
  if (!response.ok || response.body === null) throw refusalOf(response, await response.text())
  for await (const line of linesOf(response.body))
    if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as MockEvent
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
