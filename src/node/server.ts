import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { once, setMaxListeners } from 'node:events'
import { createServer, type Server as HttpServer, type ServerResponse, STATUS_CODES } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Core } from '../mock/core.ts'
import type { Server } from '../mock/mock.ts'
import { checkOptions } from '../schema/check-options.ts'
import { errors, type MockError } from '../schema/error.ts'
import { ListenOptions } from '../schema/mock-options.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import { parseUrl } from '../schema/url.ts'
import { createErrorResponse, createErrorResponseData, type ResponseData, toMockError } from '../http/respond.ts'
import { getOrigin } from '../http/transport.ts'
import { explainListenError, toConnectableHost, isLoopback, loopback } from './listen-address.ts'

/** The maximum size of the request line and the headers, in bytes. */
const maxHeaderSize = 16 * 1024

// By default, one slow client could hold a socket for minutes, and idle ones would close while pooled clients use them.
const serverLimits = {
  headersTimeout: 9000,
  requestTimeout: 9000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize,
}

interface ServerOptions {
  /** The name of the option that sets the port, for the error. */
  readonly portOption?: 'port' | '--port'
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
  const server = createServer(serverLimits)
  // Node would drop further headers, such as a token. Their size is limited already.
  server.maxHeadersCount = 0
  // Rejects if an `error` event comes first.
  await once(server.listen(port, host), 'listening').catch((error: Error) => {
    throw errors.invalidOptions({ message: explainListenError(error, port, host, portOption), cause: error })
  })
  const address = server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  const url = `http://${toConnectableHost(host)}:${boundPort}`

  const stopping = new AbortController()
  // Each waiting request listens to it, and Node warns of a leak after ten listeners.
  setMaxListeners(0, stopping.signal)
  const connection = { admin: { token: adminToken, allowedHosts }, stopping: stopping.signal }
  // The project of an invalid request is unknown, so the value for all projects applies.
  const getErrorFormat = () => core.getBehaviors('').errorFormat
  const listener = getRequestListener(
    (request, bindings) => {
      requireValidOrigin(getOrigin(request.url))
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
        return createErrorResponse(mockError, {}, getErrorFormat())
      },
    },
  )
  const connections = trackConnections(server, stopping.signal, idleTime)
  server.on('request', (incoming, outgoing) => {
    connections.add(outgoing)
    // Pipelined requests take effect in their order: each waits until its response may be written.
    if (outgoing.socket === null) outgoing.once('socket', () => void listener(incoming, outgoing))
    else void listener(incoming, outgoing)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = connections.getNewest(socket)
    const reject = () => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      // The response to the incomplete request was an error already.
      else if (response?.headersSent && !response.req.complete) socket.destroySoon()
      else writeParserError(socket, createErrorResponseData(toParserError(error), {}, getErrorFormat()))
    }
    // The requests before the invalid bytes get their responses first.
    if (isBusy(response)) response.once('close', reject)
    else reject()
  })
  let closePromise: Promise<void> | undefined
  const close = () => {
    stopping.abort()
    return (closePromise ??= connections.close())
  }
  return { url, port: boundPort, adminToken, close, [Symbol.asyncDispose]: close }
}

/** Returns the token of the control API. It needs none on loopback, and a random one on any other address. */
const chooseAdminToken = (host: string, givenToken: string | undefined): string | undefined => {
  if (givenToken !== undefined) return givenToken === 'none' ? undefined : givenToken
  return isLoopback(host) ? undefined : Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')
}

let lastValidOrigin = ''

/** Throws for a Host such as `1.2.3.999`, which node-server accepts, and of which the mock could build no URL. */
const requireValidOrigin = (origin: string): void => {
  if (origin === lastValidOrigin) return
  if (parseUrl(origin) === undefined) throw new RequestError('Invalid Host')
  lastValidOrigin = origin
}

const toParserError = ({ code }: NodeJS.ErrnoException): MockError => {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.requestTimeout()
  return errors.malformedRequest('notHttp')
}

/** Responds to bytes that are not a request, and closes the connection. */
const writeParserError = (
  socket: Socket,
  { status, headers, text }: ResponseData & { readonly text: string },
): void => {
  const headText = `content-type: ${headers['content-type']}\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close`
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headText}\r\n\r\n${text}`)
  // The client may never close its half of the connection.
  socket.destroySoon()
}

/** How long requests in flight may take while the server stops, in milliseconds. */
const gracePeriod = 4000

/** A client in this process sends its next request within this many turns of the event loop, even on a slow machine. */
const idleTurns = 50

/** More than the connections that wait to be accepted: Node lets the system keep 511. */
const maxQueue = 1000

/**
 * Tracks the connections of a server, so that it can stop without an error for its clients. Node's own `close` cuts large
 * responses that are being sent, resets connections on which the next request arrives, and waits for those without a request.
 */
const trackConnections = (server: HttpServer, stopping: AbortSignal, idleTime: number) => {
  /** The newest response of each connection. Undefined: it has had no request. */
  const newestResponses = new Map<Socket, ServerResponse | undefined>()
  const closeIfIdle = (socket: Socket) => {
    if (!isBusy(newestResponses.get(socket))) socket.destroy()
  }
  // The client may already have sent its next request.
  const closeWhenIdle = (socket: Socket) =>
    void setTimeout(() => void waitTurns().then(() => closeIfIdle(socket)), idleTime).unref()
  /** Keeps the client from sending its next request on this connection. */
  const announceClose = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('connection', 'close')
    const { socket } = response.req
    response.once('close', () => closeWhenIdle(socket))
  }
  let acceptedCount = 0
  // The system has connected clients that the server has not accepted yet, and would reset them. Each turn accepts one.
  const acceptQueued = async (rounds = maxQueue / idleTurns): Promise<void> => {
    const acceptedBefore = acceptedCount
    await waitTurns()
    if (acceptedCount !== acceptedBefore && rounds > 0) await acceptQueued(rounds - 1)
  }
  server.on('connection', (socket: Socket) => {
    acceptedCount++
    newestResponses.set(socket, undefined)
    socket.once('close', () => newestResponses.delete(socket))
    if (stopping.aborted) closeWhenIdle(socket)
  })
  return {
    getNewest: (socket: Socket): ServerResponse | undefined => newestResponses.get(socket),
    add: (response: ServerResponse): void => {
      newestResponses.set(response.req.socket, response)
      if (stopping.aborted) announceClose(response)
    },
    /** Stops accepting connections and finishes the requests in flight. Resolves when all connections are closed. */
    close: async (): Promise<void> => {
      for (const [socket, response] of newestResponses) {
        if (isBusy(response)) announceClose(response)
        closeWhenIdle(socket)
      }
      await acceptQueued()
      const serverClosed = once(server, 'close')
      // In Bun, an HTTP server is not a `net.Server`, and has no other way to close.
      if ((server as object) instanceof NetServer) NetServer.prototype.close.call(server)
      else server.close()
      const graceTimer = setTimeout(() => server.closeAllConnections(), gracePeriod)
      await serverClosed
      clearTimeout(graceTimer)
      // Ends the timer that checks for slow requests.
      server.close()
    },
  }
}

/** Returns true if the response is being sent, or its request is complete. The rest of an incomplete request may never arrive. */
const isBusy = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined &&
  !response.writableFinished &&
  !response.destroyed &&
  // A pipelined request waits for the response before it.
  (response.req.complete || response.socket === null)

const waitTurns = (): Promise<void> =>
  new Promise((resolve) => {
    const wait = (turns: number): void => void (turns === 0 ? resolve() : setImmediate(wait, turns - 1))
    wait(idleTurns)
  })
