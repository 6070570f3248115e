import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../schema/error.ts'
import { errorContent, type ErrorFormat } from '../wire/respond.ts'

/** The format of errors that are met before it is known which project they are for: asked anew for each. */
export type FormatInForce = () => ErrorFormat

/** Gives the errors that Node's HTTP parser meets a body like all others: by itself it sends a bare status line. */
export const answerParserErrors = (server: Server, format: FormatInForce): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody is there to read an answer, or one is being written already.
    if (error.code === 'ECONNRESET' || !socket.writable || hasAnswered(socket)) socket.destroy()
    else send(socket, refusalOf(error), format())
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

/** Node keeps the first of two Host headers; RFC 9112 (section 3.2) refuses them, because proxies may keep the other. */
export const hasTwoHosts = ({ rawHeaders }: IncomingMessage): boolean => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

export const refuseTwoHosts = (response: ServerResponse, format: ErrorFormat): void =>
  answer(response, new Refusal('malformedRequest', 'The request has more than one Host header.'), format)

const answer = (response: ServerResponse, refusal: Refusal, format: ErrorFormat): void => {
  const { type, content } = errorContent(refusal, format)
  response.writeHead(refusal.status, { 'content-type': type, connection: 'close' }).end(JSON.stringify(content))
}

const refusalOf = (error: NodeJS.ErrnoException): Refusal => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headersTooLarge', 'The request headers must be at most 16384 bytes.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('requestTimeout', 'The request took too long to arrive.')
    default:
      return new Refusal('malformedRequest', 'The request is not HTTP that can be read.')
  }
}

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

const hasAnswered = (socket: Duplex): boolean => {
  const { _httpMessage: message } = socket as { _httpMessage?: { headersSent: boolean } }
  return message?.headersSent === true
}
