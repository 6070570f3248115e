import {
  createControl,
  createSandbox,
  createSandboxMethods,
  type Sandbox,
  type ServerControl,
} from '../client/control.ts'
import { exportAll } from '../domain/documents.ts'
import { createInitialState } from '../domain/seeding.ts'
import { findLargeRecords } from '../domain/record-size.ts'
import { hashTokens } from '../domain/tokens.ts'
import type { RequestContext } from '../api/request-context.ts'
import { createInstance, type Initial, type MockParts, type Respond } from './instance.ts'
import { getRoutes } from './routes.ts'
import {
  createSandboxes,
  createSandboxClient,
  routeToSandboxes,
  type Sandboxes,
  splitSandboxPath,
} from './sandboxes.ts'
import { errors } from '../schema/error.ts'
import { isRecord, omitUndefined, parseJsonIfValid } from '../schema/json-value.ts'
import { type ListenOptions, type LogEvent, MockOptions, parseOptions } from '../schema/mock-options.ts'
import { quote } from '../schema/problem.ts'
import type { Seed } from '../schema/seed.ts'
import { createJournalMemory } from '../traffic/journal.ts'
import { createUnknownProjects } from '../traffic/traffic.ts'
import type { ConnectionEnv } from '../http/transport.ts'

/** A mock of the service, in this process. */
export interface Mock extends ServerControl, AsyncDisposable {
  /**
   * Handles a request without a socket, as the service would.
   *
   * @example
   * const response = await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer any' } })
   */
  readonly fetch: Fetch
  /**
   * Returns a sandbox: a mock of its own below `/@name`. It starts from the seed on first use.
   *
   * @throws MockError `invalidOptions` for an invalid name
   */
  sandbox(name: string): MockSandbox
  /**
   * Opens a socket, which is closed with the mock.
   *
   * @throws MockError `invalidOptions` for an invalid option, or an address that cannot be bound
   * @throws Error if the mock is closed, or the runtime has no sockets
   * @example
   * const { url } = await mock.listen()
   */
  listen(options?: ListenOptions): Promise<Server>
  /** Closes the mock and its servers. */
  close(): Promise<void>
}

type Fetch = (input: Request | URL | string, init?: FetchInit) => Promise<Response>

/** A `RequestInit`, or the environment that the server of a mounted mock passes. */
interface FetchInit extends RequestInit {
  /** The request of Node that the other server received. */
  readonly incoming?: unknown
  /** The response of Node that the other server writes. */
  readonly outgoing?: unknown
}

/** A sandbox of a mock in this process. */
export interface MockSandbox extends Sandbox {
  /** Handles a request without a socket. A path is enough: `sandbox.fetch('/projects/...')`. */
  readonly fetch: Fetch
}

/** A mock that listens. */
export interface Server extends AsyncDisposable {
  /** For example `http://127.0.0.1:4600`. It is connectable even if the server is bound to all interfaces. */
  readonly url: string
  /** The port. */
  readonly port: number
  /** The bearer token of the control API, given or random. Undefined if it requires none. */
  readonly adminToken: string | undefined
  /**
   * Stops accepting connections, finishes the requests in flight and closes the connections. Resolves within five seconds,
   * or immediately if all connections are idle.
   */
  close(): Promise<void>
}

/** The internal interface of a mock, for servers, Workers and integrations. */
export type Core = ReturnType<typeof createCore>

// A function, because a test may replace `Date.now` before it creates a mock.
const createDefaults = () => ({
  provider: 'partner',
  basePath: '',
  bodyLimit: 1024 * 1024,
  maxSandboxes: 1000,
  now: Date.now,
  log: () => {},
})

interface CoreOptions extends Pick<MockParts, 'onCommit' | 'onAccess' | 'maxSnapshots'> {
  /** A validated seed: validating a large one twice would double the start. */
  readonly seed?: Seed | undefined
  /** The sandbox whose requests arrive without its prefix, for a router in front. */
  readonly sandbox?: string | undefined
}

/** Creates the root instance and the sandboxes of a mock. Throws `invalidOptions` with all invalid options. */
export const createCore = (
  given: MockOptions = {},
  { seed: coreSeed, sandbox: ownSandbox, ...core }: CoreOptions = {},
) => {
  rejectSeedName(given)
  const parsed = omitUndefined(parseOptions('createMock', "{ clock: 'frozen' }", MockOptions, given))
  const options = { ...createDefaults(), ...parsed }
  const { provider, basePath, bodyLimit, now: systemNow, log } = options
  const createInitial = (seed: Seed): Initial => {
    const problems = findLargeRecords(seed, bodyLimit)
    if (problems.length > 0) throw errors.invalidOptions({ what: 'The seed', problems })
    return { state: createInitialState({ ...options, seed }), tokens: hashTokens(options.tokens ?? seed.tokens) }
  }
  const { adminToken, publicUrl } = options
  const mountedAccess = {
    isClosed: adminToken === undefined,
    token: adminToken === 'none' ? undefined : adminToken,
    allowedHosts: publicUrl === undefined ? [] : [new URL(publicUrl).host],
  }
  let initial = createInitial(options.seed ?? coreSeed ?? {})
  let listening: string | undefined
  const origin = () => listening ?? 'http://mock'
  /** Logs an unexpected error. */
  const report = (error: unknown) => {
    try {
      log({ event: 'error', error })
    } catch {
      // The logger may be the part that failed.
    }
  }
  const sandboxes: Sandboxes = createSandboxes({
    max: ownSandbox === undefined ? options.maxSandboxes : 0,
    // Coverage is of all tests, and each may have a sandbox of its own.
    create: (sandbox) =>
      createInstance(parts, {
        initial,
        sandbox,
        onShown: (shown, request) => root.traffic.coverage.count(shown, request, undefined, sandbox),
      }),
    systemNow,
    onEvicted: (sandbox) => log({ event: 'sandboxEvicted', sandbox }),
  })
  const parts: MockParts = {
    ...options,
    ...core,
    systemNow,
    routes: getRoutes(provider, basePath, options.cors),
    journalMemory: createJournalMemory(),
    unknownProjects: createUnknownProjects(),
    origin,
    sandboxes,
    onError: report,
  }
  const root = createInstance(parts, { initial, sandbox: ownSandbox })
  const route = routeToSandboxes(root, sandboxes, basePath)
  const respond = parsed.log === undefined ? route : withLogging(route, log, systemNow)
  return {
    control: createControl(root.client),
    /** Runs the commands of `control`. */
    client: root.client,
    /** Returns a client that runs the commands of a sandbox. */
    getSandboxClient: (sandbox: string) => createSandboxClient(sandboxes, sandbox),
    /** Handles a request of a caller in this process. Calls `onContext` if it is a request to the mocked API. */
    handleRequest: async (request: Request, onContext?: (context: RequestContext) => void): Promise<Response> => {
      // The same errors as from `fetch`.
      request.signal.throwIfAborted()
      if (request.bodyUsed || request.body?.locked)
        throw new TypeError('The body of the request has already been read.')
      try {
        return await respond(request, { onContext })
      } finally {
        request.signal.throwIfAborted()
      }
    },
    /** Handles a request of a server. */
    respond,
    /** Handles a request of an app in which the mock is mounted, with the environment of its server. */
    respondMounted: (request: Request, { incoming, outgoing }: ConnectionEnv['Bindings']) =>
      respond(request, { incoming, outgoing, connection: { admin: mountedAccess } }),
    adminToken,
    /** Builds the OpenAPI document of the mocked API. */
    openApi: root.openApi,
    /** Returns the behaviors of a project. An empty name means new projects. */
    getBehaviors: root.store.behaviors.get,
    /** Replaces the state with that of another seed. */
    restart: (seed: Seed): void => {
      initial = createInitial(seed)
      root.restart(initial)
      sandboxes.forEach((sandbox) => sandbox.restart(initial))
    },
    /** Returns the address of the mock if it listens, or else a default. Relative URLs are resolved against it. */
    getOrigin: origin,
    isListening: () => listening !== undefined,
    /** Returns the latest time of all projects, in milliseconds since 1970. */
    now: () => {
      const { projects, clock } = root.store
      return projects.observe(() => Math.max(...['', ...projects.listNames()].map(clock.getTime)))
    },
    /** Returns the records of all projects of the root or of a sandbox, without counting as an access. */
    getRecords: (sandbox?: string): NonNullable<Seed['projects']> => {
      const { store } = sandbox === undefined ? root : sandboxes.get(sandbox)
      return store.projects.observe(() => exportAll(store).projects) ?? {}
    },
    /** Ends waiting requests and event subscriptions. */
    stop: (): void => {
      root.traffic.stop()
      sandboxes.forEach(({ traffic }) => traffic.stop())
    },
    /** Sets the address of the mock, for payment URLs that are created without a request. */
    setAddress: (origin: string | undefined) => void (listening = origin),
    report,
    /** The mock outside of all sandboxes, for a Worker that stores it. */
    root,
  }
}

/** Returns a handler that logs each request. */
const withLogging =
  (handle: Respond, log: (event: LogEvent) => void, now: () => number): Respond =>
  async (request, env) => {
    const start = now()
    let context = undefined as RequestContext | undefined
    const logRequest = (response: { readonly status: number; readonly text: string | null } | undefined) =>
      log({
        event: 'request',
        method: request.method,
        path: new URL(request.url).pathname,
        operation: context?.operation?.id ?? null,
        status: response?.status ?? null,
        code: getErrorCode(response),
        requestId: context?.requestId ?? null,
        milliseconds: now() - start,
      })
    const onContext = (created: RequestContext) => {
      context = created
      env.onContext?.(created)
    }
    try {
      const response = await handle(request, { ...env, onContext })
      if (context !== undefined) logRequest(context.response)
      else {
        const text = response.status < 400 ? null : await response.clone().text()
        logRequest({ status: response.status, text })
      }
      return response
    } catch (error) {
      // In process, a fault that breaks the connection makes the call fail.
      logRequest(undefined)
      throw error
    }
  }

// The flag `--seed` has names and paths, so people try them here.
const rejectSeedName = (given: MockOptions): void => {
  const { seed }: { readonly seed?: unknown } = isRecord(given) ? given : {}
  if (typeof seed !== 'string') return
  throw errors.invalidOptions({
    message: `seed must be an object such as { projects: {} } (got ${quote(seed)}).`,
    hint: 'Omit it for a mock without records, and read a file with JSON.parse(readFileSync(path, "utf8")).',
  })
}

/** Returns the code of an error response. Null if the response is not an error, or its body has no code. */
const getErrorCode = (
  response: { readonly status: number; readonly text: string | null } | undefined,
): string | null => {
  if (response === undefined || response.status < 400 || response.text === null) return null
  const body = parseJsonIfValid(response.text)
  return isRecord(body) && typeof body.code === 'string' ? body.code : null
}

/**
 * Creates a mock in this process. It is cheap enough for one in every test, opens no socket until `listen` is called, and
 * changes no globals.
 *
 * @returns the mock; `await using` closes it with its servers
 * @throws MockError `invalidOptions`, with the problems of all options
 * @example
 * await using mock = createMock({ clock: 'frozen' })
 */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options)
  return buildMock(core, { close: async () => core.stop(), listen: listenWithoutSockets })
}

/** Implements `listen` for a runtime without sockets: it rejects. */
const listenWithoutSockets = (): Promise<Server> =>
  Promise.reject(
    new Error('Failed to listen: this runtime has no sockets. Call mock.fetch, or listen under Node, Bun or Deno.'),
  )

/** Builds the public interface of a mock, with the given `listen` and `close`. */
export const buildMock = (core: Core, { close, listen }: Pick<Mock, 'close' | 'listen'>): Mock => ({
  ...core.control,
  ...createSandboxMethods(core.client, (name) => buildSandbox(core, name)),
  fetch: createFetch(core),
  listen,
  close,
  [Symbol.asyncDispose]: close,
})

const buildSandbox = (core: Core, name: string): MockSandbox => ({
  ...createSandbox(core.client, name, core.getSandboxClient(name)),
  get url() {
    return core.isListening() ? `${core.getOrigin()}/@${name}` : undefined
  },
  fetch: createFetch(core, (request) => {
    const { origin } = new URL(request.url)
    const isInside = splitSandboxPath(request.url) !== undefined
    return isInside ? request : new Request(`${origin}/@${name}${request.url.slice(origin.length)}`, request)
  }),
})

/** Creates `fetch` of a mock or a sandbox. `rewrite` changes the requests. */
const createFetch =
  (core: Core, rewrite = (request: Request) => request): Fetch =>
  async (input, init) =>
    input instanceof Request && isServerEnv(init)
      ? core.respondMounted(rewrite(input), init)
      : core.handleRequest(rewrite(toRequest(input, init, core.getOrigin())))

const initFields = new Set(
  'body cache credentials dispatcher duplex headers integrity keepalive method mode redirect referrer referrerPolicy signal window'.split(
    ' ',
  ),
)

/** Returns true for the environment of a server: an object that is no `RequestInit`. */
const isServerEnv = (value: object | undefined): value is ConnectionEnv['Bindings'] => {
  if (value === undefined) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain || Object.keys(value).some((field) => !initFields.has(field))
}

const toRequest = (input: Request | URL | string, init: RequestInit | undefined, origin: string): Request =>
  input instanceof Request && init === undefined
    ? input
    : new Request(typeof input === 'string' ? new URL(input, origin) : input, init)
