import type { Take } from './body.ts'
import type { ResponseData } from './respond.ts'

/** What the transport knows of the listener that a request came in on. In process there is none. */
export interface Connection {
  /** How the control API is defended on this listener. */
  readonly admin: {
    /** The bearer token it asks for; undefined leaves it open. */
    readonly token: string | undefined
    /** Hosts it answers to beside the names that cannot be public; `*.` stands for any label. */
    readonly allowedHosts: readonly string[]
  }
  /** Whether the listener has begun to stop. */
  readonly stopping: () => boolean
  /** Tells when it begins to stop. Returns how to listen no more. */
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

/** Where a request came in: what of it is asked to tell when nobody waits for the answer any more. */
export interface Incoming {
  readonly raw: Pick<Request, 'signal'>
  readonly connection: Connection | undefined
}

/** Tells when nobody waits for the answer any more: the client went away, or the listener stops. */
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

// The one that was found last: requests to a mock come in at the same place, and texts that are kept share it.
let latest = ''

/** `http://127.0.0.1:4600`, of the address of a request: that is normalized already. */
export const originOf = (url: string): string => {
  if (latest !== '' && url.startsWith(latest) && url[latest.length] === '/') return latest
  latest = new URL(url).origin
  return latest
}
