import type { Hono } from 'hono'
import { checkAccess, checkAccessWithoutToken, loadControlDocument } from '../control/control-routes.ts'
import { createDispatcher, type RunCommand } from '../control/dispatch.ts'
import type { CallContext, ControlOptions } from '../control/handlers.ts'
import type { StoreState } from '../domain/seeding.ts'
import { attemptPayment } from '../domain/payment-links.ts'
import { createSnapshots } from '../domain/snapshots.ts'
import { createStore, type StoreOptions } from '../domain/store.ts'
import { createTokens } from '../domain/tokens.ts'
import { listSituations } from '../http/situations.ts'
import type { ApiOptions, RequestContext } from '../http/request-context.ts'
import { loadSite, type MockEnv, type Routes } from './routes.ts'
import type { Call, CommandClient, ControlClient, CommandId } from '../schema/command.ts'
import { errors } from '../schema/error.ts'
import { copyJson } from '../schema/json-value.ts'
import type { HashedToken } from '../schema/seed.ts'
import type { JournalMemory } from '../traffic/journal.ts'
import type { Situation } from '../traffic/coverage-counts.ts'
import { createTraffic, type UnknownProjects } from '../traffic/traffic.ts'
import { version } from '../schema/version.ts'
import type { HandleWithContext } from './with-logging.ts'

/** The state that an instance starts from and returns to. It is immutable, so all instances share it. */
export interface Initial {
  readonly state: StoreState
  readonly tokens: readonly HashedToken[]
}

export interface InstanceOptions extends Pick<
  ApiOptions,
  'systemNow' | 'provider' | 'basePath' | 'bodyLimit' | 'cors'
> {
  readonly initial: Initial
  /** The path of the sandbox, such as `/@checkout-1`, or an empty string. */
  readonly prefix: string
  readonly routes: Routes
  readonly journalSize: number | undefined
  readonly journalMemory: JournalMemory
  readonly unknownProjects: UnknownProjects
  readonly publicUrl: string | undefined
  /** The origin of payment URLs that are created without a request. */
  readonly origin: () => string
  /** The sandboxes of the mock. */
  readonly sandboxes: NonNullable<ControlOptions['sandboxes']>
  /** Is called after each transaction. */
  readonly onCommit?: StoreOptions['onCommit']
  readonly onAccess?: StoreOptions['onAccess']
  /** The maximum number of snapshots of a project. @default no limit */
  readonly maxSnapshots?: number | undefined
  readonly onProjectCreated: (project: string) => void
  /** Is called with the situations that the client of each request was shown. */
  readonly onShown?: ((shown: readonly Situation[], request: string) => void) | undefined
  readonly onError: (error: unknown) => void
}

/** The state and the handlers of a mock or of one sandbox. A mock has one instance at its root, and one for each sandbox. */
export type Instance = ReturnType<typeof createInstance>

/** Creates an instance. It must be cheap: a test may create thousands. */
export const createInstance = (options: InstanceOptions) => {
  const { initial, prefix, routes, systemNow, onProjectCreated, onError, provider, basePath, bodyLimit } = options
  const tokens = createTokens(initial.tokens)
  const store = createStore({
    initial: initial.state,
    systemNow,
    onAccess: options.onAccess,
    onCommit: (project, transaction) => {
      traffic.publishChanges(project, transaction)
      options.onCommit?.(project, transaction)
    },
    onReplaced: (reason, project) => {
      traffic.handleReplacement(reason, project)
      if (project === undefined) api.idempotencyKeys.clear()
      else api.idempotencyKeys.delete(project)
    },
  })
  const traffic = createTraffic({
    store,
    limits: { entries: options.journalSize, memory: options.journalMemory },
    unknownProjects: options.unknownProjects,
    listSituations: () => listSituations(routes.operations, provider),
    onShown: options.onShown,
  })
  const snapshots = createSnapshots(store, options.maxSnapshots)
  let lastPayUrl = { project: '', base: '', url: '' }
  // Requests usually have the same project and origin. The same string equals that of cached JSON without a comparison.
  const payUrl = (project: string, origin = options.origin()) => {
    const base = options.publicUrl ?? origin
    if (lastPayUrl.project !== project || lastPayUrl.base !== base)
      lastPayUrl = { project, base, url: `${base}${prefix}/pay/${encodeURIComponent(project)}` }
    return lastPayUrl.url
  }

  const { fetch, operations } = routes
  const api: ApiOptions = {
    store,
    tokens,
    traffic,
    systemNow,
    operations,
    provider,
    basePath,
    bodyLimit,
    cors: options.cors,
    idempotencyKeys: new Map(),
    payUrl,
    onProjectCreated,
    onError,
  }
  let isDisposed = false
  const rejectDisposed = () => {
    if (isDisposed) throw errors.stateReplaced('sandbox')
  }
  const runCommand = createDispatcher({
    store,
    snapshots,
    tokens,
    traffic,
    payUrl,
    bodyLimit,
    version,
    systemNow,
    startedAt: systemNow(),
    // Commands of a sandbox cannot reach the others.
    sandboxes: prefix === '' ? options.sandboxes : undefined,
  })
  const run: RunCommand = (id, call, context) => {
    rejectDisposed()
    return runCommand(id, call, context)
  }
  const openApi = async () => {
    const { buildApiDocument } = await import('../http/api-document.ts')
    return buildApiDocument({ ...api, basePath: prefix + basePath }, store.getBehaviors(''))
  }
  const loadOwnSite = () =>
    loadSite({
      prefix,
      payment: {
        find: (project, id) =>
          store.has(project) ? store.read(project, (tx) => tx.state.paymentLinks.get(id)) : undefined,
        attempt: (project, id, outcome) => {
          rejectDisposed()
          return store.update(project, (tx) => attemptPayment(tx, id, outcome))
        },
        publicUrl: options.publicUrl,
      },
      clientPath: prefix + basePath,
      createClientFor: (origin) => createClient(run, origin),
      openApi,
      loadControlDocument: () => loadControlDocument(prefix),
      idSeed: () => store.getBase().idSeed,
      listSandboxNames: () => options.sandboxes.list().map(({ name }) => name),
      checkAccess,
      checkAccessWithoutToken,
    })
  // Loaded on first use: few mocks need it.
  let ownSite: Promise<Hono<MockEnv>> | undefined
  /** Runs the commands of the control API for a caller in this process. */
  const client: ControlClient = {
    ...createClient(run),
    follow: (call, lastEvent) => run('events', call, { ...embedded, lastEvent }),
  }
  /** Handles a request whose URL has no prefix. May return a `FastResponse`. */
  const respond: HandleWithContext<RequestContext> = (request, connection, transport, onContext) =>
    fetch(request, { api, run, site, prefix, connection, transport, onContext })
  const site = () => (ownSite ??= loadOwnSite())

  return {
    store,
    tokens,
    faults: traffic.faults,
    snapshots,
    coverage: traffic.coverage,
    client,
    respond,
    openApi,
    /** Replaces the state and the initial state. */
    restart: (next: Initial): void => {
      store.restart(next.state)
      tokens.restart(next.tokens)
    },
    /** Whether requests wait or events are streamed. */
    isStreaming: traffic.isStreaming,
    /** Ends waiting requests and event subscriptions. */
    stop: traffic.stop,
    /** Ends all requests as a reset does, frees the journal, and rejects commands whose body arrives later. */
    dispose: (): void => {
      isDisposed = true
      store.reset()
      traffic.stop()
    },
  }
}

/** The context of a caller in this process, which never stops waiting. */
const embedded: CallContext = { origin: undefined, onEnd: () => () => {} }

// As over HTTP, callers get copies: a value that they keep cannot change the state.
const createClient = (run: RunCommand, origin?: string): CommandClient => {
  const call = async (id: CommandId, given: Call = {}) =>
    copyJson(await run(id, copyJson(given), { ...embedded, origin }))
  return { call } as CommandClient
}
