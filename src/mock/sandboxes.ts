import { errors, MockError } from '../schema/error.ts'
import type { ApiOptions, RequestContext } from '../http/request-context.ts'
import { getCorsHeaders, isApiUrl, respondToPreflight } from '../http/response-headers.ts'
import type { Instance } from './instance.ts'
import { type ControlClient, commands } from '../schema/command.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import { createErrorResponse, type OutgoingResponse } from '../wire/respond.ts'
import { splitSandboxPath } from '../wire/sandbox-path.ts'
import type { IncomingRequest } from '../wire/transport.ts'
import type { HandleWithContext } from './with-logging.ts'
import { findPathStart } from '../schema/url.ts'

/** The sandboxes of a mock. Each is an instance of its own, created from the seed on first use. */
export type Sandboxes = ReturnType<typeof createSandboxes>

/** A request or a call in flight. */
interface Visit {
  readonly instance: Instance
  /** Ends the visit. A sandbox is listed once it was used, for example by an accepted request. */
  readonly leave: (isUsed: boolean) => void
}

interface SandboxesOptions {
  /** The maximum number of sandboxes. 0 turns them off. */
  readonly max: number
  readonly create: (name: string) => Instance
  /** The time of the machine, in milliseconds since 1970. */
  readonly systemNow: () => number
  readonly onEvicted: (name: string) => void
}

interface SandboxEntry {
  readonly name: string
  readonly instance: Instance
  readonly createdAt: number
  /** The number of requests and calls in flight. */
  active: number
  /**
   * Whether the sandbox was used. An unused sandbox is not listed and evicts no other. It is kept, because rejected requests
   * are counted too, and determine the ids of later requests.
   */
  isUsed: boolean
}

export const createSandboxes = ({ max, create, systemNow, onEvicted }: SandboxesOptions) => {
  // The least recently used sandbox comes first.
  const sandboxes = new Map<string, SandboxEntry>()
  let used = 0

  const remove = (sandbox: SandboxEntry) => {
    if (!sandboxes.delete(sandbox.name)) return
    if (sandbox.isUsed) used--
    sandbox.instance.dispose()
  }
  const findIdle = (isUsed: boolean) => {
    for (const sandbox of sandboxes.values())
      if (sandbox.isUsed === isUsed && sandbox.active === 0 && !sandbox.instance.isStreaming()) return sandbox
    return undefined
  }
  const getOrCreate = (name: string): SandboxEntry => {
    if (max === 0) throw errors.routeNotFound('sandboxesAreOff')
    const found = sandboxes.get(name)
    if (!found?.isUsed && used >= max && findIdle(true) === undefined) throw errors.tooManySandboxes(max)
    if (found !== undefined) {
      sandboxes.delete(name)
      sandboxes.set(name, found)
      return found
    }
    const unused = sandboxes.size - used >= max ? findIdle(false) : undefined
    if (unused !== undefined) remove(unused)
    const sandbox = { name, instance: create(name), createdAt: systemNow(), active: 0, isUsed: false }
    sandboxes.set(name, sandbox)
    return sandbox
  }
  /** Marks a sandbox as used. If there are too many, the one that was used least recently is evicted. */
  const markUsed = (sandbox: SandboxEntry) => {
    sandbox.isUsed = true
    used++
    const evicted = used > max ? findIdle(true) : undefined
    if (evicted === undefined) return
    remove(evicted)
    onEvicted(evicted.name)
  }

  return {
    /**
     * Starts a request or a call to a sandbox, which is created if it is unknown.
     *
     * @throws MockError `tooManySandboxes` if all sandboxes are in use, and `routeNotFound` if sandboxes are turned off
     */
    enter: (name: string): Visit => {
      const sandbox = getOrCreate(name)
      sandbox.active++
      return {
        instance: sandbox.instance,
        leave: (isUsed) => {
          // Before `active` is decreased, so that the sandbox does not evict itself.
          if (isUsed && !sandbox.isUsed && sandboxes.get(name) === sandbox) markUsed(sandbox)
          sandbox.active--
        },
      }
    },
    list: (): SandboxSummary[] =>
      [...sandboxes.values()]
        .filter(({ isUsed }) => isUsed)
        .map(({ name, instance, createdAt }) => ({
          name,
          projects: instance.store.listNames().length,
          createdAt: new Date(createdAt).toISOString(),
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    /** Deletes a sandbox, or all. Their requests end as with a reset. Throws `sandboxNotFound` for an unknown name. */
    delete: (name?: string): void => {
      if (name === undefined) return [...sandboxes.values()].forEach(remove)
      const sandbox = sandboxes.get(name)
      if (!sandbox?.isUsed) throw errors.sandboxNotFound({ name })
      remove(sandbox)
    },
    forEach: (change: (instance: Instance) => void) => sandboxes.forEach(({ instance }) => change(instance)),
  }
}

/** Creates a client for the commands of a sandbox, in this process. Reading does not create the sandbox. */
export const createSandboxClient = (sandboxes: Sandboxes, name: string): ControlClient => {
  const call = async (...[id, call]: Parameters<ControlClient['call']>) => {
    const { instance, leave } = sandboxes.enter(name)
    let isUsed = false
    try {
      const result = await instance.client.call(id, call)
      isUsed = commands[id].method !== 'GET'
      return result
    } finally {
      leave(isUsed)
    }
  }
  const follow: ControlClient['follow'] = (call, after) => {
    const { instance, leave } = sandboxes.enter(name)
    const events = instance.client.follow(call, after)
    leave(false)
    return events
  }
  return { call: call as ControlClient['call'], follow }
}

/** Creates a handler that sends requests below `/@name` to their sandbox, and all others to the root. */
export const routeToSandboxes =
  (
    root: Instance,
    sandboxes: Sandboxes,
    basePath: string,
    cors: ApiOptions['cors'],
  ): HandleWithContext<RequestContext> =>
  (request, connection, transport, onContext) => {
    const respondIn = async ({ instance, leave }: Visit, inner: IncomingRequest): Promise<OutgoingResponse> => {
      let status = 404
      try {
        const response = await instance.respond(inner, connection, transport, onContext)
        status = response.status
        return response
      } finally {
        leave(hasUsedSandbox(inner, status, basePath))
      }
    }
    try {
      const preflight = cors && respondToPreflight(request, cors, basePath)
      if (preflight !== undefined) return preflight
      const path = splitSandboxPath(request.url)
      if (path === undefined) return root.respond(request, connection, transport, onContext)
      // Links of the pages are relative.
      if (path.isBare) return new Response(null, { status: 307, headers: { location: `@${path.name}/` } })
      return respondIn(sandboxes.enter(path.name), withUrl(request, path.url))
    } catch (error) {
      if (!(error instanceof MockError)) throw error
      const headers = isApiUrl(request.url, basePath) ? getCorsHeaders(cors, request.headers.get('origin')) : {}
      return createErrorResponse(error, 'object', headers)
    }
  }

/** Copies a request with another URL. A real `Request` would reject some methods. */
const withUrl = (request: IncomingRequest, url: string): IncomingRequest => ({
  method: request.method,
  url,
  headers: request.headers,
  // Read on demand: few handlers need it, and creating it costs.
  get signal() {
    return request.signal
  },
})

/** Returns true if a request used its sandbox: the mocked API accepted it, or it changed something. */
const hasUsedSandbox = ({ method, url }: IncomingRequest, status: number, basePath: string): boolean => {
  if (status === 401 || status === 404 || status === 405) return false
  if (method === 'OPTIONS') return false
  if (url.startsWith(`${basePath}/projects/`, findPathStart(url))) return true
  return status < 400 && method !== 'GET' && method !== 'HEAD'
}
