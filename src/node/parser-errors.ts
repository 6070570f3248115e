import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../schema/error.ts'
import { errorContent, type ErrorFormat } from '../wire/respond.ts'

/** The format of errors that are met before it is known which project they are for: asked anew for each. */
export type FormatInForce = () => ErrorFormat

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

/**
 * RFC 9112, section 3.2: a request has one Host; in HTTP/1.0 it need not have any. Node keeps the first of two, and proxies
 * may keep the other.
 */
export const wrongHost = ({ rawHeaders, httpVersion }: IncomingMessage): string | undefined => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined
  return hosts === 0 ? 'The request has no Host header.' : 'The request has more than one Host header.'
}

export const refuseHost = (response: ServerResponse, wrong: string, format: ErrorFormat): void =>
  answer(response, new Refusal('malformedRequest', wrong), format)

const answer = (response: ServerResponse, refusal: Refusal, format: ErrorFormat): void => {
  const { type, content } = errorContent(refusal, format)
  const body = JSON.stringify(content)
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' }
  response.writeHead(refusal.status, headers).end(body)
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
