import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Core } from '../mock.ts'
import { Refusal } from '../schema/error.ts'
import { urlOf } from '../schema/url.ts'
import type { Connection } from '../wire/connection.ts'
import { errorResponse, realResponse, refusalOf } from '../wire/respond.ts'
import type { FormatInForce } from './parser-errors.ts'
import { sent } from './sent.ts'
import { SocketLine } from './socket-line.ts'
import { plainUrlOf, SocketHeaders, SocketRequest } from './socket-request.ts'

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

// Nobody's globals are replaced: what is answered often is never made a `Response`.
const ownGlobals = { overrideGlobalObjects: false }

/**
 * Answers what comes in over a socket. Node-server reads the requests whose address must be parsed and writes the answers
 * that stream; of the others, nearly all there are, neither a `Request` nor a `Response` is made.
 */
export const createListener = (core: Core, connection: Connection, format: FormatInForce): Listener => {
  const answerAny = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const [from, to] = [incoming as IncomingMessage, outgoing as ServerResponse]
      // Node-server takes some hosts as they are written that are none, `a.1` among them.
      if (urlOf(request.url) === undefined) return refused(unreadable(), format)
      return sent(await core.answer(request, connection, new SocketLine(from, to, new SocketHeaders(from))), to)
    },
    { ...ownGlobals, errorHandler: (error) => unanswered(error, format, core.report) },
  )
  return (incoming, outgoing) => {
    const headers = new SocketHeaders(incoming)
    const url = plainUrlOf(headers.get('host'), incoming.url)
    if (url === undefined) return void answerAny(incoming, outgoing)
    const line = new SocketLine(incoming, outgoing, headers)
    const request = new SocketRequest(incoming.method!, url, headers, outgoing)
    // What was not read of a body when the answer is written lies in the way of the next request.
    if (line.hasBody()) outgoing.once('finish', () => drain(incoming))
    const failed = (error: unknown) => send(unanswered(error, format, core.report), incoming, outgoing)
    try {
      const response = core.answer(request as unknown as Request, connection, line)
      if (!(response instanceof Promise)) return send(response, incoming, outgoing)
      response.then((one) => send(one, incoming, outgoing)).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

/** How long the rest of a body may take that nobody wants, in milliseconds. */
const mostDraining = 500

const drain = (incoming: IncomingMessage): void => {
  if (incoming.readableEnded) return
  const cut = setTimeout(() => incoming.socket.destroySoon(), mostDraining)
  incoming.once('close', () => clearTimeout(cut)).resume()
}

const send = (response: Response, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const rest = sent(response, outgoing)
  if (rest !== RESPONSE_ALREADY_SENT) void getRequestListener(() => rest, ownGlobals)(incoming, outgoing)
}

/** What node-server cannot make a request of: a Host or a path that is no address. All else has failed here. */
const unanswered = (error: unknown, format: FormatInForce, report: Core['report']): Response =>
  refused(error instanceof RequestError ? unreadable() : refusalOf(error, quietly(report)), format)

/** What is told may be what has failed: then there is nobody left to tell. */
const quietly =
  (report: Core['report']): Core['report'] =>
  (error) => {
    try {
      report(error)
    } catch {
      // The answer says that something failed.
    }
  }

const refused = (refusal: Refusal, format: FormatInForce): Response => realResponse(errorResponse(refusal, format()))

const unreadable = (): Refusal =>
  new Refusal('malformedRequest', 'The request cannot be read: its Host header and its path make no address.', {
    hint: "Send one 'Host' header, and a path that starts with '/'.",
  })
