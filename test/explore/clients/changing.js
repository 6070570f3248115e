/** Clients that change, cancel or delete, and misread responses. */
import { atMostOneActive, call, cancelLink, createLink, expect, linksOf, ok, retry, seeded } from './call.js'

const ada = { id: 'usr_ada', email: 'ada@example.com' }
const oneLink = seeded({ users: [ada], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] })
const metadataOf = async (mock) => (await mock.project('acme').users.get('usr_ada')).metadata
const note = (fetch, metadata) => ok(fetch, 'PATCH', '/users/usr_ada', { metadata })

const limitedSuccess = {
  name: '429 taken for success',
  given: { options: oneLink, invariant: atMostOneActive },
  buggy: async ({ fetch }) => {
    const { status } = await call(fetch, 'POST', '/paymentLinks/pml_1/cancel')
    if (status < 500) await createLink(fetch, 'inv_1')
  },
  corrected: async ({ fetch }) => {
    const { status } = await call(fetch, 'POST', '/paymentLinks/pml_1/cancel')
    if (status < 400) await createLink(fetch, 'inv_1')
  },
}

const conflictMeansPaid = {
  name: 'conflict of a second cancel taken for a payment',
  given: {
    options: oneLink,
    invariant: async ({ mock }) => {
      const { paid } = await metadataOf(mock)
      const [link] = await linksOf(mock, 'inv_1')
      expect(!paid || link.status === 'completed', `the user counts as paid, but the link is ${link.status}`)
    },
  },
  buggy: async ({ fetch, sleep }) => {
    const { status } = await retry(sleep, () => call(fetch, 'POST', '/paymentLinks/pml_1/cancel'))
    if (status === 409) await note(fetch, { paid: true })
  },
  corrected: async ({ fetch, sleep }) => {
    const { status } = await retry(sleep, () => call(fetch, 'POST', '/paymentLinks/pml_1/cancel'))
    if (status !== 409) return
    const link = await retry(sleep, () => ok(fetch, 'GET', '/paymentLinks/pml_1'))
    if (link.status === 'completed') await note(fetch, { paid: true })
  },
}

const staleCache = {
  name: 'stale cache after cancel',
  given: {
    options: oneLink,
    invariant: async ({ mock }) => {
      const { offered } = await metadataOf(mock)
      const [link] = await linksOf(mock, 'inv_1')
      expect(offered !== 'pml_1' || link.status === 'active', `a ${link.status} link is offered to the user`)
    },
  },
  buggy: async ({ fetch, sleep }) => {
    const cache = new Map([['pml_1', await ok(fetch, 'GET', '/paymentLinks/pml_1')]])
    // Only the response updates the cache, and it may be lost.
    await ok(fetch, 'POST', '/paymentLinks/pml_1/cancel').then(
      (link) => cache.set('pml_1', link),
      () => {},
    )
    if (cache.get('pml_1').status === 'active') await retry(sleep, () => note(fetch, { offered: 'pml_1' }))
  },
  corrected: async ({ fetch, sleep }) => {
    const cache = new Map([['pml_1', await ok(fetch, 'GET', '/paymentLinks/pml_1')]])
    // A read may be stale, too, but a second cancel cannot succeed.
    await retry(sleep, () => cancelLink(fetch, 'pml_1'))
    cache.delete('pml_1')
    if (cache.get('pml_1')?.status === 'active') await retry(sleep, () => note(fetch, { offered: 'pml_1' }))
  },
}

const deletedTwice = {
  name: 'delete that fails because it worked',
  given: {
    options: seeded({ users: [ada] }),
    mustSucceed: ['reset', 'unavailable', 'malformed', 'rateLimited'],
    invariant: () => {},
  },
  buggy: ({ fetch, sleep }) => retry(sleep, () => ok(fetch, 'DELETE', '/users/usr_ada')),
  corrected: ({ fetch, sleep }) =>
    retry(sleep, async () => {
      const { status } = await call(fetch, 'DELETE', '/users/usr_ada')
      if (status >= 400 && status !== 404) throw new Error(`not deleted: ${status}`)
    }),
}

const swap = ['usr_a', 'usr_b']
const halfDone = {
  name: 'two updates of which one is lost',
  given: {
    options: seeded({ users: swap.map((id) => ({ id, email: `${id}@example.com` })) }),
    invariant: async ({ mock }) => {
      const { items } = await mock.project('acme').users.list()
      const emails = new Set(items.map(({ email }) => email))
      expect(emails.size === 2, `both users have the email ${[...emails][0]}`)
    },
  },
  buggy: async ({ fetch }) => {
    await ok(fetch, 'PATCH', '/users/usr_a', { email: 'usr_b@example.com' })
    await ok(fetch, 'PATCH', '/users/usr_b', { email: 'usr_a@example.com' })
  },
  corrected: async ({ fetch, sleep }) => {
    await retry(sleep, () => ok(fetch, 'PATCH', '/users/usr_a', { email: 'usr_b@example.com' }))
    await retry(sleep, () => ok(fetch, 'PATCH', '/users/usr_b', { email: 'usr_a@example.com' }))
  },
}

const counter = {
  name: 'error object read as a user',
  given: {
    options: seeded({ users: [{ ...ada, metadata: { visits: 5 } }] }),
    invariant: async ({ mock }) => {
      const { visits } = await metadataOf(mock)
      expect(visits >= 5, `the count of visits went from 5 to ${visits}`)
    },
  },
  buggy: async ({ fetch }) => {
    const { body } = await call(fetch, 'GET', '/users/usr_ada')
    await note(fetch, { visits: (body.metadata?.visits ?? 0) + 1 })
  },
  corrected: async ({ fetch }) => {
    const { metadata } = await ok(fetch, 'GET', '/users/usr_ada')
    await note(fetch, { visits: (metadata.visits ?? 0) + 1 })
  },
}

const invoices = ['inv_1', 'inv_2', 'inv_3', 'inv_4', 'inv_5']
const lostPage = {
  name: 'lost cursor page',
  given: {
    options: seeded({ users: [ada], paymentLinks: invoices.map((invoice) => ({ invoice })) }),
    invariant: async ({ mock }) => {
      const { closed } = await metadataOf(mock)
      const { items } = await mock.project('acme').paymentLinks.list({ status: 'active' })
      expect(!closed || items.length === 0, `the account is closed, but ${items.length} links are active`)
    },
  },
  buggy: async ({ fetch, sleep }) => {
    for (let after; ;) {
      const page = await call(fetch, 'GET', `/paymentLinks?limit=2${after ? `&after=${after}` : ''}`).catch(() => ({}))
      // A missing page is treated as the last one.
      const { items = [], moreItemsAfter = null } = page.body ?? {}
      for (const { id } of items) await retry(sleep, () => call(fetch, 'POST', `/paymentLinks/${id}/cancel`))
      if (moreItemsAfter === null) break
      after = moreItemsAfter
    }
    await note(fetch, { closed: true })
  },
  corrected: async ({ fetch, sleep }) => {
    for (let after; ;) {
      const path = `/paymentLinks?limit=2${after ? `&after=${after}` : ''}`
      const { items, moreItemsAfter } = await retry(sleep, () => ok(fetch, 'GET', path))
      for (const { id } of items) await retry(sleep, () => cancelLink(fetch, id))
      if (moreItemsAfter === null) break
      after = moreItemsAfter
    }
    await note(fetch, { closed: true })
  },
}

export const changing = [limitedSuccess, conflictMeansPaid, staleCache, deletedTwice, halfDone, counter, lostPage]
