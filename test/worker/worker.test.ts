import { expect, it } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { createMock, type MockOptions } from '../../src/node/index.ts'
import { type ObjectStorage, paylinkWorker, type ProjectObject } from '../../src/worker/index.ts'
import { tellStory } from '../story/story.js'

const baseUrl = 'https://mock.example.workers.dev'

/** Storage as the platform has it, and what was done to it. */
const createStorage = () => {
  const kept = new Map<string, string>()
  let writes = 0
  const failing = new Set<keyof ObjectStorage>()
  const failOnce = (call: keyof ObjectStorage) => {
    if (failing.delete(call)) throw new Error(`The storage failed to ${call}.`)
  }
  const storage: ObjectStorage = {
    list: async ({ prefix }) => {
      failOnce('list')
      return new Map([...kept].filter(([key]) => key.startsWith(prefix)).toSorted())
    },
    put: async (entries) => {
      failOnce('put')
      writes++
      expect(Object.keys(entries).length).toBeLessThanOrEqual(128)
      for (const [key, value] of Object.entries(entries)) {
        expect(new TextEncoder().encode(value).length).toBeLessThanOrEqual(128 * 1024)
        kept.set(key, value)
      }
    },
    delete: async (keys) => keys.filter((key) => kept.delete(key)).length,
  }
  return { storage, kept, writes: () => writes, fail: (call: keyof ObjectStorage) => void failing.add(call) }
}

/** A Worker with its objects. `sleep` forgets what is in memory, as the platform does. */
const startWorker = (options?: MockOptions, adminToken: string | undefined = 'secret') => {
  const worker = paylinkWorker(options)
  const stores = new Map<string, ReturnType<typeof createStorage>>()
  const awake = new Map<string, ProjectObject>()
  const storeOf = (name: string) => {
    if (!stores.has(name)) stores.set(name, createStorage())
    return stores.get(name)!
  }
  const objectOf = (name: string) => {
    if (!awake.has(name)) awake.set(name, new worker.Project(storeOf(name)))
    return awake.get(name)!
  }
  const env = {
    PROJECTS: { idFromName: (name: string) => name, get: (id: never) => objectOf(id) },
    ...(adminToken !== undefined && { PAYLINK_MOCK_ADMIN_TOKEN: adminToken }),
  }
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers({ host: new URL(baseUrl).host, authorization: 'Bearer t', accept: 'application/json' })
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    return worker.fetch(new Request(new URL(path, baseUrl), { ...init, headers }), env)
  }
  const admin = connect(baseUrl, { adminToken: 'secret', fetch: (url, init) => call(url, init) })
  return { call, admin, storeOf, stores, sleep: () => awake.clear() }
}

it('tells the story, in projects side by side that have an object each', async () => {
  const { call, admin, stores } = startWorker()
  await Promise.all(
    ['a', 'b', 'c'].map((project) =>
      tellStory({
        baseUrl,
        token: 't',
        project,
        fetch: (url, init) => call(url, init),
        pay: ({ id }) => admin.project(project).paymentLinks.pay(id),
      }),
    ),
  )
  expect([...stores.keys()].toSorted()).toEqual(['a', 'b', 'c'])
})

it('goes on after every sleep as if never interrupted', async () => {
  const options = { clock: 'stepping', idSeed: 'sleep' } as const
  const interrupted = startWorker(options)
  const mock = createMock({ ...options, publicUrl: baseUrl })
  const acme = interrupted.admin.project('acme')
  const both = async (path: string, init: RequestInit = {}) => {
    interrupted.sleep()
    const headers = new Headers(init.headers)
    headers.set('authorization', 'Bearer t')
    headers.set('accept', 'application/json')
    const [one, other] = await Promise.all([interrupted.call(path, init), mock.fetch(path, { ...init, headers })])
    expect([one.status, await one.clone().text()]).toEqual([other.status, await other.text()])
    return one.json()
  }
  const post = (body: object) => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  await both('/projects/acme/users', post({ email: 'ada@example.com', metadata: { plan: 'ü' } }))
  const { id } = await both(
    '/projects/acme/paymentLinks',
    post({ invoice: 'inv_1', type: 'partner', partner: { user: {} } }),
  )
  await acme.paymentLinks.pay(id, { when: { reads: 2 } })
  await mock.project('acme').paymentLinks.pay(id, { when: { reads: 2 } })
  await both(`/projects/acme/paymentLinks/${id}`)
  expect(await both(`/projects/acme/paymentLinks/${id}`)).toMatchObject({ status: 'completed' })
  interrupted.sleep()
  expect(await acme.state.get()).toEqual(await mock.project('acme').state.get())
})

it('keeps a state of any size in pieces, and takes surplus ones away', async () => {
  const { admin, storeOf, sleep } = startWorker()
  const acme = admin.project('acme')
  await acme.state.put({ generate: { users: 20_000 } })
  expect(storeOf('acme').kept.size).toBeGreaterThan(128)
  sleep()
  expect(await acme.summary()).toMatchObject({ users: 20_000 })
  await acme.reset()
  expect(storeOf('acme').kept.size).toBe(1)
  sleep()
  expect(await acme.summary()).toMatchObject({ users: 0 })
})

it('goes back to the seed with a reset, also after a sleep', async () => {
  const { admin, sleep } = startWorker({ seed: { template: { users: [{ email: 'ada@example.com' }] } } })
  const acme = admin.project('acme')
  await acme.users.create({ email: 'grace@example.com' })
  sleep()
  expect(await acme.summary()).toMatchObject({ users: 2 })
  await acme.reset()
  expect(await acme.summary()).toMatchObject({ users: 1 })
})

it('writes nothing for what changes nothing', async () => {
  const { call, storeOf, admin } = startWorker()
  expect((await call('/projects/acme/users', { headers: { authorization: '' } })).status).toBe(401)
  expect(storeOf('acme').writes()).toBe(0)
  await admin.project('acme').users.create({ email: 'ada@example.com' })
  const before = storeOf('acme').writes()
  await call('/projects/acme/users')
  await call('/projects/acme/users/usr_no')
  expect(storeOf('acme').writes()).toBe(before)
})

it('keeps what has happened when the answer is lost', async () => {
  const { call, admin, sleep } = startWorker()
  const acme = admin.project('acme')
  await acme.faults.add({ match: { operation: 'createUser' }, phase: 'after', effect: { connection: 'reset' } })
  const headers = { 'content-type': 'application/json' }
  const lost = call('/projects/acme/users', { method: 'POST', headers, body: '{"email":"ada@example.com"}' })
  await expect(lost).rejects.toThrow(TypeError)
  sleep()
  expect(await acme.summary()).toMatchObject({ users: 1 })
})

it('keeps with the next request what the storage failed to keep', async () => {
  const { admin, storeOf, sleep } = startWorker()
  const acme = admin.project('acme')
  storeOf('acme').fail('put')
  await expect(acme.users.create({ email: 'ada@example.com' })).rejects.toThrow('The storage failed to put.')
  expect(await acme.summary()).toMatchObject({ users: 1 })
  sleep()
  expect(await acme.summary()).toMatchObject({ users: 1 })
})

it('wakes with the next request when the storage failed to answer the first', async () => {
  const { admin, storeOf, sleep } = startWorker()
  const acme = admin.project('acme')
  await acme.users.create({ email: 'ada@example.com' })
  sleep()
  storeOf('acme').fail('list')
  await expect(acme.summary()).rejects.toThrow('The storage failed to list.')
  expect(await acme.summary()).toMatchObject({ users: 1 })
})

it('shows the payment page of a link, and takes the payment', async () => {
  const { call, admin } = startWorker()
  const { id, paymentUrl } = await admin.project('ac me').paymentLinks.create({ invoice: 'inv_1' })
  expect(paymentUrl).toBe(`${baseUrl}/pay/ac%20me/${id}`)
  const paid = await call(paymentUrl, { method: 'POST', body: new URLSearchParams({ outcome: 'succeeded' }) })
  expect(paid.status).toBe(200)
  expect(await admin.project('ac me').paymentLinks.get(id)).toMatchObject({ status: 'completed' })
  expect((await call('/pay/style.css')).status).toBe(200)
})

it('takes a base path before the operations', async () => {
  const { call, storeOf } = startWorker({ basePath: '/v1' })
  expect((await call('/v1/projects/acme/users')).status).toBe(200)
  expect(storeOf('acme').writes()).toBe(1)
  expect((await call('/projects/acme/users')).status).toBe(404)
})

it.each(['/healthz', '/__admin/health', '/openapi.json', '/__admin/openapi.json'])('answers %s', async (path) => {
  const { call, stores } = startWorker()
  expect((await call(path)).status).toBe(200)
  expect(stores.size).toBe(0)
})

it('steers one project at a time, and says so', async () => {
  const { admin } = startWorker()
  await expect(admin.reset()).rejects.toMatchObject({
    code: 'routeNotFound',
    message: 'POST /__admin/reset is for all projects, and here each is an object by itself.',
  })
})

it.each([
  ['without its token', 'secret', 'Bearer wrong', 401],
  ['where no token is set', undefined, 'Bearer undefined', 401],
  ['with its token', 'secret', 'Bearer secret', 200],
  ['where it is left open', 'none', '', 200],
])('answers the control plane %s', async (_, token, authorization, status) => {
  const worker = paylinkWorker()
  const object = new worker.Project(createStorage())
  const PROJECTS = { idFromName: (name: string) => name, get: () => object }
  const headers = { host: 'mock.example.workers.dev', authorization }
  const request = new Request(`${baseUrl}/__admin/projects/acme`, { headers })
  expect((await worker.fetch(request, { PROJECTS, PAYLINK_MOCK_ADMIN_TOKEN: token })).status).toBe(status)
})

it.each(['/__%61dmin/state', '/%5F%5Fadmin/state', '/__%61dmin/projects/acme/state', '/__admin/%73tate'])(
  'does not answer the control plane without its token when its path is written as %s',
  async (path) => {
    const { call } = startWorker({ seed: { projects: { acme: { users: [{ email: 'ada@example.com' }] } } } })
    expect((await call(path)).status).toBe(401)
    const body = JSON.stringify({ projects: {} })
    const headers = { 'content-type': 'application/json' }
    expect((await call(path, { method: 'PUT', headers, body })).status).toBe(401)
  },
)

it('shows no id of a row in the interface, which is there for everybody', async () => {
  const users = [{ id: 'usr_private', email: 'ada@example.com' }]
  const { call } = startWorker({ tokens: ['t'], seed: { projects: { acme: { users } }, template: { users } } })
  const answer = await call('/docs')
  expect(answer.status).toBe(200)
  expect(await answer.text()).not.toContain('usr_private')
})

it('keeps web pages off the control plane', async () => {
  const { call } = startWorker()
  const headers = { origin: 'https://evil.example', authorization: 'Bearer secret' }
  expect((await call('/__admin/projects/acme/reset', { method: 'POST', headers })).status).toBe(403)
})
