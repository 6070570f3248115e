import { describe, expect, it } from 'vitest'
import { connect } from '../../src/core/client/index.ts'
import { createCore } from '../../src/core/mock/core.ts'
import { createMock, type LogEvent, type MockOptions } from '../../src/node/index.ts'
import { readJson } from '../support/read.ts'
import { listeningMock } from '../support/mock.ts'

const headers = { authorization: 'Bearer any', accept: 'application/json' }
const ada = { id: 'usr_ada', email: 'ada@example.com' }
const seed = { projects: { acme: { users: [ada], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }
const users = '/projects/acme/users'

/** A mock that listens, with functions that call it as clients do. */
const start = async (options: MockOptions = {}) => {
  const { mock, url } = await listeningMock({ seed, ...options })
  const send = async (path: string, method = 'GET', body?: unknown, given: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...given },
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  const names = async () => (await mock.sandboxes.list()).map(({ name }) => name)
  return { mock, url, send, names }
}

describe('a sandbox', () => {
  it('starts from the seed and shares nothing with the root or another sandbox', async () => {
    const { mock, send } = await start()
    await send(`/@a${users}`, 'POST', { email: 'grace@example.com' })
    const count = async (path: string) => (await send(`${path}${users}`)).body.items.length
    expect([await count('/@a'), await count('/@b'), await count('')]).toEqual([2, 1, 1])
    const a = mock.sandbox('a')
    await a.clock.set({ mode: 'frozen', now: '2030-01-01T00:00:00.000Z' })
    await a.behaviors.set({ createStatus: 200 })
    await a.faults.add({ match: { operation: 'searchUsers' }, effect: { status: 503 } })
    await a.tokens.replace([{ token: 'secret' }])
    await a.snapshots.save('one')
    expect((await mock.clock.get()).mode).toBe('real')
    expect((await mock.behaviors.get()).values.createStatus).toBe(201)
    expect([await mock.faults.list(), await mock.tokens.get(), await mock.snapshots.list()]).toEqual([[], [], []])
    expect((await mock.requests.list()).items.map(({ path }) => path)).toEqual([users])
    expect((await a.requests.list()).items.map(({ path }) => path)).toEqual([users, users])
    await mock.reset()
    expect((await a.project('acme').summary()).users).toBe(2)
  })

  it.each([
    ['/projects/acme/users/pml_1', '', 'see /@a/v1/projects/acme/paymentLinks.'],
    ['/projects/a%20b/users/pml_1', '', 'see /@a/v1/projects/a%20b/paymentLinks.'],
    ['/projects/acme/users?after=pml_1', '', 'see /@a/v1/projects/acme/paymentLinks.'],
    ['/projects/acme/user', '/@a/v1/projects/acme/user.', 'Similar routes: GET /@a/v1/projects/{project}/users,'],
    ['/nope', '/@a/v1/nope.', 'GET /@a/openapi.json lists all routes.'],
    ['/__admin/nope', '/@a/v1/__admin/nope.', 'control API start with /@a/__admin, also with a base path.'],
    ['/projects/acme/paymentLinks/pml_2', '', 'GET /@a/__admin/faults shows it.'],
    ['/projects/acme/paymentLinks', '', 'with POST /@a/__admin/projects/acme/clock/advance.'],
  ])('has its prefix and the base path in the error of %s', async (path, message, hint) => {
    const server = await start({ basePath: '/v1' })
    const sandbox = server.mock.sandbox('a')
    await sandbox.clock.set({ mode: 'frozen', now: '2025-01-01T00:00:00.000Z' })
    await sandbox.faults.add({ match: { operation: 'retrievePaymentLink' }, effect: { status: 503 } })
    const effect = { rateLimit: { limit: 1, window: 1000 } }
    await sandbox.faults.add({ match: { operation: 'listPaymentLinks' }, effect })
    await server.send('/@a/v1/projects/acme/paymentLinks')
    const { body } = await server.send(`/@a/v1${path}`)
    expect(body).toMatchObject({ message: expect.stringContaining(message), hint: expect.stringContaining(hint) })
  })

  it('has its prefix in the errors of its control API', async () => {
    const server = await start({ basePath: '/v1' })
    const { body } = await server.send('/@a/__admin/projects/acme/paymentlinks')
    expect(body.message).toBe('No route matches GET /@a/__admin/projects/acme/paymentlinks.')
    expect(body.hint).toMatch(/^Similar routes: GET \/@a\/__admin\/projects\/\{project\}\/paymentLinks,/)
    const { body: inQuery } = await server.send('/@a/__admin/users?project=acme')
    expect(inQuery.hint).toBe('Use /@a/__admin/projects/acme/users.')
    const seen = connect(server.url).sandbox('a').project('acme').users.get('pml_1')
    await expect(seen).rejects.toMatchObject({ hint: expect.stringContaining('see /@a/v1/projects/acme/') })
    const inProcess = server.mock.sandbox('a').project('acme').users.get('pml_1')
    await expect(inProcess).rejects.toMatchObject({ hint: expect.stringContaining('see /@a/v1/projects/acme/') })
  })

  it('keeps the payment URL and the payment page inside', async () => {
    const { url, send } = await start()
    const { body } = await send('/@a/projects/acme/paymentLinks/pml_1')
    expect(body.paymentUrl).toBe(`${url}/@a/pay/acme/pml_1`)
    const page = await send('/@a/pay/acme/pml_1', 'GET', undefined, { accept: 'text/html' })
    expect(page.body).toContain('inv_1')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    await fetch(`${url}/@a/pay/acme/pml_1`, { method: 'POST', headers: form, body: 'outcome=succeeded' })
    expect((await send('/@a/projects/acme/paymentLinks/pml_1')).body.status).toBe('completed')
    expect((await send('/projects/acme/paymentLinks/pml_1')).body.status).toBe('active')
  })

  it('keeps its path after the public URL', async () => {
    const server = await start({ publicUrl: 'https://pay.example/mock' })
    const { body } = await server.send('/@a/projects/acme/paymentLinks/pml_1')
    expect(body.paymentUrl).toBe('https://pay.example/mock/@a/pay/acme/pml_1')
  })

  it('has the base path after its name', async () => {
    const server = await start({ basePath: '/v1' })
    expect((await server.send(`/@a/v1${users}`)).status).toBe(200)
    expect((await server.send(`/v1/@a${users}`)).status).toBe(404)
    expect(await server.names()).toEqual(['a'])
  })

  it('cannot be in a base path', () => {
    expect(() => createMock({ basePath: '/@a' })).toThrow("basePath must be a path such as '/v1'")
  })

  it.each([
    ['/@checkout-1', 'checkout-1'],
    ['/%40checkout-1', 'checkout-1'],
    ['/@%63heckout', 'checkout'],
    [`/@${'x'.repeat(64)}`, 'x'.repeat(64)],
    ['/@A.b_c~d', 'A.b_c~d'],
  ])('%s is named %s', async (path, name) => {
    const server = await start()
    expect((await server.send(path + users)).status).toBe(200)
    expect(await server.names()).toEqual([name])
  })

  const invalidPrefixes = ['/@', `/@${'x'.repeat(65)}`, '/@a%20b', '/@a%2Fb', '/@%2540', '/@%FF', '/@ä', '/@a,b']
  it.each(invalidPrefixes)('%s names none', async (path) => {
    const server = await start()
    const { status, headers, body } = await server.send(path + users)
    expect([status, body.code]).toEqual([404, 'routeNotFound'])
    expect(body.hint).toContain('/@checkout-1/projects/acme/users')
    const { items } = await server.mock.requests.list()
    expect(items.map(({ id }) => id)).toEqual([headers.get('mock-request-id')])
    expect(await server.names()).toEqual([])
  })

  it.each([
    ['GET', `/@a${users}`, { authorization: '' }, 401],
    ['GET', '/@a/projects/acme/invoices', {}, 404],
    ['GET', '/@a/projects/acme/users/usr_none', {}, 404],
    ['PUT', `/@a${users}`, {}, 405],
    ['GET', '/@a/__admin/state', {}, 200],
    ['GET', '/@a/__admin/projects/acme', {}, 200],
    ['GET', '/@a/__admin/', {}, 200],
    ['GET', '/@a/', {}, 200],
    ['OPTIONS', `/@a${users}`, {}, 204],
    ['DELETE', '/@a/__admin/projects/nova', {}, 404],
    ['PATCH', '/@a/__admin/behaviors', {}, 400],
  ])('is not created by %s %s with %j', async (method, path, given, status) => {
    const server = await start()
    expect((await server.send(path, method, undefined, given)).status).toBe(status)
    expect(await server.names()).toEqual([])
  })

  it.each([
    ['GET', users, undefined],
    ['POST', users, { email: 7 }],
    ['POST', '/__admin/reset', undefined],
    ['POST', '/__admin/projects/acme/paymentLinks/pml_1/pay', {}],
  ])('is created by %s %s with %j', async (method, path, body) => {
    const server = await start()
    await server.send(`/@a${path}`, method, body)
    expect(await server.names()).toEqual(['a'])
  })

  it('redirects its bare address to the one with a slash, so that links are right', async () => {
    const server = await start()
    const { status, headers: sent } = await server.send('/@a')
    expect([status, sent.get('location')]).toEqual([307, '@a/'])
  })

  it('shows curl lines and documents with its own address', async () => {
    const { url, send } = await start({ basePath: '/v1' })
    const page = await send('/@a/', 'GET', undefined, { accept: 'text/html' })
    expect(page.body).toContain(`${url}/@a/v1/projects/acme/paymentLinks?status=active&amp;limit=2`)
    expect(page.body).toContain(`${url}/@a/__admin/projects/acme/paymentLinks/pml_1/pay`)
    expect((await send('/@a/openapi.json')).body.servers[0].url).toBe('/@a/v1')
    expect((await send('/@a/__admin/openapi.json')).body.servers[0].url).toBe('/@a')
  })
})

describe('the sandboxes', () => {
  it('are listed with the number of their projects, sorted by name', async () => {
    const server = await start({ now: () => Date.parse('2030-01-01T00:00:00.000Z') })
    await server.send(`/@b${users}`)
    await server.send('/@a/projects/nova/users')
    const { body } = await server.send('/__admin/sandboxes')
    const createdAt = '2030-01-01T00:00:00.000Z'
    const a = { name: 'a', projects: 2, createdAt }
    const b = { name: 'b', projects: 1, createdAt }
    expect(body).toEqual({ object: 'list', items: [a, b] })
  })

  it('are deleted by name, or all, by a client, but not all by an undefined name', async () => {
    const server = await start()
    const { sandboxes } = server.mock
    for (const name of ['a', 'b', 'c']) await server.send(`/@${name}${users}`)
    await sandboxes.delete('b')
    expect(await server.names()).toEqual(['a', 'c'])
    await expect(sandboxes.delete(undefined)).rejects.toMatchObject({ code: 'invalidOptions' })
    expect(await server.names()).toEqual(['a', 'c'])
    await sandboxes.delete()
    expect(await server.names()).toEqual([])
  })

  it.each([
    ['/@a/__admin/sandboxes', 'sandboxNotFound'],
    ['/@a/@b/projects/acme/users', 'routeNotFound'],
  ])('are not nested: %s', async (path, code) => {
    const server = await start()
    const { status, body } = await server.send(path)
    expect([status, body.code]).toEqual([404, code])
  })

  it('end the requests of a deleted sandbox as a reset does', async () => {
    const { mock, send } = await start()
    const a = mock.sandbox('a')
    const hold = await a.faults.add({ effect: { hold: true } })
    const waiting = send(`/@a${users}`)
    await hold.waitForHeld()
    await a.dispose()
    const { status, body } = await waiting
    expect([status, body.code]).toEqual([503, 'stateReplaced'])
  })

  it('make room for a new one: the least recently used is evicted and logged', async () => {
    const events: LogEvent[] = []
    const server = await start({ maxSandboxes: 2, log: (event) => events.push(event) })
    for (const name of ['a', 'b', 'a', 'c']) await server.send(`/@${name}${users}`)
    expect(await server.names()).toEqual(['a', 'c'])
    expect(events.filter(({ event }) => event === 'sandboxEvicted')).toEqual([
      { event: 'sandboxEvicted', sandbox: 'b' },
    ])
  })

  it('are not evicted for a request that creates none', async () => {
    const server = await start({ maxSandboxes: 1 })
    await server.send(`/@a${users}`)
    await server.send(`/@b${users}`, 'GET', undefined, { authorization: '' })
    expect(await server.names()).toEqual(['a'])
  })

  it('are evicted before one that was only called in vain, which evicts none', async () => {
    const { send, names } = await start({ maxSandboxes: 2 })
    expect((await send(`/@x${users}`, 'GET', undefined, { authorization: '' })).status).toBe(401)
    for (const name of ['a', 'b', 'c']) await send(`/@${name}${users}`)
    expect(await names()).toEqual(['b', 'c'])
  })

  it('are as many as allowed, also after some that were called in vain made room', async () => {
    const { send, names } = await start({ maxSandboxes: 2 })
    const inVain = (name: string) => send(`/@${name}${users}`, 'GET', undefined, { authorization: '' })
    for (const name of ['a', 'b']) await send(`/@${name}${users}`)
    for (const name of ['v', 'w', 'x', 'y']) await inVain(name)
    for (const name of ['c', 'd']) await send(`/@${name}${users}`)
    expect(await names()).toEqual(['c', 'd'])
  })

  it('are not evicted while a request waits or events are streamed', async () => {
    const { mock, send, names } = await start({ maxSandboxes: 2 })
    const hold = await mock.sandbox('a').faults.add({ effect: { hold: true } })
    const waiting = send(`/@a${users}`)
    await hold.waitForHeld()
    await send(`/@b${users}`)
    const events = mock.sandbox('b').events()[Symbol.asyncIterator]()
    const next = events.next()
    for (const path of [users, '/', '/docs', '/pay/acme/pml_1', '/__admin/', '/__admin/state']) {
      const { status, body } = await send(`/@c${path}`, 'GET', undefined, { accept: 'text/html' })
      expect([path, status, body.code]).toEqual([path, 503, 'tooManySandboxes'])
    }
    expect(await names()).toEqual(['a', 'b'])
    await events.return?.()
    await next
    expect((await send(`/@c${users}`)).status).toBe(200)
    expect(await names()).toEqual(['a', 'c'])
    await mock.sandboxes.delete()
    expect((await waiting).status).toBe(503)
  })

  it('can be turned off', async () => {
    const { mock, send } = await start({ maxSandboxes: 0 })
    await mock.behaviors.set({ errorFormat: 'problem' })
    const { status, headers, body } = await send(`/@a${users}`)
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    expect(body).toMatchObject({ code: 'routeNotFound', hint: 'Start the mock with --max-sandboxes above 0.' })
  })

  it('need the same access as the root', async () => {
    const { url } = await listeningMock({ seed }, { adminToken: 'secret' })
    const status = async (given = {}) => (await fetch(`${url}/@a/__admin/state`, { headers: given })).status
    expect(await status()).toBe(401)
    expect(await status({ authorization: 'Bearer secret' })).toBe(200)
    expect(await status({ authorization: 'Bearer secret', origin: 'https://evil.example' })).toBe(403)
  })

  it('are named in the log', async () => {
    const events: LogEvent[] = []
    const { send } = await start({ log: (event) => events.push(event) })
    await send('/@a/projects/nova/users')
    expect(events).toMatchObject([
      { event: 'projectCreated', project: 'nova', sandbox: 'a' },
      { event: 'request', path: '/@a/projects/nova/users', operation: 'listUsers' },
    ])
  })
})

describe('the library', () => {
  it.each(['embedded', 'connected', 'connected to its address'])('controls a sandbox, %s', async (how) => {
    const { mock, url, send, names } = await start()
    const sandbox =
      how === 'embedded' ? mock.sandbox('a') : how === 'connected' ? connect(url).sandbox('a') : connect(`${url}/@a`)
    await sandbox.project('acme').paymentLinks.pay('pml_1')
    expect(await names()).toEqual(['a'])
    const status = async (path: string) => (await send(`${path}/projects/acme/paymentLinks/pml_1`)).body.status
    expect([await status('/@a'), await status('')]).toEqual(['completed', 'active'])
    expect((await sandbox.requests.list()).items).toHaveLength(1)
  })

  it('calls a sandbox without a socket, by a path or by its address', async () => {
    await using mock = createMock({ seed })
    const a = mock.sandbox('a')
    expect(a.url).toBeUndefined()
    const sending = { ...headers, 'content-type': 'application/json' }
    expect((await a.fetch(users, { method: 'POST', headers: sending, body: '{"email":"b@c.d"}' })).status).toBe(201)
    const link = await readJson(a.fetch('/projects/acme/paymentLinks/pml_1', { headers }))
    expect(link.paymentUrl).toBe('http://mock/@a/pay/acme/pml_1')
    await mock.listen()
    expect((await a.fetch(`${a.url}${users}/usr_ada`, { headers })).status).toBe(200)
    expect((await a.project('acme').summary()).users).toBe(2)
  })

  it('disposes of a sandbox, also of one that was never used', async () => {
    const server = await start()
    {
      await using a = server.mock.sandbox('a')
      await a.reset()
      expect(await server.names()).toEqual(['a'])
    }
    expect(await server.names()).toEqual([])
    await connect(server.url).sandbox('never-used').dispose()
  })

  it.each(['', 'a b', 'a/b', '@a', 'x'.repeat(65), undefined, 7])('rejects the name %j', (name) => {
    const expected = { code: 'invalidOptions', message: expect.stringMatching(/^sandbox must be /) }
    expect(() => createMock().sandbox(name as string)).toThrow(expect.objectContaining(expected))
    expect(() => connect('http://localhost:1').sandbox(name as string)).toThrow(expect.objectContaining(expected))
  })

  it('resets a sandbox to the seed', async () => {
    const sandbox = createMock({ seed }).sandbox('a')
    await sandbox.state.put({})
    await sandbox.reset()
    expect((await sandbox.project('acme').summary()).users).toBe(1)
  })

  it('restarts every sandbox with another seed, as --watch does', async () => {
    const core = createCore({ seed })
    const call = { params: { project: 'acme' } }
    const users = async () => (await core.getSandboxClient('a').call('retrieveProject', call)).users
    await core.getSandboxClient('a').call('createUser', { ...call, body: { email: 'grace@example.com' } })
    expect(await users()).toBe(2)
    core.restart({ projects: { acme: {} } })
    expect(await users()).toBe(0)
    await core.getSandboxClient('a').call('reset')
    expect(await users()).toBe(0)
  })
})
