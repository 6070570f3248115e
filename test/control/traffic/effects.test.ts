import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FaultRule } from '../../../src/node/index.ts'
import { transports } from '../../support/api.ts'
import { connectRaw } from '../../cli/support/raw.ts'
import { reach } from '../../cli/support/wait.ts'
import { startClient } from './support/client.ts'

type Effect = FaultRule['effect']

const get = (path = '/projects/acme/users', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n`

/** The error of a failed call, and the code of its cause. */
const failureOf = async (call: Promise<unknown>) => {
  const error = (await call.then(
    () => new Error('It got a response.'),
    (reason: unknown) => reason,
  )) as Error & { cause?: { code?: string } }
  return { name: error.name, message: error.message, code: error.cause?.code }
}

describe.each(transports)('The effect, %s,', (transport) => {
  const start = async (effect: Effect, rule: Partial<FaultRule> = {}) => {
    const client = await startClient(transport)
    await client.acme.faults.add({ effect, ...rule })
    return client
  }

  it('`status` returns an error object when it has no body', async () => {
    const { acme, ask } = await start({ status: 503 })
    const { status, headers, body } = await ask('/users')
    expect([status, headers.get('content-type')]).toEqual([503, 'application/json'])
    expect(body).toEqual({
      object: 'error',
      type: 'internal',
      code: 'injectedFault',
      message: 'A fault responds with status 503.',
      hint: expect.stringContaining('/__admin/faults'),
    })
    const { items } = await acme.requests.list()
    expect(items).toMatchObject([{ id: headers.get('mock-request-id'), status: 503, response: { body } }])
  })

  it.each([
    [401, 'unauthenticated'],
    [403, 'permissionDenied'],
    [404, 'notFound'],
    [405, 'methodNotAllowed'],
    [406, 'notAcceptable'],
    [409, 'conflict'],
    [413, 'tooLarge'],
    [415, 'unsupportedMediaType'],
    [418, 'invalidRequest'],
    [429, 'rateLimited'],
    [500, 'internal'],
    [599, 'internal'],
  ])('`status` %d is of the type %s', async (status, type) => {
    const { ask } = await start({ status })
    const response = await ask('/users')
    expect(response).toMatchObject({ status, body: { type, code: 'injectedFault' } })
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  })

  it('`status` returns a problem when errorFormat is problem', async () => {
    const { mock, ask } = await start({ status: 503 })
    await mock.behaviors.set({ errorFormat: 'problem' })
    const { headers, body } = await ask('/users')
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toMatchObject({ type: 'urn:paylink-mock:error:injectedFault', status: 503 })
  })

  const bodies: [unknown][] = [[{ a: [1, null, 'ü'] }], [{}], [[]], [null], ['text'], [''], [0], [false]]
  it.each(bodies)('`status` returns the body %j', async (sent) => {
    const { ask } = await start({ status: 200, body: sent })
    const { status, headers, body } = await ask('/users')
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json', sent])
  })

  it('`headers` are sent whatever their case', async () => {
    const { ask } = await start({ status: 503, headers: { 'Retry-After': '7', 'X-Custom': 'a, b' } })
    const { headers } = await ask('/users')
    expect(['retry-after', 'x-custom'].map((name) => headers.get(name))).toEqual(['7', 'a, b'])
  })

  it('`headers` may change the content type of the body, as for an HTML page', async () => {
    const page = '<h1>502 Bad Gateway</h1>'
    const { acme, ask } = await start({ status: 502, headers: { 'Content-Type': 'text/html' }, body: page })
    const { status, headers, text } = await ask('/users')
    expect([status, headers.get('content-type'), text]).toEqual([502, 'text/html', page])
    expect((await acme.requests.list()).items).toMatchObject([{ status: 502, response: { body: page } }])
  })

  it.each([204, 205, 304])('`status` %d has no body', async (status) => {
    const { acme, ask } = await start({ status, headers: { etag: '"1"' } })
    const response = await ask('/users')
    expect([response.status, response.text, response.headers.get('etag')]).toEqual([status, '', '"1"'])
    expect((await acme.requests.list()).items).toMatchObject([{ status, response: { body: null } }])
  })

  it('`status` has no body in response to a HEAD', async () => {
    const { ask } = await start({ status: 503, headers: { 'retry-after': '1' } })
    const { status, headers, text } = await ask('/users', { method: 'HEAD' })
    expect([status, headers.get('retry-after'), text]).toEqual([503, '1', ''])
  })

  it('`connection: reset` fails like a reset connection', async () => {
    const { acme, create } = await start({ connection: 'reset' })
    expect(await failureOf(create())).toEqual({ name: 'TypeError', message: 'fetch failed', code: 'ECONNRESET' })
    expect((await acme.requests.list()).items).toMatchObject([{ status: null, response: null, changes: [] }])
    expect((await create()).status).toBe(201)
  })

  it('`connection: close` fails like a closed connection', async () => {
    const { acme, create } = await start({ connection: 'close' }, { phase: 'after' })
    expect(await failureOf(create())).toEqual({ name: 'TypeError', message: 'fetch failed', code: 'UND_ERR_SOCKET' })
    const { items } = await acme.requests.list()
    expect(items).toMatchObject([{ status: null, response: null, changes: [{ from: null }] }])
  })

  it('`corrupt: truncated` announces more than it sends', async () => {
    const { acme, call } = await start({ corrupt: 'truncated' })
    const response = await call('/users', { method: 'POST', body: { email: 'ada@example.com' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100)
    const failure = { name: 'TypeError', message: 'terminated', code: 'UND_ERR_SOCKET' }
    expect(await failureOf(response.text())).toEqual(failure)
    // The change is kept, and the journal has the intended response.
    expect((await acme.users.list()).items).toHaveLength(1)
    expect((await acme.requests.list()).items).toMatchObject([{ status: 201, changes: [{ from: null }] }])
  })

  const phases = ['before', 'after'] as const
  it.each(phases)('`corrupt: malformed`, phase %s, breaks the JSON and keeps its length', async (phase) => {
    const { acme, create } = await start({ corrupt: 'malformed' }, { phase })
    const { status, headers, text } = await create()
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(() => JSON.parse(text) as unknown).toThrow()
    expect((await acme.users.list()).items).toHaveLength(1)
    expect((await acme.requests.list()).items).toMatchObject([{ response: { body: text } }])
    expect(JSON.parse(text.replace(/!$/, '}'))).toMatchObject({ object: 'user' })
  })

  it('`corrupt` applies to errors and to responses that replace the operation', async () => {
    const { acme, ask } = await start({ corrupt: 'malformed' })
    expect(await ask('/users/usr_1')).toMatchObject({ status: 404, body: undefined, text: expect.stringMatching(/!$/) })
    await acme.faults.add({ effect: { status: 503, body: { a: 1 }, corrupt: 'malformed' } })
    expect(await ask('/users')).toMatchObject({ status: 503, text: '{"a":1!' })
  })

  const corruptions = ['truncated', 'malformed', 'empty'] as const
  it.each(corruptions)('`corrupt: %s` leaves the response to a HEAD unchanged', async (corrupt) => {
    const { ask } = await start({ corrupt })
    const complain = vi.spyOn(console, 'error')
    onTestFinished(() => complain.mockRestore())
    expect(await ask('/users', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect(await ask('/users')).toMatchObject({ status: 200 })
    expect(complain.mock.calls).toEqual([])
  })

  it('`delay` comes before the operation, and combines with other effects', async () => {
    const { acme, create, ask } = await start({ delay: { milliseconds: 1 } })
    expect(await create()).toMatchObject({ status: 201 })
    await acme.faults.add({ effect: { delay: { milliseconds: 1 }, status: 503 } })
    expect(await ask('/users')).toMatchObject({ status: 503 })
    await acme.faults.add({ effect: { delay: { milliseconds: 1 }, connection: 'close' } })
    await expect(ask('/users')).rejects.toThrow('fetch failed')
    await acme.faults.add({ phase: 'after', effect: { delay: { milliseconds: 1 } } })
    expect(await create()).toMatchObject({ status: 201 })
    expect((await acme.requests.list()).items.map(({ fault }) => fault !== null)).toEqual([true, true, true, true])
  })
})

describe('On the wire', () => {
  const start = async (effect: Effect, rule: Partial<FaultRule> = {}) => {
    const client = await startClient('over HTTP')
    const fault = await client.acme.faults.add({ effect, ...rule })
    const raw = await connectRaw({ port: client.port })
    return { ...client, fault, raw }
  }
  it.each([
    ['x', 1],
    ['ü', 2],
    ['€', 3],
    ['💳', 4],
  ])('`truncated` announces all bytes of 4,000 times %s, and sends half of them', async (character, size) => {
    const body = { fullName: character.repeat(4000) }
    const length = JSON.stringify({ fullName: '' }).length + 4000 * size
    const { raw } = await start({ status: 200, body, corrupt: 'truncated' })
    raw.send(get())
    const [head, sent] = (await raw.ended()).split('\r\n\r\n') as [string, string]
    expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(length)
    expect(sent).toHaveLength(Math.floor(length / 2))
  })

  const sameLength = ['malformed', 'empty'] as const
  it.each(sameLength)('`%s` has the length it says, and leaves the connection open', async (corrupt) => {
    const { raw } = await start({ corrupt })
    raw.send(get())
    const spoiled = await raw.readResponse()
    expect(spoiled.body).toHaveLength(Number(spoiled.headers['content-length']))
    raw.send(get())
    expect((await raw.readResponse()).status).toBe(200)
  })

  it.each([204, 304])('`status` %d leaves the connection good for the next request', async (status) => {
    const { raw } = await start({ status })
    raw.send(get())
    expect((await raw.until(/\r\n\r\n/)).startsWith(`HTTP/1.1 ${status} `)).toBe(true)
    raw.send(get())
    expect((await raw.until(/"object":"list"/)).split('HTTP/1.1 ')[1]).toMatch(/\r\n\r\n$/)
  })

  it('`hang` sends nothing, while the server serves other requests', async () => {
    const { raw, acme, ask, fault } = await start({ connection: 'hang' })
    raw.send(get())
    await reach('a hit', async () => (await fault.refresh()).hits === 1)
    for (let i = 0; i < 5; i++) expect((await ask('/users')).status).toBe(200)
    expect([raw.received(), raw.socket.closed]).toEqual(['', false])
    raw.socket.destroy()
    await acme.requests.verify({ match: { headers: { host: 'localhost' } }, within: 5000 })
    expect((await acme.requests.list()).items.at(-1)).toMatchObject({ status: null, response: null, fault: fault.id })
  })

  it('a fault applies to one of two pipelined requests, and keeps their order', async () => {
    const { raw } = await start({ delay: { milliseconds: 20 }, status: 503 })
    raw.send(get() + get())
    expect([(await raw.readResponse()).status, (await raw.readResponse()).status]).toEqual([503, 200])
  })
})

type Evolve = FaultRule['effect']['evolve']

const addedField = expect.any(String)
const metadata = { status: 'a', createdAt: '2025-01-01T00:00:00Z', nested: { b: [{ c: 1 }] } }

describe('The effect `evolve`', () => {
  /** Retrieves a payment link without and with the fault. */
  const start = async (evolve: Evolve, precision: 'milliseconds' | 'seconds' = 'milliseconds') => {
    const behaviors = { timestampPrecision: precision }
    const client = await startClient('in process', { clock: '2025-01-01T00:00:00.120Z', behaviors })
    await client.acme.paymentLinks.create({ id: 'pml_1', invoice: 'inv_1', partner: { redirectUrl: null } })
    const today = await client.ask('/paymentLinks/pml_1')
    const fault = await client.acme.faults.add({ times: null, effect: { evolve } })
    const later = await client.ask('/paymentLinks/pml_1')
    return { ...client, fault, today: today.body as Record<string, unknown>, later }
  }

  it('adds a field to each object, and keeps the others', async () => {
    const { today, later } = await start(['fields'])
    expect(later.body).toEqual({ ...today, partner: { redirectUrl: null, addedField }, addedField })
    expect(Object.keys(later.body)).toEqual([...Object.keys(today), 'addedField'])
  })

  it('reverses the order of the fields', async () => {
    const { today, later } = await start(['order'])
    expect(later.body).toEqual(today)
    expect(Object.keys(later.body)).toEqual(Object.keys(today).toReversed())
  })

  it.each([
    ['milliseconds', '2025-01-01T00:00:00.120000Z'],
    ['seconds', '2025-01-01T00:00:00.000000Z'],
  ] as const)('sends times with microseconds where they had %s', async (precision, createdAt) => {
    const { today, later } = await start(['times'], precision)
    expect(later.body).toEqual({ ...today, createdAt })
  })

  it('sends an unknown status and type of a payment link', async () => {
    const { today, later } = await start(['values'])
    expect(later.body).toEqual({ ...today, status: 'addedStatus', type: 'addedType' })
  })

  it('with true changes all but the values', async () => {
    const { later } = await start(true)
    const { later: listed } = await start(['times', 'order', 'fields'])
    expect(Object.entries(later.body)).toEqual(Object.entries({ ...listed.body, paymentUrl: later.body.paymentUrl }))
    expect(later.body).toMatchObject({ status: 'active', type: 'partner', addedField })
  })

  it('leaves metadata, the records and the journal of changes as they are', async () => {
    const { acme, ask } = await start(['fields', 'order', 'times', 'values'])
    const { body, text } = await ask('/users', { method: 'POST', body: { email: 'ada@example.com', metadata } })
    expect(text).toContain(JSON.stringify(metadata))
    const stored = await acme.users.get(body.id)
    expect(stored).not.toHaveProperty('addedField')
    const { items } = await acme.requests.list({ operation: 'createUser' })
    expect(items[0]).toMatchObject({ changes: [{ to: stored }], response: { body: { addedField } } })
  })

  it('adds the field to each object, also to those in lists and in the details of errors', async () => {
    const { ask } = await start(true)
    const { body: page } = await ask('/paymentLinks')
    expect(page).toMatchObject({ addedField, items: [{ addedField, partner: { addedField } }] })
    expect(Object.keys(page.items[0].partner)).toEqual(['addedField', 'redirectUrl'])
    const { body: error } = await ask('/users', { method: 'POST', body: { email: 1 } })
    expect(error).toMatchObject({ code: 'invalidBody', addedField, details: [{ path: 'email', addedField }] })
  })

  it.each([
    ['delay', { delay: { milliseconds: 0 } }, { status: 'completed', addedField }],
    ['stale', { stale: { changes: 1 } }, { status: 'active', addedField }],
    ['duplicate', { duplicate: true }, { status: 'completed', addedField }],
  ] as const)('combines with %s', async (_, effect, body) => {
    const { acme, ask } = await start(['fields'])
    await acme.faults.remove()
    await acme.paymentLinks.pay('pml_1')
    await acme.faults.add({ effect: { ...effect, evolve: ['fields'] } })
    expect((await ask('/paymentLinks/pml_1')).body).toMatchObject({ ...body, id: 'pml_1' })
  })

  it('combines with hold, and with connection', async () => {
    const { acme, ask } = await start(['fields'])
    await acme.faults.remove()
    const held = await acme.faults.add({ effect: { hold: true, evolve: true } })
    const response = ask('/paymentLinks/pml_1')
    await held.waitForHeld()
    await held.release()
    expect((await response).body).toMatchObject({ addedField })
    await acme.faults.add({ effect: { connection: 'reset', evolve: true } })
    await expect(ask('/paymentLinks/pml_1')).rejects.toThrow()
  })

  it('has no body in response to a HEAD', async () => {
    const { ask } = await start(true)
    expect(await ask('/paymentLinks/pml_1', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it('is marked with the id of the fault', async () => {
    const { fault, later, acme, ask } = await start(true)
    expect(later.headers.get('mock-fault')).toBe(fault.id)
    await acme.faults.remove()
    expect((await ask('/paymentLinks/pml_1')).headers.get('mock-fault')).toBeNull()
  })
})

const names = ['limit', 'remaining', 'reset'].map((name) => `ratelimit-${name}`)

describe('Under a rate limit', () => {
  const start = async (...effects: Effect[]) => {
    const client = await startClient('in process')
    for (const effect of effects) await client.acme.faults.add({ effect })
    const getHeaders = async (path = '/users') => {
      const { status, headers } = await client.ask(path)
      return [status, ...[...names, 'retry-after'].map((name) => headers.get(name))]
    }
    return { ...client, getHeaders }
  }

  it('every response has the headers of the limit', async () => {
    const { acme, getHeaders } = await start({ rateLimit: { limit: 2, window: 1500 } })
    expect(await getHeaders()).toEqual([200, '2', '1', '2', null])
    await acme.clock.advance(600)
    expect(await getHeaders('/users/usr_x')).toEqual([404, '2', '0', '1', null])
    expect(await getHeaders()).toEqual([429, '2', '0', '1', '1'])
    await acme.clock.advance(900)
    expect(await getHeaders()).toEqual([200, '2', '1', '2', null])
  })

  it('a response of another fault has them too, and is not counted', async () => {
    const { getHeaders } = await start({ rateLimit: { limit: 5, window: 1000 } }, { status: 503 })
    expect(await getHeaders()).toEqual([503, '5', '5', '1', null])
    expect((await getHeaders())[2]).toBe('4')
  })

  it('of two limits, the newest is shown, unless the other one is exceeded', async () => {
    const limits = [1, 7].map((limit) => ({ rateLimit: { limit, window: 1000 } }))
    const { getHeaders } = await start(...limits)
    expect((await getHeaders()).slice(0, 3)).toEqual([200, '7', '6'])
    expect((await getHeaders()).slice(0, 3)).toEqual([429, '1', '0'])
  })

  it('of two limits, a response of another fault shows the newest', async () => {
    const limits = [3, 7].map((limit) => ({ rateLimit: { limit, window: 1000 } }))
    const { getHeaders } = await start(...limits, { status: 503 })
    expect((await getHeaders()).slice(0, 3)).toEqual([503, '7', '7'])
  })

  it('requests that the rule does not match have none', async () => {
    const { acme, getHeaders } = await start()
    await acme.faults.add({ match: { operation: 'createUser' }, effect: { rateLimit: { limit: 2, window: 1000 } } })
    expect(await getHeaders()).toEqual([200, null, null, null, null])
  })

  it.each([
    ['GET', '/users', {}, 200],
    ['HEAD', '/users', {}, 200],
    ['POST', '/users', { body: { email: 'ada@example.com' } }, 201],
    ['POST', '/users', { body: {} }, 422],
    ['POST', '/users', { raw: '{' }, 400],
    ['GET', '/users/usr_x', {}, 404],
    ['GET', '/users', { headers: { authorization: '' } }, 401],
    ['POST', '/users', { raw: 'a', headers: { 'content-type': 'text/plain' } }, 415],
  ])('a response to %s %s with %j has them, too', async (method, path, sending, status) => {
    const { ask } = await start({ rateLimit: { limit: 2, window: 1000 } })
    const response = await ask(path, { method, ...sending })
    expect([response.status, response.headers.get('ratelimit-remaining')]).toEqual([status, '1'])
  })

  it('both deliveries of a request have those of one request', async () => {
    const { acme, ask } = await start({ rateLimit: { limit: 5, window: 1000 } })
    await ask('/users')
    await acme.faults.add({ effect: { duplicate: true } })
    expect((await ask('/users')).headers.get('ratelimit-remaining')).toBe('4')
    const recorded = (await acme.requests.list()).items.map(({ response }) => response?.headers['ratelimit-limit'])
    expect(recorded).toEqual(['5', '5', '5'])
  })
})
