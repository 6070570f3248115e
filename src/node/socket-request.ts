import { errors } from '../schema/error.ts'
import { parseUrl } from '../schema/url.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exceedsLimit, joinChunks, type IncomingRequest, type Transport } from '../wire/transport.ts'
import { type ResponseData, createEmptyResponse, type OutgoingResponse } from '../wire/respond.ts'

export class SocketHeaders {
  readonly #raw: readonly string[]

  constructor({ rawHeaders }: IncomingMessage) {
    this.#raw = rawHeaders
  }

  // `name` must be in lower case. The values of one name are joined, like in `Headers`.
  get(name: string): string | null {
    let value: string | null = null
    for (let i = 0; i < this.#raw.length; i += 2) {
      const key = this.#raw[i] ?? ''
      if (key.length !== name.length || (key !== name && key.toLowerCase() !== name)) continue
      const next = this.#raw[i + 1] ?? ''
      value = value === null ? next : `${value}, ${next}`
    }
    return value
  }
}

const port = '(?::(?:[1-5]\\d{3,4}|[6-9]\\d{3}))?'
const simpleHost = new RegExp(`^[a-z\\d._-]+${port}$`)
// URL parsers read a host that ends in a number as an IPv4 address, and decode `xn--`: such hosts are not plain.
const name = '(?!.*xn--)(?:[a-z0-9][a-z0-9_-]*\\.)*[a-z][a-z0-9_-]*'
const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const plainHost = new RegExp(`^(?:${name}|${byte}(?:\\.${byte}){3})${port}$`)
// Parsers encode a quote in a query, which would change the recorded request.
const plainTarget = /^\/[\w!$&'()*+,;=:@./?~-]*$/
const dotSegment = /\/\.\.?(?:[/?]|$)/

/** Returns the URL of a request; empty if it is invalid. Nearly all need no parser. */
export const readUrl = (host: string, target: string): string => {
  if (plainHost.test(host) && plainTarget.test(target) && !dotSegment.test(target)) return `http://${host}${target}`
  const isAbsolute = /^https?:\/\//.test(target)
  // A parser reads a backslash in a path as a slash.
  if (!(isAbsolute || target.startsWith('/')) || /^[^?]*\\/.test(target)) return ''
  const url = parseUrl(isAbsolute ? target : `http://${host}${target}`)
  // A parser drops or decodes parts of other hosts, such as `user@`.
  const isSame = isAbsolute || simpleHost.test(host) || url?.hostname === host.replace(/:\d+$/, '').toLowerCase()
  return (isSame && url?.href) || ''
}

/** A request over a socket, and its transport. */
export class SocketRequest implements IncomingRequest, Transport {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly method: string
  readonly url: string
  readonly headers: SocketHeaders
  /** Whether nothing more can be written. */
  isBroken = false
  #controller: AbortController | undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.method = incoming.method!
    this.headers = new SocketHeaders(incoming)
    this.url = readUrl(this.headers.get('host') ?? incoming.headers.host!, incoming.url!)
  }

  /** Aborts if the client disconnects before the response is sent. Created on demand, since few handlers need it. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = (this.#controller = new AbortController())
    const abort = () => {
      if (!this.outgoing.writableFinished) controller.abort()
    }
    if (this.outgoing.destroyed) abort()
    else this.outgoing.once('close', abort)
    return controller.signal
  }

  rawHeaders(): readonly string[] {
    return this.incoming.rawHeaders
  }

  hasBody(): boolean {
    return this.headers.get('transfer-encoding') !== null || Number(this.headers.get('content-length') ?? 0) > 0
  }

  // Not async: every request with a body would create three more promises.
  read(limit: number): Promise<Uint8Array> {
    if (!this.hasBody()) return Promise.resolve(new Uint8Array())
    const isTooLarge = exceedsLimit(this.headers.get('content-length'), limit)
    return isTooLarge ? Promise.reject(errors.bodyTooLarge(limit)) : readIncoming(this.incoming, limit)
  }

  drop(how: 'reset' | 'close'): OutgoingResponse {
    const { socket } = this.incoming
    this.isBroken = true
    if (how === 'reset') socket.resetAndDestroy()
    else socket.destroy()
    return createEmptyResponse(204)
  }

  truncate({ status, headers, text }: ResponseData): OutgoingResponse {
    this.isBroken = true
    const bytes = Buffer.from(text ?? '')
    this.outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
    // The response to a HEAD request has no body to truncate.
    this.outgoing.flushHeaders()
    // The callback makes sure that half of the body is sent before the socket closes.
    this.outgoing.write(bytes.subarray(0, bytes.length / 2), () => this.incoming.socket.destroySoon())
    return createEmptyResponse(204)
  }
}

/** Reads a body directly from the socket: a web stream in between costs more than the whole request. */
const readIncoming = (incoming: IncomingMessage, limit: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // A destroyed request emits no events.
    if (incoming.destroyed && !incoming.readableEnded) return reject(errors.malformedBody('incomplete'))
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', function onData(chunk: Buffer) {
      size += chunk.length
      if (size <= limit) return void chunks.push(chunk)
      // The server discards the rest.
      incoming.off('data', onData).pause()
      reject(errors.bodyTooLarge(limit))
    })
    incoming.on('end', () => resolve(joinChunks(chunks)))
    // Without a listener of `error`, a broken connection only emits `close`.
    incoming.on('close', () => incoming.readableEnded || reject(errors.malformedBody('incomplete')))
  })

/** Returns headers as Node takes them without a copy: names and values alternate. */
const flattenHeaders = (headers: Readonly<Record<string, string>>, length: number): string[] => {
  const flat: string[] = []
  for (const name in headers) flat.push(name, headers[name]!)
  if (!('content-length' in headers)) flat.push('content-length', String(length))
  return flat
}

/** Writes a response at once. */
export const writeResponse = ({ status, headers, text }: ResponseData, outgoing: ServerResponse): void => {
  if (text === null) outgoing.writeHead(status, headers).end()
  else {
    const length = Buffer.byteLength(text)
    outgoing.writeHead(status, flattenHeaders(headers, length))
    // If each character is one byte, the socket need not encode the text.
    outgoing.end(text, length === text.length ? 'latin1' : 'utf8')
  }
}
