import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { MockError } from '../schema/error.ts'
import { parseUrl } from '../schema/url.ts'
import type { IncomingRequest } from '../wire/transport.ts'

// This file is loaded on demand: node-server loads `fetch` and HTTP/2, which would take a fifth of the start.

// Leave the globals of the process alone: frequent responses never become a `Response`.
const ownGlobals = { overrideGlobalObjects: false }

interface Handler {
  readonly respond: (request: IncomingRequest) => Response | Promise<Response>
  readonly respondToError: (error: unknown) => Response
  /** Returns false for a response that streams. */
  readonly write: (response: Response) => boolean
}

/** Handles a request whose URL is not plain: parses it, and responds with an error if it is invalid. */
export const parseAndHandle = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { respond, respondToError, write }: Handler,
): Promise<void> => {
  const unlessWritten = (response: Response) => (write(response) ? RESPONSE_ALREADY_SENT : response)
  const handle = async (request: Request) => {
    // Node-server accepts some invalid hosts, such as `a.1`.
    if (parseUrl(request.url) === undefined) throw invalidUrl()
    return unlessWritten(await respond(request))
  }
  // A `RequestError` means that the Host header or the path is invalid.
  const errorHandler = (error: unknown) =>
    unlessWritten(respondToError(error instanceof RequestError ? invalidUrl() : error))
  await getRequestListener(handle, { ...ownGlobals, errorHandler })(incoming, outgoing)
}

/** Writes a response that streams. Its client may have disconnected while this file was loaded. */
export const stream = async (
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  if (outgoing.destroyed) await response.body?.cancel()
  else await getRequestListener(() => response, ownGlobals)(incoming, outgoing)
}

const invalidUrl = (): MockError =>
  new MockError('malformedRequest', 'The Host header and the path do not form a valid URL.', {
    hint: "Send one 'Host' header, and a path that starts with '/'.",
  })
