import * as fc from 'fast-check'

// A service that misbehaves at random. It keeps its own books on who created which record, and on every request that
// changes one, so that a test never has to believe what calibrate says.

type Json = Record<string, any>
type Kind = 'users' | 'paymentLinks'

interface StoredRecord {
  readonly kind: Kind
  readonly byRun: boolean
  body: Json
  /** The times from which and until which it can be read, in milliseconds. */
  readonly visibleAt: number
  goneAt: number
}

const lies = {
  create: [
    'lost',
    'unavailable',
    'late',
    'late record',
    'other id',
    'new id',
    'earlier id',
    'nothing',
    'no record',
    'stranger',
    'rejected',
    'busy',
    'update',
    'twice',
  ],
  change: ['lost', 'failed', 'nothing', 'failed nothing', 'gone nothing', 'slow'],
  read: ['gone', 'failed', 'lost'],
  list: ['short', 'failed', 'lost', 'foreign'],
} as const

type Lies = { readonly [K in keyof typeof lies]: readonly (typeof lies)[K][number][] }

/** How a service misbehaves: with which lies, how often (in percent), and with which draws. */
export interface Misbehavior {
  readonly lies: Lies
  readonly rate: number
  readonly draws: readonly number[]
  /** How long a late record may need to appear, in milliseconds. */
  readonly maxDelay: number
  readonly manyLinks: boolean
  readonly uniqueEmails: boolean
  /** The number of the request that interrupts the run. */
  readonly interruptedAt: number
}

const some = <T>(all: readonly T[]): fc.Arbitrary<T[]> =>
  fc.oneof(fc.constant<T[]>([]), fc.subarray([...all], { minLength: 1 }))

export const misbehaviors: fc.Arbitrary<Misbehavior> = fc.record({
  lies: fc.record({
    create: some(lies.create),
    change: some(lies.change),
    read: some(lies.read),
    list: some(lies.list),
  }),
  rate: fc.constantFrom(3, 10, 30, 60),
  draws: fc.array(fc.nat(9999), { minLength: 30, maxLength: 120 }),
  maxDelay: fc.constantFrom(3000, 3000, 100_000),
  manyLinks: fc.boolean(),
  uniqueEmails: fc.boolean(),
  interruptedAt: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 90 }) },
  ),
})

export const invoice = 'inv_given'

/** Creates a service with records of others. */
export const createUnreliableService = (how: Misbehavior) => {
  const records = new Map<string, StoredRecord>()
  const interruption = new AbortController()
  const liedLast = new Set<string>()
  const listedLinks = new Set<string>()
  /** What others would have to complain about. */
  const harm: string[] = []
  let time = Date.UTC(2026, 0, 1)
  let requests = 0
  let lies = 0
  let ids = 0
  let at = 0
  const draw = (below: number): number => (how.draws[at++ % how.draws.length]! + at) % below

  const add = (kind: Kind, fields: Json, byRun: boolean, delay = 0): Json => {
    const id = `${kind === 'users' ? 'usr' : 'pml'}_${++ids}`
    const shared = { id, createdAt: new Date(time).toISOString() }
    const body: Json =
      kind === 'users'
        ? {
            object: 'user',
            metadata: {},
            birthday: null,
            fullName: null,
            preferredLocale: 'en-GB',
            emailVerified: true,
            ...shared,
            ...fields,
          }
        : {
            object: 'paymentLink',
            canceledAt: null,
            completedAt: null,
            paymentUrl: 'https://pay.example',
            status: 'active',
            type: 'partner',
            ...shared,
            ...fields,
          }
    records.set(id, { kind, byRun, body, visibleAt: time + delay, goneAt: Infinity })
    return body
  }
  const addLink = ({ invoice: of, partner }: Json, byRun: boolean, delay?: number) =>
    add('paymentLinks', { invoice: of, partner: { redirectUrl: partner.redirectUrl } }, byRun, delay)
  for (const email of ['zoe@customer.example', 'yan@customer.example', '', undefined]) add('users', { email }, false)
  for (const of of [invoice, invoice, 'inv_other'])
    addLink({ invoice: of, partner: { redirectUrl: 'https://shop.example' } }, false)

  const isVisible = ({ visibleAt, goneAt }: StoredRecord) => visibleAt <= time && time < goneAt
  const visible = (kind: Kind) =>
    [...records.values()].filter((record) => record.kind === kind && isVisible(record)).toReversed()
  const strangers = (kind: Kind) => [...records.values()].filter((record) => record.kind === kind && !record.byRun)
  const mine = (kind: Kind) => [...records.values()].filter((record) => record.kind === kind && record.byRun)
  const pick = <T>(all: readonly T[]): T | undefined => all[draw(all.length || 1)]

  /** Draws a lie, but never two in a row about the same: nobody could ever find out. */
  const lie = <K extends keyof Lies>(about: K, question: string): Lies[K][number] | undefined => {
    const isDue = draw(100) < how.rate && !liedLast.has(question)
    const chosen = isDue ? pick<Lies[K][number]>(how.lies[about]) : undefined
    if (chosen === undefined) liedLast.delete(question)
    else if (about === 'read' || about === 'list') liedLast.add(question)
    if (chosen !== undefined) lies++
    return chosen
  }

  const json = (status: number, body: unknown = { why: 'no' }) => Response.json(body, { status })
  const lost = (): never => {
    throw new TypeError('fetch failed', { cause: new Error('socket hang up') })
  }
  const delay = () => 1 + draw(how.maxDelay)

  const create = (kind: Kind, body: Json): Response => {
    const isInvalid = kind === 'users' && typeof body.metadata === 'string'
    const insert = (after = 0) => (kind === 'users' ? add(kind, body, true, after) : addLink(body, true, after))
    const echo = (id: string | undefined) => json(201, { ...insert(), id })
    const inPlace = visible(kind).find(({ body: old }) =>
      kind === 'users' ? old.email === body.email : old.invoice === body.invoice && listedLinks.has(old.id),
    )
    switch (lie('create', '')) {
      case 'lost':
        insert(draw(2) * delay())
        return lost()
      case 'unavailable':
        insert(draw(2) * delay())
        return json(503)
      case 'late':
        insert(delay())
        return json(pick([500, 202, 408, 302])!, {})
      case 'late record':
        return json(201, insert(delay()))
      case 'other id':
        return echo(pick(strangers(kind))?.body.id)
      case 'new id':
        return echo('usr_none')
      case 'earlier id':
        return echo(pick(mine(kind))?.body.id)
      case 'nothing':
        return json(201, { ...body, id: 'usr_none' })
      case 'no record':
        insert()
        return json(201, {})
      case 'stranger':
        return json(200, pick(strangers(kind))?.body)
      // Later than calibrate waits, nobody would ever know.
      case 'rejected':
        insert(draw(2) * draw(3000))
        return json(422)
      case 'busy':
        insert()
        return json(429)
      case 'update':
        if (inPlace !== undefined) return json(200, Object.assign(inPlace.body, body))
        break
      case 'twice':
        // A second record and one that appears much later look like the two that were asked for.
        if (how.maxDelay <= 3000) insert()
        break
      case undefined:
    }
    if (isInvalid) return json(422)
    if (kind === 'users' && how.uniqueEmails && inPlace !== undefined) return json(409)
    if (kind === 'paymentLinks' && !how.manyLinks && mine(kind).length > 0) return json(409)
    return json(201, insert())
  }

  const change = (method: string, path: string, id: string, body: Json): Response => {
    const record = records.get(id)
    if (record !== undefined && !record.byRun) harm.push(`${method} ${path}`)
    if (record === undefined || !isVisible(record)) return json(404)
    const isInactive = record.body.status !== 'active'
    if (path.endsWith('/cancel') && isInactive) return json(409)
    const act = (after = 0) => {
      if (method === 'DELETE') record.goneAt = time + after
      else if (path.endsWith('/cancel')) record.body = { ...record.body, status: 'canceled', canceledAt: 'now' }
      else record.body = { ...record.body, ...body }
    }
    const before = record.body
    switch (lie('change', '')) {
      case 'lost':
        if (draw(2) === 0) act()
        return lost()
      case 'failed':
        act()
        return json(500)
      case 'nothing':
        return json(200, before)
      case 'failed nothing':
        return json(500)
      case 'gone nothing':
        return json(404)
      case 'slow':
        act(1500)
        return json(200, record.body)
      case undefined:
    }
    act()
    return json(200, record.body)
  }

  const list = (kind: Kind, question: string, fits: (body: Json) => boolean, query: URLSearchParams): Response => {
    let items = visible(kind).flatMap(({ body }) => (fits(body) ? [body] : []))
    switch (lie('list', question)) {
      case 'short':
        items = items.filter(() => draw(2) === 0)
        break
      case 'failed':
        return json(500)
      case 'lost':
        return lost()
      case 'foreign': {
        const own = pick(mine(kind))
        const other = pick(strangers(kind))
        if (own !== undefined && other !== undefined) items = [...items, { ...own.body, id: other.body.id }]
        break
      }
      case undefined:
    }
    if (kind === 'paymentLinks') for (const { id } of items) listedLinks.add(id)
    const from = query.has('after') ? items.findIndex(({ id }) => id === query.get('after')) + 1 : 0
    const page = items.slice(from, from + Number(query.get('limit') ?? 10))
    const isLast = from + page.length >= items.length
    return json(200, {
      object: 'list',
      items: page,
      moreItemsAfter: isLast ? null : page.at(-1)?.id,
      moreItemsBefore: null,
    })
  }

  const respond = (method: string, url: URL, body: Json): Response => {
    const [, project, path = ''] = /^\/projects\/([^/]+)(.*)$/.exec(url.pathname) ?? []
    if (project !== 'acme') return json(404)
    const [, kind, id = ''] = /^\/(users|paymentLinks)(?:\/([^/]+))?/.exec(path) as unknown as [string, Kind, string?]
    const question = `${method} ${path} ${url.searchParams.get('invoice')} ${body.email}`
    const query = url.searchParams
    if (path === '/users/search') return list('users', question, ({ email }) => email === body.email, query)
    if (method === 'POST' && id === '') return create(kind, body)
    if (method !== 'GET') return change(method, path, id, body)
    if (id === '') {
      const of = query.get('invoice')
      return list(kind, question, (one) => of === null || one.invoice === of, query)
    }
    const record = records.get(id)
    const lied = lie('read', question)
    if (lied === 'failed') return json(500)
    if (lied === 'lost') return lost()
    return record !== undefined && isVisible(record) && lied === undefined ? json(200, record.body) : json(404)
  }

  return {
    signal: interruption.signal,
    now: () => time,
    wait: async (milliseconds: number) => void (time += milliseconds),
    fetch: async (url: string, { method = 'GET', body }: RequestInit) => {
      time += 20
      if (++requests === how.interruptedAt) interruption.abort()
      return respond(method, new URL(url), body ? JSON.parse(new TextDecoder().decode(body as Uint8Array)) : {})
    },
    /** Requests that change a record of others. */
    harm,
    /** How often the service has misbehaved. */
    countLies: () => lies,
    /** The records of the run that exist, or will exist, and are not canceled. */
    listLeft: () =>
      [...records.values()].flatMap(({ byRun, goneAt, body }) =>
        byRun && goneAt === Infinity && (body.object === 'user' || body.status === 'active') ? [body.id as string] : [],
      ),
  }
}
