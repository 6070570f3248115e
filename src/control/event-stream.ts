import type { Context } from 'hono'
import { Refusal } from '../schema/error.ts'
import type { MockEvent } from '../schema/event.ts'
import type { Following } from '../traffic/events.ts'
import type { ConnectionEnv } from '../wire/connection.ts'
import type { Caller } from './task.ts'

type StreamContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

/** Answers with server-sent events, from the one behind `Last-Event-ID` on. A reader that does not read is cut off. */
export const answerEvents = (
  c: StreamContext,
  follow: (reader: Pick<Caller, 'lastEvent' | 'onBehind'>) => unknown,
): Response => {
  let cut = () => {}
  const events = follow({
    lastEvent: lastEventOf(c.req.header('last-event-id')),
    onBehind: () => cut(),
  }) as Following
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      cut = () => {
        if (c.env.connection === undefined) controller.error(new Error('The reader of events is too far behind.'))
        else c.env.line.drop('close')
      }
      // Something must be sent at once, or the client does not know that it is connected.
      controller.enqueue(encoder.encode(': events\n\n'))
    },
    pull: async (controller) => {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(textOf(value)))
    },
    cancel: () => void events.return(),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
}

const textOf = (event: MockEvent): string => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const lastEventOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw new Refusal('invalidQuery', `Last-Event-ID must be the id of an event (got '${header.slice(0, 40)}').`, {
    status: 422,
  })
}
