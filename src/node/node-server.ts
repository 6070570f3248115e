import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Refusal } from '../schema/error.ts'
import { urlOf } from '../schema/url.ts'

// Loaded when it is needed: all of `fetch` comes with it, and HTTP/2, which is a fifth of a start.

// Nobody's globals are replaced: what is answered often is never made a `Response`.
const ownGlobals = { overrideGlobalObjects: false }

interface Answering {
  readonly answer: (request: Request) => Response | Promise<Response>
  /** What is answered when that fails, or the address is none. */
  readonly unanswered: (error: unknown) => Response
  /** Writes what it can. */
  readonly isSent: (response: Response) => boolean
}

/** Answers a request whose address must be parsed. */
export const answerParsed = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { answer, unanswered, isSent }: Answering,
): Promise<void> => {
  const written = (response: Response) => (isSent(response) ? RESPONSE_ALREADY_SENT : response)
  const handle = async (request: Request) => {
    // Node-server takes some hosts as they are written that are none, `a.1` among them.
    if (urlOf(request.url) === undefined) throw unreadable()
    return written(await answer(request))
  }
  // What node-server cannot make a request of: a Host or a path that is no address.
  const errorHandler = (error: unknown) => written(unanswered(error instanceof RequestError ? unreadable() : error))
  await getRequestListener(handle, { ...ownGlobals, errorHandler })(incoming, outgoing)
}

/** Writes an answer that streams. Its client may have left while this was loaded. */
export const stream = async (
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  if (outgoing.destroyed) await response.body?.cancel()
  else await getRequestListener(() => response, ownGlobals)(incoming, outgoing)
}

const unreadable = (): Refusal =>
  new Refusal('malformedRequest', 'The request cannot be read: its Host header and its path make no address.', {
    hint: "Send one 'Host' header, and a path that starts with '/'.",
  })
