// Proves: HTTP edge, Sizes, In process.
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMock, type LogEvent, type MockOptions } from '../../src/node/index.ts'
import { cliPath, fileWith } from './support/cli.ts'
import { connectRaw, expectError, type Raw } from './support/raw.ts'
import { request, requestJson } from './support/request.ts'
import { withoutDeadlines } from './support/wait.ts'
import { maxWait, within } from '../support/within.ts'
import { closingMock, listeningMock } from '../support/mock.ts'
import { exec } from '../support/exec.ts'

const start = async (options: MockOptions = {}) => {
  const { mock, ...server } = await listeningMock(options)
  return { mock, server, raw: () => connectRaw({ port: server.port }) }
}

const authorized = 'Authorization: Bearer any\r\n'
const create = `POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\n${authorized}Content-Type: application/json\r\n`
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorized}\r\n`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

describe('the edge of HTTP', () => {
  it('rejects headers that are too large while the client still sends them', async () => {
    const client = await (await start()).raw()
    client.send(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(1_000_000)}`)
    expectError(await client.readResponse(), 'headersTooLarge')
  })

  it('rejects a body that is too large while the client still sends it', async () => {
    const client = await (await start()).raw()
    client.send(`${create}Content-Length: 8000000\r\n\r\n${'x'.repeat(8_000_000)}`)
    expectError(await client.readResponse(), 'bodyTooLarge')
  })

  it.each([
    ['an unreadable request', 'what is this\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
  ])('disconnects a client that never closes its own half after %s', async (_, sent) => {
    const { server } = await start()
    const client = await connectRaw({ port: server.port, allowHalfOpen: true })
    client.send(sent)
    await client.ended()
    const closed = new Promise((resolve) => client.socket.once('close', resolve))
    // Only a client that still sends notices the closed connection.
    const nagging = setInterval(() => client.send('x'), 100)
    onTestFinished(() => clearInterval(nagging))
    await within('the connection to be closed', closed)
  })

  it('invites a body with 100 Continue', async () => {
    const client = await (await start()).raw()
    client.send(`${create}Expect: 100-continue\r\nContent-Length: 17\r\n\r\n`)
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    client.send('{"email":"a@b.c"}')
    await client.until(/HTTP\/1\.1 201 Created/)
  })

  it('accepts a request that arrives byte by byte', async () => {
    const client = await (await start()).raw()
    client.socket.setNoDelay(true)
    for (const byte of `${create}Transfer-Encoding: chunked\r\n\r\n${chunk('{"email":')}${chunk('"a@b.c"}')}0\r\n\r\n`)
      client.send(byte)
    expect((await client.readResponse()).status).toBe(201)
  })

  it('sends no body in response to a HEAD', async () => {
    const client = await (await start()).raw()
    client.send('HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect(await client.ended()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/)
  })
})

describe('a body over the limit', () => {
  const bodyLimit = 1000

  it('is rejected by its length before it is sent, and the connection closes', async () => {
    const { raw, mock } = await start({ bodyLimit })
    const client = await raw()
    client.send(`${create}Content-Length: ${bodyLimit + 1}\r\n\r\n`)
    expectError(await client.readResponse(), 'bodyTooLarge')
    await client.ended()
    expect((await mock.project('acme').summary()).users).toBe(0)
  })

  it('is rejected by its length, and the connection serves the next request if the body arrives', async () => {
    const client = await (await start({ bodyLimit })).raw()
    client.send(`${create}Content-Length: ${bodyLimit + 1}\r\n\r\n${'x'.repeat(bodyLimit + 1)}${get('/healthz')}`)
    expectError(await client.readResponse(), 'bodyTooLarge')
    expect((await client.readResponse()).status).toBe(200)
  })

  it('is rejected at the first chunk beyond the limit, and the connection closes or continues', async () => {
    const { raw, mock } = await start({ bodyLimit })
    const client = await raw()
    client.send(`${create}Transfer-Encoding: chunked\r\n\r\n`)
    for (let sent = 0; sent <= bodyLimit; sent += 100) client.send(chunk('x'.repeat(100)))
    expectError(await client.readResponse(), 'bodyTooLarge')
    await client.ended()
    expect((await mock.project('acme').summary()).users).toBe(0)
  })

  it.each([
    ['bodyTooLarge', create],
    ['tokenMissing', create.replace(authorized, '')],
    ['unsupportedMediaType', create.replace('application/json', 'text/plain')],
    ['routeNotFound', create.replace('/projects/acme/users', '/nowhere')],
    [
      'unsupportedMediaType',
      create.replace('/projects/acme/users', '/__admin/reset').replace('\r\n', '\r\nContent-Encoding: gzip\r\n'),
    ],
  ] as const)('in chunks is read to its end, so that its client sees the response: %s', async (code, head) => {
    // The rest has half a second.
    withoutDeadlines(500)
    const client = await (await start()).raw()
    const body = chunk('x'.repeat(64 * 1024)).repeat(96)
    client.send(`${head}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n${get('/healthz')}`)
    expectError(await client.readResponse(), code)
    expect((await client.readResponse()).status).toBe(200)
  })
})

describe('a client that disconnects', () => {
  const heard = async (leave: (raw: Raw) => void): Promise<{ log: LogEvent[]; said: number; revision: number }> => {
    const log: LogEvent[] = []
    const consoles = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    )
    onTestFinished(() => consoles.forEach((spy) => spy.mockRestore()))
    const { mock, server, raw } = await start({ log: (event) => void log.push(event) })
    const client = await raw()
    leave(client)
    await client.until(/^HTTP\/1\.1 100 Continue/)
    client.socket.resetAndDestroy()
    // Two responses later the server has noticed the disconnect.
    for (let i = 0; i < 2; i++) await request(`${server.url}/healthz`)
    await mock.close()
    const { revision } = await mock.project('acme').summary()
    return { log, said: consoles.reduce((sum, spy) => sum + spy.mock.calls.length, 0), revision }
  }

  it.each([
    ['half a body', `${create}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n{"email":`],
    ['half a chunked body', `${create}Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('{"email":')}`],
    [
      'half a call of the control API',
      'PUT /__admin/state HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    ],
  ])('with %s causes no error, no output and no change', async (_, sent) => {
    const { log, said, revision } = await heard((raw) => raw.send(sent))
    expect(log.filter(({ event }) => event === 'error')).toEqual([])
    expect(log.filter((event) => event.event === 'request' && (event.status ?? 0) >= 500)).toEqual([])
    expect({ said, revision }).toEqual({ said: 0, revision: 0 })
  })

  it('with a large response half read causes no error and no output', async () => {
    const log: LogEvent[] = []
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const info = vi.spyOn(console, 'info').mockImplementation(() => {})
    onTestFinished(() => {
      error.mockRestore()
      info.mockRestore()
    })
    const users = Array.from({ length: 16 }, () => ({ email: 'a@b.c', fullName: 'x'.repeat(1024 * 1024) }))
    const seed = { projects: { acme: { users } } }
    const { mock, raw } = await start({ seed, log: (event) => void log.push(event) })
    const client = await raw()
    client.send(get('/__admin/state'))
    await client.until(/^HTTP\/1\.1 200 OK/)
    client.socket.resetAndDestroy()
    await mock.close()
    expect(log.filter(({ event }) => event === 'error')).toEqual([])
    expect([...error.mock.calls, ...info.mock.calls]).toEqual([])
  })
})

describe('listen', () => {
  it('rejects when the port is in use, and the mock can listen on another one too', async () => {
    const { mock, server } = await start()
    await expect(mock.listen({ port: server.port })).rejects.toMatchObject({
      code: 'invalidOptions',
      message: `Port ${server.port} of 127.0.0.1 is in use; choose another port, or port 0 for any free one.`,
      cause: { code: 'EADDRINUSE' },
    })
    await using other = await mock.listen()
    expect(other.port).not.toBe(server.port)
    await requestJson(`${server.url}/projects/acme/users`, 'POST', { email: 'a@b.c' }, { authorization: 'Bearer t' })
    expect(await request(`${other.url}/__admin/projects/acme`)).toMatchObject({ status: 200, body: { users: 1 } })
  })

  it('rejects when the address is not of this machine', async () => {
    const mock = createMock()
    await expect(mock.listen({ host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'invalidOptions',
      message: expect.stringMatching(/^Failed to listen on port 0 of 203\.0\.113\.1: .*EADDRNOTAVAIL/),
      cause: { code: 'EADDRNOTAVAIL' },
    })
  })

  it.each<[unknown, string]>([
    [4600, 'The options of listen must be an object, such as { port: 4600 } (got 4600).'],
    ['4600', "The options of listen must be an object, such as { port: 4600 } (got '4600')."],
    [null, 'The options of listen must be an object, such as { port: 4600 } (got null).'],
    [{ prot: 4600 }, "prot is not a field here; did you mean 'port'?"],
    ...[-1, 65_536, 99_999, 1.5, NaN, Infinity].map((port): [unknown, string] => [
      { port },
      `port must be an integer from 0 to 65535 (got ${port}).`,
    ]),
    [{ port: '4600' }, "port must be an integer from 0 to 65535 (got '4600')."],
    [{ host: 5 }, 'host must be an address or a name to bind (got 5).'],
    [{ host: '' }, "host must be an address or a name to bind (got '')."],
    [{ adminToken: '' }, 'adminToken must be one or more visible ASCII characters without spaces.'],
    [{ adminToken: 'tok admin' }, 'adminToken must be one or more visible ASCII characters without spaces.'],
    [{ adminToken: 5 }, 'adminToken must be a string.'],
    [{ allowedHosts: 'mock.example' }, "allowedHosts must be an array (got 'mock.example')."],
    ...['http://mock.example', '*', ''].map((name): [unknown, string] => [
      { allowedHosts: ['a.example', name] },
      `allowedHosts[1] must be a host name such as 'mock.example' or '*.mock.example' (got '${name}').`,
    ]),
  ])('rejects %j, and opens nothing', async (options, message) => {
    const mock = closingMock()
    await expect(mock.listen(options as never)).rejects.toMatchObject({ code: 'invalidOptions', message })
  })
})

describe('in somebody else’s process', () => {
  it('changes no global, adds no signal handler, prints nothing and leaves nothing open', async () => {
    const entry = new URL('../node/index.js', pathToFileURL(cliPath)).href
    // In a separate process: this one has already imported the package.
    const script = `
      import { request } from 'node:http'
      // Reads the values, because Node loads many globals on first use.
      const globals = () => new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]]))
      const before = globals()
      const events = () => JSON.stringify(process.eventNames().map((name) => [String(name), process.listenerCount(name)]))
      const eventsBefore = events()
      const { createMock } = await import(${JSON.stringify(entry)})
      const status = (url) => new Promise((resolve, reject) =>
        request(url, { agent: false }, (response) => response.resume().on('end', () => resolve(response.statusCode))).on('error', reject).end())
      const statuses = new Set()
      for (let i = 0; i < 20; i++) {
        const mock = createMock({ seed: { projects: { acme: { users: [{ email: 'a@b.c' }] } } } })
        const server = await mock.listen()
        statuses.add(await status(server.url + '/__admin/projects/acme/users'))
        statuses.add((await mock.fetch('/healthz')).status)
        await mock.close()
      }
      const changed = [...globals()].filter(([name, value]) => !Object.is(value, before.get(name))).map(([name]) => name)
      // Node frees closed handles some turns of the event loop later.
      const own = () => process.getActiveResourcesInfo().filter((name) => /^(?:TCP|HTTP|Timeout|Immediate)/.test(name))
      for (let turn = 0; turn < 20 && own().length > 0; turn++) await new Promise((resolve) => setImmediate(resolve))
      process.stdout.write(JSON.stringify({
        statuses: [...statuses], changed, events: events() === eventsBefore, open: own(),
      }))
    `
    const { stdout, stderr } = await exec(process.execPath, [fileWith(script, 'embedding.mjs')], {
      env: { PATH: process.env.PATH ?? '' },
      timeout: maxWait,
    })
    // The import of zod creates these two.
    const zod = ['__zod_globalConfig', '__zod_globalRegistry']
    expect(JSON.parse(stdout)).toEqual({ statuses: [200], changed: zod, events: true, open: [] })
    expect(stderr).toBe('')
  })

  it('returns Responses of the process in process', async () => {
    const { mock } = await start()
    expect(await mock.fetch('/healthz')).toBeInstanceOf(Response)
    expect(await mock.fetch(new Request('http://mock/nowhere'))).toBeInstanceOf(Response)
  })
})

const seed = { projects: { acme: { paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] } } }
const page = '/pay/acme/pml_1'

it('paymentUrl starts with the URL of the newest server that listens, or with the placeholder', async () => {
  const { mock, server } = await start({ seed })
  const shown = async () => (await mock.project('acme').paymentLinks.get('pml_1')).paymentUrl
  const newer = await mock.listen()
  expect(await shown()).toBe(newer.url + page)
  await newer.close()
  expect(await shown()).toBe(server.url + page)
  await server.close()
  expect(await shown()).toBe(`http://mock${page}`)
})
