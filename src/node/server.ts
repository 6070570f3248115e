import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core, Server } from '../mock/mock.ts'
import { ListenOptions, parseOptions } from '../schema/mock-options.ts'
import type { Connection, IncomingRequest } from '../wire/transport.ts'
import { type ErrorFormat, createErrorResponse, toMockError, type OutgoingResponse } from '../wire/respond.ts'
import { trackConnections } from './connections.ts'
import { createServer } from './http.ts'
import { toConnectableHost, isLoopback, loopback } from './listen-address.ts'
import { handleParserErrors, findHeadError, maxHeaderSize, writeError } from './parser-errors.ts'
import { getPlainUrl, SocketHeaders, SocketRequest, SocketTransport, writeResponse } from './socket-transport.ts'

/**
 * Opens a socket for a mock. Rejects with the system's error if the address cannot be bound.
 * @param idleTime How long a connection may be idle while the server closes, in milliseconds.
 */
export const startServer = async (core: Core, given: ListenOptions, idleTime = 0): Promise<Server> => {
  const options = parseOptions('listen', '{ port: 4600 }', ListenOptions, given)
  const { port = 0, host = loopback, allowedHosts = [] } = options
  const adminToken = await chooseAdminToken(host, options.adminToken)
  let stopping = false
  const stopListeners = new Set<() => void>()
  const onStop = (listener: () => void) => {
    stopListeners.add(listener)
    return () => stopListeners.delete(listener)
  }
  const connection: Connection = { admin: { token: adminToken, allowedHosts }, isStopping: () => stopping, onStop }

  // The project of an invalid request is unknown, so the value for all projects applies.
  const format = () => core.getBehaviors('').errorFormat
  const handle = createHandler(core, connection, format)
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.add(outgoing)
    const headError = findHeadError(incoming)
    if (headError !== undefined) return writeError(outgoing, headError, format())
    // HTTP/1.0 may omit the Host.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= new URL(url).host
    // Pipelined requests take effect in their order: each waits until its response may be written.
    if (outgoing.socket === null) outgoing.once('socket', () => handle(incoming, outgoing))
    else handle(incoming, outgoing)
  }
  // By default, one slow client could hold a socket for minutes, and idle ones would close while pooled clients use them.
  const server = createServer(
    {
      headersTimeout: 9000,
      requestTimeout: 9000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 65_000,
      maxHeaderSize,
      requireHostHeader: false,
    },
    listener,
  )
  // Node would drop further headers, such as a Host or a token. Their size is limited already.
  server.maxHeadersCount = 0
  const connections = trackConnections(server, idleTime)
  handleParserErrors(server, format)
  // Rejects if an `error` event comes first.
  await once(server.listen(port, host), 'listening')

  const address = server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  const url = `http://${toConnectableHost(host)}:${boundPort}`
  let closed: Promise<void> | undefined
  const close = () => {
    stopping = true
    for (const listener of stopListeners) listener()
    closed ??= connections.close()
    return closed
  }
  return { url, port: boundPort, adminToken, close, [Symbol.asyncDispose]: close }
}

/** Returns the token of the control API. It needs none on loopback, and a random one on any other address. */
const chooseAdminToken = async (host: string, given: string | undefined): Promise<string | undefined> => {
  if (given === 'none') return undefined
  if (given !== undefined) return given
  if (isLoopback(host)) return undefined
  // Loaded on demand: it takes longer than opening the socket.
  const { randomBytes } = await import('node:crypto')
  return randomBytes(18).toString('base64url')
}

/**
 * Creates the handler of requests. Nearly all of them need neither a real `Request` nor a real `Response`.
 * Node-server handles the others: requests whose URL must be parsed, and responses that stream.
 */
const createHandler = (core: Core, connection: Connection, format: () => ErrorFormat) => {
  const report: Core['report'] = (error) => {
    try {
      core.report(error)
    } catch {
      // The logger may be the part that failed. The response still reports an error.
    }
  }
  const respondToError = (error: unknown) => {
    const mockError = toMockError(error, report)
    // The client of a malformed request expects another protocol or server.
    return createErrorResponse(
      mockError,
      format(),
      mockError.code === 'malformedRequest' ? { connection: 'close' } : {},
    )
  }
  const write = (response: OutgoingResponse, transport: SocketTransport): boolean =>
    transport.isBroken || writeResponse(response, transport.outgoing)
  const fail = (error: unknown, transport: SocketTransport) => {
    discardRest(transport)
    writeResponse(respondToError(error), transport.outgoing)
  }
  const finish = (response: OutgoingResponse, transport: SocketTransport) => {
    discardRest(transport)
    if (write(response, transport)) return
    loadNodeServer()
      .then(({ stream }) => stream(response, transport.incoming, transport.outgoing))
      .catch((error: unknown) => fail(error, transport))
  }
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const headers = new SocketHeaders(incoming)
    const transport = new SocketTransport(incoming, outgoing, headers)
    const respond = (request: IncomingRequest) => core.respond(request, connection, transport)
    const url = getPlainUrl(headers.get('host'), incoming.url)
    if (url === undefined) {
      const handlers = { respond, respondToError, write: (response: OutgoingResponse) => write(response, transport) }
      loadNodeServer()
        .then(({ parseAndHandle }) => parseAndHandle(incoming, outgoing, handlers))
        .catch((error: unknown) => fail(error, transport))
      return
    }
    try {
      const response = respond(new SocketRequest(incoming.method!, url, headers, outgoing))
      if (!(response instanceof Promise)) return finish(response, transport)
      response.then((late) => finish(late, transport)).catch((error: unknown) => fail(error, transport))
    } catch (error) {
      fail(error, transport)
    }
  }
}

/** The unread rest of a body would precede the next request. */
const discardRest = (transport: SocketTransport): void => {
  const { incoming, outgoing } = transport
  if (!incoming.readableEnded && transport.hasBody()) outgoing.once('finish', () => discardBody(incoming))
}

const loadNodeServer = () => import('./node-server.ts')

/** How long the rest of an unwanted body may take, in milliseconds. */
const maxDiscardTime = 500

const discardBody = (incoming: IncomingMessage): void => {
  if (incoming.readableEnded) return
  const timer = setTimeout(() => incoming.socket.destroySoon(), maxDiscardTime)
  incoming.once('close', () => clearTimeout(timer)).resume()
}
