import { errors } from '../schema/error.ts'
import { type OutgoingResponse, type ResponseData, toRealResponse } from './respond.ts'

/** The server that received a request. A request of `mock.fetch` has no connection. */
export interface Connection {
  /** Access to the control API through this server. */
  readonly admin: {
    /** The required bearer token. Undefined: no token is required. */
    readonly token: string | undefined
    /** The allowed hosts, besides names that cannot be public. `*.` matches any label. */
    readonly allowedHosts: readonly string[]
  }
  /** Returns true once the server has begun to stop. */
  readonly isStopping: () => boolean
  /** Calls the listener when the server begins to stop. Returns a function that removes it. */
  readonly onStop: (listener: () => void) => () => void
}

/** The transport of one request: its raw headers, its body, and its connection, which a fault can break. */
export interface Transport {
  /** The raw headers: names and values alternate. */
  readonly rawHeaders: () => readonly string[]
  /** Returns true if the request has a body, which may be empty. */
  readonly hasBody: () => boolean
  /** Reads the body once. Rejects with `bodyTooLarge` beyond `limit` bytes, and with `malformedBody` if it ends too early. */
  readonly read: (limit: number) => Promise<Uint8Array>
  /** Breaks the connection without a response. The returned response is discarded. */
  readonly drop: (how: 'reset' | 'close') => OutgoingResponse
  /** Sends fewer bytes than `Content-Length` says, and closes the connection. */
  readonly truncate: (response: ResponseData) => OutgoingResponse
}

/** The part of a `Request` that the routes read; the transport reads the body. A real one costs as much as handling it. */
export interface IncomingRequest extends Pick<Request, 'method' | 'url' | 'signal'> {
  readonly headers: Pick<Headers, 'get'>
}

export interface ConnectionEnv {
  Bindings: { readonly connection?: Connection | undefined; readonly transport: Transport }
}

/** Calls the listener when the client disconnects or the server stops. Returns a function that removes it. */
export const createOnEnd =
  (request: Pick<IncomingRequest, 'signal'>, connection: Connection | undefined) =>
  (listener: (why: 'disconnected' | 'stopped') => void): (() => void) => {
    const { signal } = request
    const disconnect = () => listener('disconnected')
    signal.addEventListener('abort', disconnect)
    const stopListening = connection?.onStop(() => listener('stopped'))
    if (signal.aborted) disconnect()
    else if (connection?.isStopping()) listener('stopped')
    return () => {
      signal.removeEventListener('abort', disconnect)
      stopListening?.()
    }
  }

// Requests to a mock usually have the same origin. Cached texts then share one string.
let lastOrigin = ''

/** Returns the origin of a request's URL, such as `http://127.0.0.1:4600`. The URL is already normalized. */
export const getOrigin = (url: string): string => {
  if (lastOrigin !== '' && url.startsWith(lastOrigin) && url[lastOrigin.length] === '/') return lastOrigin
  lastOrigin = new URL(url).origin
  return lastOrigin
}

/** Reads a body as text. Rejects like `read`, and with `malformedBody` if the body is not UTF-8. */
export const readText = (transport: Transport, limit: number): Promise<string> => transport.read(limit).then(decodeText)

/** Returns true if a `Content-Length` exceeds the limit, so that the body can be rejected without reading it. */
export const exceedsLimit = (length: string | null | undefined, limit: number): boolean => Number(length ?? 0) > limit

// Shared: it only decodes whole bodies, so it has no state.
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes the bytes of a body. Throws `malformedBody` if they are not UTF-8. */
export const decodeText = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw errors.malformedBody('notUtf8')
  }
}

/** Joins the chunks of a body. Nearly every body has only one. */
export const joinChunks = (chunks: readonly Uint8Array[]): Uint8Array => {
  if (chunks.length === 1) return chunks[0]!
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

/** The transport of a request that is sent without a socket. A broken connection rejects the call. */
export class InProcessTransport implements Transport {
  readonly #request: Request
  /** The error that rejects the call. */
  failure: unknown

  constructor(request: Request) {
    this.#request = request
  }

  rawHeaders = (): readonly string[] => {
    const all: string[] = []
    for (const [name, value] of this.#request.headers) all.push(name, value)
    return all
  }

  hasBody = (): boolean => this.#request.body !== null

  read = (limit: number): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const { signal } = this.#request
      // A client that aborts during the upload gets the reason, as from `fetch`.
      const abort = () => {
        this.failure = signal.reason
        reject(errors.malformedBody('incomplete'))
      }
      signal.addEventListener('abort', abort)
      readRequest(this.#request, limit)
        .finally(() => signal.removeEventListener('abort', abort))
        .then(resolve, reject)
    })

  drop = (how: 'reset' | 'close'): Response => {
    const { signal } = this.#request
    this.failure = signal.aborted ? signal.reason : createFetchError(how)
    return new Response()
  }

  truncate = ({ status, headers, text }: ResponseData): Response => {
    const bytes = new TextEncoder().encode(text ?? '')
    const parts = [bytes.slice(0, bytes.length / 2)]
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = parts.pop()
        if (part === undefined) controller.error(new TypeError('terminated', { cause: createClosedError() }))
        else controller.enqueue(part)
      },
    })
    return new Response(body, { status, headers: { ...headers, 'content-length': `${bytes.length}` } })
  }
}

const readRequest = async ({ headers, body }: Request, limit: number): Promise<Uint8Array> => {
  if (exceedsLimit(headers.get('content-length'), limit)) throw errors.bodyTooLarge(limit)
  const chunks: Uint8Array[] = []
  if (body === null) return joinChunks(chunks)
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw errors.malformedBody('incomplete')
    })
    if (done) return joinChunks(chunks)
    size += value.byteLength
    if (size > limit) {
      await reader.cancel().catch(() => {})
      throw errors.bodyTooLarge(limit)
    }
    chunks.push(value)
  }
}

/** Handles a request without a socket. Rejects if a fault breaks the connection, like `fetch`. */
export const respondInProcess = async (
  request: Request,
  respond: (transport: Transport) => OutgoingResponse | Promise<OutgoingResponse>,
): Promise<Response> => {
  request.signal.throwIfAborted()
  // The same error as from `fetch`.
  if (request.bodyUsed || request.body?.locked) throw new TypeError('The body of the request has already been read.')
  const transport = new InProcessTransport(request)
  const response = await respond(transport)
  if (transport.failure !== undefined) throw transport.failure
  return toRealResponse(response)
}

const createFetchError = (how: 'reset' | 'close') =>
  new TypeError('fetch failed', {
    cause: how === 'reset' ? createSystemError('read ECONNRESET', 'ECONNRESET') : createClosedError(),
  })

const createClosedError = () => createSystemError('other side closed', 'UND_ERR_SOCKET')

const createSystemError = (message: string, code: string) => Object.assign(new Error(message), { code })

/** Returns true for a Host that no public site can have, such as `localhost`, and for an allowed one. `*.` matches any labels. */
export const isTrustedHost = (host: string, allowed: readonly string[]): boolean => {
  const name = normalizeHost(host)
  return isPrivateName(name) || allowed.some((pattern) => matchesHost(name, normalizeHost(pattern)))
}

/** Normalizes a host: `Mock.example.:4600` becomes `mock.example`. */
export const normalizeHost = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** Returns true if public DNS does not resolve the name, so that DNS rebinding cannot use it. */
const isPrivateName = (name: string): boolean =>
  name === '' ||
  /^\[[\da-f:.]+\]$/.test(name) ||
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name) ||
  /^[a-z\d_-]+$/.test(name) ||
  /\.(?:localhost|local|internal|test)$/.test(name)

const matchesHost = (name: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
