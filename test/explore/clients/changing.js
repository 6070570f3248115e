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

export const changing = [limitedSuccess, conflictMeansPaid, staleCache, deletedTwice]
