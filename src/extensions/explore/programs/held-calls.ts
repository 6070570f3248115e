// The server side of a run: it holds each call of a program until the run lets it pass.
import { type Core, type OnArrival, splitSandboxPath } from '../../../mock/extension.ts'
import { getTarget } from '../../../schema/url.ts'

/** A request of a program. */
export interface ProgramRequest {
  readonly method: string
  /** The path with its query, without that of the sandbox. */
  readonly path: string
  /** The text of the body. Null if it is missing or could not be read. */
  readonly body: string | null
  /** Aborts if the program disconnects before the response is sent. */
  readonly signal: AbortSignal
}

/** How a request is handled. */
interface Passed {
  /** The name of a header that distinguishes the request, if it has one. */
  readonly header: string | undefined
  readonly onArrival: OnArrival
}

/** Handles a request. Resolves when that is done. */
export type Pass = (how?: Passed) => Promise<void>

/** The mock of a run. */
export interface RunServer {
  readonly core: Core
  /** The name of the sandbox of the run. */
  readonly sandbox: string
  /**
   * Is called with each request, and with the rest of its address: `run-1.a` has the suffix `a`. Calls `pass` to handle it. If the
   * promise never settles, there is no response.
   */
  readonly onRequest: (request: ProgramRequest, suffix: string, pass: Pass) => Promise<void>
}

/**
 * Returns a handler of requests. `findRun` returns the run with a name, such as `run-1`. Other requests are for the root, and are
 * reported with `onRootCall`.
 */
export const holdCalls = (
  root: Core,
  findRun: (name: string) => RunServer | undefined,
  onRootCall: (call: string) => void,
): Core['respond'] => {
  const respond: Core['respond'] = async (request, env) => {
    const { method, signal } = request
    const path = splitUrl(request.url)
    const [name = '', suffix = ''] = path?.name.split('.') ?? []
    const run = findRun(name)
    if (run === undefined) {
      const onArrival = () => onRootCall(`${method} ${getTarget(request.url)}`)
      return root.respond(request, { ...env, onArrival })
    }
    const url = request.url.replace(`/@${path!.name}`, `/@${run.sandbox}`)
    const hasBody = method !== 'GET' && method !== 'HEAD'
    // A program may end while it sends the body. Nobody waits for the response then.
    const body = hasBody ? await request.arrayBuffer().catch(() => undefined) : undefined
    let response: Response | undefined
    const pass = async ({ header, onArrival }: Passed = { header: undefined, onArrival: () => {} }) => {
      const headers = new Headers(request.headers)
      if (header !== undefined) headers.set(header, '')
      // The mock reads headers as the socket received them.
      const { rawHeaders = [], socket } = env.incoming ?? {}
      const incoming = socket && { rawHeaders: [...rawHeaders, ...(header === undefined ? [] : [header, ''])], socket }
      const passed = new Request(url, { method, headers, body: body ?? null, signal })
      response = await run.core.respond(passed, { ...env, incoming, onArrival })
    }
    const text = body === undefined || body.byteLength === 0 ? null : new TextDecoder().decode(body)
    await run.onRequest({ method, path: getTarget(path!.url), body: text, signal }, suffix, pass)
    return response!
  }
  return respond
}

const splitUrl = (url: string): { readonly name: string; readonly url: string } | undefined => {
  try {
    return splitSandboxPath(url)
  } catch {
    // The mock responds with the error of the invalid name.
    return undefined
  }
}
