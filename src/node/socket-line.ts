import type { IncomingMessage, ServerResponse } from 'node:http'
import { announcesMore, brokenOff, type Take, tooLarge } from '../wire/body.ts'
import type { Line } from '../wire/connection.ts'
import { type Answer, emptyResponse } from '../wire/respond.ts'
import type { SocketHeaders } from './socket-request.ts'

/** The socket that a request came in on, as a fault breaks it. */
export class SocketLine implements Line {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #headers: SocketHeaders
  dropped = false
  /** Whether nothing more is to be written: what this answers with is not sent. */
  spoiled = false

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, headers: SocketHeaders) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#headers = headers
  }

  headers(): readonly string[] {
    return this.#incoming.rawHeaders
  }

  /** Over HTTP the length of a body or its coding announces it. */
  hasBody(): boolean {
    return this.#headers.get('transfer-encoding') !== null || Number(this.#headers.get('content-length') ?? 0) > 0
  }

  read(limit: number, take: Take): Promise<void> {
    if (!this.hasBody()) return Promise.resolve()
    if (announcesMore(this.#headers.get('content-length'), limit)) return Promise.reject(tooLarge(limit))
    return readBytes(this.#incoming, limit, take)
  }

  drop(how: 'reset' | 'close'): Response {
    const { socket } = this.#incoming
    this.dropped = true
    this.spoiled = true
    if (how === 'reset') socket.resetAndDestroy()
    else socket.destroy()
    return emptyResponse(204)
  }

  truncate({ status, headers, text }: Answer): Response {
    this.spoiled = true
    const bytes = Buffer.from(text ?? '')
    this.#outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
    // A HEAD gets these alone.
    this.#outgoing.flushHeaders()
    // What was written is on its way before the socket goes: half of it, and then nothing.
    this.#outgoing.write(bytes.subarray(0, bytes.length / 2), () => this.#incoming.socket.destroySoon())
    return emptyResponse(204)
  }
}

/** The bytes of a body, straight from the socket: a web stream in between costs more than the whole request. */
const readBytes = (incoming: IncomingMessage, limit: number, take: Take): Promise<void> =>
  new Promise((resolve, reject) => {
    // Nothing more will come, and nothing will tell.
    if (incoming.destroyed && !incoming.readableEnded) return reject(brokenOff())
    let size = 0
    const broken = () => reject(brokenOff())
    incoming.on('data', function onData(chunk: Buffer) {
      size += chunk.length
      if (size <= limit) return take(chunk)
      // What is left of it is for the listener to throw away.
      incoming.off('data', onData).pause()
      reject(tooLarge(limit))
    })
    incoming.on('end', () => {
      incoming.off('close', broken)
      resolve()
    })
    incoming.on('error', broken)
    incoming.on('close', broken)
  })
