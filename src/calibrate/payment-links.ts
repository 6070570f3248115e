import { type Exchange, exchangeText, fieldsOf, idsOf, isOk, isRefusal } from './exchange.ts'
import type { Probes } from './probe.ts'
import { payer, type Scene } from './scene.ts'
import { CouldNotTell, observed, unknown, untold, type Verdict } from './verdict.ts'

const create = 'POST /paymentLinks'

/**
 * The probes of spec §4.2, in the order in which they are asked. A service may take one link for an invoice only,
 * so the first looks at what is accepted with the least, and its link serves the others.
 */
export const paymentLinkProbes: Probes<'payerFields' | 'invoiceIds' | 'cancelInactive' | 'paymentLinkOrder'> = {
  payerFields: {
    uses: ['link'],
    requests: [`${create} with an empty payer`, `${create} without each of its fields, while that is refused`],
    ask: (scene) => askPayerFields(scene),
  },
  invoiceIds: {
    uses: ['link'],
    requests: [`${create} for a made-up invoice 'inv_...'`, `${create} for a made-up invoice without 'inv_'`],
    links: 2,
    ask: (scene) => askInvoiceIds(scene),
  },
  cancelInactive: {
    uses: ['link'],
    requests: ['POST /paymentLinks/{paymentLink}/cancel, twice'],
    ask: (scene) => askCancelInactive(scene),
  },
  paymentLinkOrder: {
    uses: ['link'],
    requests: [
      `${create} for the invoice again, unless there are two links already`,
      'GET /paymentLinks after the first link, and before it',
    ],
    links: 1,
    ask: (scene) => askPaymentLinkOrder(scene),
  },
}

const askPayerFields = async (scene: Scene): Promise<Verdict<'optional' | 'required'>> => {
  const empty = await scene.createLink(scene.invoice, {})
  if (empty.id !== undefined) return observed('optional', empty.exchange)
  const refused = [refusalOf(empty.exchange)]
  for (const field of ['fullName', 'email', 'taxNumber'] as const) {
    const { [field]: _, ...rest } = payer
    const { exchange, id } = await scene.createLink(scene.invoice, rest)
    if (id !== undefined) return unknown(`an empty payer is refused, and one without ${field} is not`, exchange)
    refused.push(refusalOf(exchange))
  }
  // Only now it is known that it was the payer that was refused.
  const complete = await scene.link()
  return observed('required', ...refused, complete.created)
}

const askInvoiceIds = async (scene: Scene): Promise<Verdict<'any' | 'prefix' | 'seeded'>> => {
  const given = await scene.link()
  // As long as the known one: a service may look at the length first.
  const length = Math.max(8, scene.invoice.replace(/^inv_/, '').length)
  const prefixed = await scene.createLink(`inv_${scene.marks.made(length)}`, payer)
  const plain = await scene.createLink(`calibrate${scene.marks.made(length)}`, payer)
  const seen = [given.created, prefixed.exchange, plain.exchange]
  for (const { exchange, id } of [prefixed, plain]) if (id === undefined) refusalOf(exchange)
  if (prefixed.id === undefined)
    return plain.id === undefined
      ? observed('seeded', ...seen)
      : unknown("a made-up invoice is refused with 'inv_' in front, and not without", ...seen)
  return observed(plain.id === undefined ? 'prefix' : 'any', ...seen)
}

const cancel = async (scene: Scene, id: string): Promise<Exchange> => {
  const path = `/paymentLinks/${encodeURIComponent(id)}/cancel`
  const exchange = await scene.send({ method: 'POST', path, answers: 'paymentLink' })
  if (isOk(exchange)) scene.ledger.undone(id)
  return exchange
}

const askCancelInactive = async (scene: Scene): Promise<Verdict<'conflict' | 'idempotent'>> => {
  const { id } = await scene.link()
  const first = await cancel(scene, id)
  if (!isOk(first)) return untold(`an active link could not be canceled: ${exchangeText(first)}`, first)
  const again = await cancel(scene, id)
  if (again.status === 409) return observed('conflict', first, again)
  if (!isOk(again)) return unknown(`the second cancel answers ${again.status}`, first, again)
  const [before, after] = [fieldsOf(first), fieldsOf(again)]
  if (before.canceledAt === after.canceledAt && before.status === after.status)
    return observed('idempotent', first, again)
  return unknown('the second cancel is accepted and changes the link', first, again)
}

const askPaymentLinkOrder = async (scene: Scene): Promise<Verdict<'newestFirst' | 'oldestFirst'>> => {
  const first = await scene.link()
  if (scene.ledger.links.length < 2) await secondLink(scene)
  const [, ...later] = scene.ledger.links.map(({ id }) => id)
  const after = await page(scene, 'after', first.id)
  const before = await page(scene, 'before', first.id)
  const shown = { after: ownIn(after, later), before: ownIn(before, later) }
  if (same(shown.after, later) && shown.before.length === 0) return observed('oldestFirst', after)
  if (same(shown.before, later.toReversed()) && shown.after.length === 0) return observed('newestFirst', before)
  if (shown.after.length + shown.before.length > 0)
    return unknown('the links are listed neither by their creation nor against it', after, before)
  return untold('the rows of others are in the way: the later links are on neither page', after, before)
}

const secondLink = async (scene: Scene): Promise<void> => {
  const { exchange, id } = await scene.createLink(scene.invoice, payer)
  if (id === undefined)
    throw new CouldNotTell(`needs a second link, and thus an unused invoice: ${exchangeText(exchange)}`, exchange)
}

// Anchored at a link of ours: whatever rows others have, ours are its neighbours.
const page = (scene: Scene, direction: 'after' | 'before', id: string): Promise<Exchange> => {
  const path = `/paymentLinks?${direction}=${encodeURIComponent(id)}&limit=200`
  return scene.send({ method: 'GET', path, answers: 'paymentLinks' })
}

const ownIn = (exchange: Exchange, own: readonly string[]): string[] => {
  const ids = idsOf(exchange)
  if (ids === undefined || !isOk(exchange))
    throw new CouldNotTell(`no page of links: ${exchangeText(exchange)}`, exchange)
  return ids.filter((id) => own.includes(id))
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join()

/** The exchange, if it is a refusal of what was asked. */
const refusalOf = (exchange: Exchange): Exchange => {
  if (isRefusal(exchange)) return exchange
  throw new CouldNotTell(`neither made nor refused: ${exchangeText(exchange)}`, exchange)
}
