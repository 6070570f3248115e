/** Actors with a bug that needs one lost response and one order: a worker recovers while another actor acts. */
import { call, expect, ok, seeded } from './call.js'

const ada = { id: 'usr_ada', email: 'ada@example.com' }
const usersOf = async (mock) => (await mock.project('acme').users.list()).items
const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }

/** Creates; if the response is lost, looks for the record with `find`, and creates again if there is none. */
const createOnce = (create, find) => async (client) => {
  await create(client).catch(async () => (await find(client)) ?? create(client))
}
const createLink = ({ fetch }) => ok(fetch, 'POST', '/paymentLinks', link)
const createAda = ({ fetch }) => ok(fetch, 'POST', '/users', { email: ada.email })
const findLink =
  (query) =>
  async ({ fetch }) =>
    (await ok(fetch, 'GET', `/paymentLinks?invoice=inv_1${query}`)).items[0]
const findUser =
  (body) =>
  async ({ fetch }) =>
    (await ok(fetch, 'POST', '/users/search', body)).items[0]

/** Acts on the first record that it sees. */
const onFirst = (path, act) => async (client) => {
  const { items } = await ok(client.fetch, 'GET', path)
  if (items.length > 0) await act(client, items[0].id)
}
const paying = onFirst('/paymentLinks', ({ mock }, id) => mock.project('acme').paymentLinks.pay(id))
const canceling = onFirst('/paymentLinks', ({ fetch }, id) => ok(fetch, 'POST', `/paymentLinks/${id}/cancel`))
const deleting = onFirst('/users', ({ fetch }, id) => call(fetch, 'DELETE', `/users/${id}`))
const renaming = onFirst('/users', ({ fetch }, id) =>
  call(fetch, 'PATCH', `/users/${id}`, { email: 'ada@new.example' }),
)

const createdOnce =
  (prefix, what) =>
  async ({ mock }) => {
    const { progress } = await mock.project('acme').state.get()
    expect((progress.counters[prefix] ?? 0) <= 1, `two ${what} were created`)
  }
const oneLink = createdOnce('pml', 'links')
const oneUser = createdOnce('usr', 'users')

/** Never creates again: the record may have been changed or deleted meanwhile. */
const createOrAsk = (create, find) => async (client) => {
  await create(client).catch(async () => {
    if ((await find(client)) === undefined) throw new Error('unknown: a person must look')
  })
}

const given = (invariant, options) => ({ invariant, faults: 1, effects: ['reset'], ...(options && { options }) })
const creates = [
  ['link that is paid before the worker looks for active ones', oneLink, createLink, '&status=active', '', paying],
  [
    'link that is canceled before the worker looks for active ones',
    oneLink,
    createLink,
    '&status=active',
    '',
    canceling,
  ],
].map(([name, invariant, create, wrong, right, other]) => ({
  name,
  given: given(invariant),
  buggy: { worker: createOnce(create, findLink(wrong)), other },
  corrected: { worker: createOrAsk(create, findLink(right)), other },
}))
const users = [
  ['user who is renamed before the worker looks for the email', renaming],
  ['user who is deleted before the worker looks for the email', deleting],
].map(([name, other]) => ({
  name,
  given: given(oneUser),
  buggy: { worker: createOnce(createAda, findUser({ email: ada.email })), other },
  corrected: { worker: createOrAsk(createAda, findUser({ email: ada.email })), other },
}))

/** Writes again when the response is lost; the other actor has replied to the first write meanwhile. */
const replied = (path, write, isWritten, reply, hasReply) => {
  const put = ({ fetch }) => ok(fetch, 'PATCH', path, write)
  const read = ({ fetch }) => ok(fetch, 'GET', path)
  const other = async (client) => {
    if (!isWritten(await read(client))) return false
    await ok(client.fetch, 'PATCH', path, reply)
    return true
  }
  return {
    given: given(
      async ({ mock, results }) => {
        const [user] = await usersOf(mock)
        expect(!results.other || hasReply(user), 'the reply of the other actor is lost')
      },
      seeded({ users: [ada] }),
    ),
    buggy: { worker: (client) => put(client).catch(() => put(client)), other },
    corrected: {
      worker: (client) =>
        put(client).catch(async () => {
          const found = await read(client)
          if (!isWritten(found) && !hasReply(found)) await put(client)
        }),
      other,
    },
  }
}
const replies = [
  { name: 'name', field: 'fullName', first: 'Ada', second: 'Ada Lovelace' },
  { name: 'locale', field: 'preferredLocale', first: 'de-DE', second: 'de-AT' },
  { name: 'birthday', field: 'birthday', first: '2000-01-01', second: '2000-01-02' },
  { name: 'email', field: 'email', first: 'a@one.example', second: 'a@two.example' },
].map(({ name, field, first, second }) => ({
  name: `second write of a ${name} over the reply to the first`,
  ...replied(
    '/users/usr_ada',
    { [field]: first },
    (user) => user[field] === first,
    { [field]: second },
    (user) => user[field] === second,
  ),
}))
const states = ['open', 'packed'].map((state) => ({
  name: `order that is set back to ${state}`,
  ...replied(
    '/users/usr_ada',
    { metadata: { order: state } },
    ({ metadata }) => metadata.order === state,
    { metadata: { order: 'sent' } },
    ({ metadata }) => metadata.order === 'sent',
  ),
}))

export const recovering = [...creates, ...users, ...replies, ...states]
