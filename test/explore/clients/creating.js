/** Clients that create, and lose the response. */
import {
  activeLinks,
  atMostOneActive,
  call,
  createLink,
  createOneLink,
  expect,
  keepOnly,
  ok,
  retry,
  seeded,
} from './call.js'

const doubleCreate = {
  name: 'double create on retry',
  given: { invariant: atMostOneActive },
  buggy: ({ fetch, sleep }) => retry(sleep, () => createLink(fetch, 'inv_1')),
  corrected: (client) => createOneLink(client, 'inv_1'),
}

const oneUser = async ({ mock }) => {
  const { items } = await mock.project('acme').users.list()
  expect(items.length <= 1, `${items.length} users have the email ada@example.com`)
}
const signUp = { email: 'ada@example.com' }

const doubleUser = {
  name: 'sign-up that is sent twice',
  given: { invariant: oneUser },
  buggy: async ({ fetch, sleep }) => {
    const { items } = await ok(fetch, 'POST', '/users/search', signUp)
    if (items.length === 0) await retry(sleep, () => ok(fetch, 'POST', '/users', signUp))
  },
  corrected: async ({ fetch, sleep }) => {
    const search = async () => (await ok(fetch, 'POST', '/users/search', signUp)).items
    if ((await retry(sleep, search)).length > 0) return
    let attempts = 0
    const user = await retry(sleep, (tries) => {
      attempts = tries
      return ok(fetch, 'POST', '/users', signUp)
    })
    const remove = async ({ id }) => {
      const { status } = await call(fetch, 'DELETE', `/users/${id}`)
      if (status >= 400 && status !== 404) throw new Error(`not deleted: ${status}`)
    }
    if (attempts > 1) await keepOnly(sleep, user, search, remove)
  },
}

const unreadableList = {
  name: 'unreadable list taken for an empty one',
  given: { options: seeded({ paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }), invariant: atMostOneActive },
  buggy: async ({ fetch }) => {
    const items = await activeLinks(fetch, 'inv_1').catch(() => [])
    if (items.length === 0) await createLink(fetch, 'inv_1')
  },
  corrected: async ({ fetch, sleep }) => {
    const items = await retry(sleep, () => activeLinks(fetch, 'inv_1'))
    if (items.length === 0) await createLink(fetch, 'inv_1')
  },
}

const lookingOnce = {
  name: 'search that fails after a create that failed',
  given: { invariant: atMostOneActive, faults: 2 },
  buggy: ({ fetch, sleep }) =>
    retry(sleep, async (tries) => {
      // The client searches before a retry, but ignores an error of the search.
      const items = tries === 1 ? [] : await activeLinks(fetch, 'inv_1').catch(() => [])
      return items[0] ?? createLink(fetch, 'inv_1')
    }),
  corrected: (client) => createOneLink(client, 'inv_1'),
}

const rollback = {
  name: 'rollback of an update that happened',
  given: {
    options: seeded({ users: [{ id: 'usr_ada', email: 'ada@example.com' }] }),
    invariant: async ({ mock }) => {
      const acme = mock.project('acme')
      const { link } = (await acme.users.get('usr_ada')).metadata
      if (link === undefined) return
      const { status } = await acme.paymentLinks.get(link)
      expect(status === 'active', `the user is sent to a link that is ${status}`)
    },
  },
  buggy: async ({ fetch, sleep }) => {
    const { id } = await createLink(fetch, 'inv_1')
    try {
      await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { link: id } })
    } catch {
      await retry(sleep, () => ok(fetch, 'POST', `/paymentLinks/${id}/cancel`))
    }
  },
  corrected: async ({ fetch, sleep }) => {
    const { id } = await createLink(fetch, 'inv_1')
    try {
      await ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { link: id } })
    } catch {
      await retry(sleep, () => ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { link: null } }))
      await retry(sleep, () => ok(fetch, 'POST', `/paymentLinks/${id}/cancel`))
    }
  },
}

const endlessPoll = {
  name: 'poll that never ends',
  given: { invariant: () => {} },
  buggy: async ({ fetch, mock, sleep }) => {
    const { id } = await createLink(fetch, 'inv_1').catch(() => ({}))
    if (id !== undefined) await mock.project('acme').paymentLinks.pay(id, { when: { reads: 3 } })
    for (;;) {
      const { body } = await call(fetch, 'GET', `/paymentLinks/${id}`).catch(() => ({ body: {} }))
      if (body.status === 'completed') return
      await sleep(1000)
    }
  },
  corrected: async ({ fetch, mock, sleep, now }) => {
    const { id } = await createLink(fetch, 'inv_1')
    await mock.project('acme').paymentLinks.pay(id, { when: { reads: 3 } })
    const deadline = now() + 60_000
    while (now() < deadline) {
      const { body } = await call(fetch, 'GET', `/paymentLinks/${id}`).catch(() => ({ body: {} }))
      if (body.status === 'completed') return
      await sleep(1000)
    }
    throw new Error('The link was not paid in a minute.')
  },
}

export const creating = [doubleCreate, doubleUser, unreadableList, lookingOnce, rollback, endlessPoll]
