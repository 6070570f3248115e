import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

// A service of the specification that was written by somebody else: it shares no line with the mock, on purpose.
// Where the specification is silent it has a taste of its own, which only now and then is a reading that the mock knows.

type Json = Record<string, any>

interface Options {
  readonly token?: string
  readonly project?: string
  readonly invoices?: readonly string[]
  /** Answers to these requests, counted from one, are 429. */
  readonly busyAt?: (request: number) => boolean
  readonly retryAfter?: string
  /** What it does differently than it usually does. */
  readonly createStatus?: number
  readonly cancelTwice?: number
  readonly mayDelete?: boolean
  /** Called with each request; the answer waits for what it returns. */
  readonly onRequest?: (method: string, path: string) => Promise<void> | void
  /** Does the work of these requests and answers 503. */
  readonly losesAnswer?: (method: string, path: string) => boolean
}

class No extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Starts the service on a free port; it ends with the test. */
export const startStandIn = async (options: Options = {}) => {
  const { token = 'tok_real_secret', project = 'acme', invoices = ['inv_2025_0001'], createStatus = 202 } = options
  const users = new Map<string, Json>()
  const links = new Map<string, Json>()
  const seen: string[] = []
  const state = { createStatus, cancelTwice: options.cancelTwice ?? 409 }
  let counter = 0
  const nextId = (prefix: string) => `${prefix}_${String(++counter).padStart(6, '0')}`
  const time = () => '2026-03-04T05:06:07Z'

  // Somebody has been working here for long.
  for (const name of ['zoe', 'yan', 'xia']) {
    const id = nextId('usr')
    users.set(id, userOf(id, { email: `${name}@customer.example` }))
  }
  const old = nextId('pml')
  links.set(old, linkOf(old, { invoice: 'inv_2024_0777', partner: { redirectUrl: 'https://shop.example/done' } }))

  function userOf(id: string, body: Json): Json {
    const { email, fullName = null, birthday = null, metadata = {}, preferredLocale = 'de-DE' } = body
    const fields = { object: 'user', id, metadata, birthday, createdAt: time(), email, fullName, preferredLocale }
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

  const known = new Set(['email', 'fullName', 'birthday', 'metadata', 'preferredLocale'])
  const checkUser = (body: Json) => {
    for (const key of Object.keys(body)) if (!known.has(key)) throw new No(400, `what is ${key}?`)
    checkMetadata(body.metadata)
    if ([...users.values()].some((user) => user.email === body.email)) throw new No(409, 'email in use')
  }

  const list = (rows: Json[], query: URLSearchParams) => {
    for (const key of query.keys())
      if (!['after', 'before', 'limit', 'invoice', 'status'].includes(key)) throw new No(400, `what is ${key}?`)
    const after = query.get('after')
    const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1
    if (after !== null && from === 0) throw new No(410, 'that row is gone')
    const items = rows.slice(from, from + Number(query.get('limit') ?? 10))
    return { object: 'list', items, moreItemsAfter: null, moreItemsBefore: null }
  }
  const newestFirst = (rows: Map<string, Json>) => [...rows.values()].toReversed()

  const search = (body: Json) => {
    if (body.email === null) throw new No(400, 'email must not be null')
    const part = String(body.email ?? '').toLowerCase()
    return list(
      newestFirst(users).filter(({ email }) => email.toLowerCase().includes(part)),
      new URLSearchParams(),
    )
  }

  const createLink = (body: Json) => {
    if (!invoices.includes(body.invoice)) throw new No(404, `no invoice ${body.invoice}`)
    if (body.partner.user.fullName === undefined) throw new No(400, 'who pays?')
    if ([...links.values()].some(({ invoice }) => invoice === body.invoice)) throw new No(409, 'has a link already')
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

  const answer = (method: string, path: string, query: URLSearchParams, body: Json): [status: number, body: Json] => {
    const [, id = ''] = /^\/(?:users|paymentLinks)\/([^/]+)/.exec(path) ?? []
    if (method === 'GET' && path === '/users') return [200, list(newestFirst(users), query)]
    if (method === 'POST' && path === '/users/search') return [200, search(body)]
    if (method === 'POST' && path === '/users') {
      if (typeof body.email !== 'string') throw new No(400, 'email missing')
      checkUser(body)
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
      const fits = (row: Json) => row.invoice === (invoice ?? row.invoice) && row.status === (status ?? row.status)
      return [200, list(newestFirst(links).filter(fits), query)]
    }
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
      if (name !== project) throw new No(name?.startsWith('paylink-mock-calibrate') ? 403 : 404, 'not your project')
      const text = Buffer.concat(chunks).toString()
      const [status, body] = answer(incoming.method!, rest, searchParams, text === '' ? {} : JSON.parse(text))
      if (options.losesAnswer?.(incoming.method!, rest)) throw new No(503, 'lost')
      send(status, body)
    } catch (error) {
      const { status, message } = error instanceof No ? error : new No(500, String(error))
      // Like many a service in its early days it is too talkative.
      const errors = [{ title: message, received: incoming.headers.authorization }]
      send(status, { errors }, status === 429 ? { 'retry-after': options.retryAfter ?? '7' } : {})
    }
  }

  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const first = { users: users.size, links: links.size }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    token,
    project,
    invoice: invoices[0]!,
    users,
    links,
    /** Every request, as `METHOD path`. */
    seen,
    /** What can be changed while it runs. */
    state,
    /** What is there of others, and what came to it: users, and links that can still be paid. */
    leftBehind: () => ({
      users: users.size - first.users,
      activeLinks: [...links.values()].slice(first.links).filter(({ status }) => status === 'active').length,
    }),
  }
}
