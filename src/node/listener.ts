import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../mock.ts'
import type { Connection } from '../wire/connection.ts'
import { errorResponse, refusalOf } from '../wire/respond.ts'
import type { FormatInForce } from './parser-errors.ts'
import { send } from './sent.ts'
import { SocketLine } from './socket-line.ts'
import { plainUrlOf, SocketHeaders, SocketRequest } from './socket-request.ts'

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/**
 * Answers what comes in over a socket. Node-server reads the requests whose address must be parsed and writes the answers
 * that stream; of the others, nearly all there are, neither a `Request` nor a `Response` is made.
 */
export const createListener =
  (core: Core, connection: Connection, format: FormatInForce): Listener =>
  (incoming, outgoing) => {
    const headers = new SocketHeaders(incoming)
    const line = new SocketLine(incoming, outgoing, headers)
    const answer = (request: Request) => core.answer(request, connection, line)
    const unanswered = (error: unknown) => {
      const refusal = refusalOf(error, quietly(core.report))
      // Whoever sends such a request means another protocol, or another server.
      return errorResponse(refusal, format(), refusal.code === 'malformedRequest' ? { connection: 'close' } : {})
    }
    const failed = (error: unknown) => void send(unanswered(error), outgoing)
    const isSent = (response: Response) => line.spoiled || send(response, outgoing)
    const write = (response: Response) => {
      if (isSent(response)) return
      nodeServer()
        .then(({ stream }) => stream(response, incoming, outgoing))
        .catch(failed)
    }
    const url = plainUrlOf(headers.get('host'), incoming.url)
    if (url === undefined) {
      nodeServer()
        .then(({ answerParsed }) => answerParsed(incoming, outgoing, { answer, unanswered, isSent }))
        .catch(failed)
      return
    }
    // What was not read of a body when the answer is written lies in the way of the next request.
    if (line.hasBody()) outgoing.once('finish', () => drain(incoming))
    try {
      const response = answer(new SocketRequest(incoming.method!, url, headers, outgoing) as unknown as Request)
      if (!(response instanceof Promise)) return write(response)
      response.then(write).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

const nodeServer = () => import('./node-server.ts')

/** How long the rest of a body may take that nobody wants, in milliseconds. */
const mostDraining = 500

const drain = (incoming: IncomingMessage): void => {
  if (incoming.readableEnded) return
  const cut = setTimeout(() => incoming.socket.destroySoon(), mostDraining)
  incoming.once('close', () => clearTimeout(cut)).resume()
}

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
