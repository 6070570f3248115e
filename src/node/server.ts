import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core, Server } from '../mock/mock.ts'
import { ListenOptions, parseOptions } from '../schema/mock-options.ts'
import { errors } from '../schema/error.ts'
import type { Connection } from '../wire/transport.ts'
import {
  createErrorResponseData,
  type ErrorFormat,
  FastResponse,
  nosniff,
  type OutgoingResponse,
  toMockError,
} from '../wire/respond.ts'
import { createServer, trackConnections } from './http-server.ts'
import { explainListenError, toConnectableHost, isLoopback, loopback } from './listen-address.ts'
import { handleParserErrors, findHeadError, maxHeaderSize, writeError } from './parser-errors.ts'
import { SocketRequest, writeResponse } from './socket-request.ts'

/**
 * Opens a socket for a mock. Throws `invalidOptions` if the address cannot be bound.
 * @param idleTime How long a connection may be idle while the server closes, in milliseconds.
 * @param portOption The name of the option that sets the port, for the error.
 */
export const startServer = async (
  core: Core,
  given: ListenOptions,
  idleTime = 0,
  portOption: 'port' | '--port' = 'port',
): Promise<Server> => {
  const options = parseOptions('listen', '{ port: 4600 }', ListenOptions, given)
  const { port = 0, host = loopback, allowedHosts = [] } = options
  const adminToken = await chooseAdminToken(host, options.adminToken)
  // The project of an invalid request is unknown, so the value for all projects applies.
  const format = () => core.getBehaviors('').errorFormat
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
  const { isStopping, onStop, close } = connections
  const handle = createHandler(core, { admin: { token: adminToken, allowedHosts }, isStopping, onStop }, format)
  handleParserErrors(server, format)
  // Rejects if an `error` event comes first.
  await once(server.listen(port, host), 'listening').catch((error: Error) => {
    throw errors.invalidOptions({ message: explainListenError(error, port, host, portOption), cause: error })
  })

  const address = server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  const url = `http://${toConnectableHost(host)}:${boundPort}`
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

/** Creates the handler of requests. Nearly all of them need neither a real `Request` nor a real `Response`. */
const createHandler = (core: Core, connection: Connection, format: () => ErrorFormat) => {
  const report: Core['report'] = (error) => {
    try {
      core.report(error)
    } catch {
      // The logger may be the part that failed. The response still reports an error.
    }
  }
  const fail = (error: unknown, request: SocketRequest) => {
    const mockError = toMockError(error, report)
    // The client of a malformed request expects another protocol or server.
    const headers = mockError.code === 'malformedRequest' ? { connection: 'close' } : undefined
    discardRest(request)
    writeResponse(createErrorResponseData(mockError, format(), { ...nosniff, ...headers }), request.outgoing)
  }
  const finish = (response: OutgoingResponse, request: SocketRequest) => {
    discardRest(request)
    if (request.isBroken) return
    if (response instanceof FastResponse) writeResponse(response, request.outgoing)
    else stream(response as Response, request).catch((error: unknown) => fail(error, request))
  }
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const request = new SocketRequest(incoming, outgoing)
    try {
      if (request.url === '') throw errors.malformedRequest('notUrl')
      const response = core.respond(request, connection, request)
      if (!(response instanceof Promise)) return finish(response, request)
      response.then((late) => finish(late, request)).catch((error: unknown) => fail(error, request))
    } catch (error) {
      fail(error, request)
    }
  }
}

/** Writes a response that streams. */
const stream = async (response: Response, { incoming, outgoing }: SocketRequest): Promise<void> => {
  // Loaded on demand: it loads `fetch` and HTTP/2, which would take a fifth of the start.
  const { getRequestListener } = await import('@hono/node-server')
  // The client may have disconnected in the meantime. The globals of the process stay as they are.
  if (outgoing.destroyed) await response.body?.cancel()
  else await getRequestListener(() => response, { overrideGlobalObjects: false })(incoming, outgoing)
}

/** How long the rest of an unwanted body may take, in milliseconds. */
const maxDiscardTime = 500

/** Reads the rest of a body, which would precede the next request. */
const discardRest = (request: SocketRequest): void => {
  const { incoming, outgoing } = request
  if (incoming.readableEnded || !request.hasBody()) return
  outgoing.once('finish', () => {
    if (incoming.readableEnded) return
    const timer = setTimeout(() => incoming.socket.destroySoon(), maxDiscardTime)
    incoming.once('close', () => clearTimeout(timer)).resume()
  })
}
