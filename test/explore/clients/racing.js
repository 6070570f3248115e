/** Actors that are right alone, and wrong in some order. */
import { activeLinks, atMostOneActive, call, createLink, expect, linksOf, ok, seeded } from './call.js'

const ada = { id: 'usr_ada', email: 'ada@example.com' }
const oneLink = seeded({ users: [ada], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] })
const usersOf = async (mock) => (await mock.project('acme').users.list()).items
const both = (worker) => ({ first: worker('first'), second: worker('second') })
const customer = ({ mock }) =>
  mock
    .project('acme')
    .paymentLinks.pay('pml_1')
    .catch(() => {})

const searchThenCreate = {
  name: 'create before the search returns',
  given: { invariant: atMostOneActive },
  buggy: both(() => async ({ fetch }) => {
    const items = await activeLinks(fetch, 'inv_1')
    if (items.length === 0) await createLink(fetch, 'inv_1')
  }),
  corrected: both(() => async ({ fetch }) => {
    const items = await activeLinks(fetch, 'inv_1')
    if (items.length === 0) await createLink(fetch, 'inv_1')
    // The actor that created the link with the first id wins.
    const [, ...others] = (await activeLinks(fetch, 'inv_1')).map(({ id }) => id).toSorted()
    for (const id of others) await call(fetch, 'POST', `/paymentLinks/${id}/cancel`)
  }),
}

const cancelAfterPay = {
  name: 'cancel after pay',
  given: {
    options: oneLink,
    invariant: async ({ mock }) => {
      const [{ metadata }] = await usersOf(mock)
      const [link] = await linksOf(mock, 'inv_1')
      expect(!metadata.canceled || link.status === 'canceled', `noted as canceled, but the link is ${link.status}`)
    },
  },
  buggy: {
    customer,
    worker: async ({ fetch }) => {
      const link = await ok(fetch, 'GET', '/paymentLinks/pml_1')
      if (link.status !== 'active') return
      await call(fetch, 'POST', '/paymentLinks/pml_1/cancel')
      await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { canceled: true } })
    },
  },
  corrected: {
    customer,
    worker: async ({ fetch }) => {
      const { status } = await call(fetch, 'POST', '/paymentLinks/pml_1/cancel')
      if (status === 200) await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { canceled: true } })
    },
  },
}

const lostUpdate = {
  name: 'lost update',
  given: {
    options: oneLink,
    invariant: async ({ mock }) => {
      const [{ metadata }] = await usersOf(mock)
      const sum = Object.values(metadata).reduce((total, count) => total + count, 0)
      expect(sum === 2, `two visits were counted as ${sum}`)
    },
  },
  buggy: both(() => async ({ fetch }) => {
    const { metadata } = await ok(fetch, 'GET', '/users/usr_ada')
    await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { visits: (metadata.visits ?? 0) + 1 } })
  }),
  corrected: both((name) => async ({ fetch }) => {
    const { metadata } = await ok(fetch, 'GET', '/users/usr_ada')
    await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { [name]: (metadata[name] ?? 0) + 1 } })
  }),
}

const shipOnce =
  (emailOf) =>
  (name) =>
  async ({ fetch, sleep }) => {
    for (let reads = 0; reads < 3; reads++) {
      const link = await ok(fetch, 'GET', '/paymentLinks/pml_1')
      const { items } = await ok(fetch, 'GET', '/users')
      const isShipped = items.some(({ fullName }) => fullName === 'shipment of inv_1')
      if (link.status === 'completed' && !isShipped) {
        await call(fetch, 'POST', '/users', { email: emailOf(name), fullName: 'shipment of inv_1' })
        return
      }
      await sleep(1000)
    }
  }
const doubleShipment = {
  name: 'two pollers that both ship',
  given: {
    options: { ...oneLink, behaviors: { duplicateEmail: 'conflict' } },
    // Sleeps that overtake calls have too many orders to try all.
    overtakes: 0,
    invariant: async ({ mock }) => {
      const shipments = (await usersOf(mock)).filter(({ fullName }) => fullName === 'shipment of inv_1')
      expect(shipments.length <= 1, `inv_1 was shipped ${shipments.length} times`)
    },
  },
  buggy: { customer, ...both(shipOnce((name) => `${name}@shipments.example`)) },
  // The email is a key that only one user can have.
  corrected: { customer, ...both(shipOnce(() => 'inv_1@shipments.example')) },
}

const orphan = {
  name: 'user that is deleted while a link is created',
  given: {
    options: seeded({ users: [ada] }),
    invariant: async ({ mock }) => {
      const active = (await linksOf(mock, 'inv_1')).filter(({ status }) => status === 'active')
      expect(active.length === 0 || (await usersOf(mock)).length === 1, 'a link is active for a deleted user')
    },
  },
  buggy: {
    shop: async ({ fetch }) => {
      const { status } = await call(fetch, 'GET', '/users/usr_ada')
      if (status === 200) await createLink(fetch, 'inv_1')
    },
    cleaner: async ({ fetch }) => {
      if ((await activeLinks(fetch, 'inv_1')).length === 0) await ok(fetch, 'DELETE', '/users/usr_ada')
    },
  },
  corrected: {
    shop: async ({ fetch }) => {
      const link = await createLink(fetch, 'inv_1')
      const { status, body } = await call(fetch, 'GET', '/users/usr_ada')
      if (status === 404 || body.metadata.closing) await ok(fetch, 'POST', `/paymentLinks/${link.id}/cancel`)
    },
    cleaner: async ({ fetch }) => {
      await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { closing: true } })
      if ((await activeLinks(fetch, 'inv_1')).length === 0) await ok(fetch, 'DELETE', '/users/usr_ada')
      else await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { closing: null } })
    },
  },
}

/** A lock: each holder waits for the one before. */
const createLock = () => {
  let last = Promise.resolve()
  return () => {
    const before = last
    let release
    last = new Promise((resolve) => (release = resolve))
    return before.then(() => release)
  }
}

let locks
/** The first actor starts first: it makes the locks of the run. */
const locking =
  (names, isFirst) =>
  async ({ fetch }) => {
    if (isFirst) locks = { users: createLock(), links: createLock() }
    const releaseOuter = await locks[names[0]]()
    await ok(fetch, 'GET', '/users/usr_ada')
    const releaseInner = await locks[names[1]]()
    await ok(fetch, 'GET', '/paymentLinks')
    releaseInner()
    releaseOuter()
  }
const deadlock = {
  name: 'locks that are taken in another order',
  given: { options: oneLink, invariant: () => {} },
  buggy: { first: locking(['users', 'links'], true), second: locking(['links', 'users'], false) },
  corrected: { first: locking(['users', 'links'], true), second: locking(['users', 'links'], false) },
}

const letters = ['a', 'b', 'c', 'd']
const remover = ({ fetch }) => call(fetch, 'DELETE', '/users/usr_c')
const mark = async (fetch, onCursorLost) => {
  for (let after; ;) {
    const { status, body } = await call(fetch, 'GET', `/users?limit=2${after ? `&after=${after}` : ''}`)
    if (status === 400) return onCursorLost()
    for (const { id, metadata } of body.items)
      if (!metadata.marked) await call(fetch, 'PATCH', `/users/${id}`, { metadata: { marked: true } })
    if (body.moreItemsAfter === null) return undefined
    after = body.moreItemsAfter
  }
}
const lostCursor = {
  name: 'cursor that is deleted during a walk',
  given: {
    options: seeded({ users: letters.map((letter) => ({ id: `usr_${letter}`, email: `${letter}@example.com` })) }),
    invariant: async ({ mock }) => {
      const left = (await usersOf(mock)).filter(({ metadata }) => !metadata.marked)
      expect(left.length === 0, `${left.length} users were left out`)
    },
  },
  buggy: { remover, walker: ({ fetch }) => mark(fetch, () => {}) },
  corrected: { remover, walker: ({ fetch }) => mark(fetch, () => mark(fetch, () => {})) },
}

export const racing = [searchThenCreate, cancelAfterPay, lostUpdate, doubleShipment, orphan, deadlock, lostCursor]
