import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { createErrorResponseData, type ResponseHeaders } from '../core/http/respond.ts'
import type { Behaviors } from '../core/schema/behavior.ts'
import { errors, type MockError } from '../core/schema/error.ts'

/** The maximum size of the request line and the headers, in bytes. */
const maxHeaderSize = 16 * 1024

/** Creates an HTTP server that sends an error object for each invalid request. Node sends some without a body, and accepts others. */
export const createHttpServer = (
  options: ServerOptions,
  handle: RequestListener,
  getErrorFormat: () => Behaviors['errorFormat'] = () => 'object',
) => {
  const server = createServer({ ...options, maxHeaderSize, requireHostHeader: false })
  // Node would drop further headers, such as a token. Their size is limited already.
  server.maxHeadersCount = 0
  /** The newest response of each connection. Undefined: it has had no request. */
  const newestResponses = new Map<Socket, ServerResponse | undefined>()
  server.on('connection', (socket: Socket) => {
    newestResponses.set(socket, undefined)
    socket.once('close', () => newestResponses.delete(socket))
  })
  const createError = (mockError: MockError, extraHeaders?: ResponseHeaders) => {
    const { status, headers, text } = createErrorResponseData(mockError, extraHeaders, getErrorFormat())
    return { status, headers: { ...headers, 'content-length': Buffer.byteLength(text) }, text }
  }
  const rejectRequest = (outgoing: ServerResponse, mockError: MockError): void => {
    const { status, headers, text } = createError(mockError)
    outgoing.writeHead(status, headers).end(text)
  }
  server.on('request', (incoming, outgoing) => {
    newestResponses.set(incoming.socket, outgoing)
    const hostError = findHostError(incoming)
    if (hostError === undefined) handle(incoming, outgoing)
    else rejectRequest(outgoing, hostError)
  })
  server.on('checkExpectation', (incoming, outgoing) => {
    newestResponses.set(incoming.socket, outgoing)
    rejectRequest(outgoing, errors.expectationFailed(incoming.headers.expect ?? ''))
  })
  /** Responds on a connection without further requests, and closes it. */
  const rejectConnection = (socket: Socket, mockError: MockError): void => {
    const response = newestResponses.get(socket)
    // An incomplete request has its response only if that is an error.
    const hasResponse = response?.headersSent && !response.req.complete
    // The requests before it get their responses first.
    if (isBusy(response)) return void response.once('close', () => rejectConnection(socket, mockError))
    if (!socket.writable) return void socket.destroy()
    if (!hasResponse) {
      const { status, headers, text } = createError(mockError, { connection: 'close' })
      const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headerLines.join('')}\r\n${text}`)
    }
    // The client may never close its half of the connection.
    socket.destroySoon()
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else rejectConnection(socket, toParserError(error))
  })
  server.on('connect', (_, socket: Socket) => {
    // Node no longer listens to it: an error would end the process.
    socket.on('error', () => socket.destroy()).resume()
    rejectConnection(socket, errors.methodNotAllowed('connect'))
  })
  return { server, newestResponses }
}

export const openPort = async (server: HttpServer, port: number, host: string): Promise<number> => {
  // Rejects if an `error` event comes first.
  await once(server.listen(port, host), 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** Returns true if the response is being sent, or its request is complete. The rest of an incomplete request may never arrive. */
export const isBusy = (response: ServerResponse | undefined): response is ServerResponse =>
  response !== undefined &&
  !response.writableFinished &&
  !response.destroyed &&
  // A pipelined request waits for the response before it.
  (response.req.complete || response.socket === null)

/** RFC 9112, section 3.2: a request has one Host, which HTTP/1.0 may omit. Node uses the first of several, proxies perhaps the last. */
const findHostError = ({ rawHeaders, httpVersion }: IncomingMessage): MockError | undefined => {
  let hostCount = 0
  let isEmpty = false
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.length !== 4 || rawHeaders[index]!.toLowerCase() !== 'host') continue
    hostCount++
    isEmpty = rawHeaders[index + 1] === ''
  }
  if (hostCount > 1) return errors.malformedRequest('severalHosts')
  return isEmpty || (hostCount === 0 && httpVersion !== '1.0') ? errors.malformedRequest('noHost') : undefined
}

const toParserError = ({ code }: NodeJS.ErrnoException): MockError => {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.requestTimeout()
  return errors.malformedRequest('notHttp')
}
