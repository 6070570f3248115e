import type { OnChunk, OnEndOfBody } from './body.ts'
import type { ResponseData, OutgoingResponse } from './respond.ts'

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
  /** Reads the body once, up to `limit` bytes. */
  readonly read: (limit: number, take: OnChunk, done: OnEndOfBody) => void
  /** Breaks the connection without a response. The returned response is discarded. */
  readonly drop: (how: 'reset' | 'close') => OutgoingResponse
  /** Whether `drop` was called. */
  readonly isDropped: boolean
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

/** The parts of a request that show when its client disconnects. */
export interface Incoming {
  readonly raw: Pick<IncomingRequest, 'signal'>
  readonly connection: Connection | undefined
}

/** Calls the listener when the client disconnects or the server stops. Returns a function that removes it. */
export const createOnEnd =
  ({ raw, connection }: Incoming) =>
  (listener: (why: 'disconnected' | 'stopped') => void): (() => void) => {
    const { signal } = raw
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
