import { errors } from '../schema/error.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { parseUrl } from '../schema/url.ts'
import type { IncomingRequest } from '../wire/transport.ts'
import { type OutgoingResponse, toRealResponse } from '../wire/respond.ts'

// This file is loaded on demand: node-server loads `fetch` and HTTP/2, which would take a fifth of the start.

// Leave the globals of the process alone: frequent responses never become a `Response`.
const ownGlobals = { overrideGlobalObjects: false }

interface Handler {
  readonly respond: (request: IncomingRequest) => OutgoingResponse | Promise<OutgoingResponse>
  readonly respondToError: (error: unknown) => OutgoingResponse
  /** Returns false for a response that streams. */
  readonly write: (response: OutgoingResponse) => boolean
}

/** Handles a request whose URL is not plain: parses it, and responds with an error if it is invalid. */
export const parseAndHandle = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { respond, respondToError, write }: Handler,
): Promise<void> => {
  const unlessWritten = (response: OutgoingResponse) =>
    write(response) ? RESPONSE_ALREADY_SENT : toRealResponse(response)
  const handle = async (request: Request) => {
    // Node-server accepts some invalid hosts, such as `a.1`.
    if (parseUrl(request.url) === undefined) throw errors.malformedRequest('notUrl')
    return unlessWritten(await respond(request))
  }
  // A `RequestError` means that the Host header or the path is invalid.
  const errorHandler = (error: unknown) =>
    unlessWritten(respondToError(error instanceof RequestError ? errors.malformedRequest('notUrl') : error))
  await getRequestListener(handle, { ...ownGlobals, errorHandler })(incoming, outgoing)
}

/** Writes a response that streams. Its client may have disconnected while this file was loaded. */
export const stream = async (
  response: OutgoingResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const real = toRealResponse(response)
  if (outgoing.destroyed) await real.body?.cancel()
  else await getRequestListener(() => real, ownGlobals)(incoming, outgoing)
}
