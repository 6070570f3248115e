/**
 * The mocked service and its control API as in `spec.md` and `design.md`. It exists to be compared with the
 * mock: simple arrays and linear scans, without imports from `src`.
 */
import { bodyIn } from './bodies.ts'
import { createFaults, inPlace } from './faults.ts'
import type { Json } from './formats.ts'
import { answer, answerOf, MockError, refuse, type MockErrorShape } from './errors.ts'
import { operationsOf, type Operation } from './service.ts'
import { createStore, type Project, alive } from './state.ts'
import { type SteeringCall, steeringVerbs } from './steering.ts'
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
export interface Answer {
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
}

/** The kinds of records that a request can refer to. */
export type RowKind = 'user' | 'goneUser' | 'paymentLink' | 'gonePaymentLink'

/** Returns the id that the mock gave to a new record. */
export type LearnId = (prefix: 'usr' | 'pml' | 'flt') => string

export interface Model {
  /** Returns the expected response of the mocked API. */
  answer(request: WireRequest, learnId: LearnId): Answer
  /** Returns the expected response of the control API. */
  steer(call: SteeringCall, learnId: LearnId): Answer
  /** The route of a command, below `/__admin` or below the project there. */
  readonly placeOf: (verb: SteeringCall['verb']) => { readonly method: string; readonly path: string }
  /** The ids of a kind, the oldest first. */
  idsOf(project: string, kind: RowKind | 'fault'): readonly string[]
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
    ids.nth(`${name} ${prefix} ${project.drawn[prefix]++}`, learn(prefix))

  const operations = operationsOf({ store, origin, draw })
  const verbs = steeringVerbs({ store, faults, tokens, origin, draw, systemNow: now, faultId: () => learn('flt') })

  // Design §3, order of errors. The handler of an operation checks its resource, query, body and state.
  const perform = (request: WireRequest, { segments, candidates, query }: Route): Answer => {
    const allow = allowed(candidates)

    // A preflight has no token.
    if (request.method === 'OPTIONS') {
      if (candidates.length === 0) refuse('routeNotFound')
      return answer(204, null, { allow })
    }
    // A 404 outside `/projects` needs no token. Assumed: `/projects` itself is not outside.
    if (segments[0] !== 'projects') refuse('routeNotFound')
    const [, named] = segments
    const readings = store.readingsOf(named ?? '')
    tokens.check(request.authorization, named === '' ? undefined : named, store.now(named), readings)
    if (candidates.length === 0) refuse('routeNotFound')
    const operation = operationIn(candidates, request)
    if (operation === undefined) throw new MockError('methodNotAllowed', null, allow)

    const [, project = '', , id = ''] = segments
    const isRequired = readings.requestHeaders === 'required'
    if (isRequired && !/^(application\/json|\*\/\*)$/.test(request.accept ?? '')) refuse('notAcceptable')
    // Assumed: "415 always" also applies to a body that the operation ignores, and an operation with a body
    // checks only the header, also if the body is empty.
    const hasBody = operation.takesBody || (request.body !== null && request.body.length > 0)
    const type = request.contentType ?? ''
    if (hasBody && (type === '' ? isRequired : !isJsonType(type))) refuse('unsupportedMediaType')

    if (readings.unknownProject === 'notFound' && !store.names().includes(project)) refuse('projectNotFound')
    const { status, body } = operation.handle({ request, project, id, query: new URLSearchParams(query), readings })
    return answer(status, body)
  }

  /** Executes the request. Errors with 401, 403 or 404 create no project. */
  const performed = (request: WireRequest, route: Route): Answer => {
    const [, project = ''] = route.segments
    const readings = () => store.readingsOf(project)
    const given = answerOf(() => perform(request, route), readings)
    if (route.operation !== undefined && ![401, 403, 404].includes(given.status)) store.enter(project)
    return given
  }

  /** Applies a fault once the operation is known, before or after the operation, or instead of it. */
  const respond = (request: WireRequest): Answer => {
    if (!isDecodable(request))
      return { ...answerOf(() => refuse('malformedRequest')), format: store.readingsOf('').errorFormat }
    const route = routeOf(operations, request)
    const [root, project = ''] = route.segments
    const { operation } = route
    // Requests without a project use the behaviors of the start.
    const { errorFormat: format } = store.readingsOf(root === 'projects' ? project : '')
    const struck =
      operation &&
      faults.strike(
        { project, operation: operation.id, method: request.method, body: () => bodyIn(request) },
        store.now(project),
      )
    if (struck === undefined) return { ...performed(request, route), format }
    const { phase = 'before', effect } = struck.rule
    const replaced = inPlace(struck)
    const own = phase === 'after' || replaced === null ? performed(request, route) : null
    return { ...(replaced ?? own!), format, spoiled: effect.corrupt ?? null }
  }

  return {
    answer: (request, learnId) => {
      learn = learnId
      const given = respond(request)
      return request.method === 'HEAD' ? { ...given, bodiless: true } : given
    },
    steer: ({ verb, project, id, body }, learnId) => {
      learn = learnId
      const fields = (body ?? {}) as { readonly [field: string]: Json }
      return answerOf(() => verbs[verb].handle({ project: project ?? '', scope: project, id, body: fields }))
    },
    placeOf: (verb) => verbs[verb],
    idsOf: (name, kind) => {
      const { users, paymentLinks } = store.read(name)
      switch (kind) {
        case 'fault':
          return faults.ids()
        case 'user':
          return alive(users).map(({ id }) => id)
        case 'paymentLink':
          return alive(paymentLinks).map(({ id }) => id)
        case 'goneUser':
          return users.filter(({ gone }) => gone).map(({ id }) => id)
        case 'gonePaymentLink':
          return paymentLinks.filter(({ gone }) => gone).map(({ id }) => id)
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

function routeOf(operations: readonly Operation[], request: WireRequest): Route {
  const [path = '', query = ''] = request.path.split(/\?(.*)/s)
  const segments = path.split('/').slice(1).map(decodeURIComponent)
  const candidates = operations.filter((operation) => matchesPath(operation.path, segments))
  return { segments, query, candidates, operation: operationIn(candidates, request) }
}

function operationIn(candidates: readonly Operation[], request: WireRequest): Operation | undefined {
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
