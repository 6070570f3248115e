/** Actors with a bug that needs one lost response and one order: a worker takes what another actor did for its own work. */
import { activeLinks, call, createLink, expect, linksOf, ok, seeded } from './call.js'

const ada = { id: 'usr_ada', email: 'ada@example.com' }
const oneLink = seeded({ users: [ada], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] })
const uniqueEmails = { behaviors: { duplicateEmail: 'conflict' } }
const usersOf = async (mock) => (await mock.project('acme').users.list()).items
const given = (invariant, options = {}) => ({ invariant, options, faults: 1, effects: ['reset'] })

/** Makes a call that must not happen twice. If its response is lost, `recover` decides. */
const onLost = (attempt, recover) => attempt().catch(recover)

const cancel = (fetch, id) => call(fetch, 'POST', `/paymentLinks/${id}/cancel`)
const paying = async ({ fetch, mock }) => {
  const [link] = await activeLinks(fetch, 'inv_1')
  if (link) await mock.project('acme').paymentLinks.pay(link.id)
}

const conflictIsOwnCancel = {
  name: 'payment that is taken for the own cancel',
  given: given(async ({ mock, results }) => {
    const [{ status }] = await linksOf(mock, 'inv_1')
    expect(results.worker !== 'canceled' || status === 'canceled', `reported as canceled, but ${status}`)
  }, oneLink),
  buggy: {
    worker: async ({ fetch }) => {
      const attempt = async () => ((await cancel(fetch, 'pml_1')).status === 200 ? 'canceled' : 'paid')
      // The second cancel must be the one that fails.
      return onLost(attempt, async () => {
        await cancel(fetch, 'pml_1')
        return 'canceled'
      })
    },
    other: paying,
  },
  corrected: {
    worker: async ({ fetch }) => {
      const attempt = async () => ((await cancel(fetch, 'pml_1')).status === 200 ? 'canceled' : 'paid')
      return onLost(attempt, async () => {
        await cancel(fetch, 'pml_1')
        return (await ok(fetch, 'GET', '/paymentLinks/pml_1')).status
      })
    },
    other: paying,
  },
}

const searchAda = async (fetch) => (await ok(fetch, 'POST', '/users/search', { email: ada.email })).items
const signingUp = async ({ fetch }) => {
  if ((await searchAda(fetch)).length > 0) return undefined
  return (await ok(fetch, 'POST', '/users', { email: ada.email })).id
}
const deletedByEmail = {
  name: 'new user who is deleted for the old one',
  given: given(
    async ({ mock, results }) => {
      const ids = (await usersOf(mock)).map(({ id }) => id)
      expect(results.other === undefined || ids.includes(results.other), 'the new user was deleted')
    },
    seeded({ users: [ada] }),
  ),
  buggy: {
    worker: async ({ fetch }) => {
      const remove = async () => {
        for (const { id } of await searchAda(fetch)) await call(fetch, 'DELETE', `/users/${id}`)
      }
      await onLost(remove, remove)
    },
    other: signingUp,
  },
  corrected: {
    worker: async ({ fetch }) => {
      for (const { id } of await searchAda(fetch)) {
        const remove = () => call(fetch, 'DELETE', `/users/${id}`)
        await onLost(remove, remove)
      }
    },
    other: signingUp,
  },
}

const replacing = async ({ fetch }) => {
  if ((await activeLinks(fetch, 'inv_1')).length > 0) return undefined
  return (await createLink(fetch, 'inv_1')).id
}
const canceledByInvoice = {
  name: 'new link that is canceled for the old one',
  given: given(async ({ mock, results }) => {
    if (results.other === undefined) return
    const { status } = await mock.project('acme').paymentLinks.get(results.other)
    expect(status === 'active', `the new link is ${status}`)
  }, oneLink),
  buggy: {
    worker: async ({ fetch }) => {
      const close = async () => {
        for (const { id } of await activeLinks(fetch, 'inv_1')) await cancel(fetch, id)
      }
      await onLost(close, close)
    },
    other: replacing,
  },
  corrected: {
    worker: async ({ fetch }) => {
      for (const { id } of await activeLinks(fetch, 'inv_1')) {
        const close = () => cancel(fetch, id)
        await onLost(close, close)
      }
    },
    other: replacing,
  },
}

/** A lock: the user with this email, whom only one can create. */
const lock = { email: 'lock@example.com' }
const acquire = async (fetch, fullName) => (await call(fetch, 'POST', '/users', { ...lock, fullName })).status === 201
const doubleLock = {
  name: 'lock of another actor that is taken for the own one',
  given: given(({ results }) => expect(!results.worker || !results.other, 'both have the lock'), uniqueEmails),
  buggy: {
    worker: ({ fetch }) =>
      onLost(
        () => acquire(fetch, 'worker'),
        async () => {
          await acquire(fetch, 'worker')
          return true
        },
      ),
    other: ({ fetch }) => acquire(fetch, 'other'),
  },
  corrected: {
    worker: ({ fetch }) =>
      onLost(
        () => acquire(fetch, 'worker'),
        async () => {
          await acquire(fetch, 'worker')
          const { items } = await ok(fetch, 'POST', '/users/search', lock)
          return items[0].fullName === 'worker'
        },
      ),
    other: ({ fetch }) => acquire(fetch, 'other'),
  },
}

const keepNewest =
  (onPaid) =>
  async ({ fetch }) => {
    await onLost(
      () => createLink(fetch, 'inv_1'),
      async () => {
        const { id } = await createLink(fetch, 'inv_1')
        for (const other of (await ok(fetch, 'GET', '/paymentLinks?invoice=inv_1')).items)
          if (other.id !== id && (await cancel(fetch, other.id)).status === 409) await onPaid(fetch, id)
      },
    )
  }
const paidMeanwhile = {
  name: 'lost link that is paid before it is canceled',
  given: given(async ({ mock }) => {
    const statuses = new Set((await linksOf(mock, 'inv_1')).map(({ status }) => status))
    expect(!statuses.has('completed') || !statuses.has('active'), 'inv_1 is paid, and can be paid again')
  }),
  buggy: { worker: keepNewest(() => {}), other: paying },
  corrected: { worker: keepNewest(cancel), other: paying },
}

const ownUser = { email: ada.email, metadata: { owner: 'worker' } }
const importing =
  (isOwn) =>
  async ({ fetch }) => {
    const create = () => call(fetch, 'POST', '/users', ownUser)
    const isUsed = async () => {
      if ((await create()).status === 201) return false
      const [user] = await searchAda(fetch)
      return isOwn(user) ? ok(fetch, 'PATCH', `/users/${user.id}`, { fullName: 'Ada' }) : false
    }
    await onLost(create, isUsed)
  }
const registering = async ({ fetch }) => {
  const { status, body } = await call(fetch, 'POST', '/users', { email: ada.email, fullName: 'Countess Ada' })
  return status === 201 ? body.id : undefined
}
const overwrittenUser = {
  name: 'user of another actor that is taken for the own one',
  given: given(async ({ mock, results }) => {
    if (results.other === undefined) return
    const { fullName } = await mock.project('acme').users.get(results.other)
    expect(fullName === 'Countess Ada', `the user is called ${fullName}`)
  }, uniqueEmails),
  buggy: { worker: importing(() => true), other: registering },
  corrected: { worker: importing(({ metadata }) => metadata.owner === 'worker'), other: registering },
}

const closing =
  (onMissing) =>
  async ({ fetch }) => {
    const close = () => call(fetch, 'PATCH', '/users/usr_ada', { metadata: { state: 'closing' } })
    await onLost(close, async () => {
      if ((await close()).status === 404) await onMissing(fetch)
    })
  }
const deletingClosed = async ({ fetch }) => {
  const { body } = await call(fetch, 'GET', '/users/usr_ada')
  return body.metadata.state === 'closing' && (await call(fetch, 'DELETE', '/users/usr_ada')).status < 300
}
const resurrected = {
  name: 'deleted user who is created again',
  given: given(
    async ({ mock, results }) =>
      expect(!results.other || (await usersOf(mock)).length === 0, 'the deleted user is back'),
    seeded({ users: [ada] }),
  ),
  buggy: {
    worker: closing((fetch) => ok(fetch, 'POST', '/users', { email: ada.email, metadata: { state: 'closing' } })),
    other: deletingClosed,
  },
  corrected: { worker: closing(() => {}), other: deletingClosed },
}

/** Writes a note with the next version, as each actor does with a note of its own. */
const writeNote = async (fetch, name) => {
  const { metadata } = await ok(fetch, 'GET', '/users/usr_ada')
  const version = (metadata.version ?? 0) + 1
  const write = () => ok(fetch, 'PATCH', '/users/usr_ada', { metadata: { version, [name]: true } })
  return { version, write }
}
const noting =
  (isWritten) =>
  async ({ fetch }) => {
    const { version, write } = await writeNote(fetch, 'worker')
    await onLost(write, async () => {
      const { metadata } = await ok(fetch, 'GET', '/users/usr_ada')
      if (!isWritten(metadata, version)) await write()
    })
    return 'written'
  }
const otherNote = async ({ fetch }) => (await writeNote(fetch, 'other')).write()
const foreignVersion = {
  name: 'version of another actor that is taken for the own one',
  given: given(
    async ({ mock, results }) => {
      const [{ metadata }] = await usersOf(mock)
      expect(results.worker !== 'written' || metadata.worker, 'the note of the worker is missing')
    },
    seeded({ users: [ada] }),
  ),
  buggy: { worker: noting((metadata, version) => metadata.version >= version), other: otherNote },
  corrected: { worker: noting((metadata) => metadata.worker === true), other: otherNote },
}

const createCounted =
  (isCreated) =>
  async ({ fetch }) => {
    const list = async () => (await ok(fetch, 'GET', '/paymentLinks')).items
    const before = await list()
    await onLost(
      () => createLink(fetch, 'inv_1'),
      async () => {
        if (!isCreated(before, await list())) await createLink(fetch, 'inv_1')
      },
    )
    return 'created'
  }
const otherInvoice = ({ fetch }) => createLink(fetch, 'inv_2')
const foreignLink = {
  name: 'link of another actor that is counted as the own one',
  given: given(async ({ mock, results }) => {
    const { length } = await linksOf(mock, 'inv_1')
    expect(results.worker !== 'created' || length === 1, `inv_1 has ${length} links`)
  }),
  buggy: { worker: createCounted((before, after) => after.length > before.length), other: otherInvoice },
  corrected: {
    worker: createCounted((_, after) => after.some(({ invoice }) => invoice === 'inv_1')),
    other: otherInvoice,
  },
}

/** A job is a link: who cancels it does the job. */
const claim = async (fetch) => (await cancel(fetch, 'pml_1')).status === 200
const claimingWith =
  (isOwn) =>
  ({ fetch }) =>
    onLost(
      () => claim(fetch),
      async () => {
        if (await claim(fetch)) return true
        return isOwn(await ok(fetch, 'GET', '/paymentLinks/pml_1'))
      },
    )
const doubleClaim = {
  name: 'job of another actor that is done twice',
  given: given(({ results }) => expect(!results.worker || !results.other, 'both do the job'), oneLink),
  buggy: { worker: claimingWith(({ status }) => status === 'canceled'), other: ({ fetch }) => claim(fetch) },
  // Nothing shows who claimed it: a job that may be claimed is left alone.
  corrected: { worker: claimingWith(() => false), other: ({ fetch }) => claim(fetch) },
}

export const claiming = [
  conflictIsOwnCancel,
  deletedByEmail,
  canceledByInvoice,
  doubleLock,
  paidMeanwhile,
  overwrittenUser,
  resurrected,
  foreignVersion,
  foreignLink,
  doubleClaim,
]
