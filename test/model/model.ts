/**
 * The mocked service as `spec.md` and `design.md` describe it, at the default behaviors. It exists to be compared with
 * the mock: arrays and linear scans, written to be read, and nothing imported from `src`.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A request as it goes over the wire. The path is still encoded and carries the query. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
  /** Read by nobody at the default behaviors. */
  readonly accept: string | null
  readonly contentType: string | null
  readonly body: Uint8Array | null
}

/** What the service must answer. What is opaque (request ids, texts for people) is left out. */
export interface Answer {
  readonly status: number
  /** The whole body, or null where a refusal or nothing is sent. */
  readonly body: Json
  readonly refusal: RefusalShape | null
  /** True for answers to HEAD and for 204: the headers of the answer, and no bytes. */
  readonly bodiless: boolean
  /** The methods that `Allow` must list, as a set. */
  readonly allow: readonly string[] | null
}

interface RefusalShape {
  readonly type: string
  readonly code: RefusalCode
  /** The path of each problem in any order; null: no `details`; 'unspecified': the documents do not say. */
  readonly details: readonly string[] | null | 'unspecified'
}

/** What a control verb comes to: done, or the code of the refusal. */
type Outcome = 'done' | RefusalCode

/** Which rows a request can refer to. */
export type RowKind = 'user' | 'goneUser' | 'paymentLink'

export interface Model {
  /** Answers as the service must. `learnId` hands over the id that the mock gave to the row it made. */
  answer(request: WireRequest, learnId: (prefix: 'usr' | 'pml') => string): Answer
  pay(project: string, paymentLink: string): Outcome
  cancel(project: string, paymentLink: string): Outcome
  reset(project: string): void
  /** The ids of a kind, the oldest first. */
  idsOf(project: string, kind: RowKind): readonly string[]
}

interface ModelOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Where payment pages live. */
  readonly origin: string
  /** @default 'en-US' */
  readonly preferredLocale?: string
}

interface User {
  readonly id: string
  readonly createdAt: number
  email: string
  birthday: string | null
  fullName: string | null
  preferredLocale: string
  /** A map, because `__proto__` is a key like any other. */
  metadata: Map<string, Json>
}

interface PaymentLink {
  readonly id: string
  readonly createdAt: number
  readonly invoice: string
  readonly redirectUrl: string | null
  status: 'active' | 'canceled' | 'completed'
  canceledAt: number | null
  completedAt: number | null
}

/** Rows stand in the order in which they were made. */
interface Project {
  readonly users: User[]
  readonly goneUsers: string[]
  readonly paymentLinks: PaymentLink[]
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
  readonly handle: (call: Call) => { status: number; body: Json }
}

interface Call {
  readonly request: WireRequest
  readonly project: string
  /** The identifier in the path; empty where the path has none. */
  readonly id: string
  readonly query: URLSearchParams
  readonly learnId: (prefix: 'usr' | 'pml') => string
}

export function createModel({ now, origin, preferredLocale = 'en-US' }: ModelOptions): Model {
  const projects = new Map<string, Project>()

  const projectOf = (name: string): Project => {
    const project = projects.get(name) ?? { users: [], goneUsers: [], paymentLinks: [] }
    projects.set(name, project)
    return project
  }

  const userOf = ({ project, id }: Call): User =>
    projectOf(project).users.find((user) => user.id === id) ?? refuse('userNotFound')

  const paymentLinkOf = (project: string, id: string): PaymentLink =>
    projectOf(project).paymentLinks.find((link) => link.id === id) ?? refuse('paymentLinkNotFound')

  const activeLinkOf = (project: string, id: string): PaymentLink => {
    const link = paymentLinkOf(project, id)
    return link.status === 'active' ? link : refuse('paymentLinkNotActive')
  }

  const renderLink = (project: string, link: PaymentLink): Json => ({
    object: 'paymentLink',
    id: link.id,
    canceledAt: timestamp(link.canceledAt),
    completedAt: timestamp(link.completedAt),
    createdAt: timestamp(link.createdAt),
    partner: { redirectUrl: link.redirectUrl },
    invoice: link.invoice,
    paymentUrl: `${origin}/pay/${encodeURIComponent(project)}/${link.id}`,
    status: link.status,
    type: 'partner',
  })

  // The ten operations of spec §4. The two rows that match `users/search` are told apart by their methods.
  const operations: readonly Operation[] = [
    {
      method: 'GET',
      path: '/projects/{project}/users/{user}',
      takesBody: false,
      handle: (call) => ({ status: 200, body: renderUser(userOf(call)) }),
    },
    {
      method: 'DELETE',
      path: '/projects/{project}/users/{user}',
      takesBody: false,
      handle: (call) => {
        const user = userOf(call)
        const { users, goneUsers } = projectOf(call.project)
        users.splice(users.indexOf(user), 1)
        goneUsers.push(user.id)
        return { status: 200, body: renderUser(user) }
      },
    },
    {
      method: 'PATCH',
      path: '/projects/{project}/users/{user}',
      takesBody: true,
      handle: (call) => {
        const user = userOf(call)
        const fields = fieldsOf(call.request)
        refuseProblems('invalidBody', userProblems(fields, { emailRequired: false }))
        // Null is a value for the nullable fields; for the email, which is not, it changes nothing.
        if (fields.has('email') && fields.get('email') !== null) user.email = fields.get('email') as string
        if (fields.has('birthday')) user.birthday = fields.get('birthday') as string | null
        if (fields.has('fullName')) user.fullName = fields.get('fullName') as string | null
        if (fields.has('preferredLocale')) {
          user.preferredLocale = (fields.get('preferredLocale') as string | null) ?? preferredLocale
        }
        for (const [key, value] of Object.entries((fields.get('metadata') ?? {}) as Record<string, Json>)) {
          if (value === null) user.metadata.delete(key)
          else user.metadata.set(key, value)
        }
        return { status: 200, body: renderUser(user) }
      },
    },
    {
      method: 'POST',
      path: '/projects/{project}/users/search',
      takesBody: true,
      handle: ({ request, project, query }) => {
        const { users, goneUsers } = projectOf(project)
        const asked = pageAskedFor(query, users, goneUsers)
        const fields = fieldsOf(request)
        // Assumed: any string may be searched for, also one that is no address.
        refuseProblems('invalidBody', problem('email', isNullable(isString)(fields.get('email') ?? null)))
        const email = (fields.get('email') ?? null) as string | null
        const matches = (user: User) => email === null || user.email.toLowerCase() === email.toLowerCase()
        return { status: 200, body: page(users, matches, asked, renderUser) }
      },
    },
    {
      method: 'GET',
      path: '/projects/{project}/users',
      takesBody: false,
      handle: ({ project, query }) => {
        const { users, goneUsers } = projectOf(project)
        return { status: 200, body: page(users, () => true, pageAskedFor(query, users, goneUsers), renderUser) }
      },
    },
    {
      method: 'POST',
      path: '/projects/{project}/users',
      takesBody: true,
      handle: ({ request, project, learnId }) => {
        const fields = fieldsOf(request)
        refuseProblems('invalidBody', userProblems(fields, { emailRequired: true }))
        const metadata = Object.entries((fields.get('metadata') ?? {}) as Record<string, Json>)
        const user: User = {
          id: learnId('usr'),
          createdAt: now(),
          email: fields.get('email') as string,
          birthday: (fields.get('birthday') ?? null) as string | null,
          fullName: (fields.get('fullName') ?? null) as string | null,
          preferredLocale: (fields.get('preferredLocale') ?? preferredLocale) as string,
          // Assumed: only the null of a metadata key itself is dropped; one deeper inside a value is part of the value.
          metadata: new Map(metadata.filter(([, value]) => value !== null)),
        }
        projectOf(project).users.push(user)
        return { status: 201, body: renderUser(user) }
      },
    },
    {
      method: 'POST',
      path: '/projects/{project}/paymentLinks/{paymentLink}/cancel',
      takesBody: false,
      handle: ({ project, id }) => {
        const link = activeLinkOf(project, id)
        link.status = 'canceled'
        link.canceledAt = now()
        return { status: 200, body: renderLink(project, link) }
      },
    },
    {
      method: 'GET',
      path: '/projects/{project}/paymentLinks/{paymentLink}',
      takesBody: false,
      handle: ({ project, id }) => ({ status: 200, body: renderLink(project, paymentLinkOf(project, id)) }),
    },
    {
      method: 'GET',
      path: '/projects/{project}/paymentLinks',
      takesBody: false,
      handle: ({ project, query }) => {
        const { paymentLinks } = projectOf(project)
        const asked = pageAskedFor(query, paymentLinks, [], ['invoice', 'status'])
        const invoice = query.get('invoice')
        const statuses = query.get('status')?.split(',')
        // Assumed: `invoice=` asks for the links whose invoice is the empty string.
        const matches = (link: PaymentLink) =>
          (invoice === null || link.invoice === invoice) && (statuses === undefined || statuses.includes(link.status))
        return { status: 200, body: page(paymentLinks, matches, asked, (link) => renderLink(project, link)) }
      },
    },
    {
      method: 'POST',
      path: '/projects/{project}/paymentLinks',
      takesBody: true,
      handle: ({ request, project, learnId }) => {
        const fields = fieldsOf(request)
        refuseProblems('invalidBody', linkProblems(fields))
        const partner = fields.get('partner') as Record<string, Json>
        const link: PaymentLink = {
          id: learnId('pml'),
          createdAt: now(),
          invoice: fields.get('invoice') as string,
          redirectUrl: (partner['redirectUrl'] ?? null) as string | null,
          status: 'active',
          canceledAt: null,
          completedAt: null,
        }
        projectOf(project).paymentLinks.push(link)
        return { status: 201, body: renderLink(project, link) }
      },
    },
  ]

  // Design §3, order of refusal. What belongs to an operation (resource, query, body, state) is refused by its handler.
  const respond = (request: WireRequest, learnId: Call['learnId']): Answer => {
    const [path = '', query = ''] = request.path.split(/\?(.*)/s)
    const segments = path.split('/').slice(1).map(decoded)
    const candidates = operations.filter((operation) => matchesPath(operation.path, segments))
    const allow = allowed(candidates)

    // A preflight has no token.
    if (request.method === 'OPTIONS') {
      if (candidates.length === 0) refuse('routeNotFound')
      return { status: 204, body: null, refusal: null, bodiless: true, allow }
    }
    // A 404 outside `/projects` needs no token. Assumed: `/projects` itself is not outside.
    if (segments[0] !== 'projects') refuse('routeNotFound')
    // Assumed: the scheme is compared without case, any number of spaces may follow it, and a token has none (RFC 6750).
    if (!/^bearer +\S+$/i.test(request.authorization ?? '')) refuse('tokenMissing')
    if (candidates.length === 0) refuse('routeNotFound')

    const method = request.method === 'HEAD' && allow.includes('HEAD') ? 'GET' : request.method
    const operation = candidates.find((candidate) => candidate.method === method)
    if (operation === undefined) throw new Refusal('methodNotAllowed', null, allow)
    // Assumed: "415 always" holds for a body that the operation has no use for, too; and an operation that takes a body
    // goes by the header alone, also where the body is empty.
    const hasBody = operation.takesBody || (request.body !== null && request.body.length > 0)
    if (hasBody && request.contentType !== null && !isJsonType(request.contentType)) refuse('unsupportedMediaType')

    const [, project = '', , id = ''] = segments
    const call = { request, project, id, query: new URLSearchParams(query), learnId }
    return { ...operation.handle(call), refusal: null, bodiless: false, allow: null }
  }

  const complete = (project: string, id: string): void => {
    const link = activeLinkOf(project, id)
    link.status = 'completed'
    link.completedAt = now()
  }

  const cancel = (project: string, id: string): void => {
    const link = activeLinkOf(project, id)
    link.status = 'canceled'
    link.canceledAt = now()
  }

  return {
    answer: (request, learnId) => {
      const answer = refusalAsAnswer(() => respond(request, learnId))
      return request.method === 'HEAD' ? { ...answer, bodiless: true } : answer
    },
    pay: (project, id) => outcomeOf(() => complete(project, id)),
    cancel: (project, id) => outcomeOf(() => cancel(project, id)),
    reset: (project) => void projects.delete(project),
    idsOf: (name, kind) => {
      const { users, goneUsers, paymentLinks } = projectOf(name)
      if (kind === 'goneUser') return goneUsers
      return (kind === 'user' ? users : paymentLinks).map(({ id }) => id)
    },
  }
}

// --- Rendering: spec §2

function renderUser(user: User): Json {
  return {
    object: 'user',
    id: user.id,
    metadata: Object.fromEntries(user.metadata),
    birthday: user.birthday,
    createdAt: timestamp(user.createdAt),
    email: user.email,
    emailVerified: true,
    fullName: user.fullName,
    preferredLocale: user.preferredLocale,
  }
}

function timestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString()
}

// --- Lists: spec §2.4, design §3

interface PageAsked {
  readonly after: string | null
  readonly before: string | null
  readonly limit: number
}

interface Row {
  readonly id: string
  readonly createdAt: number
}

/** Reads `after`, `before` and `limit`, and checks the filters. The form of all comes before the look-up of a cursor. */
function pageAskedFor(
  query: URLSearchParams,
  rows: readonly Row[],
  gone: readonly string[],
  filters: readonly string[] = [],
): PageAsked {
  // Assumed: one problem for each parameter, however much is wrong with it; unknown ones may also be repeated.
  const problems = ['after', 'before', 'limit', ...filters].flatMap((name) => {
    const [value, ...more] = query.getAll(name)
    const isFine = value === undefined || (name === 'limit' ? isLimit(value) : name !== 'status' || isStatuses(value))
    return problem(name, isFine && more.length === 0)
  })
  if (query.has('after') && query.has('before')) throw new Refusal('invalidQuery', 'unspecified')
  refuseProblems('invalidQuery', problems)

  const cursors = { after: query.get('after'), before: query.get('before') }
  for (const [name, cursor] of Object.entries(cursors)) {
    if (cursor === null || rows.some(({ id }) => id === cursor)) continue
    // Assumed: an empty cursor is one that never existed.
    throw new Refusal(gone.includes(cursor) ? 'cursorGone' : 'cursorNotFound', [name])
  }
  return { ...cursors, limit: Number(query.get('limit') ?? 10) }
}

function isLimit(value: string): boolean {
  return /^[0-9]{1,3}$/.test(value) && Number(value) <= 200
}

function isStatuses(value: string): boolean {
  return value.split(',').every((status) => ['active', 'canceled', 'completed'].includes(status))
}

function page<R extends Row>(
  rows: readonly R[],
  matches: (row: R) => boolean,
  { after, before, limit }: PageAsked,
  render: (row: R) => Json,
): Json {
  // Newest first, and of two rows made at the same instant the later one: sorting is stable, so turn the rows first.
  const inOrder = rows.toReversed().toSorted((one, other) => other.createdAt - one.createdAt)
  const matching = inOrder.filter(matches)
  const placeOf = (id: string) => inOrder.findIndex((row) => row.id === id)
  // A cursor marks a place in the whole list, whether its row matches or not.
  let beyond = matching
  if (after !== null) beyond = inOrder.slice(placeOf(after) + 1).filter(matches)
  if (before !== null) beyond = inOrder.slice(0, placeOf(before)).filter(matches)
  const batch = before === null ? beyond.slice(0, limit) : beyond.slice(Math.max(0, beyond.length - limit))

  const handedBack = (cursor: string | null) => (limit === 0 && beyond.length > 0 ? cursor : null)
  const first = batch.at(0)
  const last = batch.at(-1)
  return {
    object: 'list',
    items: batch.map(render),
    moreItemsAfter: last === undefined ? handedBack(after) : last === matching.at(-1) ? null : last.id,
    moreItemsBefore: first === undefined ? handedBack(before) : first === matching.at(0) ? null : first.id,
  }
}

// --- Paths and headers

function decoded(segment: string): string {
  // Assumed: a segment with a broken escape is taken as it stands.
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
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

// --- Bodies

const bodyLimit = 1024 * 1024
const depthLimit = 64

/** The fields of the body, as a map so that no inherited name can be mistaken for one. */
function fieldsOf({ body }: WireRequest): Map<string, Json> {
  const value = parsed(body ?? new Uint8Array())
  if (!isObject(value)) throw new Refusal('invalidBody', [''])
  return new Map(Object.entries(value))
}

function parsed(body: Uint8Array): Json {
  if (body.length > bodyLimit) refuse('bodyTooLarge')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value = JSON.parse(text) as Json
    return isDeepOrRepeats(text) ? refuse('malformedBody') : value
  } catch {
    return refuse('malformedBody')
  }
}

/** Whether a JSON text nests deeper than the limit or has an object with the same key twice. */
function isDeepOrRepeats(text: string): boolean {
  const open: (Set<string> | null)[] = []
  let keyMayFollow = false
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    const keys = open.at(-1)
    if (token.startsWith('"') && keyMayFollow && keys) {
      const key = JSON.parse(token) as string
      if (keys.has(key)) return true
      keys.add(key)
    }
    if (token === '{') open.push(new Set())
    if (token === '[') open.push(null)
    if (token === '}' || token === ']') open.pop()
    if (open.length > depthLimit) return true
    keyMayFollow = token === '{' || token === ','
  }
  return false
}

/** The paths of what is wrong. Spec §4.1. */
function userProblems(fields: Map<string, Json>, { emailRequired }: { emailRequired: boolean }): string[] {
  const nullable = (name: string, check: Check) => problem(name, isNullable(check)(fields.get(name) ?? null))
  return [
    ...(emailRequired ? problem('email', isEmail(fields.get('email') ?? null)) : nullable('email', isEmail)),
    ...nullable('birthday', isDate),
    ...nullable('fullName', isString),
    ...nullable('preferredLocale', isLanguageTag),
    // Null as a whole is refused: the field is not nullable.
    ...problem('metadata', !fields.has('metadata') || isObject(fields.get('metadata')!)),
  ]
}

/** The paths of what is wrong. Spec §4.2 and §2.5. */
function linkProblems(fields: Map<string, Json>): string[] {
  return [
    ...problem('invoice', isString(fields.get('invoice') ?? null)),
    ...problem('type', fields.get('type') === 'partner'),
    // Assumed: required also where the type is wrong, because only `partner` can put that right.
    ...partnerProblems(fields.get('partner') ?? null),
  ]
}

function partnerProblems(partner: Json): string[] {
  if (!isObject(partner)) return ['partner']
  const fields = new Map(Object.entries(partner))
  const user = fields.get('user') ?? null
  return [
    ...(isObject(user) ? payerProblems(new Map(Object.entries(user))) : ['partner.user']),
    // Assumed: optional, but not nullable in the request.
    ...problem('partner.redirectUrl', !fields.has('redirectUrl') || isRedirectUrl(fields.get('redirectUrl')!)),
  ]
}

/** Assumed: any string will do for each of the three, and null is none (spec §2.5 shows no formats). */
function payerProblems(payer: Map<string, Json>): string[] {
  return ['fullName', 'email', 'taxNumber'].flatMap((name) =>
    problem(`partner.user.${name}`, !payer.has(name) || isString(payer.get(name)!)),
  )
}

function problem(path: string, isFine: boolean): string[] {
  return isFine ? [] : [path]
}

// --- Formats: design §3, reliability.md facts 3 to 5

type Check = (value: Json) => boolean

const isNullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

const isString = (value: Json): value is string => typeof value === 'string'

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Refuses only what cannot be an address. Assumed: in quotes anything goes but control characters, as in RFC 5321. */
function isEmail(value: Json): boolean {
  if (!isString(value) || value.length > 320 || hasControl(value)) return false
  // A quote that is never closed hides the rest.
  const bare = value.replaceAll(/"(?:[^"\\]|\\.)*"?/g, 'quoted')
  return /^[^@ ]+@[^@ ]+$/.test(bare)
}

function isDate(value: Json): boolean {
  if (!isString(value) || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return false
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number)
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day >= 1 && day <= (days[month - 1] ?? 0)
}

/** The grammar of RFC 5646 §2.1. Well-formed is not valid: a variant or singleton may repeat. */
function isLanguageTag(value: Json): boolean {
  const langtag =
    /^([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$/
  if (!isString(value)) return false
  const tag = value.toLowerCase()
  return langtag.test(tag) || /^x(-[a-z0-9]{1,8})+$/.test(tag) || irregularTags.includes(tag)
}

const irregularTags: readonly string[] =
  'en-gb-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu sgn-be-fr sgn-be-nl sgn-ch-de'.split(
    ' ',
  )

/** Assumed: a space is refused anywhere in it, not only around it: an address has none. */
function isRedirectUrl(value: Json): boolean {
  if (!isString(value) || value.length > 2048 || hasControl(value) || value.trim() !== value) return false
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === ''
}

function hasControl(value: string): boolean {
  return Array.from(value).some((character) => character < ' ' || character === '\u007f')
}

// --- Refusals

const refusals = {
  tokenMissing: [401, 'unauthenticated'],
  routeNotFound: [404, 'notFound'],
  methodNotAllowed: [405, 'methodNotAllowed'],
  unsupportedMediaType: [415, 'unsupportedMediaType'],
  userNotFound: [404, 'notFound'],
  paymentLinkNotFound: [404, 'notFound'],
  invalidQuery: [400, 'invalidRequest'],
  cursorNotFound: [400, 'invalidRequest'],
  cursorGone: [400, 'invalidRequest'],
  bodyTooLarge: [413, 'tooLarge'],
  malformedBody: [400, 'invalidRequest'],
  invalidBody: [422, 'invalidRequest'],
  paymentLinkNotActive: [409, 'conflict'],
} as const

type RefusalCode = keyof typeof refusals

class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalShape['details']
  readonly allow: readonly string[] | null

  constructor(code: RefusalCode, details: RefusalShape['details'] = null, allow: readonly string[] | null = null) {
    super(code)
    this.code = code
    this.details = details
    this.allow = allow
  }
}

function refuse(code: RefusalCode): never {
  throw new Refusal(code)
}

function refuseProblems(code: RefusalCode, problems: readonly string[]): void {
  if (problems.length > 0) throw new Refusal(code, problems)
}

function refusalAsAnswer(respond: () => Answer): Answer {
  try {
    return respond()
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    const { code, details, allow } = thrown
    const [status, type] = refusals[code]
    return { status, body: null, refusal: { type, code, details }, bodiless: false, allow }
  }
}

function outcomeOf(act: () => void): Outcome {
  try {
    act()
    return 'done'
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.code
    throw thrown
  }
}
