import type { Fields } from '../../schema/is-record.ts'
import {
  CalibrationError,
  type Exchange,
  formatExchange,
  getFields,
  InconclusiveError,
  isOk,
  type Request,
} from './exchange.ts'
import { listRecords, type Send } from './service.ts'

type Kind = 'users' | 'paymentLinks'

/** A record that this run has created. */
export interface CreatedRecord {
  readonly id: string
  readonly created: Exchange
}

/** The body of a create. An email, a full name or the invoice of a link identifies its record. */
type CreateBody = Fields & { readonly email?: string; readonly fullName?: string; readonly invoice?: string }

/** A create that may have created a record without returning it. */
interface UnclearCreate {
  readonly kind: Kind
  readonly body: CreateBody
  /** A 2xx response without the record. */
  accepted?: Exchange
}

export type RunIds = ReturnType<typeof createRunIds>

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
    /** Returns true if this run created the record. A service may change the case of a name. */
    isMarked: (record: unknown) =>
      JSON.stringify(record ?? null)
        .toLowerCase()
        .includes(run),
    /** Returns random letters and digits. */
    createRandomText,
  }
}

/** Creates an object that creates records in the service, and deletes or cancels them at the end of the run. */
export const trackCreatedRecords = (base: string, { run, isMarked }: RunIds, probeSend: Send) => {
  const created: Readonly<Record<Kind, CreatedRecord[]>> = { users: [], paymentLinks: [] }
  const own = new Map<string, { readonly kind: Kind; isUndone: boolean }>()
  const unclear = new Set<UnclearCreate>()
  /** The ids that are the outcome of a known create. */
  const explained = new Set<string>()

  const markUndone = (id: string): void => {
    const record = own.get(id)
    if (record !== undefined) record.isUndone = true
  }

  /** Sends a create. Returns the exchange, and the id of the new record, if any. */
  const create = async (
    kind: Kind,
    body: CreateBody,
    headers?: Request['headers'],
  ): Promise<{ exchange: Exchange; id?: string }> => {
    const attempt: UnclearCreate = { kind, body }
    unclear.add(attempt)
    const exchange = await probeSend({
      method: 'POST',
      path: `${base}/${kind}`,
      body,
      ...(headers && { headers }),
      returns: getResourceName(kind),
    })
    // A service may return a record that this run did not create. It must not be changed or deleted.
    const id = isOk(exchange) && isMarked(exchange.body) ? getId(exchange.body) : undefined
    if (isOk(exchange) && id === undefined) attempt.accepted = exchange
    if (!exchange.hasFailedBefore && (id !== undefined || hasCreatedNothing(exchange))) unclear.delete(attempt)
    if (id === undefined || own.has(id)) {
      // The service may have rejected it because of the record that the first attempt created.
      if (exchange.hasFailedBefore)
        throw new InconclusiveError('retried after a failure, so the response proves nothing', exchange)
      return { exchange }
    }
    own.set(id, { kind, isUndone: false })
    explained.add(id)
    created[kind].push({ id, created: exchange })
    return { exchange, id }
  }

  /** Finds the record that an unclear create may have created. */
  const find = async (send: Send, { kind, body, accepted }: UnclearCreate) => {
    const found: string[] = []
    for await (const record of listRecords(send, createLookup(base, kind, body))) {
      if (!isMarked(record)) continue
      const id = getId(record)
      if (id === undefined) throw new InconclusiveError(`a record with '${run}' has no usable id`)
      own.set(id, { kind, isUndone: false })
      found.push(id)
    }
    const outcome = found.find((id) => !explained.has(id))
    if (outcome !== undefined) explained.add(outcome)
    else if (accepted) throw new InconclusiveError(`${formatExchange(accepted)}, and no record with '${run}' was found`)
  }

  const undo = async (send: Send, id: string, kind: Kind) => {
    const path = `${base}/${kind}/${encodeURIComponent(id)}`
    const exchange = await send(
      kind === 'users' ? { method: 'DELETE', path } : { method: 'POST', path: `${path}/cancel` },
    )
    if (!isOk(exchange) && !(await isDeletedOrInactive(send, kind, path)))
      throw new InconclusiveError(formatExchange(exchange))
    markUndone(id)
  }

  /** Deletes the users and cancels the links. Returns a sentence for each failure. */
  const cleanUp = async (send: Send): Promise<readonly string[]> => {
    const left: string[] = []
    // Twice: most failures are temporary.
    const attempt = (what: string, work: () => Promise<void>) =>
      work()
        .catch(work)
        .catch((error: unknown) => {
          if (!(error instanceof InconclusiveError || error instanceof CalibrationError)) throw error
          left.push(`${what}: ${error.message.replace(/\.$/, '')}.`)
        })
    for (const entry of unclear) await attempt(`${describeCreate(entry)} may still exist`, () => find(send, entry))
    for (const [id, { kind, isUndone }] of own) {
      if (isUndone) continue
      const what = kind === 'users' ? `User '${id}' was not deleted` : `Payment link '${id}' is still active`
      await attempt(what, () => undo(send, id, kind))
    }
    return left
  }

  return {
    create,
    /** The records that probes have created, oldest first, including deleted ones. */
    users: created.users,
    links: created.paymentLinks,
    isOwn: (id: string) => own.has(id),
    /** Must be called when a probe has deleted a user or canceled a link. */
    markUndone,
    /** Returns the ids of the inactive links. */
    listCanceled: () =>
      [...own].flatMap(([id, { kind, isUndone }]) => (kind === 'paymentLinks' && isUndone ? [id] : [])),
    cleanUp,
  }
}

const getResourceName = (kind: Kind) => (kind === 'users' ? 'user' : 'paymentLink')

/** With any other status, the service may still have created a record. */
const hasCreatedNothing = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 408

const describeCreate = ({ kind, body }: UnclearCreate): string =>
  kind === 'users' ? `The user '${body.email ?? body.fullName}'` : `A payment link for '${body.invoice}'`

/** Whether the record is deleted, or a link that is not active. */
const isDeletedOrInactive = async (send: Send, kind: Kind, path: string): Promise<boolean> => {
  const exchange = await send({ method: 'GET', path, returns: getResourceName(kind) })
  const { status } = getFields(exchange)
  const isInactive = kind === 'paymentLinks' && (status === 'canceled' || status === 'completed')
  return exchange.status === 404 || exchange.status === 410 || isInactive
}

/** Returns the request for the list that contains the record of a create. Inactive links need no cancel. */
const createLookup = (base: string, kind: Kind, { email, invoice = '' }: CreateBody): Request => {
  if (kind === 'paymentLinks') {
    const query = `invoice=${encodeURIComponent(invoice)}&status=active&limit=200`
    return { method: 'GET', path: `${base}/paymentLinks?${query}`, returns: 'paymentLinks' }
  }
  // A search without an email finds no user, or all users.
  if (email === undefined) return { method: 'GET', path: `${base}/users?limit=200`, returns: 'users' }
  return { method: 'POST', path: `${base}/users/search`, body: { email }, returns: 'users' }
}

/** Returns the id of a record if it fits into one segment of a path. */
const getId = (record: unknown): string | undefined => {
  const { id } = getFields({ body: record })
  return typeof id === 'string' && !/^\.{0,2}$|\p{Surrogate}/u.test(id) ? id : undefined
}
