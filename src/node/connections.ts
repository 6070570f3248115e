import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** A client in this process sends its next request within this many turns of the event loop, even on a slow machine. */
const idleTurns = 50

/** How long requests in flight may take while the server stops, in milliseconds. */
const gracePeriod = 4000

/**
 * Tracks the connections of a server, so that it can stop without an error for its clients.
 * @param idleTime How long a connection may be idle while the server stops, in milliseconds.
 */
export const trackConnections = (server: HttpServer, idleTime: number) => {
  const inFlight = new Map<Socket, Set<ServerResponse>>()
  let stopping = false
  const getResponses = (socket: Socket): Set<ServerResponse> => {
    const known = inFlight.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    inFlight.set(socket, responses)
    socket.once('close', () => inFlight.delete(socket))
    return responses
  }
  // An incomplete request is not in flight: its rest may never arrive.
  const closeIfIdle = (socket: Socket) => {
    if (![...getResponses(socket)].some(({ req }) => req.complete)) socket.destroy()
  }
  // The client may already have sent its next request, or part of it.
  const closeWhenIdle = (socket: Socket) => {
    const wait = (turns: number) => void (turns === 0 ? closeIfIdle(socket) : setImmediate(wait, turns - 1))
    setTimeout(wait, idleTime, idleTurns).unref()
  }
  server.on('connection', getResponses)
  return {
    /** Counts a request as in flight until its response is sent. */
    add: (response: ServerResponse): void => {
      const { socket } = response.req
      const responses = getResponses(socket).add(response)
      if (stopping) announceClose(response)
      response.once('close', () => {
        responses.delete(response)
        if (stopping) closeWhenIdle(socket)
      })
    },
    /** Stops accepting connections and finishes the requests in flight. Resolves when all connections are closed. */
    close: (): Promise<void> => {
      stopping = true
      for (const [socket, responses] of inFlight) {
        const last = [...responses].at(-1)
        if (last !== undefined) announceClose(last)
        closeWhenIdle(socket)
      }
      return closeServer(server)
    },
  }
}

/** Keeps the client from sending its next request on this connection. */
const announceClose = (response: ServerResponse): void => {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

const closeServer = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), gracePeriod)
    const done = () => {
      clearTimeout(cut)
      // Ends the timer that checks for slow requests.
      server.close(() => resolve())
    }
    // Not `server.close()` yet: it closes idle connections at once. In Bun, an HTTP server is not a `net.Server`, and
    // has no other way to close.
    if ((server as object) instanceof NetServer) NetServer.prototype.close.call(server, done)
    else server.close(done)
  })
