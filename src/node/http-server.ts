import type { Server as HttpServer, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { Server as NetServer, type Socket } from 'node:net'

// An `import` reads all exports of a module. In Node 24 some exports of `node:http` load `fetch` and WebSocket, which takes
// as long as all other files of the command line.
const require = createRequire(import.meta.url)

export const { createServer, STATUS_CODES } = require('node:http') as typeof import('node:http')

/** A client in this process sends its next request within this many turns of the event loop, even on a slow machine. */
const idleTurns = 50

/** How long requests in flight may take while the server stops, in milliseconds. */
const gracePeriod = 4000

/**
 * Tracks the connections of a server, so that it can stop without an error for its clients.
 * @param idleTime How long a connection may be idle while the server stops, in milliseconds.
 */
export const trackConnections = (server: HttpServer, idleTime: number) => {
  // The newest responses of each connection: all that are in flight, of which only pipelined requests have several.
  const newest = new Map<Socket, ServerResponse[]>()
  const stopListeners = new Set<() => void>()
  let closed: Promise<void> | undefined
  const getResponses = (socket: Socket): ServerResponse[] => {
    const known = newest.get(socket)
    if (known !== undefined) return known
    const responses: ServerResponse[] = []
    newest.set(socket, responses)
    socket.once('close', () => newest.delete(socket))
    return responses
  }
  // An incomplete request is not in flight: its rest may never arrive.
  const closeIfIdle = (socket: Socket) => {
    if (!getResponses(socket).some((response) => response.req.complete && !isSent(response))) socket.destroy()
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
      const responses = getResponses(socket)
      // Without a listener for each response, which would cost more than the list.
      if (responses.every(isSent)) responses.length = 0
      responses.push(response)
      if (closed === undefined) return
      announceClose(response)
      response.once('close', () => closeWhenIdle(socket))
    },
    isStopping: () => closed !== undefined,
    onStop: (listener: () => void) => {
      stopListeners.add(listener)
      return () => stopListeners.delete(listener)
    },
    /** Stops accepting connections and finishes the requests in flight. Resolves when all connections are closed. */
    close: (): Promise<void> => {
      if (closed !== undefined) return closed
      closed = closeServer(server)
      for (const listener of stopListeners) listener()
      for (const [socket, responses] of newest) {
        const unsent = responses.filter((response) => !isSent(response))
        for (const response of unsent) response.once('close', () => closeWhenIdle(socket))
        const last = unsent.at(-1)
        if (last !== undefined) announceClose(last)
        closeWhenIdle(socket)
      }
      return closed
    },
  }
}

const isSent = (response: ServerResponse): boolean => response.writableFinished || response.destroyed

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
