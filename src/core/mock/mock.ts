import { createSandbox, createSandboxMethods, type Sandbox, type ServerControl } from '../client/control.ts'
import { errors } from '../schema/error.ts'
import type { ListenOptions } from '../schema/mock-options.ts'
import type { Core } from './core.ts'
import { splitSandboxPath } from './sandboxes.ts'

/** A mock of the service, in this process. */
export interface Mock extends ServerControl, AsyncDisposable {
  /**
   * Handles a request without a socket, as the service would. A path is enough: the origin of an absolute URL is
   * used for links only, such as `paymentUrl`.
   *
   * @example
   * const response = await mock.fetch('/projects/acme/users', { headers: { authorization: 'Bearer any' } })
   */
  readonly fetch: Fetch
  /**
   * The mock as the app of a server, or as part of another app. Its control API is closed without the option `adminToken`.
   *
   * @example
   * const app = new Hono().mount('/mock', mock.app.fetch)
   */
  readonly app: MockApp
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

type Fetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>

/** The mock as an app for a server: `serve(mock.app)`, `export default mock.app`. */
interface MockApp {
  /** Handles a request of a server, with the environment that the server passes. */
  readonly fetch: (request: Request, env?: unknown, context?: unknown) => Promise<Response>
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

export const buildMockWithoutSockets = (core: Core): Mock =>
  buildMock(core, {
    close: async () => core.stop(),
    listen: async () => {
      throw new Error(
        'Failed to listen: this runtime has no sockets. Call mock.fetch, or listen under Node, Bun or Deno.',
      )
    },
  })

export const buildMock = (core: Core, { close, listen }: Pick<Mock, 'close' | 'listen'>): Mock => ({
  ...core.control,
  ...createSandboxMethods(core.client, (name) => buildSandbox(core, name)),
  fetch: createFetch(core),
  app: { fetch: (request, env) => core.respondToServer(request, env) },
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

const createFetch =
  (core: Core, rewriteRequest = (request: Request) => request): Fetch =>
  async (input, init, context?: unknown) => {
    if (context !== undefined || isServerEnv(init)) throw errors.invalidOptions({ message: serverMessage })
    return core.handleRequest(rewriteRequest(toRequest(input, init, core.getOrigin())))
  }

const serverMessage =
  "mock.fetch is for calls in this process, and a server calls it. Use mock.app, as in 'serve(mock.app)'."

/** The environment of a Worker is a plain object, but it comes with a context. */
const isServerEnv = (init: RequestInit | undefined): boolean => {
  if (!init || init instanceof Request) return false
  const prototype: unknown = Object.getPrototypeOf(init)
  const isPlainObject = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlainObject || 'incoming' in init
}

const toRequest = (input: Request | URL | string, init: RequestInit | undefined, origin: string): Request =>
  input instanceof Request && init === undefined
    ? input
    : new Request(typeof input === 'string' ? new URL(input, origin) : input, init)
