import { errors } from '../schema/error.ts'
import { type OnChunk, type OnEndOfBody, readRequest } from './body.ts'
import type { Transport } from './transport.ts'
import { type ResponseData, toRealResponse, type OutgoingResponse } from './respond.ts'

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

  get isDropped(): boolean {
    return this.failure !== undefined
  }

  hasBody = (): boolean => this.#request.body !== null

  read = (limit: number, take: OnChunk, done: OnEndOfBody): void => {
    const { signal } = this.#request
    const finish: OnEndOfBody = (error) => {
      signal.removeEventListener('abort', abort)
      done(error)
    }
    // A client that aborts during the upload gets the reason, as from `fetch`.
    const abort = () => {
      this.failure = signal.reason
      finish(errors.malformedBody('incomplete'))
    }
    signal.addEventListener('abort', abort)
    readRequest(this.#request, limit, take).then(() => finish(), finish)
  }

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
