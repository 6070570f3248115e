import type { Hono } from 'hono'
import { type Control, createControl as createFacade } from './client/control.ts'
import { lazyIterable } from './client/event-subscription.ts'
import { checkAccess, checkAccessWithoutToken } from './control/access.ts'
import { createControl } from './control/dispatch.ts'
import type { CallContext } from './control/types.ts'
import { type OnProgress, workOf } from './domain/progress.ts'
import { createSnapshots } from './domain/snapshots.ts'
import { attemptPayment } from './domain/scheduled-payments.ts'
import { createTokens, type Tokens } from './domain/tokens.ts'
import { createStore, type Store } from './domain/store.ts'
import type { ApiOptions, RequestContext } from './http/request-context.ts'
import { openApiDocument } from './http/openapi.ts'
import { listenWithoutSockets, type Server } from './listen.ts'
import { type HandleWithContext, withLogging } from './with-logging.ts'
import type { PagesOptions } from './pages/pages.ts'
import { createSite, type MockEnv, routesOf } from './routes.ts'
import type { Behaviors } from './schema/behavior.ts'
import { type ListenOptions, MockOptions, parseOptions } from './schema/options.ts'
import type { Seed } from './schema/seed.ts'
import type { Call, CommandId, ControlClient } from './schema/commands.ts'
import { version } from './version.ts'
import type { EventSubscription } from './traffic/events.ts'
import { createTraffic } from './traffic/traffic.ts'
import type { Transport } from './wire/transport.ts'
import { jsonCopy } from './schema/json-copy.ts'
import { respondInProcess } from './wire/in-process.ts'

/** A mock of the service, in this process. */
export interface Mock extends Control, AsyncDisposable {
  /** Handles a request without a socket, as the service would. A path is enough: `mock.fetch('/projects/...')`. */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>
  /**
   * Opens a socket, when one is wanted; it is closed with the mock. Rejects with a `MockError` when an option is wrong or the
   * address cannot be bound, and with a plain `Error` once the mock is closed, or where the runtime has no sockets.
   */
  listen(options?: ListenOptions): Promise<Server>
  /** Closes the mock and its servers. */
  close(): Promise<void>
}

/** The interface of a mock for its transports. */
export interface Core {
  readonly control: Control
  /** Runs the commands of `control`. */
  readonly client: ControlClient
  /** Handles a request of a connection, or in process without one. May return a `FastResponse`. */
  readonly answer: HandleWithContext<RequestContext>
  /** The OpenAPI document of the mocked API. */
  openApi(): unknown
  /** The behaviors of a project; for an empty name, those of new projects. */
  behaviorsOf(project: string): Behaviors
  /** Starts again with another seed. */
  restart(seed: Seed): void
  /** The origin of a path without one: the address of the mock, if it listens. */
  origin(): string
  /** The latest time that the clock of a project shows, in milliseconds since 1970. */
  now(): number
  /** Ends waiting requests and event subscriptions. */
  stop(): void
  /** Sets the address of the mock, for payment URLs without a request. */
  listensAt(origin: string | undefined): void
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void
  /** The values that an exported state leaves out, for a Worker that stores them. */
  readonly counts: Store['counts']
  readonly tokens: Tokens
}

const defaultOrigin = 'http://mock'

/**
 * Puts the parts together: the only place that knows all of them. Throws a `MockError` that names every wrong option.
 * `checkedSeed` is a validated seed: validating a large one twice would double the start.
 */
export const createCore = (
  given: MockOptions = {},
  checkedSeed?: Seed,
  onProgress?: (tx: number) => OnProgress | undefined,
): Core => {
  const options = parseOptions('createMock', "{ clock: 'frozen' }", MockOptions, given)
  const {
    seed = checkedSeed ?? {},
    provider = 'partner',
    basePath = '',
    log = () => {},
    now: systemNow = Date.now,
  } = options
  const tokens = createTokens(options.tokens ?? seed.tokens)
  const traffic = createTraffic(
    { entries: options.journalSize },
    { draw: (project) => store.draw(project), now: (project) => store.timeOf(project) },
  )
  const { committed: onCommit, replaced: onReplaced } = traffic
  const watch = { onCommit, onReplaced, onProgress: onProgress?.(workOf(seed)) }
  const store = createStore({ ...options, seed, systemNow, ...watch })

  let listening: string | undefined
  const payUrl = (project: string, origin = listening ?? defaultOrigin) =>
    `${options.publicUrl ?? origin}/pay/${encodeURIComponent(project)}`

  const { fetch, operations } = routesOf(provider, basePath)
  const api: ApiOptions = {
    store,
    tokens,
    traffic,
    systemNow,
    operations,
    provider,
    basePath,
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    payUrl,
    onProjectCreated: (project) => log({ event: 'projectCreated', project }),
    onError: (error) => log({ event: 'error', error }),
  }
  const run = createControl({
    store,
    snapshots: createSnapshots(store),
    tokens,
    traffic,
    payUrl,
    version,
    systemNow,
    startedAt: systemNow(),
  })
  const openApi = () => openApiDocument({ ...api, behaviors: store.behaviorsOf('') })

  // As over HTTP, callers get copies: a value that they keep cannot change the state.
  const steerFrom = (origin?: string) => {
    const call = async (id: CommandId, given: Call = {}) =>
      jsonCopy(await run(id, jsonCopy(given), { ...embedded, origin }))
    return { call } as Pick<ControlClient, 'call'>
  }
  const follow: ControlClient['follow'] = (given, lastEvent) =>
    lazyIterable(() => run('events', given, { ...embedded, lastEvent }) as EventSubscription)

  // Built on first use: few mocks need it.
  let ownSite: Hono<MockEnv> | undefined
  const payment: PagesOptions['payment'] = {
    find: (project, id) =>
      store.has(project) ? store.read(project, (tx) => tx.state.paymentLinks.get(id)) : undefined,
    attempt: (project, id, outcome) => store.update(project, (tx) => attemptPayment(tx, id, outcome)),
    publicUrl: options.publicUrl,
  }
  const pages: PagesOptions = {
    payment,
    docs: { steerFrom, openApi, idSeed: () => store.baseOf().idSeed },
    dashboard: { steerFrom, defend: checkAccess, defendWithoutToken: checkAccessWithoutToken },
  }
  const site = () => (ownSite ??= createSite(pages, openApi))

  const answer: Core['answer'] = (request, connection, transport, onContext) => {
    const send = (transport: Transport) => fetch(request, { api, run, site, connection, transport, onContext })
    return transport === undefined ? respondInProcess(request, send) : send(transport)
  }
  const client: ControlClient = { ...steerFrom(), follow }
  return {
    control: createFacade(client),
    client,
    answer: options.log === undefined ? answer : withLogging(answer, log, systemNow),
    openApi,
    behaviorsOf: (project) => store.behaviorsOf(project),
    restart: (next) => {
      store.restart(next)
      tokens.restart(options.tokens ?? next.tokens)
    },
    origin: () => listening ?? defaultOrigin,
    now: () => Math.max(...['', ...store.names()].map(store.timeOf)),
    stop: traffic.stop,
    listensAt: (origin) => void (listening = origin),
    report: api.onError,
    counts: store.counts,
    tokens,
  }
}

/** A caller in this process never stops waiting. */
const embedded: CallContext = { origin: undefined, onEnd: () => () => {} }

/** A mock that lives in this process and opens no socket. Cheap enough to make one in every test. */
export const createMock = (options?: MockOptions): Mock => {
  const core = createCore(options)
  return mockOf(core, { close: async () => core.stop(), listen: listenWithoutSockets })
}

/** The public interface of a mock. */
export const mockOf = (core: Core, { close, listen }: Pick<Mock, 'close' | 'listen'>): Mock => ({
  ...core.control,
  fetch: async (input, init) => core.answer(requestOf(input, init, core.origin())),
  listen,
  close,
  [Symbol.asyncDispose]: close,
})

const requestOf = (input: Request | URL | string, init: RequestInit | undefined, origin: string): Request =>
  input instanceof Request && init === undefined
    ? input
    : new Request(typeof input === 'string' ? new URL(input, origin) : input, init)
