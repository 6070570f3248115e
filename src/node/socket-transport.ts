import { errors } from '../schema/error.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exceedsLimit, type OnChunk, type OnEndOfBody } from '../wire/body.ts'
import type { IncomingRequest, Transport } from '../wire/transport.ts'
import { type ResponseData, createEmptyResponse, FastResponse, type OutgoingResponse } from '../wire/respond.ts'

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

/** A request over a socket. */
export class SocketRequest implements IncomingRequest {
  readonly method: string
  readonly url: string
  readonly headers: SocketHeaders
  readonly #outgoing: ServerResponse
  #controller: AbortController | undefined

  constructor(method: string, url: string, headers: SocketHeaders, outgoing: ServerResponse) {
    this.method = method
    this.url = url
    this.headers = headers
    this.#outgoing = outgoing
  }

  /** Aborts if the client disconnects before the response is sent. Created on demand, since few handlers need it. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = (this.#controller = new AbortController())
    const abort = () => {
      if (!this.#outgoing.writableFinished) controller.abort()
    }
    if (this.#outgoing.destroyed) abort()
    else this.#outgoing.once('close', abort)
    return controller.signal
  }
}

// URL parsers read a host that ends in a number as an IPv4 address, and decode `xn--`: such hosts are not plain.
const name = '(?!.*xn--)(?:[a-z0-9][a-z0-9_-]*\\.)*[a-z][a-z0-9_-]*'
const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const plainHost = new RegExp(`^(?:${name}|${byte}(?:\\.${byte}){3})(?::(?:[1-5]\\d{3,4}|[6-9]\\d{3}))?$`)
const plainTarget = /^\/[\w!$&()*+,;=:@./?~-]*$/
const dotSegment = /\/\.\.?(?:[/?]|$)/

/** Returns the URL of a request if no parser would change it, which is nearly always; else undefined. */
export const getPlainUrl = (host: string | null, target = ''): string | undefined =>
  host !== null && plainHost.test(host) && plainTarget.test(target) && !dotSegment.test(target)
    ? `http://${host}${target}`
    : undefined

/** The transport of a request over a socket. */
export class SocketTransport implements Transport {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly #headers: SocketHeaders
  isDropped = false
  /** Whether nothing more can be written. */
  isBroken = false

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, headers: SocketHeaders) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.#headers = headers
  }

  headers(): readonly string[] {
    return this.incoming.rawHeaders
  }

  hasBody(): boolean {
    return this.#headers.get('transfer-encoding') !== null || Number(this.#headers.get('content-length') ?? 0) > 0
  }

  read(limit: number, take: OnChunk, done: OnEndOfBody): void {
    if (!this.hasBody()) done()
    else if (exceedsLimit(this.#headers.get('content-length'), limit)) done(errors.bodyTooLarge(limit))
    else readIncoming(this.incoming, limit, take, done)
  }

  drop(how: 'reset' | 'close'): OutgoingResponse {
    const { socket } = this.incoming
    this.isDropped = true
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
const readIncoming = (incoming: IncomingMessage, limit: number, take: OnChunk, done: OnEndOfBody): void => {
  // A destroyed request emits no events.
  if (incoming.destroyed && !incoming.readableEnded) return done(errors.malformedBody('incomplete'))
  let size = 0
  let isDone = false
  const finish: OnEndOfBody = (error) => {
    if (!isDone) done(error)
    isDone = true
  }
  incoming.on('data', function onData(chunk: Buffer) {
    size += chunk.length
    if (size <= limit) return take(chunk)
    // The server discards the rest.
    incoming.off('data', onData).pause()
    finish(errors.bodyTooLarge(limit))
  })
  incoming.on('end', finish)
  // Without a listener of `error`, a broken connection only emits `close`.
  incoming.on('close', () => isDone || finish(errors.malformedBody('incomplete')))
}

/** Returns headers as Node takes them without a copy: names and values alternate. */
const flattenHeaders = (headers: Readonly<Record<string, string>>, length: number): string[] => {
  const flat: string[] = []
  for (const name in headers) flat.push(name, headers[name]!)
  if (!('content-length' in headers)) flat.push('content-length', String(length))
  return flat
}

/** Writes a `FastResponse` at once. Returns false for any other response, which streams. */
export const writeResponse = (response: OutgoingResponse, outgoing: ServerResponse): boolean => {
  if (!(response instanceof FastResponse)) return false
  const { status, headers, text } = response
  if (text === null) outgoing.writeHead(status, headers).end()
  else {
    const length = Buffer.byteLength(text)
    outgoing.writeHead(status, flattenHeaders(headers, length))
    // If each character is one byte, the socket need not encode the text.
    outgoing.end(text, length === text.length ? 'latin1' : 'utf8')
  }
  return true
}
