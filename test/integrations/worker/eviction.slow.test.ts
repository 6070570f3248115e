// Proves: Storage of a Worker.
import { describe, expect, it } from 'vitest'
import { startWorker } from './support/worker.ts'
import { readJson, readText } from '../../support/read.ts'
import { errors } from '../../../src/core/schema/error.ts'

type Worker = ReturnType<typeof startWorker>

const users = '/projects/acme/users'
const post = (body: object) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** The responses to clients with each of these tokens. */
const statusesWith = ({ call }: Worker, tokens: readonly string[]) =>
  Promise.all(tokens.map(async (token) => (await call(users, bearer(token))).status))

describe('tokens of a project, after an eviction', () => {
  const shown = ['own', 'shared', 'wrong']
  it.each<[string, object[], number[]]>([
    ['one', [{ token: 'own' }], [200, 401, 401]],
    ['one that is valid for another project', [{ token: 'own', projects: ['beta'] }], [403, 401, 401]],
    ['one that is valid for it', [{ token: 'own', projects: ['acme'] }], [200, 401, 401]],
    ['one that has expired', [{ token: 'own', expiresAt: '2020-01-01T00:00:00.000Z' }], [401, 401, 401]],
    ['none, so that any is valid', [], [200, 200, 200]],
  ])('are as they were set: %s', async (_, tokens, statuses) => {
    const worker = startWorker({ tokens: [{ token: 'shared' }] })
    const list = await worker.acme.tokens.replace(tokens as { token: string }[])
    worker.sleep()
    expect(await statusesWith(worker, shown)).toEqual(statuses)
    worker.sleep()
    expect(await worker.acme.tokens.get()).toEqual(list)
  })

  it('are stored hashed only', async () => {
    const { admin, storeOf } = startWorker()
    await admin.project('acme').tokens.replace([{ token: 'tok_secret' }])
    const stored = [...storeOf('acme').kept().values()].join('')
    expect(stored).not.toContain('tok_secret')
    expect(stored).not.toContain(btoa('tok_secret'))
  })

  it('cannot be replaced by what is stored of them', async () => {
    const worker = startWorker()
    await worker.admin.project('acme').tokens.replace([{ token: 'tok_secret' }])
    const words = [...worker.storeOf('acme').kept().values()].join('').match(/[\w-]{8,}/g)!
    worker.sleep()
    expect(words.length).toBeGreaterThan(0)
    expect(new Set(await statusesWith(worker, words))).toEqual(new Set([401]))
  })

  it.each(['reset', 'delete'] as const)('are those of the options again after a %s of the project', async (how) => {
    const worker = startWorker({ tokens: ['shared'] })
    await worker.acme.tokens.replace([{ token: 'own' }])
    worker.sleep()
    await worker.acme[how]()
    worker.sleep()
    expect(await statusesWith(worker, shown)).toEqual([401, 200, 401])
    worker.deploy({ tokens: ['wrong'] })
    expect(await statusesWith(worker, shown)).toEqual([401, 401, 200])
  })
})

describe('a project that was deleted', () => {
  const two = { users: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }] }
  const seeded = { projects: { acme: two, beta: two } }
  const template = { users: [{ email: 'template@example.com' }] }
  it.each([
    ['was seeded', { seed: { ...seeded, template } }],
    ['was not seeded', { seed: { projects: { beta: two }, template } }],
  ])('stays deleted after an eviction if it %s', async (_, options) => {
    const { call, sleep, acme } = startWorker(options)
    await call(users, post({ email: 'new@example.com' }))
    await acme.delete()
    const { revision } = await acme.summary()
    sleep()
    await expect(acme.delete()).rejects.toMatchObject({ code: 'projectNotFound' })
    sleep()
    expect(await acme.summary()).toMatchObject({ revision, users: 1 })
    expect(await readJson(call(users))).toMatchObject({ items: [{ email: 'template@example.com' }] })
    sleep()
    await acme.delete()
    expect(await acme.summary()).toMatchObject({ revision: revision + 1 })
  })

  it('leaves only a tombstone with its revision in the storage', async () => {
    const { storeOf, acme } = startWorker()
    await acme.state.put({ generate: { users: 5000 } })
    await acme.tokens.replace([{ token: 'own' }])
    const length = () => [...storeOf('acme').kept().values()].join('').length
    const before = length()
    await acme.delete()
    expect([before > 500_000, storeOf('acme').kept().size, length() < 100]).toEqual([true, 1, true])
  })
})

it('stores nothing of a project that never was', async () => {
  const { call, admin, storeOf } = startWorker({ behaviors: { unknownProject: 'notFound' } })
  expect((await call(users)).status).toBe(404)
  expect((await call(users, { headers: { authorization: '' } })).status).toBe(401)
  expect(await admin.project('acme').summary()).toMatchObject({ revision: 0 })
  await expect(admin.project('acme').delete()).rejects.toMatchObject({ code: 'projectNotFound' })
  expect(storeOf('acme').kept().size).toBe(0)
})

describe('a stored state that cannot be loaded', () => {
  const seed = { projects: { acme: { users: [{ email: 'seed@example.com' }] } } }
  const damages: readonly (readonly [string, (value: string) => string])[] = [
    ['is in another format', (value) => value.replace(/"format":\d+/, '"format":999')],
    ['is not JSON', () => '{'],
    ['does not fit the schema', (value) => value.replaceAll('ada@example.com', 'no email')],
  ]
  const start = async (damage: (value: string) => string) => {
    const worker = startWorker({ seed })
    await worker.acme.state.put({ users: [{ email: 'ada@example.com' }] })
    worker.sleep()
    worker.storeOf('acme').spoil(damage)
    return worker
  }
  const error = errors.stateUnreadable({ project: 'acme', path: '/__admin/projects/acme' }).toJSON()
  const replacing = [
    ['reset', 'POST', '/reset', undefined, 200, 1],
    ['PUT /state', 'PUT', '/state', '{"users":[{"email":"a@b.c"},{"email":"d@e.f"}]}', 200, 2],
    ['DELETE', 'DELETE', '', undefined, 204, 0],
    ['a percent-encoded reset', 'POST', '/%72eset', undefined, 200, 1],
  ] as const
  const send = ({ call }: Worker, method: string, path: string, body: string | undefined) => {
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
    return call(`/__admin/projects/acme${path}`, { method, headers, ...(body !== undefined && { body }) })
  }

  describe.each(damages)('because it %s', (_, damage) => {
    it.each([
      ['a client', 'GET', users],
      ['a client that creates', 'POST', users],
      ['the payment page', 'GET', '/pay/acme/pml_1'],
      ['a summary', 'GET', '/__admin/projects/acme'],
      ['an export', 'GET', '/__admin/projects/acme/state'],
      ['a change of the state', 'PATCH', '/__admin/projects/acme/state'],
      ['a call that deletes something else', 'DELETE', '/__admin/projects/acme/requests'],
      ['a call that sets something else', 'POST', '/__admin/projects/acme/clock/advance'],
    ])('is reported to %s, and stays as it is', async (_, method, path) => {
      const { call, storeOf } = await start(damage)
      const before = storeOf('acme').kept()
      const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
      const response = await call(path, { method, headers, ...(method !== 'GET' && { body: '{"email":"a@b.c"}' }) })
      expect(await readJson(response, 409)).toEqual(error)
      expect(storeOf('acme').kept()).toEqual(before)
    })

    it.each(replacing)('is replaced by %s', async (_, method, path, body, status, count) => {
      const worker = await start(damage)
      expect((await send(worker, method, path, body)).status).toBe(status)
      expect(await worker.acme.summary()).toMatchObject({ users: count })
      worker.sleep()
      expect(await worker.acme.summary()).toMatchObject({ users: count })
      expect((await worker.call(users)).status).toBe(200)
    })

    it('stays as it is when what should replace it is rejected', async () => {
      const worker = await start(damage)
      const before = worker.storeOf('acme').kept()
      expect((await send(worker, 'PUT', '/state', '{"users":[{}]}')).status).toBe(422)
      expect((await worker.call(users)).status).toBe(409)
      expect(worker.storeOf('acme').kept()).toEqual(before)
    })
  })

  it('is reported with paths that can be called', async () => {
    const { call, storeOf, sleep } = startWorker()
    await call('/projects/a%20b%2Fc/users')
    sleep()
    storeOf('a b/c').spoil(() => '{')
    const { hint } = (await readJson(call('/projects/a%20b%2Fc/users'), 409)) as { hint: string }
    const [, method, path] = / (POST) (\S+)/.exec(hint)!
    const reset = await call(path!, { method: method!, headers: { authorization: 'Bearer secret' } })
    expect(await readJson(reset)).toMatchObject({ id: 'a b/c' })
  })

  it('is replaced by DELETE also if the project is not in the seed', async () => {
    const { storeOf, sleep, acme } = startWorker()
    await acme.users.create({ email: 'ada@example.com' })
    sleep()
    storeOf('acme').spoil(() => '{')
    await acme.delete()
    expect(await acme.summary()).toMatchObject({ users: 0 })
  })

  it('keeps revision, request ids and tokens when it is replaced, as far as they can be read', async () => {
    const worker = startWorker()
    await worker.acme.users.create({ email: 'ada@example.com' })
    const { revision } = await worker.acme.summary()
    await worker.acme.tokens.replace([{ token: 'own' }])
    const first = (await worker.call(users, bearer('own'))).headers.get('mock-request-id')
    for (const [, damage] of [damages[0]!, damages[2]!]) {
      worker.sleep()
      worker.storeOf('acme').spoil(damage)
      await worker.acme.state.put({ users: [{ email: 'ada@example.com' }] })
    }
    expect(await worker.acme.summary()).toMatchObject({ revision: revision + 2 })
    expect(await statusesWith(worker, ['own', 'wrong'])).toEqual([200, 401])
    expect((await worker.call(users, bearer('own'))).headers.get('mock-request-id')).not.toBe(first)
  })

  it('is reported to the log with its cause, and not to the client', async () => {
    const events: object[] = []
    const worker = startWorker({ log: (event) => void events.push(event) })
    await worker.admin.project('acme').users.create({ email: 'ada@example.com' })
    worker.sleep()
    worker.storeOf('acme').spoil((value) => value.replaceAll('ada@example.com', 'secret'))
    expect(await readText(worker.call(users), 409)).not.toContain('secret')
    expect(events).toContainEqual({ event: 'error', error: expect.any(Error) })
  })
})
