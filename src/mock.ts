import { Hono } from 'hono'
import type { z } from 'zod'
import { type Control, createControl as createFacade } from './client/control.ts'
import { createControl } from './control/control.ts'
import { mountControl } from './control/plane.ts'
import { createSnapshots } from './domain/snapshots.ts'
import { attemptPayment } from './domain/plans.ts'
import { createTokens } from './domain/tokens.ts'
import { createWorld } from './domain/create-world.ts'
import { apiFailure, mountApi } from './http/api.ts'
import type { ApiEnv, ApiOptions } from './http/exchange.ts'
import { openApiDocument } from './http/openapi.ts'
import { paymentLinkOperations } from './http/payment-links.ts'
import { userOperations } from './http/users.ts'
import { mountPaymentPage } from './pages/payment.ts'
import type { BehaviorChoices, Behaviors, Profile } from './schema/behavior.ts'
import type { ClockDocument } from './schema/clock.ts'
import { Refusal } from './schema/error.ts'
import { type LogEvent, MockOptions as Options } from './schema/options.ts'
import { problemsText } from './schema/problem.ts'
import type { SeedInput } from './schema/seed.ts'
import type { Token } from './schema/token.ts'
import { parseStrict } from './schema/unknown-fields.ts'
import type { Call, Send, VerbId } from './schema/verbs.ts'
import { version } from './version.ts'
import type { Connection } from './wire/connection.ts'
import { errorResponse, jsonResponse, refusalOf } from './wire/respond.ts'
import { routeNotFound } from './wire/route.ts'

/** What a mock is made from. Everything is optional. */
export interface MockOptions {
  /** Who and what exists, and what a project starts from that is not listed. @default nothing */
  readonly seed?: SeedInput | undefined
  /** `'real'`, `'frozen'`, `'stepping'`, a time to freeze at, or a clock of the seed document. Wins over the seed. @default 'real' */
  readonly clock?: 'real' | 'frozen' | 'stepping' | (string & {}) | ClockDocument | undefined
  /** What ids are derived from. Wins over the seed. @default 'paylink-mock' */
  readonly idSeed?: string | undefined
  /** A named set of readings, below those of the seed. @default 'default' */
  readonly profile?: Profile | undefined
  /** Readings of what the specification leaves open. Win over the seed. */
  readonly behaviors?: BehaviorChoices | undefined
  /** Bearer tokens of the mocked API, in place of the seed's. With none any non-empty token serves. */
  readonly tokens?: readonly (string | Token)[] | undefined
  /** What goes before the paths of the operations, such as `/v1`. @default '' */
  readonly basePath?: string | undefined
  /** The wire word for the one provider. @default 'partner' */
  readonly provider?: string | undefined
  /** The address that payment pages are shown under. @default that of the request */
  readonly publicUrl?: string | undefined
  /** Bytes of a request body. @default 1048576 */
  readonly bodyLimit?: number | undefined
  /** Milliseconds since 1970: what a real clock shows. @default Date.now */
  readonly now?: (() => number) | undefined
  /** Told of each request, of projects that spring into being, and of failures. @default nobody */
  readonly log?: ((event: LogEvent) => void) | undefined
}

/** A mock of the service, in this process. */
export interface Mock extends Control, AsyncDisposable {
  /** Answers a request without a socket, as the service would. A path alone will do: `mock.fetch('/projects/...')`. */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>
  /** Ends what the mock has opened. */
  close(): Promise<void>
}

/** What a transport needs of a mock beside its public face. */
export interface Core {
  readonly control: Control
  /** Answers a request that came in over a connection; in process there is none. */
  answer(request: Request, connection?: Connection): Response | Promise<Response>
  /** The OpenAPI document of the mocked API. */
  openApi(): unknown
  /** The readings in force for a project. */
  behaviorsOf(project: string): Behaviors
  /** Starts anew from another seed. Throws a `Refusal` that names every problem, and then nothing has changed. */
  restart(seed: SeedInput): void
  /** What a path alone is an address on: where the mock listens, if it does. */
  origin(): string
  /** Tells where the mock listens, for payment URLs that are made without a request. */
  listensAt(origin: string | undefined): void
}

const defaultOrigin = 'http://mock'

/** Puts the parts together: the only place that knows all of them. Throws a `Refusal` that names every wrong option. */
export const createCore = (given: MockOptions = {}): Core => {
  const options = checkedOptions(given)
  const { seed = {}, provider = 'partner', basePath = '', log = () => {}, now: systemNow = Date.now } = options
  const tokens = createTokens(options.tokens ?? seed.tokens)
  const world = createWorld({ ...options, seed, systemNow })

  let listening: string | undefined
  const paymentUrl = (project: string, paymentLink: string, origin = listening ?? defaultOrigin) =>
    `${options.publicUrl ?? origin}/pay/${encodeURIComponent(project)}/${encodeURIComponent(paymentLink)}`

  const api: ApiOptions = {
    world,
    tokens,
    operations: [...userOperations, ...paymentLinkOperations(provider)],
    provider,
    basePath,
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    paymentUrl,
    onProjectCreated: (project) => log({ event: 'projectCreated', project }),
    onError: (error) => log({ event: 'error', error }),
  }
  const run = createControl({ world, snapshots: createSnapshots(world), tokens, paymentUrl, version, systemNow })
  const openApi = () => openApiDocument(api)

  const app = new Hono<ApiEnv>()
  mountApi(app, api)
  mountControl(app, run)
  mountPaymentPage(app, {
    find: (project, id) =>
      world.has(project) ? world.look(project, (work) => work.state.paymentLinks.get(id)) : undefined,
    attempt: (project, id, outcome) =>
      world.run(
        project,
        (key) => world.behaviorsOf(project)[key],
        (work) => attemptPayment(work, id, outcome),
      ),
    publicUrl: options.publicUrl,
  })
  app.get('/openapi.json', () => jsonResponse(openApi(), 200))
  app.notFound((c) => apiFailure(routeNotFound(c.req.method, c.req.path, []), c, api))
  app.onError((error, c) =>
    c.get('exchange') === undefined ? errorResponse(refusalOf(error, api.onError)) : apiFailure(error, c, api),
  )

  // What is called in process behaves as over HTTP: it is given copies, and nothing it holds can change the state.
  const call = async (verb: VerbId, given: Call = {}) => copied(run(verb, copied(given)))
  const answer = (request: Request, connection?: Connection) => app.fetch(request, connection ? { connection } : {})
  return {
    control: createFacade({ one: call, all: call } as Send),
    answer: options.log === undefined ? answer : logged(answer, log, systemNow),
    openApi,
    behaviorsOf: (project) => world.behaviorsOf(project),
    restart: (given) => {
      const { seed: next = {} } = checkedOptions({ seed: given })
      world.restart(next)
      tokens.restart(options.tokens ?? next.tokens)
    },
    origin: () => listening ?? defaultOrigin,
    listensAt: (origin) => {
      listening = origin
    },
  }
}

/** A mock that lives in this process and opens no socket. Cheap enough to make one in every test. */
export const createMock = (options?: MockOptions): Mock => mockOf(createCore(options), async () => {})

/** The public face of a mock. */
export const mockOf = (core: Core, close: () => Promise<void>): Mock => ({
  ...core.control,
  fetch: async (input, init) => core.answer(requestOf(input, init, core.origin())),
  close,
  [Symbol.asyncDispose]: close,
})

const requestOf = (input: Request | URL | string, init: RequestInit | undefined, origin: string): Request =>
  input instanceof Request && init === undefined
    ? input
    : new Request(typeof input === 'string' ? new URL(input, origin) : input, init)

const checkedOptions = (given: MockOptions): z.output<typeof Options> => {
  const parsed = parseStrict(Options, given)
  if (parsed.ok) return parsed.value
  throw new Refusal('invalidOptions', problemsText('createMock', parsed.problems), { details: parsed.problems })
}

const copied = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T))

const logged =
  (answer: Core['answer'], log: (event: LogEvent) => void, now: () => number): Core['answer'] =>
  async (request, connection) => {
    const start = now()
    const response = await answer(request, connection)
    const path = new URL(request.url).pathname
    log({ event: 'request', method: request.method, path, status: response.status, milliseconds: now() - start })
    return response
  }
