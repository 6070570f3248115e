import { type Exchange, exchangeText, fieldsOf, isOk } from './exchange.ts'
import { type CreateBody, idOf, type Kind, lookupOf, recordsOf } from './lookup.ts'
import type { Marks } from './marks.ts'
import type { Send } from './service.ts'
import { CalibrationError, CouldNotTell } from './verdict.ts'

/** A row that this run has made. */
export interface Made {
  readonly id: string
  readonly created: Exchange
}

/** Everything that this run has made, and what has to be undone of it. */
export interface Ledger {
  /** Sends a create, whose body contains the mark of this run. Returns the exchange, and the id of the new record if there is one. */
  create(kind: Kind, body: CreateBody): Promise<{ readonly exchange: Exchange; readonly id?: string }>
  /** The rows made so far, oldest first, also those that are gone. */
  readonly users: readonly Made[]
  readonly links: readonly Made[]
  isOwn(id: string): boolean
  /** Tells that a probe has deleted the user, or canceled the link. */
  undone(id: string): void
  /** The ids of the links that were created, and are not active any more. */
  canceled(): readonly string[]
  /** Deletes the users and cancels the links. Answers a sentence for each thing that is left behind. */
  cleanUp(send: Send): Promise<readonly string[]>
}

/** A create that may have created a record without returning it. */
interface Unclear {
  readonly kind: Kind
  readonly body: CreateBody
  /** The response that says so. */
  accepted?: Exchange
}

export const createLedger = (base: string, marks: Marks, probeSend: () => Send): Ledger => {
  const made = { users: [] as Made[], paymentLinks: [] as Made[] }
  const own = new Map<string, Kind>()
  const open = new Set<string>()
  const unclear = new Set<Unclear>()
  /** The ids that are the outcome of a create. */
  const explained = new Set<string>()

  const keep = (id: string, kind: Kind) => {
    own.set(id, kind)
    open.add(id)
  }

  const create: Ledger['create'] = async (kind, body) => {
    const attempt: Unclear = { kind, body }
    unclear.add(attempt)
    const answers = kind === 'users' ? 'user' : 'paymentLink'
    const exchange = await probeSend()({ method: 'POST', path: `${base}/${kind}`, body, answers })
    // A service may return a record of others, which is neither changed nor deleted.
    const id = isOk(exchange) && marks.isOn(exchange.body) ? idOf(exchange.body) : undefined
    if (isOk(exchange) && id === undefined) attempt.accepted = exchange
    if (!exchange.unsure && (id !== undefined || hasCreatedNothing(exchange))) unclear.delete(attempt)
    const isNew = id !== undefined && !own.has(id)
    // Refused for what the attempt before it has made, perhaps.
    if (!isNew && exchange.unsure)
      throw new CouldNotTell('asked again after a failure, so the answer proves nothing', exchange)
    if (!isNew) return { exchange }
    keep(id, kind)
    explained.add(id)
    made[kind].push({ id, created: exchange })
    return { exchange, id }
  }

  /** Looks for what a create may have made without saying so. */
  const find = async (send: Send, { kind, body, accepted }: Unclear) => {
    const found: string[] = []
    for await (const record of recordsOf(send, lookupOf(base, kind, body))) {
      if (!marks.isOn(record)) continue
      const id = idOf(record)
      if (id === undefined) throw new CouldNotTell(`a record with '${marks.run}' has no usable id`)
      keep(id, kind)
      found.push(id)
    }
    const outcome = found.find((id) => !explained.has(id))
    if (outcome !== undefined) explained.add(outcome)
    else if (accepted) throw new CouldNotTell(`${exchangeText(accepted)}, and no record with '${marks.run}' was found`)
  }

  const undo = async (send: Send, id: string, kind: Kind) => {
    const path = `${base}/${kind}/${encodeURIComponent(id)}`
    const exchange = await send(
      kind === 'users' ? { method: 'DELETE', path } : { method: 'POST', path: `${path}/cancel` },
    )
    if (!isOk(exchange) && !(await isOver(send, kind, path))) throw new CouldNotTell(exchangeText(exchange))
    open.delete(id)
  }

  const cleanUp = async (send: Send) => {
    const left: string[] = []
    const attempt = (what: string, work: () => Promise<void>) =>
      // Twice: most failures pass.
      work()
        .catch(work)
        .catch((error: unknown) => {
          if (!(error instanceof CouldNotTell || error instanceof CalibrationError)) throw error
          left.push(`${what}: ${error.message.replace(/\.$/, '')}.`)
        })
    for (const entry of unclear) await attempt(`${nameOf(entry)} may be left`, () => find(send, entry))
    for (const id of open) {
      const kind = own.get(id)!
      const what = kind === 'users' ? `User '${id}' is left` : `Payment link '${id}' is left active`
      await attempt(what, () => undo(send, id, kind))
    }
    return left
  }

  return {
    create,
    users: made.users,
    links: made.paymentLinks,
    isOwn: (id) => own.has(id),
    undone: (id) => void open.delete(id),
    canceled: () => [...own.keys()].filter((id) => own.get(id) === 'paymentLinks' && !open.has(id)),
    cleanUp,
  }
}

/** Every other status without a record may come from a service that has created one. */
const hasCreatedNothing = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 408

const nameOf = ({ kind, body }: Unclear): string =>
  kind === 'users' ? `The user '${body.email ?? body.fullName}'` : `A payment link for '${body.invoice}'`

/** Whether the record is gone, or a link that is not active. */
const isOver = async (send: Send, kind: Kind, path: string): Promise<boolean> => {
  const exchange = await send({ method: 'GET', path, answers: kind === 'users' ? 'user' : 'paymentLink' })
  const { status } = fieldsOf(exchange)
  const isInactive = kind === 'paymentLinks' && (status === 'canceled' || status === 'completed')
  return exchange.status === 404 || exchange.status === 410 || isInactive
}
