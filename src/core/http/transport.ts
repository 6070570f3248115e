import type { Context } from 'hono'
import { errors } from '../schema/error.ts'
import { findPathStart } from '../schema/url.ts'
import { createResponse, type ResponseData } from './respond.ts'

/** The server that received a request. A request of `mock.fetch` has no connection. */
export interface Connection {
  /** Access to the control API through this server. */
  readonly admin: {
    /** Whether nobody has access. @default false */
    readonly isClosed?: boolean
    /** The required bearer token. Undefined: no token is required. */
    readonly token: string | undefined
    /** The allowed hosts, besides names that cannot be public. `*.` matches any label. */
    readonly allowedHosts: readonly string[]
  }
  /** Aborts when the server begins to stop. */
  readonly stopping?: AbortSignal
}

/** The bindings that a server adds to a request: the used parts of `incoming` and `outgoing` of @hono/node-server. */
export interface ConnectionEnv {
  Bindings: {
    readonly connection?: Connection | undefined
    readonly incoming?: { readonly rawHeaders: readonly string[]; readonly socket: Socket } | undefined
    readonly outgoing?: { once(event: 'finish', listener: () => void): unknown } | undefined
  }
}

interface Socket {
  destroy(): unknown
  destroySoon(): void
  resetAndDestroy(): unknown
}

type ConnectionContext = Pick<Context<ConnectionEnv>, 'req' | 'env'>

export const createOnEnd =
  ({ req, env }: ConnectionContext) =>
  (listener: (why: 'disconnected' | 'stopped') => void): (() => void) => {
    const endSignals = [
      [req.raw.signal, () => listener('disconnected')],
      [env.connection?.stopping, () => listener('stopped')],
    ] as const
    for (const [signal, notifyEnd] of endSignals) {
      if (signal?.aborted) notifyEnd()
      else signal?.addEventListener('abort', notifyEnd)
    }
    return () => endSignals.forEach(([signal, notifyEnd]) => signal?.removeEventListener('abort', notifyEnd))
  }

/** Returns the headers as lines, in which names and values alternate. */
export const getRawHeaders = ({ req, env }: ConnectionContext): string =>
  (env.incoming?.rawHeaders ?? [...req.raw.headers].flat()).join('\n')

/** Returns the host of a URL. It overrides the Host header if the target is absolute (RFC 9112, section 3.2.2). */
export const getHost = (url: string): string => url.slice(url.indexOf('//') + 2, findPathStart(url))

export const getOrigin = (url: string): string => url.slice(0, findPathStart(url))

/**
 * Reads a body. Rejects with `bodyTooLarge` beyond `limit` bytes, and with `malformedBody` if it ends too early or is not
 * UTF-8. The body limit of Hono creates a `Request`, which needs the globals of node-server.
 */
export const readText = async ({ req, env }: ConnectionContext, limit: number): Promise<string> => {
  const request = req.raw
  const { headers, method } = request
  if (method === 'GET' || method === 'HEAD') return ''
  const contentLength = headers.get('content-length')
  if (Number(contentLength) > limit) throw errors.bodyTooLarge(limit)
  // Node has checked the headers of a body from a socket. The headers of another request may be wrong.
  if (env.incoming !== undefined) {
    if (contentLength !== null) return decodeUtf8([await request.arrayBuffer().catch(rejectIncomplete)])
    if (!headers.has('transfer-encoding')) return ''
  }
  if (request.body === null) return ''
  // A client that cannot send the rest of its body would miss the response. node-server limits that rest.
  const leave = env.incoming === undefined ? (reader: Reader) => reader.cancel() : discard
  return readStream(request.body, limit, request.signal, leave)
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

const discard = async (reader: Reader): Promise<void> => {
  while (!(await reader.read()).done);
}

const readStream = async (
  body: ReadableStream<Uint8Array>,
  limit: number,
  signal: AbortSignal,
  leave: (reader: Reader) => Promise<void>,
): Promise<string> => {
  const reader = body.getReader()
  // Ends the wait for a body that does not end.
  signal.addEventListener('abort', () => void reader.cancel())
  const chunks: Uint8Array[] = []
  let bodySize = 0
  for (;;) {
    const { done, value } = await reader.read().catch(rejectIncomplete)
    if (signal.aborted) rejectIncomplete()
    if (done) return decodeUtf8(chunks)
    chunks.push(value)
    bodySize += value.byteLength
    if (bodySize > limit) {
      leave(reader).catch(() => {})
      throw errors.bodyTooLarge(limit)
    }
  }
}

const rejectIncomplete = (): never => {
  throw errors.malformedBody('incomplete')
}

const sharedDecoder = new TextDecoder('utf-8', { fatal: true })

const decodeUtf8 = (chunks: readonly (ArrayBuffer | Uint8Array)[]): string => {
  // Only several chunks need a decoder of their own: creating one is slow.
  const decoder = chunks.length > 1 ? new TextDecoder('utf-8', { fatal: true }) : sharedDecoder
  try {
    return chunks.map((chunk, index) => decoder.decode(chunk, { stream: index < chunks.length - 1 })).join('')
  } catch {
    throw errors.malformedBody('notUtf8')
  }
}

export const respondToOtherMethod = (c: Context, methods: readonly string[]): Response => {
  const { method, path } = c.req
  if (method === 'OPTIONS') return c.body(null, 204, { allow: methods.join(', ') })
  throw errors.methodNotAllowed({ method, path, methods })
}

/** The error of a dropped connection, which makes a call in process fail like `fetch`. */
export class DroppedError extends TypeError {}

/** Sends a response, whole or truncated. Breaks the connection if there is none. */
export const send = (
  c: ConnectionContext,
  response: ResponseData | undefined,
  broken: 'reset' | 'close' | 'truncated' | undefined,
): Response => {
  if (response === undefined) return drop(c, broken === 'reset' ? 'reset' : 'close')
  return broken === 'truncated' ? truncate(c, response) : createResponse(response)
}

/** Breaks the connection. Its server then writes the response to a closed socket. */
export const drop = ({ env: { incoming } }: ConnectionContext, how: 'reset' | 'close'): Response => {
  if (incoming === undefined) throw new DroppedError('fetch failed', { cause: createSocketError(how) })
  if (how === 'reset') incoming.socket.resetAndDestroy()
  else incoming.socket.destroy()
  return new Response(null)
}

/** Sends half of the body, and closes the connection. `Content-Length` is that of the whole body. */
const truncate = ({ req, env }: ConnectionContext, response: ResponseData): Response => {
  // It has no body to truncate.
  if (req.method === 'HEAD' || response.text === null) return createResponse(response)
  const bytes = new TextEncoder().encode(response.text)
  const halfBody = bytes.slice(0, bytes.length / 2)
  const headers = { ...response.headers, 'content-length': `${bytes.length}` }
  const { incoming, outgoing } = env
  outgoing?.once('finish', () => incoming?.socket.destroySoon())
  const body = outgoing === undefined ? createBrokenStream(halfBody) : halfBody
  return new Response(body, { status: response.status, headers })
}

const createBrokenStream = (body: Uint8Array) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(body),
    // Is called when the bytes have been read.
    pull: (controller) => controller.error(new TypeError('terminated', { cause: createSocketError('close') })),
  })

const createSocketError = (how: 'reset' | 'close') =>
  how === 'reset'
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
