import { askTwice, createObserved, createUnknown, payer, type Probe, type Probes } from './probe.ts'
import {
  createInconclusiveError,
  type Exchange,
  getFields,
  InconclusiveError,
  isContentRejected,
  isOk,
  requireIds,
} from './service.ts'

/** How long a list may lag behind, and the pause before it is read again, in milliseconds. */
const maxLag = 10_000
const pollInterval = 500

/** The probe of how soon a list shows a new record. It runs before other probes use lists, which then wait as long. */
const listFreshnessProbe: Probe<'immediate' | 'delayed'> = {
  requests: [
    'POST /users and at once GET /users?limit=200, and that list again, three times',
    `GET /users?limit=200 every ${pollInterval} ms, for up to ${maxLag / 1000} s, while the new user is missing`,
  ],
  users: 3,
  run: async ({ createOtherUser, listUsers, wait, waitBeforeLists }) => {
    const list = () => listUsers('limit=200')
    const exchanges: Exchange[] = []
    for (const name of ['listed1', 'listed2', 'listed3']) {
      let atOnce!: Exchange
      const { id } = await createOtherUser(name, undefined, async () => {
        atOnce = await list()
      })
      let listed = atOnce
      let lag = 0
      while (!requireIds(listed).includes(id)) {
        if (lag === maxLag)
          throw new InconclusiveError(`the list does not show a user that was created ${maxLag / 1000} s ago`, atOnce)
        lag += pollInterval
        await wait(pollInterval)
        listed = await list()
      }
      const again = await list()
      if (!requireIds(again).includes(id))
        throw new InconclusiveError('a list shows a new user, and the next one does not', listed, again)
      if (lag > 0) {
        waitBeforeLists(lag + pollInterval)
        return createObserved('delayed', atOnce, listed)
      }
      exchanges.push(atOnce)
    }
    return createObserved('immediate', ...exchanges)
  },
}

const create = 'POST /paymentLinks'

/**
 * The probes of spec §4.2, in the order of a run. A service may accept only one link for an invoice,
 * so the first probe finds the smallest body, and the others use its link.
 */
export const paymentLinkProbes = {
  payerFields: {
    uses: ['link'],
    requests: [`${create} with an empty payer`, `${create} without each of its fields, until one is accepted`],
    run: async ({ createLink, invoice, link }) => {
      const empty = await createLink(invoice, {})
      if (empty.record !== undefined) return createObserved('optional', empty.exchange)
      const rejections = [requireRejection(empty.exchange)]
      for (const field of ['fullName', 'email', 'taxNumber'] as const) {
        const { [field]: _, ...rest } = payer
        const { exchange, record } = await createLink(invoice, rest)
        if (record !== undefined)
          return createUnknown(`an empty payer is rejected, and one without ${field} is not`, exchange)
        rejections.push(requireRejection(exchange))
      }
      // Only this proves that the payer was the reason.
      const complete = await link()
      return createObserved('required', ...rejections, complete.created)
    },
  },
  invoiceIds: {
    uses: ['link'],
    requests: [
      `${create} for a made-up invoice without 'inv_'`,
      `${create} for a made-up invoice 'inv_...'`,
      `${create} for the invoice again, if both are rejected`,
    ],
    links: 2,
    run: async ({ createLink, ids, invoice, link }) => {
      const given = await link()
      // As long as the known one: a service may check the length first.
      const length = Math.max(8, invoice.replace(/^inv_/, '').length)
      const plain = await createLink(`calibrate${ids.createRandomText(length)}`, payer)
      const prefixed = await createLink(`inv_${ids.createRandomText(length)}`, payer)
      const exchanges = [given.created, prefixed.exchange, plain.exchange]
      for (const { exchange, record } of [prefixed, plain]) if (record === undefined) requireRejection(exchange)
      if (prefixed.record !== undefined)
        return createObserved(plain.record === undefined ? 'prefix' : 'any', ...exchanges)
      if (plain.record !== undefined)
        return createUnknown("a made-up invoice is rejected with 'inv_' in front, and accepted without", ...exchanges)
      // Only this proves that the invoice was the reason: a service may reject every link by now.
      const again = await createLink(invoice, payer)
      if (again.record === undefined && again.exchange.status === prefixed.exchange.status)
        throw createInconclusiveError('the invoice itself is rejected the same way by now', again.exchange)
      return createObserved('seeded', ...exchanges)
    },
  },
  cancelInactive: {
    uses: ['link'],
    requests: ['POST /paymentLinks/{paymentLink}/cancel, twice', 'GET /paymentLinks/{paymentLink}'],
    run: async ({ created, link }) => {
      const { id } = await link()
      const cancel = () => created.change('paymentLinks', id, { method: 'POST', returns: 'paymentLink' }, '/cancel')
      const first = await cancel()
      if (!isOk(first)) throw createInconclusiveError('an active link could not be canceled', first)
      const again = await cancel()
      const [before, after] = [getFields(first), getFields(again)]
      if (isOk(again) && (before.canceledAt !== after.canceledAt || before.status !== after.status))
        return createUnknown('the second cancel is accepted and changes the link', first, again)
      const now = await created.retrieve('paymentLinks', id)
      if (getFields(now).status !== 'canceled') throw createInconclusiveError('the link is not canceled', now)
      if (isOk(again)) return createObserved('idempotent', first, again)
      if (again.status === 409) return createObserved('conflict', first, again)
      return createUnknown(`the second cancel returns ${again.status}`, first, again)
    },
  },
  // Before any other probe that needs a list. Not the first: an invalid invoice ends the run before users are created.
  listFreshness: listFreshnessProbe,
  paymentLinkOrder: {
    uses: ['link'],
    requests: [
      `${create} for the invoice again, unless there are two links already`,
      'GET /paymentLinks after the first link, and before it, each twice',
    ],
    links: 1,
    run: async ({ created, createLink, invoice, link, send }) => {
      const { id } = await link()
      if (created.links().length < 2) {
        const { exchange, record } = await createLink(invoice, payer)
        if (record === undefined)
          throw createInconclusiveError('needs a second link, and thus an unused invoice', exchange)
      }
      const later = created
        .links()
        .slice(1)
        .map((one) => one.id)
      // The cursor is a link of this run, so that its other links are next to it, even in a long list.
      const list = (direction: 'after' | 'before') => () => {
        const path = `/paymentLinks?${direction}=${encodeURIComponent(id)}&limit=200`
        return send({ method: 'GET', path, returns: 'paymentLinks' })
      }
      const listOwn = (page: Exchange) =>
        requireIds(page)
          .filter((one) => later.includes(one))
          .join()
      const [after, before] = await askTwice([list('after'), list('before')], listOwn)
      const [idsAfter, idsBefore] = [listOwn(after), listOwn(before)]
      if (idsAfter === later.join() && idsBefore === '') return createObserved('oldestFirst', after)
      if (idsBefore === later.toReversed().join() && idsAfter === '') return createObserved('newestFirst', before)
      if (idsAfter !== '' || idsBefore !== '')
        return createUnknown('the links are in neither order of creation', after, before)
      const why = 'the records of others are in the way: the later links are on neither page'
      throw new InconclusiveError(why, after, before)
    },
  },
} satisfies Probes

/** Returns the exchange if the service rejected its request. Throws an `InconclusiveError` otherwise. */
const requireRejection = (exchange: Exchange): Exchange => {
  if (isContentRejected(exchange)) return exchange
  throw createInconclusiveError('neither created nor rejected', exchange)
}
