import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** What a client in this process sends next arrives within these turns of the event loop, however slow the machine is. */
const idleTurns = 50

/** How long requests in flight may take while the server stops, in milliseconds. */
const grace = 4000

/** The connections of a server. */
export interface Connections {
  /** Counts a request as in flight until its response is sent. */
  add(response: ServerResponse): void
  /** Accepts no more connections, finishes the requests in flight, and resolves when all connections are closed. */
  close(): Promise<void>
}

/** @param idleTime How long a connection may be without a request while the server stops, in milliseconds. */
export const trackConnections = (server: HttpServer, idleTime: number): Connections => {
  const inFlight = new Map<Socket, Set<ServerResponse>>()
  let stopping = false
  const responsesOf = (socket: Socket): Set<ServerResponse> => {
    const known = inFlight.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    inFlight.set(socket, responses)
    socket.once('close', () => inFlight.delete(socket))
    return responses
  }
  // Half a request is not in flight: nobody knows whether its rest will ever come.
  const closeIfIdle = (socket: Socket) => {
    if (![...responsesOf(socket)].some(({ req }) => req.complete)) socket.destroy()
  }
  // A client that keeps its connection may have sent its next request already, or the first half of it.
  const closeWhenIdle = (socket: Socket) => {
    const wait = (turns: number) => void (turns === 0 ? closeIfIdle(socket) : setImmediate(wait, turns - 1))
    setTimeout(wait, idleTime, idleTurns).unref()
  }
  server.on('connection', responsesOf)
  return {
    add: (response) => {
      const { socket } = response.req
      const responses = responsesOf(socket).add(response)
      if (stopping) announceClose(response)
      response.once('close', () => {
        responses.delete(response)
        if (stopping) closeWhenIdle(socket)
      })
    },
    close: () => {
      stopping = true
      for (const [socket, responses] of inFlight) {
        const last = [...responses].at(-1)
        if (last !== undefined) announceClose(last)
        closeWhenIdle(socket)
      }
      return closed(server)
    },
  }
}

/** A client must not send its next request to a server that is gone. */
const announceClose = (response: ServerResponse): void => {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

const closed = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), grace)
    const done = () => {
      clearTimeout(cut)
      // This ends the timer that looks for slow requests.
      server.close(() => resolve())
    }
    // Not `server.close()` yet: it closes idle connections at once. Under Bun a server of HTTP is none of net, and has
    // no other way to end.
    if ((server as object) instanceof NetServer) NetServer.prototype.close.call(server, done)
    else server.close(done)
  })
