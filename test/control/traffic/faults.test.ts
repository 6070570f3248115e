// Proves: Races, Round trip, Rejected means unchanged.
import { describe, expect, it } from 'vitest'
import { quote } from '../../../src/core/schema/problem.ts'
import { errors } from '../../../src/core/schema/error.ts'
import { createMock, type FaultRule, type MockError, type ProjectControl } from '../../../src/node/index.ts'
import { noon, commonTransports } from '../../support/api.ts'
import { token } from '../../support/canary.ts'
import { ask, describeControl } from '../../support/control.ts'
import { startClient } from './support/client.ts'
import { countDistinct } from '../../support/read.ts'

const user = { email: 'ada@example.com' }
const down = { status: 503 } as const
const post = (body: unknown) => ({ method: 'POST', body })

/** Sends `count` requests and returns whether a fault applied to each. */
const listApplied = async (send: () => Promise<{ readonly status: number }>, count: number): Promise<boolean[]> => {
  const applied: boolean[] = []
  for (let i = 0; i < count; i++) applied.push((await send()).status === 503)
  return applied
}

describe.each(commonTransports)('A fault, %s,', (transport) => {
  const start = (options = {}) => startClient(transport, options)

  it.each<[FaultRule['match'], string, object, boolean]>([
    [undefined, '/users', {}, true],
    [{}, '/users', {}, true],
    [{ operation: 'listUsers' }, '/users', {}, true],
    [{ operation: 'listUsers' }, '/paymentLinks', {}, false],
    [{ operation: 'listUsers' }, '/users', { method: 'HEAD' }, true],
    [{ method: 'GET' }, '/users', { method: 'HEAD' }, false],
    [{ method: 'HEAD' }, '/users', { method: 'HEAD' }, true],
    [{ method: 'POST' }, '/users', post(user), true],
    [{ path: '/projects/acme/users' }, '/users', {}, true],
    [{ path: '/projects/*/users' }, '/users?limit=1', {}, true],
    [{ path: '/projects/*/users' }, '/users/usr_1', {}, false],
    [{ path: '/projects/acme/*/usr_1' }, '/users/usr_1', {}, true],
    [{ headers: JSON.parse('{"__proto__":"x"}') }, '/users', {}, false],
    [{ project: 'acme' }, '/users', {}, true],
    [{ project: 'beta' }, '/users', {}, false],
    [{ project: 'a b' }, '/projects/a%20b/users', {}, true],
    [{ headers: { 'X-TRACE': 'one' } }, '/users', { headers: { 'x-trace': 'one' } }, true],
    [{ headers: { 'x-trace': 'one' } }, '/users', { headers: { 'X-Trace': 'two' } }, false],
    [{ headers: { 'x-trace': 'one' } }, '/users', {}, false],
    [{ headers: { authorization: `Bearer ${token}` } }, '/users', {}, true],
    [{ headers: { Authorization: 'Bearer other' } }, '/users', {}, false],
    [{ query: { limit: '1' } }, '/users?limit=1&after=x', {}, true],
    [{ query: { limit: '1' } }, '/users?limit=2', {}, false],
    [{ query: { limit: ['1', '2'] } }, '/users?limit=1&limit=2', {}, true],
    [{ query: { limit: '1' } }, '/users?limit=1&limit=2', {}, false],
    [{ body: { email: 'ada@example.com' } }, '/users', post({ ...user, fullName: 'Ada' }), true],
    [{ body: { email: 'eve@example.com' } }, '/users', post(user), false],
    [{ body: { metadata: { a: 1 } } }, '/users', post({ metadata: { a: 1, b: 2 } }), true],
    [{ body: { metadata: { a: [1, 2] } } }, '/users', post({ metadata: { a: [1, 2] } }), true],
    [{ body: { metadata: { a: [1] } } }, '/users', post({ metadata: { a: [1, 2] } }), false],
    [{ body: { metadata: { a: [{ b: 1, c: 2 }] } } }, '/users', post({ metadata: { a: [{ c: 2, b: 1 }] } }), true],
    [{ body: { metadata: {} } }, '/users', post({ metadata: [] }), false],
    [{ body: { email: null } }, '/users', post({ email: null }), true],
    [{ body: { email: null } }, '/users', post({}), false],
    [{ body: { toString: 1 } }, '/users', post({}), false],
    // A body that is not JSON, or was not read, matches no pattern.
    [{ body: null }, '/users', {}, false],
    [{ body: null }, '/users', { method: 'POST', raw: 'null' }, true],
    [{ body: 'hello' }, '/users', { method: 'POST', raw: 'hello' }, false],
    [{ body: 'hello' }, '/users', { method: 'POST', raw: '"hello"' }, true],
    [{ body: null }, '/users', { method: 'POST', raw: 'x'.repeat(1024 * 1024 + 1) }, false],
    [{ body: null }, '/users', { method: 'POST', raw: new Uint8Array([0xff]) }, false],
    // Without a body pattern, the body makes no difference.
    [{ operation: 'createUser' }, '/users', { method: 'POST', raw: 'x'.repeat(1024 * 1024 + 1) }, true],
    // Faults do not apply to requests that match no operation.
    [{}, '/nowhere', {}, false],
    [{}, '/users', { method: 'PUT', body: user }, false],
    [{}, '/users', { method: 'OPTIONS' }, false],
  ])('for %j applies to %s %j: %s', async (match, path, sending, applies) => {
    const { mock, call } = await start()
    await mock.faults.add({ match, effect: { status: 599 } })
    const response = await call(path, sending)
    await response.text()
    expect(response.status === 599).toBe(applies)
    expect(await mock.faults.list()).toMatchObject([{ hits: applies ? 1 : 0, remaining: applies ? 0 : 1 }])
  })

  it.each([
    ['too large', 'x'.repeat(1024 * 1024 + 1), {}, 413, 'bodyTooLarge'],
    ['no JSON', '{', {}, 400, 'malformedBody'],
    ['not UTF-8', new Uint8Array([0xff]), {}, 400, 'malformedBody'],
    ['of another media type', 'hello', { 'content-type': 'text/plain' }, 415, 'unsupportedMediaType'],
    ['too large, and without a token', 'x'.repeat(1024 * 1024 + 1), { authorization: 'x' }, 401, 'tokenMissing'],
  ])('that matches bodies keeps the error of one that is %s', async (_, raw, headers, status, code) => {
    const { acme, create } = await start()
    await acme.faults.add({ match: { body: { a: 1 } }, effect: down })
    const { body, ...response } = await create({ raw, headers })
    expect(response.status).toBe(status)
    expect(body.code).toBe(code)
  })

  it('applies before the token and the body are checked, like an outage', async () => {
    const { acme, create } = await start()
    await acme.faults.add({ effect: down })
    expect(await create({ headers: { authorization: 'none' }, raw: '{' })).toMatchObject({ status: 503 })
  })

  it('that applies before the operation changes nothing, and creates no project', async () => {
    for (const effect of [down, { connection: 'close' }, { connection: 'reset' }] as const) {
      const { mock, acme, create } = await start()
      await mock.faults.add({ effect })
      await create().catch(() => {})
      expect(await mock.projects()).toEqual([])
      expect((await acme.summary()).revision).toBe(0)
      const { items } = await acme.requests.list()
      expect(items).toMatchObject([
        { status: 'status' in effect ? 503 : null, changes: [], fault: expect.stringMatching(/^flt_/) },
      ])
    }
  })

  const lateEffects = [[down], [{ connection: 'reset' }], [{ connection: 'close' }], [{ corrupt: 'empty' }]] as const
  it.each(lateEffects)('that applies after the operation changes only the response: %j', async (effect) => {
    const { acme, create } = await start()
    await acme.faults.add({ phase: 'after', effect })
    await create().catch(() => {})
    expect((await acme.users.list()).items).toMatchObject([user])
    expect((await acme.summary()).revision).toBe(1)
    const { items } = await acme.requests.list()
    expect(items[0]!.changes).toMatchObject([{ resource: 'user', from: null, to: user }])
  })

  it('that applies after the operation also applies to errors', async () => {
    const { acme, ask, create } = await start()
    await acme.faults.add({ phase: 'after', times: null, effect: { status: 502 } })
    expect((await ask('/users/usr_1')).status).toBe(502)
    expect((await create({ headers: { authorization: 'none' } })).status).toBe(502)
    expect((await create({ raw: '{' })).status).toBe(502)
    expect((await acme.users.list()).items).toEqual([])
  })

  it('that replaces the response after the operation names no behavior that decided the operation', async () => {
    const { mock, acme, create } = await start()
    await acme.faults.add({ phase: 'after', effect: down })
    expect((await create()).headers.get('mock-assumed')).toBeNull()
    expect((await acme.requests.list()).items).toMatchObject([{ assumed: {}, changes: [{ from: null }] }])
    expect(await mock.assumptions()).toEqual([])
  })

  it('skips the first requests, applies `times` times, and then never again', async () => {
    const { acme, ask } = await start()
    await acme.faults.add({ skip: 2, times: 3, effect: down })
    const applied = await listApplied(() => ask('/users'), 7)
    expect(applied).toEqual([false, false, true, true, true, false, false])
  })

  it('applies to a request if it is the newest match with applications left', async () => {
    const { mock, acme, ask } = await start()
    await mock.faults.add({ times: null, effect: { status: 500 } })
    await acme.faults.add({ times: 2, effect: { status: 502 } })
    await mock.faults.add({ match: { operation: 'listUsers' }, times: 1, effect: { status: 504 } })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await ask('/users')).status)
    expect(statuses).toEqual([504, 502, 502, 500, 500])
    expect((await mock.faults.list()).map(({ hits }) => hits)).toEqual([2, 2, 1])
  })

  it('for all projects has one count, and one for a project applies only there', async () => {
    const { mock, acme, ask } = await start()
    await acme.faults.add({ times: null, effect: down })
    expect((await ask('/projects/beta/users')).status).toBe(200)
    await acme.faults.remove()
    await mock.faults.add({ times: 2, effect: down })
    const statuses: number[] = []
    for (const project of ['a', 'b', 'c']) statuses.push((await ask(`/projects/${project}/users`)).status)
    expect(statuses).toEqual([503, 503, 200])
  })

  it('applies once to fifty concurrent requests when `times` is 1', async () => {
    const { acme, create } = await start()
    const fault = await acme.faults.add({ match: { operation: 'createUser' }, phase: 'after', effect: down })
    const responses = await Promise.all(Array.from({ length: 50 }, () => create()))
    expect(responses.filter(({ status }) => status === 503)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(49)
    expect((await acme.users.list({ limit: 200 })).items).toHaveLength(50)
    expect(await fault.refresh()).toMatchObject({ hits: 1, remaining: 0 })
    expect((await acme.requests.list()).items.filter((entry) => entry.fault === fault.id)).toHaveLength(1)
  })

  it('never applies to health, the control API, the payment page or the OpenAPI document', async () => {
    const { mock, acme, call } = await start()
    await mock.faults.add({ times: null, effect: down })
    const { paymentUrl } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    const paymentPage = new URL(paymentUrl).pathname
    for (const path of ['/healthz', '/__admin/health', '/__admin/projects', '/openapi.json', paymentPage])
      expect((await call(`/_/..${path}`)).status, path).toBe(200)
    expect(await mock.faults.list()).toMatchObject([{ hits: 0 }])
  })

  describe('with a probability', () => {
    const half = { probability: 0.5, times: null, effect: down } as const

    it.each([
      [0, false],
      [1, true],
    ])('of %d applies: %s', async (probability, applies) => {
      const { acme, ask } = await start()
      await acme.faults.add({ ...half, probability })
      expect(await listApplied(() => ask('/users'), 30)).toEqual(Array(30).fill(applies))
    })

    it('draws the same after a reset and in a new mock, whatever other projects do', async () => {
      const { mock, acme, ask } = await start()
      await mock.faults.add(half)
      const first = await listApplied(() => ask('/users'), 30)
      expect(countDistinct(first)).toBe(2)
      await acme.reset()
      expect(await listApplied(() => ask('/users'), 30)).toEqual(first)
      await mock.reset()
      await mock.faults.add(half)
      const beside = await listApplied(async () => {
        await ask('/projects/beta/users')
        return ask('/users')
      }, 30)
      expect(beside).toEqual(first)
      const fresh = await start()
      await fresh.acme.faults.add(half)
      expect(await listApplied(() => fresh.ask('/users'), 30)).toEqual(first)
    })

    it('draws differently for another project and for another id seed', async () => {
      const { mock, ask } = await start()
      await mock.faults.add(half)
      const first = await listApplied(() => ask('/users'), 30)
      expect(await listApplied(() => ask('/projects/beta/users'), 30)).not.toEqual(first)
      const other = await start({ idSeed: 'other' })
      await other.mock.faults.add(half)
      expect(await listApplied(() => other.ask('/users'), 30)).not.toEqual(first)
    })

    it('draws only for matching requests', async () => {
      const { acme, ask, create } = await start()
      await acme.faults.add({ ...half, match: { operation: 'listUsers' } })
      const first = await listApplied(() => ask('/users'), 20)
      await acme.reset()
      await acme.faults.add({ ...half, match: { operation: 'listUsers' } })
      const mixed = await listApplied(async () => {
        await create()
        return ask('/users')
      }, 20)
      expect(mixed).toEqual(first)
    })

    it('creates no project by drawing', async () => {
      const { mock, ask } = await start({ behaviors: { unknownProject: 'notFound' } })
      await mock.faults.add({ ...half, probability: 0 })
      expect((await ask('/users')).body.code).toBe('projectNotFound')
      expect((await ask('/users')).body.code).toBe('projectNotFound')
      expect(await mock.projects()).toEqual([])
    })
  })

  describe('that limits the rate', () => {
    const limit = { effect: { rateLimit: { limit: 2, window: 1500 } } } as const
    const useThrice = async (send: () => Promise<{ readonly status: number }>) => {
      const responses = [await send(), await send(), await send()]
      return responses.map(({ status }) => status)
    }

    it('returns 429 beyond the limit until the mock clock reaches the next window', async () => {
      const { acme, ask } = await start()
      const fault = await acme.faults.add(limit)
      const use = () => useThrice(() => ask('/users'))
      expect(await use()).toEqual([200, 200, 429])
      await acme.clock.advance(1499)
      const limited = await ask('/users')
      const error = errors.rateLimited({ project: 'acme', limit: 2, wait: 1, mode: 'frozen' })
      expect(limited).toMatchObject({ status: 429, body: error.toJSON() })
      expect(limited.headers.get('retry-after')).toBe('1')
      expect(limited.headers.get('mock-request-id')).toMatch(/^req_/)
      await acme.clock.advance(1)
      expect(await use()).toEqual([200, 200, 429])
      expect(await fault.refresh()).toMatchObject({ hits: 3, remaining: null })
    })

    it('counts each project separately', async () => {
      const { mock, ask } = await start()
      await mock.faults.add(limit)
      for (const project of ['a', 'b'])
        expect(await useThrice(() => ask(`/projects/${project}/users`))).toEqual([200, 200, 429])
    })

    it('for all projects, keeps its window when a state is replaced, until the clock is set back', async () => {
      const { mock, acme, ask } = await start()
      await mock.faults.add(limit)
      const use = () => useThrice(() => ask('/users'))
      expect(await use()).toEqual([200, 200, 429])
      await acme.reset()
      expect(await use()).toEqual([429, 429, 429])
      await acme.state.put({})
      expect(await use()).toEqual([429, 429, 429])
      await acme.clock.set({ mode: 'frozen', now: '2020-01-01T00:00:00.000Z' })
      expect(await use()).toEqual([200, 200, 429])
    })

    it('counts only matching requests, and an older fault applies to requests within the limit', async () => {
      const { acme, ask, create } = await start()
      await acme.faults.add({ times: null, effect: { status: 500 } })
      await acme.faults.add({ match: { operation: 'createUser' }, ...limit })
      await ask('/users')
      expect(await useThrice(() => create())).toEqual([500, 500, 429])
    })
  })
})

describeControl('Faults', (start) => {
  it('are returned as sent, with id, hits and remaining applications', async () => {
    const { control } = await start()
    const rule: FaultRule = {
      match: { operation: 'createPaymentLink', body: { invoice: 'inv_7' } },
      skip: 1,
      times: 2,
      probability: 0.5,
      phase: 'after',
      effect: { delay: { milliseconds: 1, jitter: 2 }, ...down, headers: { 'retry-after': '1' }, body: { a: [null] } },
    }
    const set = await control.project('a').faults.add(rule)
    // Without the methods of the handle.
    const fault: unknown = JSON.parse(JSON.stringify(set))
    expect(fault).toEqual({ ...rule, id: expect.stringMatching(/^flt_\w{28}$/), project: 'a', hits: 0, remaining: 2 })
    expect(await set.refresh()).toEqual(fault)
    expect(await control.project('a').faults.list()).toEqual([fault])
    expect(await control.faults.list()).toEqual([fault])
    expect(await control.faults.add({ effect: down })).toMatchObject({ project: null, remaining: 1 })
    await set.remove()
    await set[Symbol.asyncDispose]()
    await expect(set.refresh()).rejects.toMatchObject({ code: 'faultNotFound', status: 404 })
  })

  it('have the same ids in every run, and after a reset', async () => {
    const { control } = await start()
    const add = async () => {
      const added: string[] = []
      for (const { faults } of [control, control, control.project('a'), control.project('b')])
        added.push((await faults.add({ effect: down })).id)
      return added
    }
    const ids = await add()
    expect(countDistinct(ids)).toBe(4)
    await control.reset()
    expect(await add()).toEqual(ids)
    // A reset of one project starts only its ids again.
    await control.project('a').reset()
    const [all, , ofA, ofB] = await add()
    expect(ofA).toBe(ids[2])
    expect(ids).not.toContain(all)
    expect(ids).not.toContain(ofB)
  })

  it('have a handle that never changes a different fault that was created after a reset', async () => {
    const { control } = await start()
    const project = control.project('a')
    const create = () => project.faults.add({ match: { operation: 'createUser' }, effect: { hold: true } })
    for (const reset of [() => project.reset(), () => control.reset(), () => project.delete()]) {
      const old = await project.faults.add({ effect: { hold: true } }, { required: true })
      await reset()
      const fault = await create()
      await old[Symbol.asyncDispose]()
      for (const act of ['remove', 'refresh', 'release', 'waitForHeld'] as const)
        await expect(old[act]()).rejects.toMatchObject({ code: 'faultNotFound' })
      expect(await project.faults.list()).toEqual([await fault.refresh()])
      await reset()
      expect((await create()).id).toBe(fault.id)
      await control.reset()
    }
  })

  it('are removed one by one, for one project, and for all', async () => {
    const { control } = await start()
    const a = control.project('a').faults
    const forAll = await control.faults.add({ effect: down })
    const [one] = [await a.add({ effect: down }), await a.add({ effect: down })]
    await control.project('b').faults.add({ effect: down })
    await a.remove(one.id)
    expect(await a.list()).toHaveLength(1)
    await expect(a.remove(one.id)).rejects.toMatchObject({ code: 'faultNotFound' })
    // A fault for all projects does not belong to one.
    await expect(a.remove(forAll.id)).rejects.toMatchObject({ code: 'faultNotFound' })
    await a.remove()
    expect((await control.faults.list()).map(({ project }) => project)).toEqual([null, 'b'])
    await control.faults.remove()
    expect(await control.faults.list()).toEqual([])
  })

  it('end with `await using`, also after a reset removed them', async () => {
    const { mock, control } = await start()
    const project = control.project('a')
    {
      await using fault = await project.faults.add({ times: null, effect: down })
      expect((await ask(mock, '/projects/a/users')).status).toBe(503)
      expect((await fault.refresh()).hits).toBe(1)
    }
    expect((await ask(mock, '/projects/a/users')).status).toBe(200)
    await using gone = await project.faults.add({ effect: down })
    await project.reset()
    await expect(gone.refresh()).rejects.toMatchObject({ code: 'faultNotFound' })
  })

  it.each<[string, (project: ProjectControl) => Promise<unknown>, string[]]>([
    ['a reset of the project', (project) => project.reset(), ['null', 'b']],
    ['a deletion of the project', (project) => project.delete(), ['null', 'b']],
    ['PUT state', (project) => project.state.put({}), ['null', 'a', 'b']],
    ['a restore', (project) => project.snapshots.restore('one'), ['null', 'a', 'b']],
  ])('after %s are those of the other projects', async (_, act, left) => {
    const { control } = await start()
    await control.project('a').users.create(user)
    await control.project('a').snapshots.save('one')
    await control.faults.add({ effect: down })
    for (const project of ['a', 'b']) await control.project(project).faults.add({ effect: down })
    await act(control.project('a'))
    expect((await control.faults.list()).map(({ project }) => String(project))).toEqual(left)
    await control.state.put({})
    expect(await control.faults.list()).toHaveLength(left.length)
    await control.reset()
    expect(await control.faults.list()).toEqual([])
  })

  it('hide tokens, and still match them', async () => {
    const { mock, control } = await start()
    const fault = await control.faults.add({ match: { headers: { Authorization: `Bearer ${token}` } }, effect: down })
    expect(JSON.stringify(fault)).not.toContain('canary')
    expect((await ask(mock, '/projects/a/users')).status).toBe(503)
    const { authorization } = (await control.requests.list()).items[0]!.request.headers
    const match = { headers: { authorization: authorization! } }
    expect(await control.faults.add({ match, effect: down })).toMatchObject({ match })
    expect((await ask(mock, '/projects/a/users')).status).toBe(503)
  })

  it('of one project reject a match for another', async () => {
    const { control } = await start()
    const { faults } = control.project('a')
    await expect(faults.add({ match: { project: 'b' }, effect: down })).rejects.toMatchObject({
      status: 422,
      message: "match.project must be 'a' or omitted, because the call is for that project (got 'b').",
      details: [{ path: 'match.project' }],
    })
    await expect(faults.add({ match: { path: '/projects/b/users' }, effect: down })).rejects.toMatchObject({
      status: 422,
      message:
        "match.path must be a path of project 'a', or have '*' as its project, because the call is for that project (got '/projects/b/users').",
      details: [{ path: 'match.path' }],
    })
    expect(await control.projects()).toEqual([])
    await faults.add({ match: { project: 'a', path: '/projects/*/users' }, effect: down })
  })

  it('accept a path below a base path', async () => {
    const { mock, control } = await start({ basePath: '/v1' })
    await control.faults.add({ match: { path: '/v1/projects/*/users' }, effect: down })
    expect((await ask(mock, '/v1/projects/a/users')).status).toBe(503)
    await control.project('a').faults.add({ match: { path: '/*/projects/a/users' }, effect: down })
    for (const path of ['/projects/a/users', '/v2/projects/a/users', '/v1/v1/projects/a/users'])
      await expect(control.faults.add({ match: { path }, effect: down })).rejects.toMatchObject({
        code: 'invalidBody',
        message: `match.path must start with '/v1/projects/', like the paths of the operations (got '${path}').`,
        details: [{ path: 'match.path' }],
      })
  })

  it('with an unknown id are rejected with the newest five ids', async () => {
    const { control } = await start()
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.unshift((await control.faults.add({ effect: down })).id)
    const { message, hint } = errors.faultNotFound('flt_x', ids.slice(0, 5))
    await expect(control.faults.remove('flt_x')).rejects.toMatchObject({ message, hint })
  })
})

type Rejected = [rule: unknown, paths: string[], message: string]
const rejectEach = (rules: readonly unknown[], path: string, message: string): Rejected[] =>
  rules.map((rule) => [rule, [path], message])
const stale = { stale: { changes: 1 } }
const rateLimit = { rateLimit: { limit: 1, window: 1 } }
const [users, link] = ['/projects/a/users', '/projects/*/paymentLinks/*']
const notWithStale = 'combined with stale: send { "stale": { "changes": 1 } }.'
const methodOfUsers = "must be 'POST', 'GET' or 'HEAD', for this path"

it.each<Rejected>([
  [{}, ['effect'], 'effect is required'],
  [{ effect: {} }, ['effect'], "must do something: 'delay', 'hold', 'status', 'connection', 'corrupt', 'rateLimit', "],
  [{ effect: { status: 503 }, efect: 1 }, ['efect'], "did you mean 'effect'"],
  [{ effect: { statuss: 503 } }, ['effect', 'effect.statuss'], "did you mean 'status'"],
  [{ effect: { headers: {} } }, ['effect', 'effect.headers'], 'needs a status'],
  [{ effect: { delay: { milliseconds: 1 }, body: {} } }, ['effect.body'], 'needs a status'],
  [{ effect: { status: 100 } }, ['effect.status'], 'must be at least 200'],
  [{ effect: { status: 600 } }, ['effect.status'], 'must be at most 599'],
  [{ effect: { status: 204, body: {} } }, ['effect.body'], 'a response with status 204 has no body'],
  [{ effect: { status: 204, corrupt: 'empty' } }, ['effect.corrupt'], 'a response with status 204 has no body'],
  [{ effect: { status: 304, corrupt: 'malformed' } }, ['effect.corrupt'], 'a response with status 304 has no body'],
  [{ effect: { status: 503, headers: { 'a b': '1' } } }, ['effect.headers'], 'must be a header name'],
  [{ effect: { status: 503, headers: { a: '1\r\nb: 2' } } }, ['effect.headers.a'], 'must be one line'],
  [{ effect: { status: 503, headers: { 'Content-Length': '1' } } }, ['effect.headers.Content-Length'], 'corrupt'],
  [{ effect: { status: 503, headers: { 'Mock-Fault': 'a' } } }, ['effect.headers.Mock-Fault'], 'sets its own headers'],
  [{ effect: { connection: 'drop' } }, ['effect.connection'], "must be 'reset', 'close' or 'hang'"],
  [{ effect: { connection: 'reset', status: 503 } }, ['effect.status'], 'cannot be combined with connection'],
  [{ effect: { connection: 'reset', corrupt: 'empty' } }, ['effect.corrupt'], 'cannot be combined with connection'],
  [{ effect: { corrupt: 'brocken' } }, ['effect.corrupt'], "must be 'truncated', 'malformed' or 'empty'"],
  [{ effect: { hold: true, delay: { milliseconds: 1 } } }, ['effect.delay'], 'cannot be combined with hold.'],
  [{ effect: { hold: true, ...rateLimit } }, ['effect.rateLimit'], 'cannot be combined with hold.'],
  [{ effect: { hold: true, connection: 'hang' } }, ['effect.connection'], "must be 'reset' or 'close' with hold"],
  [{ effect: { hold: false } }, ['effect.hold'], 'hold must be true'],
  [{ effect: { delay: { milliseconds: -1 } } }, ['effect.delay.milliseconds'], 'must be at least 0'],
  [{ effect: { delay: { milliseconds: 1.5 } } }, ['effect.delay.milliseconds'], 'must be an integer'],
  ...[200, '200', null, [200]].map((delay): Rejected => {
    const message = `effect.delay must be an object such as { "milliseconds": 200 } (got ${quote(delay)}).`
    return [{ effect: { delay } }, ['effect.delay'], message]
  }),
  [{ effect: { evolve: ['values', 'values'] } }, ['effect.evolve'], 'must not repeat an item'],
  ...rejectEach(
    [false, 'fields', {}, [], ['field'], null].map((evolve) => ({ effect: { evolve } })),
    'effect.evolve',
    "must be true, or a list of 'fields', 'order', 'times' or 'values'",
  ),
  ...rejectEach(
    [0, -1, 1.5, 101, '1'].map((changes) => ({ effect: { stale: { changes } } })),
    'effect.stale.changes',
    'effect.stale.changes must be',
  ),
  ...rejectEach(
    [0, -1, 1.5, 3_600_001, null].map((milliseconds) => ({ effect: { stale: { milliseconds } } })),
    'effect.stale.milliseconds',
    'effect.stale.milliseconds must be',
  ),
  ...rejectEach(
    [{}, { changes: 1, milliseconds: 1 }].map((both) => ({ effect: { stale: both } })),
    'effect.stale',
    'must have either changes or milliseconds, such as { "changes": 1 }',
  ),
  ...rejectEach(
    [true, 1, null, '1'].map((value) => ({ effect: { stale: value } })),
    'effect.stale',
    'effect.stale must be an object such as { "changes": 1 }',
  ),
  [{ effect: { ...stale, status: 503 } }, ['effect.status'], notWithStale],
  [{ effect: { ...stale, duplicate: true } }, ['effect.duplicate'], 'cannot be combined with stale'],
  [{ effect: { ...stale, ...rateLimit } }, ['effect.rateLimit'], 'cannot be combined with stale'],
  ...rejectEach(
    [
      { match: { method: 'PATCH' }, effect: stale },
      { match: { method: 'DELETE', path: '/projects/a/users/*' }, effect: stale },
      { match: { method: 'POST', path: users }, effect: stale },
    ],
    'match.method',
    "match.method must be that of 'listUsers', 'searchUsers'",
  ),
  [{ match: { path: '/projects/a/paymentLinks/*/cancel' }, effect: stale }, ['match.path'], "that of 'listUsers'"],
  [{ phase: 'after', effect: stale }, ['phase'], "must be 'before' or omitted for stale"],
  [{ match: { operation: 'createUser' }, effect: stale }, ['match.operation'], 'or omitted for stale'],
  [{ effect: { duplicate: false } }, ['effect.duplicate'], 'must be true'],
  [{ effect: { duplicate: true, status: 503 } }, ['effect.status'], 'with duplicate: send { "duplicate": true }.'],
  [{ effect: { duplicate: true, ...rateLimit } }, ['effect.rateLimit'], 'cannot be combined with duplicate'],
  [{ phase: 'after', effect: { duplicate: true } }, ['phase'], "must be 'before' or omitted for duplicate"],
  [{ effect: { evolve: true, status: 503 } }, ['effect.status'], 'cannot be combined with evolve'],
  [{ effect: { evolve: true, corrupt: 'empty' } }, ['effect.corrupt'], 'cannot be combined with evolve'],
  [{ phase: 'after', effect: { evolve: true } }, ['phase'], "must be 'before' or omitted for evolve"],
  [{ effect: { rateLimit: { limit: 1, window: 0 } } }, ['effect.rateLimit.window'], 'must be at least 1'],
  [{ effect: { ...rateLimit, status: 503 } }, ['effect.status'], 'combined with rateLimit'],
  [{ times: 1, effect: rateLimit }, ['times'], 'for a rate limit'],
  [{ phase: 'after', effect: rateLimit }, ['phase'], "must be 'before' or omitted for rateLimit"],
  [{ phase: 'later', effect: down }, ['phase'], "must be 'before' or 'after'"],
  [{ times: 0, effect: down }, ['times'], 'must be an integer of at least 1, or null for no limit (got 0)'],
  [{ times: 'all', effect: down }, ['times'], "or null for no limit (got 'all')"],
  [{ skip: -1, effect: down }, ['skip'], 'must be at least 0'],
  [{ probability: 1.1, effect: down }, ['probability'], 'must be at most 1'],
  [{ probability: -0.1, effect: down }, ['probability'], 'must be at least 0'],
  [{ match: { operation: 'createUsr' }, effect: down }, ['match.operation'], "must be spelled 'createUser'"],
  [{ match: { status: 200 }, effect: down }, ['match.status'], 'a fault is chosen before the response exists'],
  [{ match: { method: 'PUT' }, effect: down }, ['match.method'], "must be 'GET', 'HEAD', 'POST', 'PATCH' or 'DELETE'"],
  [{ match: { method: 'OPTIONS' }, effect: down }, ['match.method'], 'no operation uses OPTIONS'],
  [{ match: { path: '/projects/a/user' }, effect: down }, ['match.path'], "did you mean '/projects/a/users'?"],
  [{ match: { path: '/__admin/state' }, effect: down }, ['match.path'], 'must be the path of an operation'],
  [{ match: { path: '/projects/a/users?limit=1' }, effect: down }, ['match.path'], "must start with '/'"],
  [{ match: { path: '/projects/{project}/user' }, effect: down }, ['match.path'], "'*' instead of '{project}'; '*' "],
  [{ match: { path: '/v1/projects/a/users/{user}' }, effect: down }, ['match.path'], "have '*' instead of '{user}'"],
  [{ match: { path: 'users' }, effect: down }, ['match.path'], "must start with '/'"],
  [{ match: { path: users, method: 'DELETE' }, effect: down }, ['match.method'], methodOfUsers],
  [{ match: { path: link, method: 'PATCH' }, effect: down }, ['match.method'], "'GET' or 'HEAD'"],
  [{ match: { path: '/projects/a/u*' }, effect: down }, ['match.path'], "'*' must be a whole segment"],
  [{ match: { path: '/projects/a/users', project: 'b' }, effect: down }, ['match.project'], 'the project of the path'],
  [{ match: { operation: 'createUser', method: 'GET' }, effect: down }, ['match.method'], 'must be POST'],
  [{ match: { headers: { 'a b': '1' } }, effect: down }, ['match.headers'], 'must be a header name'],
  [{ match: { project: '..' }, effect: down }, ['match.project'], 'must be text that a URL can contain'],
  [{ match: { querry: {} }, effect: down }, ['match.querry'], "did you mean 'query'"],
  [
    { match: { operation: 'x', status: 1 }, skip: 'a', phase: 1, effect: { status: 1 } },
    ['match.operation', 'match.status', 'skip', 'phase', 'effect.status'],
    '5 problems',
  ],
])('a fault is rejected: %j', async (rule, paths, message) => {
  const control = createMock({ clock: noon })
  const rejected = control.faults.add(rule as never)
  const reason = (await rejected.catch((error: unknown) => error)) as MockError
  expect(reason).toMatchObject({ code: 'invalidBody', status: 422 })
  expect(reason.details!.map(({ path }) => path).toSorted()).toEqual([...paths].toSorted())
  expect(reason.message).toContain(message)
  expect(await control.faults.list()).toEqual([])
})
