// The server side of a run: it hands each call of a program to the run, which lets it pass later.
import { type Core, type OnArrival, splitSandboxPath } from '../../../mock/extension.ts'
import { getTarget } from '../../../schema/url.ts'
import type { SentRequest } from '../calls.ts'

/** A request of a program. Its path is without that of the sandbox, and its body is null if it could not be read. */
export interface ProgramRequest extends SentRequest {
  /** Aborts if the program disconnects before the response is sent. */
  readonly signal: AbortSignal
}

/** Handles a request. Resolves when that is done. `header` is added to the request. */
export type Pass = (onArrival?: OnArrival, header?: string) => Promise<void>

/** The mock of a run. */
export interface RunServer {
  readonly core: Core
  /**
   * Is called with each request, and with the rest of its address: `run-1.a` has the suffix `a`. Calls `pass` to handle it. If the
   * promise never settles, there is no response.
   */
  readonly onRequest: (request: ProgramRequest, suffix: string, pass: Pass) => Promise<void>
}

/**
 * Returns a handler of requests. `servers` are those of the runs in progress, by the name of their sandbox, such as `run-1`. Other
 * requests are for the root, and are reported with `onRootCall`.
 */
export const holdCalls = (
  root: Core,
  servers: ReadonlyMap<string, RunServer>,
  onRootCall: (call: string) => void,
): Core['respond'] => {
  const respond: Core['respond'] = async (request, env) => {
    const { method, signal } = request
    const { name, url } = splitUrl(request.url)
    const [sandbox = '', suffix = ''] = name.split('.')
    const run = servers.get(sandbox)
    if (run === undefined) {
      const onArrival = () => onRootCall(`${method} ${getTarget(request.url)}`)
      return root.respond(request, { ...env, onArrival })
    }
    const hasBody = method !== 'GET' && method !== 'HEAD'
    // A program may end while it sends the body. Nobody waits for the response then.
    const body = hasBody ? await request.arrayBuffer().catch(() => undefined) : undefined
    let response = new Response()
    const pass: Pass = async (onArrival, header) => {
      const headers = new Headers(request.headers)
      if (header !== undefined) headers.set(header, '')
      // The mock reads headers as the socket received them.
      const { rawHeaders = [], socket } = env.incoming ?? {}
      const incoming = socket && { rawHeaders: [...rawHeaders, ...(header === undefined ? [] : [header, ''])], socket }
      const ownUrl = request.url.replace(`/@${name}`, `/@${sandbox}`)
      const passed = new Request(ownUrl, { method, headers, body: body ?? null, signal })
      response = await run.core.respond(passed, { ...env, incoming, onArrival })
    }
    const text = body === undefined || body.byteLength === 0 ? null : new TextDecoder().decode(body)
    await run.onRequest({ method, path: getTarget(url), body: text, signal }, suffix, pass)
    return response
  }
  return respond
}

const splitUrl = (url: string): { readonly name: string; readonly url: string } => {
  const none = { name: '', url }
  try {
    return splitSandboxPath(url) ?? none
  } catch {
    // The mock responds with the error of the invalid name.
    return none
  }
}
