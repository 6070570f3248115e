import { errors, type MockError } from '../schema/error.ts'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { formatError, type ErrorFormat } from '../wire/respond.ts'
import { STATUS_CODES } from './http-server.ts'

/** The maximum size of the request line and the headers, including line ends, in bytes. */
export const maxHeaderSize = 16 * 1024

/** Responds to errors of Node's HTTP parser with an error object. Node would send only a status line. */
export const handleParserErrors = (server: Server, format: () => ErrorFormat): void => {
  const failed = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // No client is left to read a response.
    if (error.code === 'ECONNRESET') return socket.destroy()
    // The parser reports the bytes after an error as further errors.
    if (failed.has(socket)) return
    failed.add(socket)
    afterEarlierResponses(socket, () => writeToSocket(socket, toParserError(error), format()))
  })
  server.on('connect', (_, socket) => {
    // Node no longer handles errors of this socket: an unhandled one would end the process.
    socket.on('error', () => socket.destroy())
    writeToSocket(socket, errors.methodNotAllowed('connect'), format())
  })
  server.on('checkExpectation', (request, response) => {
    writeError(response, errors.expectationFailed(request.headers.expect), format())
  })
}

/** Returns the error of a request line and headers that Node's parser accepts but must be rejected. */
export const findHeadError = ({ method, url, rawHeaders, httpVersion }: IncomingMessage): MockError | undefined => {
  // Node does not count separators and line ends.
  let size = `${method} ${url} HTTP/1.1\r\n\r\n`.length
  let hosts = 0
  let coding: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const value = rawHeaders[i + 1] ?? ''
    size += name.length + value.length + ': \r\n'.length
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
      coding = coding === undefined ? value : `${coding}, ${value}`
  }
  if (size > maxHeaderSize) return errors.headersTooLarge(maxHeaderSize)
  // RFC 9112, section 3.2: one Host, optional in HTTP/1.0. Node keeps the first of two, and proxies may keep the other.
  if (hosts > 1) return errors.malformedRequest('severalHosts')
  if (hosts === 0 && httpVersion !== '1.0') return errors.malformedRequest('noHost')
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : errors.unsupportedTransferCoding()
}

/** Writes an error and closes the connection. */
export const writeError = (response: ServerResponse, error: MockError, format: ErrorFormat): void => {
  const { headers, body } = createMessage(error, format)
  response.writeHead(error.status, headers).end(body)
}

const createMessage = (error: MockError, format: ErrorFormat) => {
  const { type, content } = formatError(error, format)
  const body = JSON.stringify(content)
  return { headers: { 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' }, body }
}

const toParserError = ({ code, reason }: NodeJS.ErrnoException & { readonly reason?: string }): MockError => {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.requestTimeout()
  // With a Content-Length any coding is malformed.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason?.includes('Content-Length'))
    return errors.unsupportedTransferCoding()
  return errors.malformedRequest('notHttp')
}

const writeToSocket = (socket: Duplex, error: MockError, format: ErrorFormat): void => {
  const { headers, body } = createMessage(error, format)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`)
  // The client may never close its half of the connection.
  ;(socket as Socket).destroySoon()
}

/** The internal fields of a socket: the response being written, and the request being read. */
interface BusySocket {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
}

/** Calls `respond` after the responses to earlier requests. A request never gets a second response. */
const afterEarlierResponses = (socket: Duplex, respond: () => void): void => {
  const { _httpMessage: response, parser } = socket as BusySocket
  if (!socket.writable) socket.destroy()
  else if (response?.req.complete) response.once('close', () => afterEarlierResponses(socket, respond))
  else if (response ? response.headersSent : parser?.incoming?.complete === false) socket.destroy()
  else respond()
}
