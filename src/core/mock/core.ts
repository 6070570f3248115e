import type { z } from 'zod/mini'
import { createControl } from '../client/control.ts'
import { exportAll } from '../domain/documents.ts'
import { findLargeRecords } from '../domain/record-size.ts'
import { createInitialState } from '../domain/seeding.ts'
import { hashTokens } from '../domain/tokens.ts'
import type { ResponseData } from '../http/respond.ts'
import type { ConnectionEnv } from '../http/transport.ts'
import { checkOptions } from '../schema/check-options.ts'
import { errors } from '../schema/error.ts'
import { type Fields, isRecord, omitUndefined, parseJsonIfValid } from '../schema/json-value.ts'
import { type LogEvent, MockOptions } from '../schema/mock-options.ts'
import { findOperation, type OperationId } from '../schema/operation-routes.ts'
import { listJsonProblems, type Parsed, quote } from '../schema/problem.ts'
import type { Seed } from '../schema/seed.ts'
import { parseStrict } from '../schema/unknown-fields.ts'
import { splitPrefix } from '../schema/url.ts'
import { createJournalMemory } from '../traffic/journal.ts'
import { createUnknownProjects } from '../traffic/traffic.ts'
import { createInstance, type InitialState, type Instance, type MockParts, type Respond } from './instance.ts'
import type { ObservedOutcome, ObservedRequest, Observer, OnArrival } from './observe.ts'
import { getRoutes } from './routes.ts'
import { createSandboxClient, createSandboxes, routeToSandboxes, type Sandboxes } from './sandboxes.ts'

/** The internal interface of a mock, for servers, Workers and integrations. */
export type Core = ReturnType<typeof createCore>

interface CoreOptions extends Observer, Pick<MockParts, 'maxSnapshots' | 'seedName' | 'dashboard'> {
  /** A validated seed: validating a large one twice would double the start. */
  readonly seed?: Seed | undefined
  /** The sandbox whose requests arrive without its prefix, for a router in front. */
  readonly sandbox?: string | undefined
}

const parseOptions = (givenOptions: Fields): Parsed<z.output<typeof MockOptions>> => {
  const { seed, behaviors } = givenOptions
  // The flag `--seed` has names and paths, so people try them here.
  if (typeof seed === 'string')
    throw errors.invalidOptions({
      message: `seed must be an object such as { projects: {} } (got ${quote(seed)}).`,
      hint: 'Omit it for a mock without records, and read a file with JSON.parse(readFileSync(path, "utf8")).',
    })
  // Without this check, the promise of a seed would be an empty seed.
  const problems = listJsonProblems({ seed, behaviors })
  return problems.length > 0 ? { ok: false, problems } : parseStrict(MockOptions, givenOptions)
}

const readOptions = (givenOptions: MockOptions) => {
  const parsedOptions = omitUndefined(checkOptions('createMock', "{ clock: 'frozen' }", parseOptions, givenOptions))
  const defaults = {
    provider: 'partner',
    basePath: '',
    bodyLimit: 1024 * 1024,
    maxSandboxes: 1000,
    now: Date.now,
    log: () => {},
  }
  return { ...defaults, ...parsedOptions }
}

type CoreSettings = ReturnType<typeof readOptions>

const createInitial = (options: CoreSettings, seed: Seed): InitialState => {
  const problems = findLargeRecords(seed, options.bodyLimit)
  if (problems.length > 0) throw errors.invalidOptions({ what: 'The seed', problems })
  return { state: createInitialState({ ...options, seed }), tokens: hashTokens(options.tokens ?? seed.tokens) }
}

/** Other servers serve the mock itself, or an app around it. */
const getAccessOfServers = ({ adminToken, publicUrl }: CoreSettings) => ({
  isClosed: adminToken === undefined,
  token: adminToken === 'none' ? undefined : adminToken,
  allowedHosts: publicUrl === undefined ? [] : [new URL(publicUrl).host],
})

/** Throws `invalidOptions` with all invalid options. */
export const createCore = (
  givenOptions: MockOptions = {},
  { seed: coreSeed, sandbox: coreSandbox, ...observer }: CoreOptions = {},
) => {
  const options = readOptions(givenOptions)
  const { basePath, now: systemNow } = options
  // An error of `log` does not fail the request.
  const log = (event: LogEvent): void => void new Promise((resolve) => resolve(options.log(event))).catch(() => {})
  const reportError = (error: unknown) => log({ event: 'error', error })
  const accessOfServers = getAccessOfServers(options)
  let initial = createInitial(options, options.seed ?? coreSeed ?? {})
  let listeningOrigin: string | undefined
  const getOrigin = () => listeningOrigin ?? 'http://mock'
  const sandboxes: Sandboxes = createSandboxes({
    max: coreSandbox === undefined ? options.maxSandboxes : 0,
    // The coverage of the mock includes its sandboxes: each test may have one.
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
    ...observer,
    log,
    systemNow,
    routes: getRoutes(options.provider, basePath, options.cors),
    journalMemory: createJournalMemory(),
    unknownProjects: createUnknownProjects(),
    origin: getOrigin,
    sandboxes,
    onError: reportError,
  }
  const root = createInstance(parts, { initial, sandbox: coreSandbox })
  const routeRequest = routeToSandboxes(root, sandboxes, basePath)
  const respond = givenOptions.log === undefined ? routeRequest : withLogging(routeRequest, log, systemNow)
  return {
    control: createControl(root.client),
    client: root.client,
    /** Also finds the operation of a request to a sandbox. @param target the path with the query */
    findOperation: (method: string, target: string): OperationId | undefined => {
      const path = splitPrefix(target)[1].replace(/\?.*/s, '')
      return path.startsWith(basePath) ? findOperation(method, path.slice(basePath.length))?.id : undefined
    },
    getSandboxClient: (sandbox: string) => createSandboxClient(sandboxes, sandbox),
    handleRequest: createRequestHandler(respond),
    /** For requests to a server of the mock. */
    respond,
    /** For requests to another server, which serves the mock or an app around it. */
    respondToServer: async (request: Request, env: unknown, onArrival?: OnArrival): Promise<Response> => {
      // @hono/node-server passes these. A fault needs them to break the connection.
      const { incoming, outgoing } = (env ?? {}) as ConnectionEnv['Bindings']
      return respond(request, { incoming, outgoing, connection: { admin: accessOfServers }, onArrival })
    },
    adminToken: options.adminToken,
    openApi: root.openApi,
    restart: (seed: Seed): void => {
      initial = createInitial(options, seed)
      root.restart(initial)
      sandboxes.forEach((sandbox) => sandbox.restart(initial))
    },
    /** Returns the address of the mock, or a default before it listens. */
    getOrigin,
    isListening: () => listeningOrigin !== undefined,
    ...createObservation(root),
    stop: (): void => {
      root.traffic.stop()
      sandboxes.forEach(({ traffic }) => traffic.stop())
    },
    /** For payment URLs that are created without a request. */
    setAddress: (origin: string | undefined) => void (listeningOrigin = origin),
    report: reportError,
    /** The mock outside of all sandboxes, for a Worker that stores it. */
    root,
  }
}

/** For callers in this process. */
const createRequestHandler =
  (respond: Respond) =>
  async (request: Request, onArrival?: OnArrival): Promise<Response> => {
    // The same errors as from `fetch`.
    request.signal.throwIfAborted()
    if (request.bodyUsed || request.body?.locked) throw new TypeError('The body of the request has already been read.')
    try {
      return await respond(request, { onArrival })
    } finally {
      request.signal.throwIfAborted()
    }
  }

/** Reads the state outside of sandboxes. The reads are not reported as accesses. */
const createObservation = ({ store, traffic }: Instance) => ({
  /** Returns the behaviors of a project. An empty name means new projects. */
  getBehaviors: store.behaviors.get,
  /** Returns the latest time of all projects, in milliseconds since 1970. */
  now: () => store.projects.observe(() => Math.max(...['', ...store.projects.listNames()].map(store.clock.getTime))),
  getRecords: (): NonNullable<Seed['projects']> => store.projects.observe(() => exportAll(store).projects) ?? {},
  listFaults: () => traffic.faults.list(),
})

type LoggedResponse = Pick<ResponseData, 'status' | 'text'> | undefined

const withLogging =
  (handle: Respond, log: (event: LogEvent) => void, now: () => number): Respond =>
  async (request, env) => {
    const startTime = now()
    let observedRequest = undefined as ObservedRequest | undefined
    let outcome = undefined as ObservedOutcome | undefined
    const logRequest = (response: LoggedResponse) =>
      log({
        event: 'request',
        method: request.method,
        path: new URL(request.url).pathname,
        operation: observedRequest?.operation?.id ?? null,
        status: response?.status ?? null,
        code: getErrorCode(response),
        requestId: outcome?.id ?? null,
        milliseconds: now() - startTime,
      })
    const onArrival: OnArrival = (arrived) => {
      observedRequest = arrived
      const onOutcome = env.onArrival?.(arrived)
      return (ended) => {
        outcome = ended
        onOutcome?.(ended)
      }
    }
    try {
      const response = await handle(request, { ...env, onArrival })
      if (observedRequest !== undefined) logRequest(outcome?.response)
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

const getErrorCode = (response: LoggedResponse): string | null => {
  if (response === undefined || response.status < 400 || response.text === null) return null
  const body = parseJsonIfValid(response.text)
  return isRecord(body) && typeof body.code === 'string' ? body.code : null
}
