import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../schema/error.ts'

/** Gives the errors that Node's HTTP parser meets the error object: by itself it sends a bare status line. */
export const answerParserErrors = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Nobody is there to read an answer, or one is being written already.
    if (error.code === 'ECONNRESET' || !socket.writable || hasAnswered(socket)) socket.destroy()
    else send(socket, refusalOf(error))
  })
  server.on('connect', (_, socket) => {
    send(socket, new Refusal('methodNotAllowed', 'CONNECT is not a method of this server: it is no proxy.'))
  })
  server.on('checkExpectation', (request, response) => {
    const message = `The Expect header must be '100-continue' (got '${request.headers.expect}').`
    answer(response, new Refusal('expectationFailed', message))
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

export const refuseTwoHosts = (response: ServerResponse): void =>
  answer(response, new Refusal('malformedRequest', 'The request has more than one Host header.'))

const answer = (response: ServerResponse, refusal: Refusal): void => {
  const { status, body } = rendered(refusal)
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
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

const rendered = (refusal: Refusal) => ({ status: refusal.status, body: JSON.stringify(refusal) })

const send = (socket: Duplex, refusal: Refusal): void => {
  const { status, body } = rendered(refusal)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
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
