import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { once, setMaxListeners } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Core } from '../core/mock/core.ts'
import type { Server } from '../core/mock/mock.ts'
import { checkOptions } from '../core/schema/check-options.ts'
import { errors } from '../core/schema/error.ts'
import { ListenOptions } from '../core/schema/mock-options.ts'
import { parseStrict } from '../core/schema/unknown-fields.ts'
import { parseUrl } from '../core/schema/url.ts'
import { createErrorResponse, toMockError } from '../core/http/respond.ts'
import { getOrigin } from '../core/http/transport.ts'
import { createHttpServer, isBusy, openPort } from './http-server.ts'
import { explainListenError, toConnectableHost, isLoopback, loopback } from './listen-address.ts'

// By default, one slow client could hold a socket for minutes, and idle ones would close while pooled clients use them.
const serverLimits = {
  headersTimeout: 9000,
  requestTimeout: 9000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
}

interface ServerOptions {
  /** The name of the option that sets the port, for the error. */
  readonly portOption?: 'port' | '--port' | 'fixed --port'
  /** How long a connection may be idle while the server stops, in milliseconds. */
  readonly idleTime?: number
  /** Whether the globals `Request` and `Response` of this process become those of node-server, which are faster. */
  readonly overrideGlobalObjects?: boolean
}

/** Opens a socket for a mock. Throws `invalidOptions` if the address cannot be bound. */
export const startServer = async (
  core: Core,
  givenOptions: ListenOptions,
  { portOption = 'port', idleTime = 0, overrideGlobalObjects = false }: ServerOptions = {},
): Promise<Server> => {
  const options = checkOptions('listen', '{ port: 4600 }', (value) => parseStrict(ListenOptions, value), givenOptions)
  const { port = 0, host = loopback, allowedHosts = [] } = options
  const adminToken = chooseAdminToken(host, options.adminToken ?? core.adminToken)
  // The project of an invalid request is unknown, so the value for all projects applies.
  const getErrorFormat = () => core.getBehaviors('').errorFormat
  const httpServer = createHttpServer(serverLimits, (...exchange) => handleRequest(...exchange), getErrorFormat)
  const boundPort = await openPort(httpServer.server, port, host).catch((error: Error) => {
    throw errors.invalidOptions({ message: explainListenError(error, port, host, portOption), cause: error })
  })
  const url = `http://${toConnectableHost(host)}:${boundPort}`

  const stopping = new AbortController()
  // Each waiting request listens to it, and Node warns of a leak after ten listeners.
  setMaxListeners(0, stopping.signal)
  const connection = { admin: { token: adminToken, allowedHosts }, stopping: stopping.signal }
  const listener = getRequestListener(
    (request, bindings) => {
      // node-server accepts a Host such as `1.2.3.999`, but the mock could not build a URL from it.
      if (parseUrl(getOrigin(request.url)) === undefined) throw new RequestError('Invalid Host')
      const { incoming, outgoing } = bindings as HttpBindings
      return core.respond(request, { incoming, outgoing, connection })
    },
    {
      // For HTTP/1.0, which may omit the Host.
      hostname: new URL(url).host,
      overrideGlobalObjects,
      errorHandler: (error) => {
        const isMalformed = error instanceof RequestError
        const mockError = isMalformed ? errors.malformedRequest('notUrl') : toMockError(error, { onError: core.report })
        return createErrorResponse(mockError, getErrorFormat())
      },
    },
  )
  const connections = trackConnections(httpServer, stopping.signal, idleTime)
  const handleRequest: RequestListener = (incoming, outgoing) => {
    const start = () => connections.whenAccepted(() => void listener(incoming, outgoing))
    // Pipelined requests take effect in their order: each waits until its response may be written.
    if (outgoing.socket === null) outgoing.once('socket', start)
    else start()
  }
  let closePromise: Promise<void> | undefined
  const close = () => {
    stopping.abort()
    return (closePromise ??= connections.close())
  }
  return { url, port: boundPort, adminToken, close, [Symbol.asyncDispose]: close }
}

const chooseAdminToken = (host: string, givenToken: string | undefined): string | undefined => {
  if (givenToken !== undefined) return givenToken === 'none' ? undefined : givenToken
  return isLoopback(host) ? undefined : Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')
}

/** How long the requests in flight may take while the server stops, in milliseconds. */
const gracePeriod = 4000

/** How long the server accepts connections while it stops, at most, in milliseconds. */
const acceptPeriod = 1000

/** A client in this process sends its next request within this many turns of the event loop, even on a slow machine. */
const idleTurns = 50

/**
 * Stops a server without an error for its clients. Node's own `close` cuts large responses that are being sent, resets
 * connections on which the next request arrives, and waits for those without a request.
 */
const trackConnections = (
  { server, newestResponses }: ReturnType<typeof createHttpServer>,
  stopping: AbortSignal,
  idleTime: number,
) => {
  /** Closes a connection without a request. The client may already have sent its next one, or still be sending it. */
  const closeWhenIdle = (socket: Socket): void => {
    const { bytesRead } = socket
    const closeIfIdle = async (): Promise<void> => {
      await waitTurns()
      if (isBusy(newestResponses.get(socket))) return
      if (socket.bytesRead === bytesRead) socket.destroy()
      else closeWhenIdle(socket)
    }
    setTimeout(() => void closeIfIdle(), idleTime).unref()
  }
  /** Keeps the client from sending its next request on this connection. */
  const announceClose = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('connection', 'close')
    const { socket } = response.req
    response.once('close', () => closeWhenIdle(socket))
  }
  let acceptedCount = 0
  // The system has connected clients that the server has not accepted yet, and would reset them. Each turn accepts one.
  const acceptQueued = async (endTime = performance.now() + acceptPeriod): Promise<void> => {
    const acceptedBefore = acceptedCount
    await waitTurns()
    if (acceptedCount !== acceptedBefore && performance.now() < endTime) await acceptQueued(endTime)
  }
  const stopAccepting = async (): Promise<void> => {
    await acceptQueued()
    // In Bun, an HTTP server is not a `net.Server`, and has no other way to close.
    if ((server as object) instanceof NetServer) NetServer.prototype.close.call(server)
    else server.close()
  }
  /** Resolves when the server has stopped accepting connections. Undefined before it stops. */
  let lastAccepted: Promise<void> | undefined
  server.on('connection', (socket: Socket) => {
    acceptedCount++
    if (stopping.aborted) closeWhenIdle(socket)
  })
  // Before the request is handled, which may send the response.
  server.prependListener('request', (_, outgoing) => {
    if (stopping.aborted) announceClose(outgoing)
  })
  return {
    /** Calls `start` immediately. While the server stops, waits until it accepts no connections: a client may reconnect after a response. */
    whenAccepted: (start: () => void): void => {
      if (lastAccepted === undefined) start()
      else void lastAccepted.then(start)
    },
    /** Stops accepting connections and finishes the requests in flight. Resolves when all connections are closed. */
    close: async (): Promise<void> => {
      const graceTimer = setTimeout(() => server.closeAllConnections(), gracePeriod)
      for (const [socket, response] of newestResponses) {
        if (response?.writableFinished === false) announceClose(response)
        closeWhenIdle(socket)
      }
      const serverClosed = once(server, 'close')
      lastAccepted = stopAccepting()
      await serverClosed
      clearTimeout(graceTimer)
      // Ends the timer that checks for slow requests.
      server.close()
    },
  }
}

const waitTurns = (): Promise<void> =>
  new Promise((resolve) => {
    const wait = (turns: number): void => void (turns === 0 ? resolve() : setImmediate(wait, turns - 1))
    wait(idleTurns)
  })
