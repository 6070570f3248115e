/** Zero, empty values and deleted records never fall back to a default. */
import { describe, expect, it } from 'vitest'
import { createMock, type MockOptions, type Mock } from '../../../src/node/index.ts'
import { deriveId } from '../../../src/domain/ids.ts'
import { noon } from '../../support/api.ts'
import { closeSearched, token } from '../../support/canary.ts'

const start = (options: MockOptions = {}) => {
  const mock = createMock({ clock: noon, ...options })
  closeSearched(mock)
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await mock.fetch(path.startsWith('/__admin') ? path : `/projects/acme${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  const get = async (path: string) => (await send('GET', path)).body
  return { mock, acme: mock.project('acme'), send, get }
}

const three = {
  users: [1, 2, 3].map((n) => ({ id: `usr_${n}`, email: `u${n}@example.com` })),
  paymentLinks: [1, 2, 3].map((n) => ({ id: `pml_${n}`, invoice: 'inv_1' })),
}
const seed = { projects: { acme: three } }
const idsIn = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id)

describe('a limit of 0', () => {
  it.each([
    ['/users', 'usr'],
    ['/paymentLinks', 'pml'],
    ['/paymentLinks?status=active&invoice=inv_1', 'pml'],
  ])('is an empty page of GET %s, with markers to continue from the cursor', async (path, prefix) => {
    const { get } = start({ seed })
    const at = `${path}${path.includes('?') ? '&' : '?'}limit=0`
    const [newest, oldest] = [`${prefix}_3`, `${prefix}_1`]
    const empty = { object: 'list', items: [] }
    expect(await get(at)).toEqual({ ...empty, moreItemsAfter: null, moreItemsBefore: null })
    expect(await get(`${at}&after=${newest}`)).toEqual({ ...empty, moreItemsAfter: newest, moreItemsBefore: null })
    expect(await get(`${at}&before=${oldest}`)).toEqual({ ...empty, moreItemsAfter: null, moreItemsBefore: oldest })
    expect(await get(`${at}&after=${oldest}`)).toEqual({ ...empty, moreItemsAfter: null, moreItemsBefore: null })
  })

  it('is an empty page of a search', async () => {
    const { send } = start({ seed })
    expect((await send('POST', '/users/search?limit=0', {})).body.items).toEqual([])
  })

  it('is an empty list of the control API, of records and of requests', async () => {
    const { acme, get } = start({ seed })
    await get('/users')
    expect((await acme.users.list({ limit: 0 })).items).toEqual([])
    expect((await acme.paymentLinks.list({ limit: 0 })).items).toEqual([])
    expect((await acme.requests.list({ limit: 0 })).items).toEqual([])
    expect((await acme.requests.list()).items).toHaveLength(1)
  })
})

describe('a number of 0', () => {
  it('is a step that keeps a clock at the same time', async () => {
    const { acme, send } = start({ clock: { mode: 'stepping', now: noon, step: 0 } })
    expect(await acme.clock.get()).toEqual({ mode: 'stepping', now: noon, step: 0 })
    for (let n = 0; n < 2; n++)
      expect((await send('POST', '/users', { email: 'a@example.com' })).body.createdAt).toBe(noon)
    expect(await acme.clock.set({ mode: 'stepping', step: 0 })).toEqual({ mode: 'stepping', now: noon, step: 0 })
  })

  it('is an advance and an offset that keep a clock unchanged', async () => {
    const { acme, mock } = start({ now: () => Date.parse(noon), clock: { mode: 'real', offset: 0 } })
    expect(await acme.clock.advance(0)).toEqual({ mode: 'real', now: noon })
    expect(await mock.clock.set({ mode: 'real', offset: 0 })).toEqual({ mode: 'real', now: noon })
    await mock.clock.set({ mode: 'real', offset: 5 })
    expect((await mock.clock.set({ mode: 'real', offset: 0 })).now).toBe(noon)
  })

  it('is a delay after which a payment is due at once', async () => {
    const { acme, get } = start({ seed })
    await acme.paymentLinks.pay('pml_1', { when: { in: 0 } })
    expect(await get('/paymentLinks/pml_1')).toMatchObject({ status: 'completed', completedAt: noon })
  })

  it('is the epoch, a valid time of a clock', async () => {
    const { acme } = start({ clock: '1970-01-01T00:00:00.000Z', now: () => Date.parse(noon) })
    expect((await acme.clock.get()).now).toBe('1970-01-01T00:00:00.000Z')
    expect((await acme.users.create({ email: 'a@example.com' })).createdAt).toBe('1970-01-01T00:00:00.000Z')
    expect((await acme.clock.advance(0)).now).toBe('1970-01-01T00:00:00.000Z')
  })

  it('is a count for which generate creates no records', async () => {
    const generate = { users: 0, paymentLinks: { active: 0, completed: 2, canceled: 0 } }
    const { acme } = start({ seed: { projects: { acme: { generate } } } })
    expect(await acme.summary()).toMatchObject({ users: 0, paymentLinks: 2 })
    expect((await acme.paymentLinks.list({ status: 'completed' })).items).toHaveLength(2)
  })

  it('is a position and a counter of a document, which continues as if never interrupted', async () => {
    const deleted = { users: [{ id: 'usr_gone', createdAt: '2020-01-01T00:00:00.000Z', index: 0 }] }
    const acme = { ...three, progress: { counters: { usr: 0, pml: 0, draws: 0 }, deleted } }
    const { mock, get } = start({ seed: { projects: { acme } }, behaviors: { deletedCursor: 'resume' } })
    expect(idsIn(await get('/users?before=usr_gone'))).toEqual(['usr_3', 'usr_2', 'usr_1'])
    expect((await mock.project('acme').users.create({ email: 'a@example.com' })).id).toBe(
      deriveId('paylink-mock', 'acme', 'usr', 0),
    )
  })

  it('is a probability with which a fault never applies, and a limit that rejects the first request', async () => {
    const { acme, send } = start({ seed })
    await acme.faults.add({ probability: 0, times: null, effect: { status: 503 } })
    for (let n = 0; n < 5; n++) expect((await send('GET', '/users')).status).toBe(200)
    await acme.faults.add({ effect: { rateLimit: { limit: 0, window: 1000 } } })
    expect((await send('GET', '/users')).status).toBe(429)
  })

  it('is a skip of no requests and a delay of no time', async () => {
    const { acme, send } = start({ seed })
    const delay = { milliseconds: 0, jitter: 0 }
    const fault = await acme.faults.add({ skip: 0, effect: { status: 503, delay } })
    expect(fault).toMatchObject({ skip: 0, effect: { delay } })
    expect((await send('GET', '/users')).status).toBe(503)
    expect((await send('GET', '/users')).status).toBe(200)
  })

  it.each([{ exactly: 0 }, { atMost: 0 }, { atLeast: 0 }, { atLeast: 0, atMost: 0 }])(
    'is a count of a verification: %j',
    async (times) => {
      const { acme, send } = start({ seed })
      const verify = () => acme.requests.verify({ match: { operation: 'listUsers' }, times, within: 0 })
      expect(await verify()).toEqual({ ok: true, expected: times, actual: 0 })
      await send('GET', '/users')
      const again = verify().then(
        ({ actual }) => actual,
        ({ code, facts }) => [code, facts.actual],
      )
      expect(await again).toEqual('atMost' in times || 'exactly' in times ? ['verificationFailed', 1] : 1)
    },
  )

  it('is a journal size that keeps no requests and counts all of them', async () => {
    const { acme, send } = start({ seed, journalSize: 0 })
    await send('GET', '/users')
    await send('GET', '/users')
    expect(await acme.requests.list()).toEqual({ object: 'list', items: [], dropped: 2 })
    await expect(acme.requests.verify({ match: {} })).rejects.toMatchObject({ code: 'journalTruncated' })
  })

  it('is a value of metadata, and of a body matcher', async () => {
    const { acme, send } = start({ seed })
    const metadata = { zero: 0, no: false, empty: '' }
    expect((await send('PATCH', '/users/usr_1', { metadata })).body.metadata).toEqual(metadata)
    for (const part of [{ zero: 0 }, { no: false }, { empty: '' }])
      await acme.requests.verify({ match: { body: { metadata: part } }, times: { exactly: 1 } })
    for (const part of [{ zero: false }, { no: 0 }, { empty: null }])
      await acme.requests.verify({ match: { body: { metadata: part } }, times: { exactly: 0 } })
  })

  it.each([0, false, '', null, [], {}])('is the body of a fault, and so is %j', async (body) => {
    const { acme, send } = start({ seed })
    await acme.faults.add({ effect: { status: 500, body } })
    expect((await send('GET', '/users')).text).toBe(JSON.stringify(body))
  })
})

describe('an empty value', () => {
  it('is a valid full name', async () => {
    const { acme, send } = start({
      seed: { projects: { acme: { users: [{ id: 'usr_1', email: 'a@example.com', fullName: '' }] } } },
    })
    expect((await acme.users.get('usr_1')).fullName).toBe('')
    expect((await send('POST', '/users', { email: 'b@example.com', fullName: '' })).body.fullName).toBe('')
    await send('PATCH', '/users/usr_1', { fullName: 'Ada' })
    expect((await send('PATCH', '/users/usr_1', { fullName: '' })).body.fullName).toBe('')
    await acme.users.patch('usr_1', { fullName: 'Ada' })
    expect((await acme.users.patch('usr_1', { fullName: '' })).fullName).toBe('')
    expect((await acme.users.create({ email: 'c@example.com', fullName: '' })).fullName).toBe('')
  })

  it('is a present field of the payer', async () => {
    const { send, mock, acme } = start({ behaviors: { payerFields: 'required' } })
    const user = { fullName: '', email: '', taxNumber: '' }
    const { status, body } = await send('POST', '/paymentLinks', {
      invoice: 'inv_1',
      type: 'partner',
      partner: { user },
    })
    expect(status).toBe(201)
    expect((await acme.paymentLinks.get(body.id)).payer).toEqual(user)
    expect((await mock.state.get()).projects!.acme!.paymentLinks).toMatchObject([{ payer: user }])
  })

  it('clears the field if it is null', async () => {
    const user = { id: 'usr_1', email: 'a@example.com', fullName: 'Ada', birthday: '1990-01-01', preferredLocale: 'fr' }
    const { send, acme } = start({ seed: { projects: { acme: { preferredLocale: 'de', users: [user] } } } })
    const { body } = await send('PATCH', '/users/usr_1', { birthday: null, fullName: null, preferredLocale: null })
    expect(body).toMatchObject({ birthday: null, fullName: null, preferredLocale: 'de' })
    const partner = { redirectUrl: 'https://shop.example/done' }
    const link = await acme.paymentLinks.create({ invoice: 'inv_1', partner })
    const cleared = await acme.paymentLinks.patch(link.id, { partner: { redirectUrl: null } })
    expect(cleared.partner).toEqual({ redirectUrl: null })
  })

  it('is an email without matches, not a search for all users', async () => {
    const { send } = start({ seed })
    expect((await send('POST', '/users/search', { email: '' })).body.items).toEqual([])
    expect((await send('POST', '/users/search', { email: null })).body.items).toHaveLength(3)
    expect((await send('POST', '/users/search', {})).body.items).toHaveLength(3)
  })

  it('is an update that changes nothing', async () => {
    const { acme, send, mock } = start({ seed })
    const before = await acme.summary()
    expect((await send('PATCH', '/users/usr_1', {})).status).toBe(200)
    await acme.users.patch('usr_1', {})
    await acme.paymentLinks.patch('pml_1', {})
    await acme.patch({})
    await acme.state.patch({})
    await mock.state.patch({})
    await acme.behaviors.set({})
    expect(await acme.summary()).toEqual(before)
  })

  it('is metadata that replaces the previous metadata', async () => {
    const users = [{ id: 'usr_1', email: 'a@example.com', metadata: { plan: 'gold' } }]
    const { acme, send } = start({ seed: { projects: { acme: { users } } }, behaviors: { metadataUpdate: 'replace' } })
    expect((await send('PATCH', '/users/usr_1', { metadata: {} })).body.metadata).toEqual({})
    await acme.users.patch('usr_1', { metadata: { '': '' } })
    expect((await acme.users.get('usr_1')).metadata).toEqual({ '': '' })
    expect((await acme.users.patch('usr_1', { metadata: {} })).metadata).toEqual({})
  })

  it('is a list of tokens that accepts any token, for one project or instead of the seed', async () => {
    const tokens = [{ token: 'another' }]
    const { acme, send, mock } = start({ seed: { ...seed, tokens } })
    expect((await send('GET', '/users')).status).toBe(401)
    await acme.tokens.replace([])
    expect((await send('GET', '/users')).status).toBe(200)
    await mock.tokens.replace(tokens)
    expect((await send('GET', '/users')).status).toBe(401)

    expect((await start({ seed: { ...seed, tokens }, tokens: [] }).send('GET', '/users')).status).toBe(200)
  })

  it('is a list of projects that makes a token valid for none', async () => {
    const { send, mock } = start({ seed: { ...seed, tokens: [{ token, projects: [] }] } })
    expect((await send('GET', '/users')).body.code).toBe('tokenNotForProject')
    await mock.tokens.replace([{ token, projects: null }])
    expect((await send('GET', '/users')).status).toBe(200)
  })

  it('is a template list that gives a new project no records', async () => {
    const { mock } = start({ seed: { template: { ...three, invoices: ['inv_1'] } } })
    await mock.state.patch({ template: { users: [], invoices: [] } })
    expect((await mock.state.get()).template).toMatchObject({ users: [], invoices: [] })
    expect(await mock.project('new').summary()).toMatchObject({ users: 0, paymentLinks: 3 })
  })

  it('is a document that deletes all records', async () => {
    const { mock, acme } = start({ seed })
    expect(await acme.state.put({})).toMatchObject({ users: 0, paymentLinks: 0 })
    await mock.reset()
    expect(await acme.summary()).toMatchObject({ users: 3 })
    expect(await mock.state.put({})).toEqual([])
    expect(await mock.projects()).toEqual([])
  })

  it('is a valid id seed', async () => {
    const options = { seed: { idSeed: 'of the seed', projects: { acme: { idSeed: 'of the project' } } }, idSeed: '' }
    expect((await start(options).acme.users.create({ email: 'a@example.com' })).id).toBe(deriveId('', 'acme', 'usr', 0))
    const { acme } = start({ seed: { idSeed: 'of the seed', projects: { acme: { idSeed: '' } } } })
    expect((await acme.users.create({ email: 'a@example.com' })).id).toBe(deriveId('', 'acme', 'usr', 0))
  })

  it('is a valid header and parameter of a matcher', async () => {
    const { mock, acme } = start({ seed })
    const headers = { authorization: `Bearer ${token}`, 'x-empty': '' }
    await mock.fetch('/projects/acme/users?invoice=', { headers })
    const count = (match: object) => acme.requests.verify({ match, times: { atLeast: 0 } }).then(({ actual }) => actual)
    expect(await count({ headers: { 'x-empty': '' } })).toBe(1)
    expect(await count({ headers: { 'x-other': '' } })).toBe(0)
    expect(await count({ query: { invoice: '' } })).toBe(1)
    expect(await count({ query: { after: '' } })).toBe(0)
  })

  it('is a behavior with the value false', async () => {
    const { send, mock } = start({ behaviors: { emailVerifiedOnCreate: false } })
    expect((await send('POST', '/users', { email: 'a@example.com' })).body.emailVerified).toBe(false)
    expect((await mock.behaviors.get()).values.emailVerifiedOnCreate).toBe(false)
    const exported = await mock.state.get()
    expect(exported.behaviors!.emailVerifiedOnCreate).toBe(false)
    const unverified = { id: 'usr_1', email: 'b@example.com', emailVerified: false }
    expect((await mock.project('acme').users.create(unverified)).emailVerified).toBe(false)
    expect((await mock.project('acme').users.patch('usr_1', { emailVerified: true })).emailVerified).toBe(true)
    expect((await mock.project('acme').users.patch('usr_1', { emailVerified: false })).emailVerified).toBe(false)
  })
})

const contains = async (mock: Mock, text: string): Promise<boolean> =>
  JSON.stringify(await mock.state.get()).includes(text)

describe('after a deletion,', () => {
  it.each([
    ['user', '/users', 'usr_2', 'userNotFound'],
    ['payment link', '/paymentLinks', 'pml_2', 'paymentLinkNotFound'],
  ])('a %s is never found', async (what, path, id, code) => {
    const { acme, send, get } = start({ seed })
    await (path === '/users' ? acme.users : acme.paymentLinks).delete(id)
    const { status, body } = await send('GET', `${path}/${id}`)
    expect({ status, code: body.code, hint: body.hint }).toEqual({
      status: 404,
      code,
      hint: `The ${what} was deleted.`,
    })
    expect(idsIn(await get(path))).toHaveLength(2)
    expect((await send('GET', `${path}?after=${id}`)).body.code).toBe('cursorDeleted')
    expect(await acme.summary()).toMatchObject(path === '/users' ? { users: 2 } : { paymentLinks: 2 })
    // A new record may have its id.
    if (path === '/users') await acme.users.create({ id, email: 'back@example.com' })
    else await acme.paymentLinks.create({ id, invoice: 'inv_2' })
    expect((await send('GET', `${path}/${id}`)).status).toBe(200)
    expect(idsIn(await get(`${path}?after=${id}`))).toHaveLength(2)
  })

  it('an id is not generated again, also after an export and import', async () => {
    const { acme, mock } = start()
    const { id } = await acme.users.create({ email: 'a@example.com' })
    await acme.users.delete(id)
    const document = await acme.state.get()
    // Like a document with a wrong counter.
    await acme.state.put({ ...document, progress: { ...document.progress!, counters: { usr: 0 } } })
    expect((await acme.users.create({ email: 'b@example.com' })).id).not.toBe(id)
    expect(await contains(mock, id)).toBe(true)
    await mock.reset()
    expect(await contains(mock, id)).toBe(false)
  })

  it('an email is free', async () => {
    const { send } = start({ seed, behaviors: { duplicateEmail: 'conflict' } })
    expect((await send('POST', '/users', { email: 'u2@example.com' })).status).toBe(409)
    await send('DELETE', '/users/usr_2')
    expect((await send('POST', '/users', { email: 'u2@example.com' })).status).toBe(201)
  })

  it('a link has no scheduled payment, nor has a canceled, patched or paid one', async () => {
    const { acme, mock } = start({ seed })
    const schedule = async () => {
      await acme.state.put(three)
      for (const id of ['pml_1', 'pml_2']) await acme.paymentLinks.pay(id, { when: { in: 1000 } })
    }
    const ends = [
      () => acme.paymentLinks.delete('pml_1'),
      () => acme.paymentLinks.cancel('pml_1'),
      () => acme.paymentLinks.pay('pml_1'),
      () => acme.paymentLinks.patch('pml_1', { status: 'canceled' }),
      () => acme.state.patch({ paymentLinks: [{ id: 'pml_1', invoice: 'inv_1', status: 'completed' }] }),
      () => acme.scheduledPayments.cancel('pml_1'),
    ]
    for (const end of ends) {
      await schedule()
      await end()
      expect((await acme.scheduledPayments.list()).map(({ paymentLink }) => paymentLink)).toEqual(['pml_2'])
      expect((await mock.scheduledPayments.list()).map(({ paymentLink }) => paymentLink)).toEqual(['pml_2'])
    }
  })

  it('a project has no settings, and its revision continues', async () => {
    const { acme, mock, send } = start({ seed: { template: { users: three.users } } })
    await acme.users.create({ email: 'a@example.com' })
    await acme.clock.set({ mode: 'frozen', now: '2030-01-01T00:00:00Z' })
    await acme.behaviors.set({ createStatus: 200 })
    await acme.tokens.replace([{ token: 'another' }])
    await acme.faults.add({ effect: { status: 503 } })
    await acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1' })
    await acme.paymentLinks.pay('pml_1', { when: { reads: 2 } })
    await send('GET', '/users')
    const { revision } = await acme.summary()
    await acme.delete()

    expect(await mock.projects()).toEqual([])
    expect(await acme.faults.list()).toEqual([])
    expect(await acme.scheduledPayments.list()).toEqual([])
    expect((await acme.requests.list()).items).toEqual([])
    expect((await acme.behaviors.get()).values.createStatus).toBe(201)
    expect((await acme.clock.get()).now).toBe(noon)
    expect((await send('GET', '/users')).body.items).toHaveLength(3)
    expect((await acme.summary()).revision).toBe(revision + 1)
    await expect(mock.project('never').delete()).rejects.toMatchObject({ code: 'projectNotFound' })
  })

  it('a fault no longer applies, and a snapshot cannot be restored', async () => {
    const { acme, mock, send } = start({ seed })
    const [first, second] = [
      await acme.faults.add({ effect: { status: 503 } }),
      await mock.faults.add({ effect: { status: 500 } }),
    ]
    await acme.faults.remove(first.id)
    await mock.faults.remove(second.id)
    expect((await send('GET', '/users')).status).toBe(200)
    await acme.snapshots.save('one')
    await acme.snapshots.delete('one')
    await expect(acme.snapshots.restore('one')).rejects.toMatchObject({ code: 'snapshotNotFound' })
    await expect(acme.snapshots.delete('one')).rejects.toMatchObject({ code: 'snapshotNotFound' })
    expect(await acme.snapshots.list()).toEqual([])
  })
})
