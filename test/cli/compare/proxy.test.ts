import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type RequestOptions,
} from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Exchange } from '../../../src/compare/recorded-calls.ts'
import { startProxy } from '../../../src/compare/proxy.ts'
import { listening } from '../support/listening.ts'
import { connectRaw, expectError } from '../support/raw.ts'
import { within } from '../../support/within.ts'

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const pairs = (raw: readonly string[]): Record<string, string> =>
  Object.fromEntries(raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!]] : [])))

interface Options extends Pick<Parameters<typeof startProxy>[0], 'limits'> {
  /** The base path of the service. */
  readonly path?: string
}

/** Starts a service that records its calls, and a proxy for it. */
const start = async (respond: RequestListener, { path = '', ...options }: Options = {}) => {
  const received: { method: string; url: string; headers: Record<string, string>; body: Buffer }[] = []
  const connections = { count: 0 }
  const server = createServer(async (incoming, outgoing) => {
    const body = await readAll(incoming)
    const { method = '', url = '', rawHeaders } = incoming
    received.push({ method, url, headers: pairs(rawHeaders), body })
    respond(incoming, outgoing)
  })
  server.on('connection', () => connections.count++)
  const port = await listening(server)
  const exchanges: Exchange[] = []
  const proxy = await startProxy({
    baseUrl: `http://127.0.0.1:${port}${path}`,
    onExchange: (exchange) => exchanges.push(exchange),
    ...options,
  })
  onTestFinished(async () => {
    await proxy.close()
    server.closeAllConnections()
  })
  return { url: proxy.url, port: Number(new URL(proxy.url).port), service: port, received, connections, exchanges }
}

/** Sends a request without any header of its own, and returns the response with its bytes. */
const send = (
  url: string,
  { method = 'GET', headers = {}, body, agent }: RequestOptions & { body?: Uint8Array } = {},
) =>
  within(
    `the response to ${method} ${url}`,
    new Promise<{ status: number; message: string; headers: Record<string, string>; body: Buffer }>(
      (resolve, reject) => {
        const sent = request(url, { method, headers, agent: agent ?? false })
        sent.on('error', reject)
        sent.on('response', (incoming) => {
          readAll(incoming).then(
            (bytes) =>
              resolve({
                status: incoming.statusCode ?? 0,
                message: incoming.statusMessage ?? '',
                headers: pairs(incoming.rawHeaders),
                body: bytes,
              }),
            reject,
          )
        })
        sent.end(body)
      },
    ),
  )

const ok: RequestListener = (_, outgoing) => outgoing.end('{}')
// Bytes that are no UTF-8.
const bytes = Buffer.from([0, 255, 10, 13, 200, 128, 34])

describe('a request', () => {
  it('arrives with its method, path, query, headers and bytes, and with the host of the service', async () => {
    const { url, received, service } = await start(ok, { path: '/v1' })
    const headers = { 'X-Odd': 'a,  b', authorization: 'Bearer t', 'content-length': `${bytes.length}` }
    await send(`${url}/projects/a%2Fb/users?limit=%31&&x`, { method: 'PATCH', headers, body: bytes })
    expect(received).toEqual([
      {
        method: 'PATCH',
        url: '/v1/projects/a%2Fb/users?limit=%31&&x',
        headers: { Host: `127.0.0.1:${service}`, ...headers, Connection: 'keep-alive' },
        body: bytes,
      },
    ])
  })

  it('arrives in chunks if it was sent in chunks', async () => {
    const { url, received } = await start(ok)
    await send(url, { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: bytes })
    expect(received[0]).toMatchObject({ headers: { 'transfer-encoding': 'chunked' }, body: bytes })
  })

  it.each([
    ['POST', { 'Content-Length': '0' }],
    ['PATCH', { 'Content-Length': '0' }],
    ['DELETE', {}],
    ['OPTIONS', {}],
  ])('%s without a body arrives without one', async (method, length) => {
    const { port, received } = await start(ok)
    const raw = await connectRaw({ port })
    raw.send(`${method} / HTTP/1.1\r\nHost: program\r\n\r\n`)
    await raw.readResponse()
    expect(received[0]!.headers).toEqual({ Host: expect.any(String), ...length, Connection: 'keep-alive' })
  })

  it('arrives without the headers of the connection', async () => {
    const { url, received } = await start(ok)
    const headers = {
      connection: 'X-Hop, close',
      'x-hop': '1',
      te: 'trailers',
      'keep-alive': 'timeout=1',
      'x-end': '2',
    }
    await send(url, { headers })
    expect(received[0]!.headers).toEqual({ Host: expect.any(String), 'x-end': '2', Connection: 'keep-alive' })
  })
})

it.each([
  ['without a Host', 'GET / HTTP/1.1\r\n\r\n', 'malformedRequest'],
  ['with two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 'malformedRequest'],
  ['with another Expect', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 'expectationFailed'],
  ['to CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 'methodNotAllowed'],
  ['that is not HTTP', 'what is this\r\n\r\n', 'malformedRequest'],
] as const)(
  'an invalid request %s gets the error object of the mock, and does not reach the service',
  async (_, sent, code) => {
    const { port, received, exchanges } = await start(ok)
    const raw = await connectRaw({ port })
    raw.send(sent)
    expectError(await raw.readResponse(), code)
    expect([received, exchanges]).toEqual([[], []])
  },
)

describe('a response', () => {
  it('arrives with its status, reason, headers and bytes, and no others', async () => {
    const { url } = await start((_, outgoing) => {
      outgoing.sendDate = false
      outgoing.writeHead(418, 'Short and Stout', ['X-One', '1', 'X-one', '2', 'Content-Length', `${bytes.length}`])
      outgoing.end(bytes)
    })
    const { status, message, headers, body } = await send(url)
    expect([status, message, body]).toEqual([418, 'Short and Stout', bytes])
    expect(headers).toEqual({ 'X-One': '1', 'X-one': '2', 'Content-Length': '7', Connection: 'close' })
  })

  it('arrives compressed as it was sent, and is recorded as text', async () => {
    const sent = gzipSync('{"object":"list"}')
    const { url, exchanges } = await start((_, outgoing) => {
      outgoing.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
      outgoing.end(sent)
    })
    const { headers, body } = await send(url)
    expect(headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(body).toEqual(sent)
    expect(exchanges[0]!.response).toEqual({ status: 200, contentType: 'application/json', text: '{"object":"list"}' })
  })

  it.each([204, 304])('%i has no body', async (status) => {
    const { url, exchanges } = await start((_, outgoing) => outgoing.writeHead(status).end())
    expect(await send(url)).toMatchObject({ status, body: Buffer.alloc(0) })
    expect(exchanges[0]!.response).toMatchObject({ status, text: '' })
  })

  it('to HEAD has the length of the body, and no body', async () => {
    const { url, received } = await start((_, outgoing) => outgoing.writeHead(200, { 'content-length': 17 }).end())
    const { headers, body } = await send(url, { method: 'HEAD' })
    expect(received[0]!.method).toBe('HEAD')
    expect([headers['content-length'], body.length]).toEqual(['17', 0])
  })

  it('that redirects is not followed', async () => {
    const { url, received } = await start((_, outgoing) => outgoing.writeHead(302, { location: '/elsewhere' }).end())
    expect(await send(url)).toMatchObject({ status: 302, headers: { location: '/elsewhere' } })
    expect(received.length).toBe(1)
  })

  it('that the service aborts is aborted for the program, after the same bytes', async () => {
    const { port, exchanges } = await start((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': 100 })
      outgoing.write('{"object":', () => setImmediate(() => outgoing.destroy()))
    })
    const raw = await connectRaw({ port })
    raw.send('GET / HTTP/1.1\r\nHost: program\r\n\r\n')
    expect(await raw.ended()).toMatch(/content-length: 100\r\n.*\r\n\r\n\{"object":$/s)
    expect(exchanges).toMatchObject([{ response: undefined, failure: 'the service aborted its response (ECONNRESET)' }])
  })

  it('that never comes, because the service ends the connection, is none', async () => {
    const { url, exchanges, received } = await start((incoming) => incoming.socket.destroy())
    await expect(send(url)).rejects.toThrow('socket hang up')
    expect(exchanges).toMatchObject([{ response: undefined, failure: 'the service sent no response (ECONNRESET)' }])
    expect(received.length).toBe(1)
  })

  it('for which the program does not wait is not awaited', async () => {
    let arrive: (socket: Socket) => void
    const arrived = new Promise<Socket>((resolve) => (arrive = resolve))
    const { port, exchanges } = await start(({ socket }) => arrive(socket))
    const raw = await connectRaw({ port })
    raw.send('GET / HTTP/1.1\r\nHost: program\r\n\r\n')
    const socket = await within('the request', arrived)
    raw.socket.destroy()
    await within('the end of the connection', once(socket, 'close'))
    expect(exchanges).toMatchObject([{ failure: 'the program did not wait for the response' }])
  })
})

describe('connections', () => {
  it('of calls at the same time are as many, and each call gets its own response', async () => {
    const waiting: (() => void)[] = []
    const { url, connections, exchanges } = await start(({ url: path }, outgoing) => {
      waiting.push(() => outgoing.end(path))
      if (waiting.length === 8) waiting.toReversed().forEach((respond) => respond())
    })
    const paths = Array.from({ length: 8 }, (_, index) => `/${index}`)
    const bodies = await Promise.all(paths.map(async (path) => (await send(url + path)).body.toString()))
    expect(bodies).toEqual(paths)
    expect(connections.count).toBe(8)
    expect(exchanges.map(({ target }) => target).toSorted()).toEqual(paths)
  })

  it('are kept as long as the program keeps its own', async () => {
    const { url, connections } = await start(ok)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    for (let call = 0; call < 3; call++) await send(url, { agent })
    expect(connections.count).toBe(1)
    for (let call = 0; call < 3; call++) await send(url)
    expect(connections.count).toBe(4)
  })
})

it.each([
  ['calls', { calls: 2, bytes: 1000 }],
  ['bytes', { calls: 100, bytes: 5 }],
])('a run beyond the limit of %s is passed on, but not kept', async (_, limits) => {
  const { url, exchanges } = await start(ok, { limits })
  for (let call = 0; call < 3; call++) expect((await send(url)).body.toString()).toBe('{}')
  const kept = exchanges.map(({ failure, response }) => [failure, response?.text])
  const beyond = ['the run is larger than the limit', undefined]
  expect(kept).toEqual([[undefined, '{}'], [undefined, '{}'], beyond])
})
