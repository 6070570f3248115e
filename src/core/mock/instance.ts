import type { Hono } from 'hono'
import type { Caller, CommandContext } from '../control/command.ts'
import { type Call, callCommand, type CommandClient, type CommandId, type ControlClient } from '../control/commands.ts'
import { createLinkView } from '../control/record-commands.ts'
import type { StoreState } from '../domain/project-state.ts'
import { attemptPayment } from '../domain/payment-links.ts'
import { createSnapshots } from '../domain/snapshots.ts'
import { createStore } from '../domain/store.ts'
import { createTokens } from '../domain/tokens.ts'
import { listSituations } from '../api/coverage-situations.ts'
import type { ApiEnv, ApiOptions } from '../api/request.ts'
import type { Observer, OnArrival } from './observe.ts'
import type { Dashboard, PagesOptions } from '../pages/page-options.ts'
import { loadSite, type MockEnv, type Routes } from './routes.ts'
import type { RoutePrefixes } from '../schema/error-definition.ts'
import { errors, MockError, withPrefixes } from '../schema/error.ts'
import { copyJson } from '../schema/json-value.ts'
import type { LogEvent, MockOptions } from '../schema/mock-options.ts'
import type { HashedToken } from '../schema/seed.ts'
import type { JournalMemory } from '../traffic/journal.ts'
import { createTraffic, type TrafficOptions, type UnknownProjects } from '../traffic/traffic.ts'
import type { ConnectionEnv } from '../http/transport.ts'

/** The state that an instance starts from and returns to. It is immutable, so all instances share it. */
export interface InitialState {
  readonly state: StoreState
  readonly tokens: readonly HashedToken[]
}

/** Shared by all instances of a mock. */
export interface MockParts
  extends
    Pick<ApiOptions, 'systemNow' | 'provider' | 'basePath' | 'bodyLimit' | 'onError'>,
    Pick<MockOptions, 'journalSize' | 'publicUrl'>,
    Observer {
  readonly routes: Routes
  readonly journalMemory: JournalMemory
  readonly unknownProjects: UnknownProjects
  /** The origin of payment URLs that are created without a request. */
  readonly origin: () => string
  readonly sandboxes: NonNullable<CommandContext['sandboxes']>
  /** The maximum number of snapshots of a project. @default no limit */
  readonly maxSnapshots?: number | undefined
  /** The name of the seed file. @default none */
  readonly seedName?: string | undefined
  readonly log: (event: LogEvent) => void
  /** @default none */
  readonly dashboard?: Dashboard | undefined
}

interface InstanceOptions extends Pick<TrafficOptions, 'onShown'> {
  readonly initial: InitialState
  /** Undefined for the root. */
  readonly sandbox: string | undefined
}

type RequestEnv = ConnectionEnv['Bindings'] &
  Pick<ApiEnv['Bindings'], 'sandboxError'> & { readonly onArrival?: OnArrival | undefined }

/** Handles a request whose URL has no prefix. */
export type Respond = (request: Request, env: RequestEnv) => Response | Promise<Response>

/** The state and the handlers of a mock or of one sandbox. A mock has one instance at its root, and one for each sandbox. */
export type Instance = ReturnType<typeof createInstance>

/** Creates an instance. It must be cheap: a test may create thousands. */
export const createInstance = (parts: MockParts, options: InstanceOptions) => {
  const prefix = options.sandbox === undefined ? '' : `/@${options.sandbox}`
  const context = connectParts(parts, prefix, options)
  const { store, tokens, traffic, snapshots, prefixes } = context
  let isDisposed = false
  const getContext = (): CommandContext => {
    if (isDisposed) throw errors.stateReplaced('sandbox')
    return context
  }
  const openApi = async () => {
    const { buildApiDocument } = await import('../api/api-document.ts')
    return buildApiDocument({ ...context, basePath: prefixes.api }, store.behaviors.get(''))
  }
  const pages: PagesOptions = {
    prefixes,
    payment: {
      find: (call, id) => {
        // A page creates no project.
        if (!store.projects.has(call.project)) return undefined
        const link = store.read(call.project, ({ state }) => state.paymentLinks.get(id))
        return link && createLinkView(context, call, link)
      },
      attempt: (call, id, outcome) => {
        const link = getContext().store.update(call.project, (tx) => attemptPayment(tx, id, outcome))
        return createLinkView(context, call, link)
      },
      publicUrl: parts.publicUrl,
      dashboardPath: parts.dashboard?.getPath(),
    },
    createClientFor: (origin) => createClient(getContext, prefixes, origin),
    openApi,
    idSeed: () => store.states.getBase().idSeed,
    listSandboxNames: () => parts.sandboxes.list().map(({ name }) => name),
    dashboard: parts.dashboard,
  }
  // Loaded on first use: few mocks need it.
  let loadedSite: Promise<Hono<MockEnv>> | undefined
  const site = () => (loadedSite ??= loadSite(pages))
  const client: ControlClient = {
    ...createClient(getContext, prefixes),
    follow: (call, lastEvent) => callCommand('events', getContext(), call, { ...embeddedCaller, lastEvent }),
  }
  const respond: Respond = (request, env) =>
    // The copied fields come last, which is faster.
    parts.routes.app.fetch(request, { api: context, getContext, site, dashboard: parts.dashboard, prefix, ...env })

  return {
    store,
    tokens,
    traffic,
    snapshots,
    client,
    respond,
    openApi,
    restart: (nextInitial: InitialState): void => {
      store.states.restart(nextInitial.state)
      tokens.restart(nextInitial.tokens)
    },
    /** Ends all requests as a reset does, frees the journal, and rejects commands whose body arrives later. */
    dispose: (): void => {
      isDisposed = true
      store.states.reset()
      traffic.stop()
    },
  }
}

const connectParts = (
  parts: MockParts,
  prefix: string,
  { initial, sandbox, onShown }: InstanceOptions,
): ApiOptions & CommandContext => {
  const { routes, systemNow } = parts
  const startedAt = systemNow()
  const tokens = createTokens(initial.tokens)
  const idempotencyKeys: ApiOptions['idempotencyKeys'] = new Map()
  const store = createStore({
    initial: initial.state,
    systemNow,
    onAccess: parts.onAccess,
    onCommit: (project, transaction) => {
      traffic.publishChanges(project, transaction)
      parts.onCommit?.(project, transaction.changes)
    },
    onReplaced: (reason, project) => {
      traffic.handleReplacement(reason, project)
      if (project === undefined) idempotencyKeys.clear()
      else idempotencyKeys.delete(project)
    },
  })
  const traffic = createTraffic({
    store,
    limits: { entries: parts.journalSize, memory: parts.journalMemory },
    unknownProjects: parts.unknownProjects,
    listSituations: () => listSituations(routes.operations),
    onShown,
  })
  return {
    ...parts,
    prefixes: { mock: prefix, api: prefix + parts.basePath },
    store,
    tokens,
    traffic,
    snapshots: createSnapshots(store, parts.maxSnapshots),
    operations: routes.operations,
    idempotencyKeys,
    payUrl: (project: string, origin?: string) =>
      `${parts.publicUrl ?? origin ?? parts.origin()}${prefix}/pay/${encodeURIComponent(project)}`,
    onProjectCreated: (project) =>
      parts.log({ event: 'projectCreated', project, ...(sandbox !== undefined && { sandbox }) }),
    getUptime: () => systemNow() - startedAt,
    // Commands of a sandbox cannot reach the others.
    sandboxes: sandbox === undefined ? parts.sandboxes : undefined,
  }
}

/** A caller in this process never stops waiting. */
const embeddedCaller: Caller = { origin: undefined, onEnd: () => () => {} }

// As over HTTP, callers get copies: a value that they keep cannot change the state.
const createClient = (getContext: () => CommandContext, prefixes: RoutePrefixes, origin?: string): CommandClient => {
  const call = async (id: CommandId, givenCall: Call = {}) => {
    try {
      return copyJson(await callCommand(id, getContext(), copyJson(givenCall), { ...embeddedCaller, origin }))
    } catch (error) {
      throw error instanceof MockError ? withPrefixes(error, prefixes) : error
    }
  }
  return { call } as CommandClient
}
