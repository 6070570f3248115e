// The records that a run creates, which it deletes or cancels at the end.
import type { Fields } from '../../schema/json-value.ts'
import {
  CalibrationError,
  createInconclusiveError,
  type Exchange,
  formatExchange,
  getFields,
  InconclusiveError,
  isOk,
  listRecords,
  type Request,
  type Send,
  type ServiceOptions,
} from './service.ts'

type CreatedKind = 'users' | 'paymentLinks'

/** A record that this run has created. */
export interface CreatedRecord {
  readonly id: string
  readonly created: Exchange
  /** The record as the service returned it afterwards. */
  readonly retrieved: Exchange
}

/** The body of a create. An email or the invoice of a link finds its record. */
type CreateBody = Fields & { readonly email?: string; readonly invoice?: string }

/** The creates whose records one list contains. */
interface Lookup {
  readonly kind: CreatedKind
  readonly request: Request
  /** A sentence for each create that may have created a record without returning it. */
  readonly unclear: string[]
}

interface OwnRecord {
  readonly lookup: Lookup
  /** Undefined: only the list has shown it. */
  readonly created?: CreatedRecord
  /** Whether the last list contains it, and not as an inactive link. */
  isListed: boolean
  isCanceled: boolean
  /** Whether it was retrieved, although its create has not returned it. */
  isFound: boolean
}

const newRecord = { isListed: false, isCanceled: false, isFound: false }

type RunIds = ReturnType<typeof createRunIds>

/** Creates values that identify the records of one run. `random` is like `Math.random`. */
export const createRunIds = (random: () => number) => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
  const createRandomText = (length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
  const run = createRandomText(10)
  return {
    /** Unique to this run. The body of every create contains it. */
    run,
    createEmail: (n: number | string) => `paylink-mock-calibrate+${run}.${n}@example.com`,
    fullName: `Paylink Mock Calibrate ${run}`,
    /** Links have no other field that a client can set and read back. */
    redirectUrl: `https://example.com/paylink-mock-calibrate/${run}`,
    /** Returns true if the record has a field that this run has set. A service may change the case of a name. */
    isMarked: (record: unknown) =>
      JSON.stringify(record ?? null)
        .toLowerCase()
        .includes(run),
    /** Returns random letters and digits. */
    createRandomText,
  }
}

/** How long a service may need until a create or a deletion is visible everywhere, in milliseconds. */
const settlingTime = 5000
/** Consecutive passes without a record of the run that prove that none is left: one list may omit it. */
const cleanPasses = 2
const maxPasses = 5

/**
 * Creates an object that creates records in the service, and deletes or cancels them at the end of the run. It trusts no
 * response alone: a record is changed only if it can be retrieved with the mark of the run, and did not exist before.
 */
export const trackCreatedRecords = (base: string, { run, isMarked }: RunIds, probeSend: Send) => {
  const own = new Map<string, OwnRecord>()
  /** The links that existed before the first create for their invoice. A service may update them in place. */
  const others = new Set<string>()
  const lookups = new Map<string, Lookup>()

  const getPath = (kind: CreatedKind, id: string) => `${base}/${kind}/${encodeURIComponent(id)}`
  const retrieve = (kind: CreatedKind, id: string, send = probeSend): Promise<Exchange> =>
    send({ method: 'GET', path: getPath(kind, id), returns: getResourceName(kind) })
  const isOurs = (exchange: Exchange, id: string): boolean =>
    isOk(exchange) && getRecordId(exchange.body) === id && isMarked(exchange.body) && !others.has(id)

  const listCreated = (kind: CreatedKind) =>
    [...own.values()].flatMap(({ lookup, created }) => (created && lookup.kind === kind ? created : []))

  const getLookup = async (kind: CreatedKind, body: CreateBody): Promise<Lookup> => {
    const request = createLookup(base, kind, body)
    const key = JSON.stringify(request)
    const known = lookups.get(key)
    if (known !== undefined) return known
    if (kind === 'paymentLinks')
      for await (const link of listRecords(probeSend, request)) others.add(getRecordId(link) ?? '')
    const lookup = { kind, request, unclear: [] }
    lookups.set(key, lookup)
    return lookup
  }

  /**
   * Sends a create. Returns the exchange, and the new record if it can be retrieved. `atOnce` is called before any other
   * request, if the service returns a new record.
   */
  const create = async (
    kind: CreatedKind,
    body: CreateBody,
    headers?: Request['headers'],
    atOnce?: () => Promise<void>,
  ): Promise<{ exchange: Exchange; record?: CreatedRecord }> => {
    const lookup = await getLookup(kind, body)
    const addUnclear = (reason: string) =>
      lookup.unclear.push(
        `${describeCreate(kind, body)} may still exist: ${reason}, and no record with '${run}' was found.`,
      )
    const returns = getResourceName(kind)
    const request = { path: `${base}/${kind}`, body, ...(headers && { headers }), returns, isSentOnce: true } as const
    const exchange = await probeSend({ method: 'POST', ...request }).catch((error: unknown) => {
      // Other errors mean that it was not sent, or rejected because of the rate limit.
      if (error instanceof CalibrationError) addUnclear(error.message.replace(/\.$/, ''))
      throw error
    })
    const id = isOk(exchange) ? getRecordId(exchange.body) : undefined
    const known = own.get(id ?? '')
    if (hasCreatedNothing(exchange) || known?.lookup === lookup) return { exchange }
    addUnclear(formatExchange(exchange))
    if (id === undefined || known !== undefined || !isMarked(exchange.body)) return { exchange }
    await atOnce?.()
    const retrieved = await retrieve(kind, id)
    if (!isOurs(retrieved, id)) return { exchange }
    lookup.unclear.pop()
    const record = { id, created: exchange, retrieved }
    own.set(id, { ...newRecord, lookup, created: record })
    return { exchange, record }
  }

  /** Sends a request that changes a record of this run. Rejects if the service does not show that it is one. */
  const change = async (
    kind: CreatedKind,
    id: string,
    request: Omit<Request, 'path'>,
    action = '',
  ): Promise<Exchange> => {
    const before = await retrieve(kind, id)
    if (!isOurs(before, id))
      throw createInconclusiveError('the record cannot be recognized as created by this run', before)
    return probeSend({ ...request, path: `${getPath(kind, id)}${action}` })
  }

  const look = async (send: Send, lookup: Lookup): Promise<void> => {
    for await (const record of listRecords(send, lookup.request)) {
      const id = getRecordId(record)
      if (!isMarked(record) || others.has(id ?? '')) continue
      if (id === undefined) throw new InconclusiveError(`a record with '${run}' has no usable id`)
      const known = own.get(id) ?? { ...newRecord, lookup }
      known.isListed = !isInactive(lookup.kind, record)
      own.set(id, known)
    }
  }

  /** Deletes or cancels a record. Rejects unless it was already deleted or inactive: only the next pass sees the effect. */
  const undo = async (send: Send, id: string, record: OwnRecord): Promise<void> => {
    const { kind } = record.lookup
    const before = await retrieve(kind, id, send)
    const isProven = isOurs(before, id)
    record.isFound ||= isProven && record.created === undefined
    record.isCanceled = isProven && isInactive(kind, before.body)
    const isGone = before.status === 404 || before.status === 410
    if (record.isCanceled || (isGone && !record.isListed)) return
    if (isGone) throw createInconclusiveError('it is still listed', before)
    if (!isProven) throw createInconclusiveError('it cannot be recognized', before)
    const path = getPath(kind, id)
    const exchange = await send(
      kind === 'users' ? { method: 'DELETE', path } : { method: 'POST', path: `${path}/cancel` },
    )
    throw new InconclusiveError(`${formatExchange(exchange)}${isOk(exchange) ? ' without an effect' : ''}`)
  }

  /** Looks for records of the run, and undoes them. Returns a sentence for each that was there, and for each failure. */
  const cleanUpOnce = async (send: Send): Promise<readonly string[]> => {
    const left: string[] = []
    const attempt = (what: string, work: Promise<void>) =>
      work.catch((error: unknown) => {
        if (!(error instanceof InconclusiveError || error instanceof CalibrationError)) throw error
        left.push(`${what}: ${error.message.replace(/\.$/, '')}.`)
      })
    for (const record of own.values()) record.isListed = false
    for (const lookup of lookups.values()) await attempt('More records may exist', look(send, lookup))
    for (const [id, record] of own) {
      const isUser = record.lookup.kind === 'users'
      const what = isUser ? `User '${id}' was not deleted` : `Payment link '${id}' is still active`
      await attempt(what, undo(send, id, record))
    }
    return left
  }

  /** Deletes the users and cancels the links. Returns a sentence for each that may remain. */
  const cleanUp = async (send: Send, wait: ServiceOptions['wait']): Promise<readonly string[]> => {
    let left: readonly string[] = []
    let clean = lookups.size === 0 ? cleanPasses : 0
    for (let pass = 1; clean < cleanPasses && pass <= maxPasses; pass++) {
      if (pass > 1) await wait(settlingTime)
      const now = await cleanUpOnce(send)
      // The first pass proves nothing: a record may appear late.
      clean = now.length === 0 && pass > 1 ? clean + 1 : 0
      if (now.length > 0) left = now
    }
    const missing = [...lookups.values()].flatMap((lookup) => {
      const found = [...own.values()].filter((record) => record.lookup === lookup && record.isFound)
      return lookup.unclear.slice(found.length)
    })
    return [...missing, ...(clean < cleanPasses ? left : [])]
  }

  return {
    create,
    change,
    retrieve: (kind: CreatedKind, id: string) => retrieve(kind, id),
    /** The records that probes have created, oldest first, including deleted ones. */
    users: () => listCreated('users'),
    links: () => listCreated('paymentLinks'),
    /** Returns the ids of the inactive links, after the clean-up. */
    listCanceled: () => [...own].flatMap(([id, { isCanceled }]) => (isCanceled ? [id] : [])),
    cleanUp,
  }
}

const getResourceName = (kind: CreatedKind) => (kind === 'users' ? 'user' : 'paymentLink')

const isInactive = (kind: CreatedKind, record: unknown): boolean =>
  kind === 'paymentLinks' && ['canceled', 'completed'].includes(String(getFields({ body: record }).status))

/** With any other status, the service may still have created a record. */
const hasCreatedNothing = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 408

const describeCreate = (kind: CreatedKind, { email, invoice }: CreateBody): string =>
  kind === 'users' ? `The user '${email}'` : `A payment link for '${invoice}'`

/** Returns the request for the list that contains the record of a create. */
const createLookup = (base: string, kind: CreatedKind, { email, invoice = '' }: CreateBody): Request => {
  if (kind === 'users') return { method: 'POST', path: `${base}/users/search`, body: { email }, returns: 'users' }
  const query = `invoice=${encodeURIComponent(invoice)}&limit=200`
  return { method: 'GET', path: `${base}/paymentLinks?${query}`, returns: 'paymentLinks' }
}

/** Returns the id of a record if it fits into one segment of a path. */
const getRecordId = (record: unknown): string | undefined => {
  const { id } = getFields({ body: record })
  return typeof id === 'string' && !/^\.{0,2}$|\p{Surrogate}/u.test(id) ? id : undefined
}
