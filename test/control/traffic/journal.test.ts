// Proves: Tokens.
import { describe, expect, it } from 'vitest'
import { type Control, createMock, type ProjectControl } from '../../../src/node/index.ts'
import { noon, commonTransports } from '../../support/api.ts'
import { ask, describeControl } from '../../support/control.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { startClient } from './support/client.ts'
import { readText } from '../../support/read.ts'

const later = '2025-06-01T12:00:01.000Z'

describe.each(commonTransports)('The journal, %s,', (transport) => {
  it('has every field of a request and of its response', async () => {
    let time = 0
    const { acme, ask } = await startClient(transport, { now: () => (time += 7) })
    const body = { email: 'ada@example.com', nick: 'a' }
    const response = await ask('/users?tag=a&tag=b&x=', { method: 'POST', body, headers: { 'x-trace': 'one' } })
    const { object, items, dropped } = await acme.requests.list()
    expect([object, items.length, dropped]).toEqual(['list', 1, 0])
    const [entry] = items
    expect(entry).toEqual({
      id: response.headers.get('mock-request-id'),
      project: 'acme',
      operation: 'createUser',
      method: 'POST',
      path: '/projects/acme/users',
      query: { tag: ['a', 'b'], x: '' },
      status: 201,
      receivedAt: noon,
      durationMilliseconds: 7,
      request: {
        headers: expect.objectContaining({
          'x-trace': 'one',
          accept: 'application/json',
          authorization: expect.stringMatching(/^Bearer #[\da-f]{8}$/),
        }),
        body: { email: 'ada@example.com', nick: 'a' },
        truncated: false,
      },
      response: {
        headers: {
          'content-type': 'application/json',
          'mock-request-id': entry!.id,
          'mock-assumed': response.headers.get('mock-assumed'),
        },
        body: response.body,
        truncated: false,
      },
      assumed: expect.objectContaining({ createStatus: 201, emailVerifiedOnCreate: true }),
      violations: expect.arrayContaining([expect.objectContaining({ spec: '§4.1', path: 'nick' })]),
      changes: [{ resource: 'user', id: response.body.id, from: null, to: response.body }],
      fault: null,
    })
    const assumed = Object.entries(entry!.assumed).map(([key, value]) => `${key}=${value}`)
    expect(assumed.join(', ')).toBe(response.headers.get('mock-assumed'))
    expect(await acme.requests.get(entry!.id)).toEqual(entry)
  })

  const [text, bytes] = [{ 'content-type': 'text/plain' }, new Uint8Array([0xff, 0xfe])]

  // The operation, the status, and the body of the request; of one without a body, the body of its response.
  it.each([
    ['no record', 'GET', '/users/usr_1', {}, ['retrieveUser', 404, expect.objectContaining({ code: 'userNotFound' })]],
    ['no route', 'GET', '/user', {}, [null, 404, expect.objectContaining({ code: 'routeNotFound' })]],
    ['another method', 'PUT', '/users', { body: { a: 1 } }, [null, 405, { a: 1 }]],
    ['no token', 'POST', '/users', { headers: { authorization: 'x' }, body: { a: 1 } }, ['createUser', 401, { a: 1 }]],
    ['another media type', 'POST', '/users', { headers: text, raw: 'hello' }, ['createUser', 415, 'hello']],
    ['no JSON', 'POST', '/users', { raw: '{"email":' }, ['createUser', 400, '{"email":']],
    ['an invalid body', 'POST', '/users', { body: { email: 1 } }, ['createUser', 422, { email: 1 }]],
    ['a body that is not UTF-8', 'POST', '/users', { raw: bytes }, ['createUser', 400, null]],
    ['a preflight', 'OPTIONS', '/users', {}, [null, 204, null]],
    ['a HEAD', 'HEAD', '/users', {}, ['listUsers', 200, null]],
  ])('has a request with %s', async (_, method, path, sending, [operation, status, body]) => {
    const { acme, ask } = await startClient(transport)
    await ask(path, { method, ...sending })
    const { items } = await acme.requests.list()
    const shown =
      'body' in sending || 'raw' in sending ? { request: { body, truncated: false } } : { response: { body } }
    expect(items).toMatchObject([{ project: 'acme', changes: [], method, operation, status, ...shown }])
  })

  it('has a request without a project only in the list of all projects', async () => {
    const { mock, acme, call } = await startClient(transport)
    await readText(call('/projects'), 404)
    expect((await acme.requests.list()).items).toEqual([])
    const { items } = await mock.requests.list()
    expect(items).toMatchObject([{ project: null, operation: null, path: '/projects', status: 404 }])
    expect(await mock.requests.get(items[0]!.id)).toEqual(items[0])
  })

  it('shows the first 16 Ki characters of a long body, and matches the whole body', async () => {
    const { acme, create } = await startClient(transport)
    const email = 'long@example.com'
    const long = { fullName: 'x'.repeat(20_000), email }
    await create({ body: long })
    const { items } = await acme.requests.list()
    const text = JSON.stringify(long)
    expect(items[0]!.request).toMatchObject({ body: text.slice(0, 16 * 1024), truncated: true })
    expect(items[0]!.response).toMatchObject({ truncated: true })
    await acme.requests.verify({ match: { body: { email } } })
  })

  it('shows a body of exactly 16 Ki characters completely', async () => {
    const { acme, create } = await startClient(transport)
    const frame = JSON.stringify({ email: 1, fullName: '' }).length
    await create({ body: { email: 1, fullName: 'x'.repeat(16 * 1024 - frame) } })
    expect((await acme.requests.list()).items[0]!.request).toMatchObject({ truncated: false, body: { email: 1 } })
  })

  it('is readable although a body nests deeper than JSON can be written', async () => {
    const { acme, create } = await startClient(transport)
    await create({ raw: `${'['.repeat(8000)}${']'.repeat(8000)}` })
    const { items } = await acme.requests.list()
    expect(items[0]).toMatchObject({ status: 400, request: { body: expect.stringMatching(/^\[{8000}/) } })
    await expect(acme.requests.verify({ match: { body: { a: 1 } } })).rejects.toThrow(/seen 0 times/)
    await expect(acme.requests.verify({ match: { body: [] } })).rejects.toThrow(/seen 0 times/)
  })

  it('has the time when a request arrived, not the time of its response', async () => {
    const { acme, create } = await startClient(transport, { clock: { mode: 'stepping', now: noon } })
    await create()
    await create()
    expect((await acme.requests.list()).items.map(({ receivedAt }) => receivedAt)).toEqual([noon, later])
  })

  it('has the changes of a request: from which record to which', async () => {
    const { acme, ask } = await startClient(transport)
    const body = { email: 'ada@example.com', metadata: { a: 1 } }
    const { body: user } = await ask('/users', { method: 'POST', body })
    await ask(`/users/${user.id}`, { method: 'PATCH', body: { fullName: 'Ada', metadata: { b: 2 } } })
    await ask(`/users/${user.id}`, { method: 'PATCH', body: { fullName: 'Ada' } })
    await ask(`/users/${user.id}`, { method: 'DELETE' })
    const { items } = await acme.requests.list()
    const [resource, id] = ['user', user.id]
    const [from, to] = [
      { fullName: null, metadata: { a: 1 } },
      { fullName: 'Ada', metadata: { a: 1, b: 2 } },
    ] as const
    expect(items.map(({ changes }) => changes)).toEqual([
      [{ resource, id, from: null, to: user }],
      [{ resource, id, from, to }],
      [],
      [{ resource, id, from: { ...user, ...to }, to: null }],
    ])
  })

  it('shows that a retrieve completed a scheduled payment, and that a cancel canceled', async () => {
    const { acme, ask } = await startClient(transport)
    const [paid, canceled] = await Promise.all(
      ['inv_1', 'inv_2'].map((invoice) => acme.paymentLinks.create({ invoice })),
    )
    await acme.paymentLinks.pay(paid!.id, { when: { reads: 2 } })
    await ask(`/paymentLinks/${paid!.id}`)
    await ask(`/paymentLinks/${paid!.id}`)
    await ask(`/paymentLinks/${canceled!.id}/cancel`, { method: 'POST' })
    const { items } = await acme.requests.list()
    const change = (id: string, field: string, status: string) => ({
      resource: 'paymentLink',
      id,
      from: { status: 'active', [field]: null },
      to: { status, [field]: noon },
    })
    expect(items.map(({ changes }) => changes)).toEqual([
      [],
      [change(paid!.id, 'completedAt', 'completed')],
      [change(canceled!.id, 'canceledAt', 'canceled')],
    ])
  })

  it('distinguishes two tokens, and shows neither', async () => {
    const { mock, acme, ask } = await startClient(transport)
    const headers = (token: string) => ({ authorization: `Bearer ${token}`, cookie: `session=${token}` })
    for (const token of ['tok_canary_1', 'tok_canary_2', 'tok_canary_1'])
      await ask('/users', { headers: headers(token) })
    const { items } = await acme.requests.list()
    const [one, two, again] = items.map(({ request }) => request.headers)
    expect(one!.authorization).toMatch(/^Bearer #[\da-f]{8}$/)
    expect(one!.cookie).toMatch(/^#[\da-f]{8}$/)
    expect(two!.authorization).not.toBe(one!.authorization)
    expect(two!.cookie).not.toBe(one!.cookie)
    expect(again).toMatchObject({ authorization: one!.authorization, cookie: one!.cookie })
    expect(JSON.stringify(await mock.requests.list())).not.toContain('canary')
  })

  it('never has calls of the control API, the health check, the payment page and the OpenAPI document', async () => {
    const { mock, acme, call } = await startClient(transport)
    const { paymentUrl, id } = await acme.paymentLinks.create({ invoice: 'inv_1' })
    for (const path of ['/__admin/projects', '/__admin/health', '/__admin/openapi.json']) await readText(call(path))
    const page = new URL(paymentUrl).pathname
    for (const path of [page, '/healthz', '/openapi.json']) await readText(call(`/_/..${path}`))
    for (const path of ['/__admin/nowhere', `/_/../pay/acme/${id}x`]) await readText(call(path), 404)
    const { items } = await mock.requests.list()
    expect(items.map(({ path }) => path)).toEqual([])
  })
})

describeControl('The journal', (start) => {
  const paths = ['/projects/a/users', '/projects/a/users/usr_x', '/projects/b/users', '/projects/a/paymentLinks', '/x']
  const startFull = async () => {
    const started = await start({ clock: { mode: 'stepping', now: noon } })
    for (const path of paths) {
      await ask(started.mock, path)
      await started.mock.clock.advance(1000)
    }
    await ask(started.mock, '/projects/a/users', 'POST', { email: 'a@example.com' })
    return started
  }

  it.each([
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ operation: 'listUsers' }, [0, 2]],
    [{ method: 'GET' }, [0, 1, 2, 3, 4]],
    [{ path: '/projects/a/users' }, [0, 5]],
    [{ path: '/projects/*/users' }, [0, 2, 5]],
    [{ path: '/projects/a/*' }, [0, 3, 5]],
    [{ path: '/*/*/*/*' }, [1]],
    [{ project: 'b' }, [2]],
    [{ status: 404 }, [1, 4]],
    [{ status: 404, project: 'a' }, [1]],
    [{ since: '2025-06-01T12:00:03.000Z' }, [3, 4, 5]],
    [{ limit: 2 }, [4, 5]],
    [{ limit: 0 }, []],
    [{ limit: 100 }, [0, 1, 2, 3, 4, 5]],
    [{ method: 'GET', limit: 1 }, [4]],
  ] as const)('lists what %j asks for, oldest first', async (query, expected) => {
    const { control } = await startFull()
    const all = (await control.requests.list()).items
    const { items } = await control.requests.list(query)
    expect(items).toEqual(expected.map((index) => all[index]))
  })

  it('lists the requests after a given one', async () => {
    const { control } = await startFull()
    const all = (await control.requests.list()).items
    expect((await control.requests.list({ since: all[2]!.id })).items).toEqual(all.slice(3))
    expect((await control.requests.list({ since: all.at(-1)!.id })).items).toEqual([])
  })

  it('lists the requests of one project, and no others', async () => {
    const { control } = await startFull()
    const all = (await control.requests.list()).items
    const own = control.project('b').requests
    expect((await own.list()).items).toEqual([all[2]])
    await expect(own.get(all[0]!.id)).rejects.toMatchObject({ code: 'requestNotFound', status: 404 })
    expect((await control.requests.get(all[0]!.id)).project).toBe('a')
    // A request of another project is not a position in the journal of this one.
    await expect(own.list({ since: all[0]!.id })).rejects.toMatchObject({ code: 'invalidQuery', status: 422 })
  })

  it('counts the requests that it dropped', async () => {
    const { mock, control } = await start({ journalSize: 3 })
    for (let i = 0; i < 5; i++) await ask(mock, `/projects/a/users/usr_${i}`)
    await ask(mock, '/projects/b/users')
    const { items, dropped } = await control.project('a').requests.list()
    expect([items.map(({ path }) => path.at(-1)), dropped]).toEqual([['2', '3', '4'], 2])
    expect((await control.project('b').requests.list()).dropped).toBe(0)
    expect((await control.requests.list()).dropped).toBe(2)
    await control.project('a').requests.clear()
    expect(await control.project('a').requests.list()).toEqual({ object: 'list', items: [], dropped: 0 })
    expect((await control.requests.list()).items.length).toBe(1)
    await control.requests.clear()
    expect(await control.requests.list()).toEqual({ object: 'list', items: [], dropped: 0 })
  })

  it.each<[string, string[], (project: ProjectControl, all: Control) => Promise<unknown>]>([
    ['a reset of the project', ['b'], (project) => project.reset()],
    ['a deletion of the project', ['b'], (project) => project.delete()],
    ['a reset of all', [], (_, all) => all.reset()],
    ['PUT state', ['a', 'b'], (project) => project.state.put({})],
    ['PUT state of all', ['a', 'b'], (_, all) => all.state.put({})],
    ['a restore', ['a', 'b'], (project) => project.snapshots.restore('one')],
    ['forgetting', ['b'], (project) => project.requests.clear()],
  ])('%s clears only the affected requests', async (_, left, act) => {
    const { mock, control } = await start()
    await ask(mock, '/projects/a/users')
    await ask(mock, '/projects/b/users')
    await control.project('a').snapshots.save('one')
    await act(control.project('a'), control)
    expect((await control.requests.list()).items.map(({ project }) => project)).toEqual(left)
  })
})

describe('A request over a socket', () => {
  const send = async (lines: readonly string[], body = '') => {
    const client = await startClient('over HTTP')
    const raw = await connectRaw({ port: client.port })
    raw.send(`${['GET /projects/acme/users HTTP/1.1', 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n${body}`)
    return { ...client, raw }
  }

  it('joins repeated headers, and has headers of any name', async () => {
    const tokens = ['Authorization: Bearer canary_one', 'Authorization: Bearer canary_two']
    const odd = ['__proto__: polluted', 'constructor: mine', 'hasOwnProperty: 1']
    const { acme, raw } = await send(['X-Twice: a', 'x-twice: b', ...tokens, ...odd])
    await raw.readResponse()
    const { headers } = (await acme.requests.list()).items[0]!.request
    expect(headers).toMatchObject({ 'x-twice': 'a, b', constructor: 'mine', hasownproperty: '1' })
    expect(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value).toBe('polluted')
    expect(headers.authorization).toMatch(/^Bearer #[\da-f]{8}, Bearer #[\da-f]{8}$/)
    await acme.requests.verify({ match: { headers: JSON.parse('{"__proto__":"polluted"}') as Record<string, string> } })
  })

  it('shows a path unchanged', async () => {
    const { acme, raw } = await send([])
    raw.send('GET /projects/%61cme/users/usr%5F1?q=%20 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await raw.readResponse()
    await raw.readResponse()
    const { items } = await acme.requests.list()
    expect(items[1]).toMatchObject({ project: 'acme', path: '/projects/%61cme/users/usr%5F1', query: { q: ' ' } })
  })
})

it.each([
  [{ operation: 'createUsers' }, 'operation', "must be spelled 'createUser'"],
  [{ operation: 'x' }, 'operation', "must be 'createUser', 'listUsers'"],
  [{ method: 'get' }, 'method', "must be spelled 'GET'"],
  [{ status: 'ok' }, 'status', 'must be a status such as 409'],
  [{ status: '4000' }, 'status', 'must be a status such as 409'],
  [{ limit: '-1' }, 'limit', 'must be an integer from 0'],
  [{ since: 'yesterday' }, 'since', 'must be the id of a request, or an ISO 8601 time'],
  [{ since: 'req_gone 12' }, 'since', 'must be the id of a request, or an ISO 8601 time'],
  [{ path: 'projects/a' }, 'path', "must start with '/'"],
  [{ path: '/projects/a/users?limit=1' }, 'path', "must start with '/'"],
  [{ operations: 'createUser' }, 'operations', "did you mean 'operation'"],
])('a list of requests is rejected, with a message and a path: %j', async (query, path, message) => {
  const control = createMock({ clock: noon })
  const asked = control.requests.list(query as object)
  await expect(asked).rejects.toMatchObject({ status: 422, code: 'invalidQuery', details: [{ path }] })
  await expect(asked).rejects.toThrow(message)
})
