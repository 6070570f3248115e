import { type Exchange, exchangeText, fieldsOf, isOk } from './exchange.ts'
import { isFields } from '../schema/fields.ts'
import type { Marks } from './marks.ts'
import type { Send } from './service.ts'
import { CalibrationError, CouldNotTell } from './verdict.ts'

type Kind = 'users' | 'paymentLinks'

/** A row that this run has made. */
export interface Made {
  readonly id: string
  readonly created: Exchange
}

/** Everything that this run has made, and what has to be undone of it. */
export interface Ledger {
  /** Sends a create; answers the exchange, and the row when there is one now. `mark` finds it again: an email or an invoice. */
  create(kind: Kind, body: unknown, mark: string): Promise<{ readonly exchange: Exchange; readonly id?: string }>
  /** The rows made so far, oldest first, also those that are gone. */
  readonly users: readonly Made[]
  readonly links: readonly Made[]
  isOwn(id: string): boolean
  /** Tells that a probe has deleted the user, or canceled the link. */
  undone(id: string): void
  /** Deletes the users and cancels the links. Answers a sentence for each thing that is left behind. */
  cleanUp(send: Send): Promise<readonly string[]>
}

export const createLedger = (base: string, marks: Marks, probeSend: () => Send): Ledger => {
  const made = { users: [] as Made[], paymentLinks: [] as Made[] }
  const open = new Map<string, Kind>()
  // Creates whose outcome is not known: each mark with its kind.
  const unclear = new Map<string, Kind>()
  const own = new Set<string>()

  const create: Ledger['create'] = async (kind, body, mark) => {
    unclear.set(mark, kind)
    const answers = kind === 'users' ? 'user' : 'paymentLink'
    const exchange = await probeSend()({ method: 'POST', path: `${base}/${kind}`, body, answers })
    const { id } = fieldsOf(exchange)
    const isMade = isOk(exchange) && typeof id === 'string'
    if (!exchange.unsure && (isMade || (exchange.status >= 300 && exchange.status < 500))) unclear.delete(mark)
    // Refused for what the attempt before it has made, perhaps.
    if (!isMade && exchange.unsure)
      throw new CouldNotTell('asked again after a failure, so the answer proves nothing', exchange)
    if (!isMade) return { exchange }
    own.add(id)
    open.set(id, kind)
    made[kind].push({ id, created: exchange })
    return { exchange, id }
  }

  /** Looks for what a create may have made without saying so. */
  const find = async (send: Send, kind: Kind, mark: string) => {
    const query = `invoice=${encodeURIComponent(mark)}&status=active&limit=200`
    const exchange = await send(
      kind === 'users'
        ? { method: 'POST', path: `${base}/users/search`, body: { email: mark }, answers: 'users' }
        : { method: 'GET', path: `${base}/paymentLinks?${query}`, answers: 'paymentLinks' },
    )
    const { items } = fieldsOf(exchange)
    if (!isOk(exchange) || !Array.isArray(items)) throw new CouldNotTell(exchangeText(exchange))
    const isOurs = (item: unknown) =>
      kind === 'users' ? isFields(item) && item.email === mark : JSON.stringify(item).includes(marks.redirectUrl)
    for (const item of items.filter(isOurs)) {
      const { id } = item as { id: string }
      own.add(id)
      open.set(id, kind)
    }
  }

  const undo = async (send: Send, id: string, kind: Kind) => {
    const path = `${base}/${kind}/${encodeURIComponent(id)}`
    const exchange = await send(
      kind === 'users' ? { method: 'DELETE', path } : { method: 'POST', path: `${path}/cancel` },
    )
    // What is not there any more, or not active, needs no undoing.
    const isUndone =
      isOk(exchange) || exchange.status === 404 || (kind === 'paymentLinks' && (await isOver(send, path)))
    if (!isUndone) throw new CouldNotTell(exchangeText(exchange))
    open.delete(id)
  }

  const cleanUp = async (send: Send) => {
    const left: string[] = []
    const attempt = (what: string, work: Promise<void>) =>
      work.catch((error: unknown) => {
        if (!(error instanceof CouldNotTell || error instanceof CalibrationError)) throw error
        left.push(`${what}: ${error.message.replace(/\.$/, '')}.`)
      })
    for (const [mark, kind] of unclear)
      await attempt(
        `${kind === 'users' ? 'The user' : 'A payment link for'} '${mark}' may be left`,
        find(send, kind, mark),
      )
    for (const [id, kind] of open)
      await attempt(
        kind === 'users' ? `User '${id}' is left` : `Payment link '${id}' is left active`,
        undo(send, id, kind),
      )
    return left
  }

  return {
    create,
    users: made.users,
    links: made.paymentLinks,
    isOwn: (id) => own.has(id),
    undone: (id) => void open.delete(id),
    cleanUp,
  }
}

const isOver = async (send: Send, path: string): Promise<boolean> => {
  const { status } = fieldsOf(await send({ method: 'GET', path, answers: 'paymentLink' }))
  return status === 'canceled' || status === 'completed'
}
