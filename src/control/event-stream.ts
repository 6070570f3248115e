import { invalidControlQuery } from '../schema/error.ts'
import type { Context } from 'hono'
import { quote } from '../schema/problem.ts'
import type { MockEvent } from '../schema/recorded-request.ts'
import type { EventSubscription } from '../traffic/events.ts'
import type { ConnectionEnv } from '../wire/transport.ts'
import type { CallContext } from './handlers.ts'

type StreamContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

/** Responds with a stream of server-sent events, from `Last-Event-ID` on. Disconnects a reader that is too slow. */
export const streamEvents = (
  c: StreamContext,
  follow: (reader: Pick<CallContext, 'lastEvent' | 'onBehind'>) => EventSubscription,
): Response => {
  let disconnect = () => {}
  const events = follow({
    lastEvent: parseLastEvent(c.req.header('last-event-id')),
    onBehind: () => disconnect(),
  })
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      disconnect = () => {
        if (c.env.connection === undefined) controller.error(new Error('The reader of events is too far behind.'))
        else c.env.transport.drop('close')
      }
      // Without a first byte the client would not know that it is connected.
      controller.enqueue(encoder.encode(': events\n\n'))
    },
    pull: async (controller) => {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(formatEvent(value)))
    },
    cancel: () => void events.return(),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}

const formatEvent = (event: MockEvent): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const parseLastEvent = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw invalidControlQuery({ message: `Last-Event-ID must be the id of an event (got ${quote(header)}).` })
}
