/**
 * The mocked service and its control API as the specification and the documentation describe them. It exists to be compared with the
 * mock: simple arrays and linear scans, without imports from `src`.
 */
import { bodyIn } from './bodies.ts'
import { createFaults, replaceFault } from './faults.ts'
import type { Json } from './formats.ts'
import { createResponse, catchErrors, MockError, reject, type MockErrorShape } from './errors.ts'
import { createOperations, type Operation } from './service.ts'
import { createStore, type Past, type Project, filterExisting } from './state.ts'
import { type ControlCall, createCommands } from './control-commands.ts'
import { createTokens } from './tokens.ts'

/** A request on the wire. The path is encoded and includes the query. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  readonly accept: string | null
  readonly contentType: string | null
  readonly body: Uint8Array | null
}

/** The expected response of the service, without opaque values (request ids, messages). */
export interface ModelResponse {
  readonly status: number
  /** The whole body, or null for an error or an empty body. */
  readonly body: Json
  readonly error: MockErrorShape | null
  /** The format of an error: our error object, or a problem of RFC 9457. */
  readonly format: 'object' | 'problem'
  /** True for HEAD and for 204: the response has headers and no bytes. */
  readonly bodiless: boolean
  /** The methods that `Allow` must list, as a set. */
  readonly allow: readonly string[] | null
  /** Headers that a fault adds. */
  readonly headers: { readonly [name: string]: string }
  /** The corruption of the bytes by a fault. */
  readonly spoiled: 'truncated' | 'malformed' | 'empty' | null
  /** The connection breaks without a response. */
  readonly isBroken: boolean
  /** Whether `Mock-Assumed` must name `listFreshness`. Null: it is not compared. */
  readonly assumesFreshness: boolean | null
}

/** The kinds of records that a request can refer to. */
export type RecordKind = 'user' | 'goneUser' | 'paymentLink' | 'gonePaymentLink'

/** Returns the id that the mock gave to a new record. */
export type LearnId = (prefix: 'usr' | 'pml' | 'flt') => string

export interface Model {
  /** Returns the expected response of the mocked API. */
  respond(request: WireRequest, learnId: LearnId): ModelResponse
  /** Returns the expected response of the control API. */
  control(call: ControlCall, learnId: LearnId): ModelResponse
  /** The route of a command, below `/__admin` or below the project there. */
  readonly placeOf: (command: ControlCall['command']) => { readonly method: string; readonly path: string }
  /** The ids of a kind, the oldest first. */
  idsOf(project: string, kind: RecordKind | 'fault'): readonly string[]
}

interface ModelOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** The origin of payment pages. */
  readonly origin: string
}

export function createModel({ now, origin }: ModelOptions): Model {
  const store = createStore(now)
  const faults = createFaults()
  const tokens = createTokens()
  const ids = createIds()
  let learn: LearnId = () => ''
  const draw = (name: string, project: Project, prefix: 'usr' | 'pml') =>
    ids.nth(`${name} ${prefix} ${project.idCounters[prefix]++}`, learn(prefix))

  const operations = createOperations({ store, origin, draw })
  const commands = createCommands({
    store,
    faults,
    tokens,
    origin,
    draw,
    systemNow: now,
    faultId: () => learn('flt'),
  })

  // The order of checks. The handler of an operation checks its resource, query, body and state.
  const perform = (request: WireRequest, { segments, candidates, query }: Route, past: Past | null): ModelResponse => {
    const allow = allowed(candidates)

    // A preflight has no token.
    if (request.method === 'OPTIONS') {
      if (candidates.length === 0) reject('routeNotFound')
      return createResponse(204, null, { allow })
    }
    // A 404 outside `/projects` needs no token. Assumed: `/projects` itself is not outside.
    if (segments[0] !== 'projects') reject('routeNotFound')
    const [, named] = segments
    const behaviors = store.getBehaviors(named ?? '')
    tokens.check(request.authorization, named === '' ? undefined : named, store.now(named), behaviors)
    if (candidates.length === 0) reject('routeNotFound')
    const operation = findOperation(candidates, request)
    if (operation === undefined) throw new MockError('methodNotAllowed', null, allow)

    const [, project = '', , id = ''] = segments
    const isRequired = behaviors.requestHeaders === 'required'
    if (isRequired && !/^(application\/json|\*\/\*)$/.test(request.accept ?? '')) reject('notAcceptable')
    // Assumed: "415 always" also applies to a body that the operation ignores, and an operation with a body
    // checks only the header, also if the body is empty.
    const hasBody = operation.takesBody || (request.body !== null && request.body.length > 0)
    const type = request.contentType ?? ''
    if (hasBody && (type === '' ? isRequired : !isJsonType(type))) reject('unsupportedMediaType')

    if (behaviors.unknownProject === 'notFound' && !store.names().includes(project)) reject('projectNotFound')
    const call = { request, project, id, query: new URLSearchParams(query), behaviors }
    const handle = (seen: Past | null): ModelResponse => {
      const { status, body } = operation.handle({ ...call, past: seen })
      return createResponse(status, body)
    }
    if (!operation.isList) return handle(past)
    // Assumed: with a fault that shows an earlier state, too, the older one is shown.
    const late = { ...past, milliseconds: Math.max(2000, past?.milliseconds ?? 0) }
    const [other, shown] = behaviors.listFreshness === 'delayed' ? [past, late] : [late, past]
    const [expected, differently] = [shown, other].map((seen) =>
      catchErrors(
        () => handle(seen),
        () => behaviors,
      ),
    ) as [ModelResponse, ModelResponse]
    return { ...expected, assumesFreshness: JSON.stringify(expected) !== JSON.stringify(differently) }
  }

  /** Executes the request. Errors with 401, 403 or 404 create no project. */
  const performRequest = (request: WireRequest, route: Route, past: Past | null = null): ModelResponse => {
    const [, project = ''] = route.segments
    const behaviors = () => store.getBehaviors(project)
    const given = catchErrors(() => perform(request, route, past), behaviors)
    const isCreated = route.operation !== undefined && ![401, 403, 404].includes(given.status)
    if (isCreated && behaviors().unknownProject === 'create') store.ensureProject(project)
    return given
  }

  /** Applies a fault once the operation is known, before or after the operation, or instead of it. */
  const respond = (request: WireRequest): ModelResponse => {
    if (!isDecodable(request))
      return { ...catchErrors(() => reject('malformedRequest')), format: store.getBehaviors('').errorFormat }
    const route = findRoute(operations, request)
    const [root, project = ''] = route.segments
    const { operation } = route
    // Requests without a project use the behaviors of the start.
    const { errorFormat: format } = store.getBehaviors(root === 'projects' ? project : '')
    const applied =
      operation &&
      faults.applyFault(
        { project, operation: operation.id, method: request.method, body: () => bodyIn(request) },
        store.now(project),
      )
    if (applied === undefined) return { ...performRequest(request, route), format }
    const { phase = 'before', effect } = applied.rule
    const replaced = replaceFault(applied)
    const run = () => performRequest(request, route, effect.stale ?? null)
    // The first of two deliveries. The client gets the second response.
    if (effect.duplicate) run()
    const own = phase === 'after' || effect.duplicate || replaced === null ? run() : null
    return { ...(replaced ?? own!), format, spoiled: effect.corrupt ?? null }
  }

  return {
    respond: (request, learnId) => {
      learn = learnId
      const given = respond(request)
      return request.method === 'HEAD' ? { ...given, bodiless: true } : given
    },
    control: ({ command, project, id, body }, learnId) => {
      learn = learnId
      const fields = (body ?? {}) as { readonly [field: string]: Json }
      return catchErrors(() => commands[command].handle({ project: project ?? '', scope: project, id, body: fields }))
    },
    placeOf: (command) => commands[command],
    idsOf: (name, kind) => {
      const { users, paymentLinks } = store.read(name)
      switch (kind) {
        case 'fault':
          return faults.ids()
        case 'user':
          return filterExisting(users).map(({ id }) => id)
        case 'paymentLink':
          return filterExisting(paymentLinks).map(({ id }) => id)
        case 'goneUser':
          return users.filter(({ isDeleted }) => isDeleted).map(({ id }) => id)
        case 'gonePaymentLink':
          return paymentLinks.filter(({ isDeleted }) => isDeleted).map(({ id }) => id)
      }
    },
  }
}

/** The n-th id of a kind in a project is always the same, and unique. */
function createIds() {
  const known = new Map<string, string>()
  return {
    nth: (place: string, id: string): string => {
      const before = known.get(place)
      if (before !== undefined && before !== id) throw new Error(`The id of ${place} was '${before}', and is '${id}'.`)
      if (before === undefined && [...known.values()].includes(id)) throw new Error(`The id '${id}' was given before.`)
      known.set(place, id)
      return id
    },
  }
}

// --- Paths and headers

interface Route {
  readonly segments: readonly string[]
  readonly query: string
  readonly candidates: readonly Operation[]
  readonly operation: Operation | undefined
}

function findRoute(operations: readonly Operation[], request: WireRequest): Route {
  const [path = '', query = ''] = request.path.split(/\?(.*)/s)
  const segments = path.split('/').slice(1).map(decodeURIComponent)
  const candidates = operations.filter((operation) => matchesPath(operation.path, segments))
  return { segments, query, candidates, operation: findOperation(candidates, request) }
}

function findOperation(candidates: readonly Operation[], request: WireRequest): Operation | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  return candidates.find((candidate) => candidate.method === method)
}

/** Whether every percent escape of the path is valid UTF-8. */
function isDecodable({ path }: WireRequest): boolean {
  try {
    decodeURIComponent(path.replace(/\?.*/s, ''))
    return true
  } catch {
    return false
  }
}

function matchesPath(pattern: string, segments: readonly string[]): boolean {
  const parts = pattern.split('/').slice(1)
  return (
    parts.length === segments.length &&
    parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}

function allowed(operations: readonly Operation[]): readonly string[] {
  const methods = operations.map(({ method }) => method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
}

function isJsonType(contentType: string): boolean {
  const [mediaType = ''] = contentType.toLowerCase().split(';')
  return /^(application\/json|[a-z]+\/[a-z0-9.-]+\+json)$/.test(mediaType.trim())
}
