import type { IncomingMessage, ServerResponse } from 'node:http'

/** The headers of a request on a socket, as far as the routes look at them. */
export class SocketHeaders implements Pick<Headers, 'get'> {
  readonly #raw: readonly string[]

  constructor({ rawHeaders }: IncomingMessage) {
    this.#raw = rawHeaders
  }

  /** As `Headers.get` does: values of one name are joined. `name` is in lower case. */
  get(name: string): string | null {
    let value: string | null = null
    for (let i = 0; i < this.#raw.length; i += 2) {
      const one = this.#raw[i]!
      if (one.length !== name.length || (one !== name && one.toLowerCase() !== name)) continue
      value = value === null ? this.#raw[i + 1]! : `${value}, ${this.#raw[i + 1]!}`
    }
    return value
  }
}

/** What the routes look at of a request on a socket: to make a real `Request` costs as much as to answer it. */
export class SocketRequest implements Pick<Request, 'method' | 'url' | 'signal'> {
  readonly method: string
  readonly url: string
  readonly headers: SocketHeaders
  readonly #outgoing: ServerResponse
  #ending: AbortController | undefined

  constructor(method: string, url: string, headers: SocketHeaders, outgoing: ServerResponse) {
    this.method = method
    this.url = url
    this.headers = headers
    this.#outgoing = outgoing
  }

  /** Aborts when the client goes away before it is answered. Few ask. */
  get signal(): AbortSignal {
    this.#ending ??= endingOf(this.#outgoing)
    return this.#ending.signal
  }
}

const endingOf = (outgoing: ServerResponse): AbortController => {
  const ending = new AbortController()
  const end = () => {
    if (!outgoing.writableFinished) ending.abort()
  }
  if (outgoing.destroyed) end()
  else outgoing.once('close', end)
  return ending
}

// A name whose last label begins with a letter is no number in disguise, and without `xn--` it is no letters in disguise.
const name = '(?!.*xn--)(?:[a-z0-9][a-z0-9_-]*\\.)*[a-z][a-z0-9_-]*'
const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const plainHost = new RegExp(`^(?:${name}|${byte}(?:\\.${byte}){3})(?::(?:[1-5]\\d{3,4}|[6-9]\\d{3}))?$`)
const plainTarget = /^\/[\w!$&()*+,;=:@./?~-]*$/
const dotSegment = /\/\.\.?(?:[/?]|$)/

/**
 * The address that a Host and a target make as they are written, as nearly all do. Undefined: what they make is for
 * a parser of addresses to say.
 */
export const plainUrlOf = (host: string | null, target = ''): string | undefined =>
  host !== null && plainHost.test(host) && plainTarget.test(target) && !dotSegment.test(target)
    ? `http://${host}${target}`
    : undefined
