import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../schema/error.ts'
import { errorContent, type ErrorFormat } from '../wire/respond.ts'

/** The format of errors that are met before it is known which project they are for: asked anew for each. */
export type FormatInForce = () => ErrorFormat

/** How long the request line and the headers may be, line ends included, in bytes. */
export const maxHeaderSize = 16 * 1024

/** Gives the errors that Node's HTTP parser meets a body like all others: by itself it sends a bare status line. */
export const answerParserErrors = (server: Server, format: FormatInForce): void => {
  const met = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody is there to read an answer.
    if (error.code === 'ECONNRESET') return socket.destroy()
    // What follows an error is read as further ones.
    if (met.has(socket)) return
    met.add(socket)
    inItsTurn(socket, () => send(socket, refusalOf(error), format()))
  })
  server.on('connect', (_, socket) => {
    // Node listens to this socket no longer: its failure would be nobody's, and end the process.
    socket.on('error', () => socket.destroy())
    const refusal = new Refusal('methodNotAllowed', 'CONNECT is not a method of this server: it is no proxy.')
    send(socket, refusal, format())
  })
  server.on('checkExpectation', (request, response) => {
    const message = `The Expect header must be '100-continue' (got '${request.headers.expect}').`
    answer(response, new Refusal('expectationFailed', message), format())
  })
}

/** What is wrong with the request line and the headers, as far as Node's parser lets it pass. */
export const headRefusal = ({ method, url, rawHeaders, httpVersion }: IncomingMessage): Refusal | undefined => {
  // Node counts neither what is around names and values nor the line ends.
  let size = `${method} ${url} HTTP/1.1\r\n\r\n`.length
  let hosts = 0
  let coding: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const value = rawHeaders[i + 1]!
    size += name.length + value.length + ': \r\n'.length
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
      coding = coding === undefined ? value : `${coding}, ${value}`
  }
  if (size > maxHeaderSize) return headersTooLarge()
  // RFC 9112, section 3.2: one Host; in HTTP/1.0 it need not have any. Node keeps the first of two, and proxies may keep
  // the other.
  if (hosts > 1) return new Refusal('malformedRequest', 'The request has more than one Host header.')
  if (hosts === 0 && httpVersion !== '1.0') return new Refusal('malformedRequest', 'The request has no Host header.')
  return coding === undefined || coding.toLowerCase() === 'chunked' ? undefined : unsupportedCoding()
}

export const refuseHead = (response: ServerResponse, refusal: Refusal, format: ErrorFormat): void =>
  answer(response, refusal, format)

const answer = (response: ServerResponse, refusal: Refusal, format: ErrorFormat): void => {
  const { type, content } = errorContent(refusal, format)
  const body = JSON.stringify(content)
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' }
  response.writeHead(refusal.status, headers).end(body)
}

/** An error of Node's parser. */
interface ParserError extends NodeJS.ErrnoException {
  readonly reason?: string
}

const refusalOf = (error: ParserError): Refusal => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge()
    case 'HPE_INVALID_TRANSFER_ENCODING':
      // Beside a length it is malformed, whatever it is.
      return error.reason?.includes('Content-Length') ? unreadable() : unsupportedCoding()
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('requestTimeout', 'The request took too long to arrive.')
    default:
      return unreadable()
  }
}

const unreadable = () => new Refusal('malformedRequest', 'The request is not HTTP that can be read.')

const headersTooLarge = () =>
  new Refusal('headersTooLarge', `The request line and headers must be at most ${maxHeaderSize} bytes.`)

const unsupportedCoding = () =>
  new Refusal('unsupportedTransferCoding', 'The Transfer-Encoding must be chunked.', {
    hint: "Send 'Transfer-Encoding: chunked', or a Content-Length.",
  })

const send = (socket: Duplex, refusal: Refusal, format: ErrorFormat): void => {
  const { status } = refusal
  const { type, content } = errorContent(refusal, format)
  const body = JSON.stringify(content)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Whoever sends such a request may also never close its own half.
  ;(socket as Socket).destroySoon()
}

/** What Node keeps with a socket: the answer that is being given, and the request that is being read. */
interface Busy {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
}

/** Refuses what cannot be read when all before it is answered. Who was answered in the middle of a request gets no second answer. */
const inItsTurn = (socket: Duplex, refuse: () => void): void => {
  const { _httpMessage: answering, parser } = socket as Busy
  if (!socket.writable) socket.destroy()
  else if (answering?.req.complete) answering.once('close', () => inItsTurn(socket, refuse))
  else if (answering ? answering.headersSent : parser?.incoming?.complete === false) socket.destroy()
  else refuse()
}
