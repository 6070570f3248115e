import type { Take } from './body.ts'
import type { ResponseData } from './respond.ts'

/** The listener of a request. In process there is none. */
export interface Connection {
  /** How the control API is defended on this listener. */
  readonly admin: {
    /** The bearer token it asks for; undefined leaves it open. */
    readonly token: string | undefined
    /** The allowed hosts, besides names that cannot be public. `*.` matches any label. */
    readonly allowedHosts: readonly string[]
  }
  /** Whether the listener has begun to stop. */
  readonly stopping: () => boolean
  /** Calls the listener when the server begins to stop. Returns a function that removes it. */
  readonly onStop: (listener: () => void) => () => void
}

/** How a request arrives: its raw headers, its body, and how a fault breaks its connection. */
export interface Transport {
  /** The raw headers: names and values alternate. */
  readonly headers: () => readonly string[]
  /** Whether the request has a body, which may be empty. */
  readonly hasBody: () => boolean
  /** Reads the body once, up to `limit` bytes. Rejects with the error of an unreadable one. */
  readonly read: (limit: number, take: Take) => Promise<void>
  /** Breaks the connection without a response. The returned response is discarded. */
  readonly drop: (how: 'reset' | 'close') => Response
  /** Whether `drop` was called. */
  readonly dropped: boolean
  /** Sends fewer bytes than `Content-Length` says, and closes the connection. */
  readonly truncate: (answer: ResponseData) => Response
}

export interface ConnectionEnv {
  Bindings: { readonly connection?: Connection; readonly transport: Transport }
}

/** The parts of a request that show when its client disconnects. */
export interface Incoming {
  readonly raw: Pick<Request, 'signal'>
  readonly connection: Connection | undefined
}

/** Calls the listener when the client disconnects or the server stops. Returns a function that removes it. */
export const onEndOf =
  ({ raw, connection }: Incoming) =>
  (listener: (why: 'gone' | 'stopped') => void): (() => void) => {
    const { signal } = raw
    const gone = () => listener('gone')
    signal.addEventListener('abort', gone)
    const forget = connection?.onStop(() => listener('stopped'))
    if (signal.aborted) gone()
    else if (connection?.stopping()) listener('stopped')
    return () => {
      signal.removeEventListener('abort', gone)
      forget?.()
    }
  }

// The last origin: requests to a mock usually have the same one, and cached strings share it.
let latest = ''

/** `http://127.0.0.1:4600`, of the address of a request: that is normalized already. */
export const originOf = (url: string): string => {
  if (latest !== '' && url.startsWith(latest) && url[latest.length] === '/') return latest
  latest = new URL(url).origin
  return latest
}
