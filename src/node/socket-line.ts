import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Line } from '../wire/connection.ts'
import type { Answer } from '../wire/respond.ts'

/** The socket that a request came in on, as a fault breaks it. */
export class SocketLine implements Line {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse

  constructor(incoming: unknown, outgoing: ServerResponse) {
    this.#incoming = incoming as IncomingMessage
    this.#outgoing = outgoing
  }

  headers(): readonly string[] {
    return this.#incoming.rawHeaders
  }

  drop(how: 'reset' | 'close'): Response {
    const { socket } = this.#incoming
    if (how === 'reset') socket.resetAndDestroy()
    else socket.destroy()
    return RESPONSE_ALREADY_SENT
  }

  truncate({ status, headers, text }: Answer): Response {
    const bytes = Buffer.from(text ?? '')
    this.#outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
    // A HEAD gets these alone.
    this.#outgoing.flushHeaders()
    // What was written is on its way before the socket goes: half of it, and then nothing.
    this.#outgoing.write(bytes.subarray(0, bytes.length / 2), () => this.#incoming.socket.destroySoon())
    return RESPONSE_ALREADY_SENT
  }
}
