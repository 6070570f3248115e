import type { Context } from 'hono'
import type { Answer } from './respond.ts'

/** What the transport knows of the listener that a request came in on. In process there is none. */
export interface Connection {
  /** How the control plane is defended on this listener. */
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

/** The line between a request and its client: what a fault can do to it. */
export interface Line {
  /** The headers as they came, names and values one after the other. */
  readonly headers: () => readonly string[]
  /** Breaks the line without an answer. What is returned goes nowhere. */
  readonly drop: (how: 'reset' | 'close') => Response
  /** Answers with fewer bytes than it promises, and closes. */
  readonly truncate: (answer: Answer) => Response
}

export interface ConnectionEnv {
  Bindings: { readonly connection?: Connection; readonly line: Line }
}

/** Tells when nobody waits for the answer any more: the client went away, or the listener stops. */
export const onEndOf =
  (c: Pick<Context<ConnectionEnv>, 'req' | 'env'>) =>
  (listener: (why: 'gone' | 'stopped') => void): (() => void) => {
    const { signal } = c.req.raw
    const gone = () => listener('gone')
    signal.addEventListener('abort', gone)
    const forget = c.env.connection?.onStop(() => listener('stopped'))
    if (signal.aborted) gone()
    else if (c.env.connection?.stopping()) listener('stopped')
    return () => {
      signal.removeEventListener('abort', gone)
      forget?.()
    }
  }
