import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { nullableNames, pickNullable } from '../../properties/model/nullable-fields.ts'

// An independent implementation of the specification that deliberately shares no code with the mock.
// Where the specification is silent, it makes its own choices, and few of them are behavior values of the mock.

type Json = Record<string, any>

interface Options {
  readonly token?: string
  readonly project?: string
  readonly invoices?: readonly string[]
  /** Requests, counted from one, that get 429. */
  readonly busyAt?: (request: number) => boolean
  readonly retryAfter?: string
  /** Deviations from the usual statuses. */
  readonly createStatus?: number
  readonly cancelTwice?: number
  readonly mayDelete?: boolean
  /** A suffix of every id. */
  readonly idEnd?: string
  /** The response to a user with an invalid field: the status of a rejection, or `create`. */
  readonly badBody?: number | 'create'
  /** Whether a link can be created without the name of the payer. */
  readonly anyPayer?: boolean
  /** Whether an invoice can have several links. */
  readonly manyLinks?: boolean
  /** The number of existing users, and of existing active links for the first invoice. */
  readonly others?: number
  /** Lists the oldest records first. */
  readonly oldestFirst?: boolean
  /** Its search ignores the email and returns every user. */
  readonly searchesAll?: boolean
  /** Called with each request; the response waits for the returned promise. */
  readonly onRequest?: (method: string, path: string) => Promise<void> | void
  /** Requests that do not get the usual response. */
  readonly failureOf?: (method: string, path: string) => Failure | undefined
}

export interface Failure {
  /** Whether the request is still executed. */
  readonly isDone: boolean
  /** Without a status the connection is reset. */
  readonly status?: number
  /** The text of the response. @default an error */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

class No extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Starts the service on a free port and stops it after the test. */
export const startStandIn = async (options: Options = {}) => {
  const { token = 'tok_real_secret', project = 'acme', invoices = ['inv_2025_0001'], createStatus = 202 } = options
  const users = new Map<string, Json>()
  const links = new Map<string, Json>()
  const seen: string[] = []
  const state = { createStatus, cancelTwice: options.cancelTwice ?? 409 }
  let counter = 0
  const nextId = (prefix: string) => `${prefix}_${String(++counter).padStart(6, '0')}${options.idEnd ?? ''}`
  const time = () => '2026-03-04T05:06:07Z'

  // The existing records include users without an email.
  for (const email of ['zoe@customer.example', 'yan@customer.example', 'xia@customer.example', '', null, undefined]) {
    const id = nextId('usr')
    users.set(id, userOf(id, { email }))
  }
  const old = nextId('pml')
  links.set(old, linkOf(old, { invoice: 'inv_2024_0777', partner: { redirectUrl: 'https://shop.example/done' } }))

  for (let n = 0; n < (options.others ?? 0); n++) {
    const [user, link] = [nextId('usr'), nextId('pml')]
    users.set(user, userOf(user, { email: `n${n}@customer.example` }))
    links.set(link, linkOf(link, { invoice: invoices[0], partner: {} }))
  }

  function userOf(id: string, body: Json): Json {
    const { email, metadata = {}, preferredLocale = 'de-DE' } = body
    const nullable = pickNullable((name) => body[name])
    const fields = { object: 'user', id, metadata, createdAt: time(), email, preferredLocale, ...nullable }
    return { ...fields, emailVerified: false, tenant: 'eu-1' }
  }

  function linkOf(id: string, { invoice, partner }: Json): Json {
    const paymentUrl = `https://pay.example/${id}`
    const fields = { object: 'paymentLink', id, canceledAt: null, completedAt: null, createdAt: time(), paymentUrl }
    return {
      ...fields,
      partner: { redirectUrl: partner.redirectUrl ?? null },
      invoice,
      status: 'active',
      type: 'partner',
    }
  }

  const checkMetadata = (metadata: Json = {}) => {
    for (const [key, value] of Object.entries(metadata))
      if (typeof value !== 'string' || value.length > 200 || key.length > 100) throw new No(400, `bad metadata ${key}`)
  }

  const known = new Set<string>(['email', ...nullableNames, 'metadata', 'preferredLocale'])
  const checkUser = (body: Json) => {
    for (const key of Object.keys(body)) if (!known.has(key)) throw new No(400, `what is ${key}?`)
    checkMetadata(body.metadata)
    const { email } = body
    if (email !== undefined && [...users.values()].some((user) => user.email === email))
      throw new No(409, 'email in use')
  }

  const list = (records: Json[], query: URLSearchParams) => {
    for (const key of query.keys())
      if (!['after', 'before', 'limit', 'invoice', 'status'].includes(key)) throw new No(400, `what is ${key}?`)
    const after = query.get('after')
    const from = after === null ? 0 : records.findIndex(({ id }) => id === after) + 1
    if (after !== null && from === 0) throw new No(410, 'that record is gone')
    const items = records.slice(from, from + Number(query.get('limit') ?? 10))
    const isLast = from + items.length >= records.length
    return { object: 'list', items, moreItemsAfter: isLast ? null : items.at(-1)!.id, moreItemsBefore: null }
  }
  const inOrder = (records: Map<string, Json>) =>
    options.oldestFirst ? [...records.values()] : [...records.values()].toReversed()

  const search = (body: Json, query: URLSearchParams) => {
    if (body.email === null) throw new No(400, 'email must not be null')
    const part = options.searchesAll ? '' : String(body.email ?? '').toLowerCase()
    const fits = ({ email }: Json) => (email ?? '').toLowerCase().includes(part)
    return list(inOrder(users).filter(fits), query)
  }

  const createLink = (body: Json) => {
    if (!invoices.includes(body.invoice)) throw new No(404, `no invoice ${body.invoice}`)
    if (!options.anyPayer && body.partner.user.fullName === undefined) throw new No(400, 'who pays?')
    if (!options.manyLinks && [...links.values()].some(({ invoice }) => invoice === body.invoice))
      throw new No(409, 'has a link already')
    const id = nextId('pml')
    links.set(id, linkOf(id, body))
    return links.get(id)!
  }

  const cancel = (id: string) => {
    const link = links.get(id)
    if (link === undefined) throw new No(404, 'no such link')
    if (link.status !== 'active') throw new No(state.cancelTwice, 'not active')
    return Object.assign(link, { status: 'canceled', canceledAt: time() })
  }

  const oneUser = (id: string) => {
    const user = users.get(id)
    if (user === undefined) throw new No(404, 'no such user')
    return user
  }

  const respond = (method: string, path: string, query: URLSearchParams, body: Json): [status: number, body: Json] => {
    const [, segment = ''] = /^\/(?:users|paymentLinks)\/([^/]+)/.exec(path) ?? []
    const id = decodeURIComponent(segment)
    if (method === 'GET' && path === '/users') return [200, list(inOrder(users), query)]
    if (method === 'POST' && path === '/users/search') return [200, search(body, query)]
    if (method === 'POST' && path === '/users') {
      const { badBody = 400 } = options
      const isInvalid = typeof body.metadata === 'string'
      if (isInvalid && badBody !== 'create') throw new No(badBody, 'bad metadata')
      if (!isInvalid) checkUser(body)
      const id = nextId('usr')
      users.set(id, userOf(id, body))
      return [state.createStatus, users.get(id)!]
    }
    if (method === 'PATCH') {
      const user = oneUser(id)
      checkUser(body)
      return [200, Object.assign(user, body)]
    }
    if (method === 'DELETE') {
      const user = oneUser(id)
      if (options.mayDelete === false) throw new No(403, 'not allowed to delete')
      users.delete(id)
      return [200, user]
    }
    if (method === 'GET' && path === '/paymentLinks') {
      const [invoice, status] = [query.get('invoice'), query.get('status')]
      const fits = (record: Json) =>
        record.invoice === (invoice ?? record.invoice) && record.status === (status ?? record.status)
      return [200, list(inOrder(links).filter(fits), query)]
    }
    if (method === 'GET' && users.has(id)) return [200, users.get(id)!]
    if (method === 'GET' && links.has(id)) return [200, links.get(id)!]
    if (method === 'POST' && path === '/paymentLinks') return [state.createStatus, createLink(body)]
    if (method === 'POST' && path.endsWith('/cancel')) return [200, cancel(id)]
    throw new No(404, 'no such place')
  }

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { pathname, searchParams } = new URL(incoming.url!, 'http://stand-in')
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    seen.push(`${incoming.method} ${incoming.url}`)
    await options.onRequest?.(incoming.method!, pathname)
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      outgoing
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
        .end(JSON.stringify(body))
    try {
      if (options.busyAt?.(seen.length)) throw new No(429, 'slow down')
      if (incoming.headers.authorization !== `Bearer ${token}`) throw new No(401, 'who are you?')
      if (incoming.headers.accept === 'text/html') throw new No(406, 'no pages here')
      const [, name, rest = ''] = /^\/v2\/projects\/([^/]+)(.*)$/.exec(pathname) ?? []
      if (name !== encodeURIComponent(project))
        throw new No(name?.startsWith('paylink-mock-calibrate') ? 403 : 404, 'not your project')
      const text = Buffer.concat(chunks).toString()
      const failure = options.failureOf?.(incoming.method!, rest)
      const usual = () => respond(incoming.method!, rest, searchParams, text === '' ? {} : JSON.parse(text))
      if (failure === undefined) return void send(...usual())
      if (failure.isDone) usual()
      if (failure.status === undefined) return void incoming.socket.resetAndDestroy()
      if (failure.text === undefined) throw new No(failure.status, 'failed')
      outgoing.writeHead(failure.status, { 'content-type': 'application/json', ...failure.headers }).end(failure.text)
    } catch (error) {
      const { status, message } = error instanceof No ? error : new No(500, String(error))
      // Like some young services, it exposes too much.
      const errors = [{ title: message, received: incoming.headers.authorization }]
      send(status, { errors }, status === 429 || status === 503 ? { 'retry-after': options.retryAfter ?? '7' } : {})
    }
  }

  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const textsOf = (records: Map<string, Json>) =>
    new Map([...records].map(([id, record]) => [id, JSON.stringify(record)]))
  const others = { users: textsOf(users), links: textsOf(links) }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    token,
    project,
    invoice: invoices[0]!,
    users,
    links,
    /** Every request, as `METHOD path`. */
    seen,
    /** Settings that may change while it runs. */
    state,
    /** Users and active links beyond the existing ones, and the ids of existing records that have changed. */
    leftBehind: () => ({
      users: [...users.keys()].filter((id) => !others.users.has(id)).length,
      activeLinks: [...links].filter(([id, { status }]) => !others.links.has(id) && status === 'active').length,
      harmed: [...others.users, ...others.links].flatMap(([id, text]) =>
        JSON.stringify(users.get(id) ?? links.get(id)) === text ? [] : [id],
      ),
    }),
  }
}
