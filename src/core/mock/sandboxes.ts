import { errors, MockError } from '../schema/error.ts'
import type { Instance, Respond } from './instance.ts'
import { type ControlClient, commands } from '../control/commands.ts'
import type { SandboxSummary } from '../schema/summaries.ts'
import { decodePart, findPathStart, getTarget, isSandboxName, splitPrefix } from '../schema/url.ts'
import { getOrigin } from '../http/transport.ts'

/** The sandboxes of a mock. Each is an instance of its own, created from the seed on first use. */
export type Sandboxes = ReturnType<typeof createSandboxes>

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
  /** An unused sandbox is not listed and evicts no other. It is kept because its requests determine the ids of later ones. */
  isUsed: boolean
}

export const createSandboxes = ({ max, create, systemNow, onEvicted }: SandboxesOptions) => {
  // The least recently used sandbox comes first.
  const sandboxes = new Map<string, SandboxEntry>()
  let usedCount = 0

  const removeSandbox = (sandbox: SandboxEntry) => {
    if (!sandboxes.delete(sandbox.name)) return
    if (sandbox.isUsed) usedCount--
    sandbox.instance.dispose()
  }
  const findIdleSandbox = (isUsed: boolean) => {
    for (const sandbox of sandboxes.values())
      if (sandbox.isUsed === isUsed && sandbox.active === 0 && !sandbox.instance.traffic.events.isStreaming())
        return sandbox
    return undefined
  }
  const getOrCreate = (name: string): SandboxEntry => {
    if (max === 0) throw errors.routeNotFound('sandboxesAreOff')
    const existingSandbox = sandboxes.get(name)
    if (!existingSandbox?.isUsed && usedCount >= max && findIdleSandbox(true) === undefined)
      throw errors.tooManySandboxes(max)
    if (existingSandbox !== undefined) {
      sandboxes.delete(name)
      sandboxes.set(name, existingSandbox)
      return existingSandbox
    }
    const unusedSandbox = sandboxes.size - usedCount >= max ? findIdleSandbox(false) : undefined
    if (unusedSandbox !== undefined) removeSandbox(unusedSandbox)
    const sandbox = { name, instance: create(name), createdAt: systemNow(), active: 0, isUsed: false }
    sandboxes.set(name, sandbox)
    return sandbox
  }
  const markUsed = (sandbox: SandboxEntry) => {
    sandbox.isUsed = true
    usedCount++
    const evictedSandbox = usedCount > max ? findIdleSandbox(true) : undefined
    if (evictedSandbox === undefined) return
    removeSandbox(evictedSandbox)
    onEvicted(evictedSandbox.name)
  }
  const runInSandbox = async <T>(
    sandbox: SandboxEntry,
    runRequest: (instance: Instance) => T | Promise<T>,
    isUse: (result: T) => boolean,
  ): Promise<T> => {
    sandbox.active++
    try {
      const result = await runRequest(sandbox.instance)
      // Before `active` is decreased, so that the sandbox does not evict itself.
      if (!sandbox.isUsed && isUse(result) && sandboxes.get(sandbox.name) === sandbox) markUsed(sandbox)
      return result
    } finally {
      sandbox.active--
    }
  }

  return {
    /** Returns a sandbox, which is created if it is unknown. Throws as `visit` does. */
    get: (name: string): Instance => getOrCreate(name).instance,
    /**
     * A sandbox is listed after its first use: `isUse` decides by the result whether a request or a call is one.
     *
     * @throws MockError `tooManySandboxes` if all sandboxes are in use, and `routeNotFound` if sandboxes are turned off
     */
    visit: <T>(
      name: string,
      runRequest: (instance: Instance) => T | Promise<T>,
      isUse: (result: T) => boolean,
    ): Promise<T> => runInSandbox(getOrCreate(name), runRequest, isUse),
    list: (): SandboxSummary[] =>
      [...sandboxes.values()]
        .filter(({ isUsed }) => isUsed)
        .map(({ name, instance, createdAt }) => ({
          name,
          projects: instance.store.projects.listNames().length,
          createdAt: new Date(createdAt).toISOString(),
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    delete: (name?: string): void => {
      if (name === undefined) return [...sandboxes.values()].forEach(removeSandbox)
      const sandbox = sandboxes.get(name)
      if (!sandbox?.isUsed) throw errors.sandboxNotFound({ name })
      removeSandbox(sandbox)
    },
    forEach: (change: (instance: Instance) => void) => sandboxes.forEach(({ instance }) => change(instance)),
  }
}

/** In this process. A read does not count as a use of the sandbox. */
export const createSandboxClient = (sandboxes: Sandboxes, name: string): ControlClient => {
  const call = async (...[id, call]: Parameters<ControlClient['call']>) =>
    sandboxes.visit(
      name,
      (instance) => instance.client.call(id, call),
      () => commands[id].method !== 'GET',
    )
  return {
    call: call as ControlClient['call'],
    follow: (call, after) => sandboxes.get(name).client.follow(call, after),
  }
}

export const routeToSandboxes =
  (root: Instance, sandboxes: Sandboxes, basePath: string): Respond =>
  (request, env) => {
    try {
      const path = splitSandboxPath(request.url)
      if (path === undefined) return root.respond(request, env)
      // Links of the pages are relative.
      if (path.isBare) return new Response(null, { status: 307, headers: { location: `@${path.name}/` } })
      const innerRequest = new Request(path.url, request)
      return sandboxes.visit(
        path.name,
        (instance) => instance.respond(innerRequest, env),
        ({ status }) => hasUsedSandbox(innerRequest, status, basePath),
      )
    } catch (error) {
      if (!(error instanceof MockError)) throw error
      // The root records it like any other request without a route.
      return root.respond(request, { ...env, sandboxError: error })
    }
  }

/** Returns true if a request used its sandbox: the mocked API accepted it, or it changed something. */
const hasUsedSandbox = ({ method, url }: Request, status: number, basePath: string): boolean => {
  if (status === 401 || status === 404 || status === 405) return false
  if (method === 'OPTIONS') return false
  if (url.startsWith(`${basePath}/projects/`, findPathStart(url))) return true
  return status < 400 && method !== 'GET' && method !== 'HEAD'
}

/**
 * Splits `http://host/@name/rest` into the name and the URL that the sandbox itself sees. It is bare if nothing follows the
 * name, not even a slash. Undefined: the request is not for a sandbox. Throws if the name is invalid.
 */
export const splitSandboxPath = (url: string) => {
  const [prefix, innerTarget] = splitPrefix(getTarget(url))
  if (prefix === '') return undefined
  const encodedName = prefix.replace(/^\/(?:@|%40)/, '')
  const name = decodePart(encodedName) ?? ''
  if (!isSandboxName(name)) throw errors.routeNotFound({ sandbox: encodedName })
  return { name, url: getOrigin(url) + innerTarget, isBare: !innerTarget.startsWith('/') }
}
