import { expect, it } from 'vitest'
import type { MockOptions } from '../../src/node/index.ts'
import { type Api, errorResponse, describeMatrix } from '../support/api.ts'
import { countDistinct } from '../support/read.ts'
import { errors } from '../../src/core/schema/error.ts'

const users = '/projects/acme/users'
const links = '/projects/acme/paymentLinks'
const ada = { email: 'ada@example.com', metadata: { a: 1, b: { c: [1, 2] } } }
const link = { invoice: 'inv_1', type: 'partner', partner: { user: {} } }
const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }
const replaying: MockOptions = { seed, behaviors: { idempotencyKey: 'replay' } }

const withKey =
  ({ send }: Api) =>
  (path: string, body?: unknown, key = 'key-1') =>
    send('POST', path, { headers: { 'idempotency-key': key }, ...(body !== undefined && { body }) })

const assumed = ({ headers }: { headers: Headers }) => headers.get('mock-assumed') ?? ''
const countUsers = async ({ mock }: Api) => (await mock.project('acme').summary()).users

describeMatrix('an Idempotency-Key', (start) => {
  it('idempotencyKey=ignore does the operation again, and notes a violation', async () => {
    const api = await start({ seed })
    const post = withKey(api)
    const first = await post(users, ada)
    const second = await post(users, ada)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.id).not.toBe(first.body.id)
    expect(assumed(first)).not.toContain('idempotencyKey')
    expect(assumed(second)).toContain('idempotencyKey=ignore')
    const { items } = await api.mock.violations.list()
    expect(items.map(({ path, message }) => [path, message])).toEqual([
      ['headers.idempotency-key', 'Idempotency-Key is ignored: the specification does not define it.'],
    ])
  })

  it('idempotencyKey=replay returns the first response again, without a change', async () => {
    const api = await start(replaying)
    const post = withKey(api)
    for (const [path, body] of [[users, ada], [links, link], [`${links}/pml_1/cancel`]] as const) {
      const first = await post(path, body)
      const { revision } = await api.mock.project('acme').summary()
      const second = await post(path, body)
      expect([second.status, second.body]).toEqual([first.status, first.body])
      expect(assumed(first)).not.toContain('idempotencyKey')
      expect(assumed(second)).toContain('idempotencyKey=replay')
      expect(second.headers.get('mock-request-id')).not.toBe(first.headers.get('mock-request-id'))
      expect((await api.mock.project('acme').summary()).revision).toBe(revision)
      const { items } = await api.mock.requests.list({ limit: 2 })
      expect(items.map(({ status, changes }) => [status, changes.length])).toEqual([
        [first.status, 1],
        [first.status, 0],
      ])
    }
    expect((await api.mock.violations.list()).items).toEqual([])
  })

  it('idempotencyKey=replay names the behaviors of the first response with their values at that time', async () => {
    const api = await start(replaying)
    const post = withKey(api)
    const first = await post(users, ada)
    await api.mock.behaviors.set({ emailVerifiedOnCreate: false })
    const second = await post(users, ada)
    expect([second.body, assumed(second)]).toEqual([first.body, `${assumed(first)}, idempotencyKey=replay`])
    const { items } = await api.mock.requests.list()
    expect(items[1]?.assumed).toEqual({ ...items[0]?.assumed, idempotencyKey: 'replay' })
  })

  it('is known for its path and its project only', async () => {
    const api = await start(replaying)
    const post = withKey(api)
    const ids = [
      (await post(users, ada)).body.id,
      (await post(users, ada, 'key-2')).body.id,
      (await post('/projects/other/users', ada)).body.id,
      (await post(links, link)).body.id,
    ]
    expect(countDistinct(ids)).toBe(4)
  })

  it('compares bodies as JSON, and rejects another one', async () => {
    const api = await start(replaying)
    const first = await withKey(api)(users, ada)
    const headers = { 'idempotency-key': 'key-1' }
    const raw = ' { "metadata": {"b": {"c": [1.0, 2]}, "a": 1}, "email": "ada\\u0040example.com" } '
    expect((await api.send('POST', users, { raw, headers })).body).toEqual(first.body)
    for (const body of [
      { ...ada, email: 'grace@example.com' },
      { ...ada, metadata: { a: 1, b: { c: [2, 1] } } },
      { email: 7 },
    ])
      expect(await withKey(api)(users, body)).toMatchObject(errorResponse(422, 'idempotencyKeyReused'))
    for (const raw of ['{', ''])
      expect(await api.send('POST', users, { raw, headers })).toMatchObject(errorResponse(400, 'malformedBody'))
    expect(await countUsers(api)).toBe(1)
  })

  it('keeps a conflict, and no other error', async () => {
    const api = await start({ seed, behaviors: { idempotencyKey: 'replay', duplicateEmail: 'conflict' } })
    const { users: records, paymentLinks } = api.mock.project('acme')
    const post = withKey(api)
    const { id } = await records.create(ada)
    expect(await post(users, ada)).toMatchObject(errorResponse(409, 'emailTaken'))
    await records.delete(id)
    const again = await post(users, ada)
    expect(again).toMatchObject(errorResponse(409, 'emailTaken'))
    expect(assumed(again)).toMatch(/duplicateEmail=conflict, .*idempotencyKey=replay$/)
    expect(await post(`${links}/pml_2/cancel`)).toMatchObject(errorResponse(404, 'paymentLinkNotFound'))
    await paymentLinks.create({ id: 'pml_2', invoice: 'inv_2' })
    expect(await post(`${links}/pml_2/cancel`)).toMatchObject({ status: 200 })
    expect(await post(links, { ...link, invoice: 7 })).toMatchObject(errorResponse(422, 'invalidBody'))
    expect(await post(links, link)).toMatchObject({ status: 201 })
  })

  it('replays a cancel whose link was deleted since', async () => {
    const api = await start(replaying)
    const first = await withKey(api)(`${links}/pml_1/cancel`)
    await api.mock.project('acme').paymentLinks.delete('pml_1')
    expect(await withKey(api)(`${links}/pml_1/cancel`)).toMatchObject({ status: 200, body: first.body })
  })

  it('keeps the response that a fault after the operation replaces, and nothing of a fault before it', async () => {
    const api = await start(replaying)
    const { faults } = api.mock.project('acme')
    const match = { operation: 'createUser' } as const
    await faults.add({ match, phase: 'after', effect: { status: 502 } })
    await faults.add({ match, effect: { status: 503 } })
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json', 'idempotency-key': 'key-1' }
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) {
      const response = await api.mock.fetch(users, { method: 'POST', headers, body: JSON.stringify(ada) })
      statuses.push(response.status)
    }
    expect(statuses).toEqual([503, 502, 201])
    expect(await countUsers(api)).toBe(1)
  })

  it.each<[string, (api: Api) => Promise<unknown>]>([
    ['a reset', ({ mock }) => mock.project('acme').reset()],
    ['a reset of all', ({ mock }) => mock.reset()],
    ['a load', ({ mock }) => mock.project('acme').state.put({})],
    ['a restore', ({ mock }) => mock.project('acme').snapshots.restore('before')],
  ])('is forgotten by %s', async (_, replace) => {
    const api = await start(replaying)
    await api.mock.project('acme').snapshots.save('before')
    await withKey(api)(users, ada)
    await replace(api)
    const { status, headers } = await withKey(api)(users, { email: 'grace@example.com' })
    expect([status, assumed({ headers }).includes('idempotencyKey')]).toEqual([201, false])
  })

  it('that was ignored is new when it is replayed', async () => {
    const api = await start({ seed })
    const post = withKey(api)
    const ignored = await post(users, ada)
    await api.mock.project('acme').behaviors.set({ idempotencyKey: 'replay' })
    const first = await post(users, { ...ada, email: 'grace@example.com' })
    expect(first.status).toBe(201)
    expect(first.body.id).not.toBe(ignored.body.id)
    expect((await post(users, { ...ada, email: 'grace@example.com' })).body).toEqual(first.body)
  })

  it.each([
    ['', 0],
    ['k'.repeat(256), 256],
  ])('must have 1 to 255 characters: %j', async (key, length) => {
    const api = await start(replaying)
    const rejected = await withKey(api)(users, ada, key)
    expect(rejected).toMatchObject(errorResponse(400, 'idempotencyKeyInvalid'))
    expect(rejected.body.message).toBe(errors.idempotencyKeyInvalid(255, length).message)
    await api.mock.project('acme').behaviors.set({ idempotencyKey: 'ignore' })
    expect(await withKey(api)(users, ada, key)).toMatchObject({ status: 201 })
    expect(await withKey(api)(users, { ...ada, email: 'c@d.e' }, key)).toMatchObject({ status: 201 })
    expect((await api.mock.violations.list()).items).toEqual([])
    expect(await withKey(api)(users, { ...ada, email: 'b@c.d' }, 'k'.repeat(255))).toMatchObject({ status: 201 })
  })

  it('means nothing to a search or an update', async () => {
    const api = await start(replaying)
    const { id } = await api.mock.project('acme').users.create(ada)
    const headers = { 'idempotency-key': '' }
    for (const [method, path] of [
      ['POST', `${users}/search`],
      ['PATCH', `${users}/${id}`],
    ] as const)
      for (const email of ['a@b.c', 'b@c.d'])
        expect(assumed(await api.send(method, path, { body: { email }, headers }))).not.toContain('idempotencyKey')
  })

  it('is not exported', async () => {
    const api = await start(replaying)
    await withKey(api)(users, ada)
    expect(JSON.stringify(await api.mock.state.get())).not.toContain('key-1')
  })
})
