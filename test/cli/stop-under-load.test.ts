// Proves: Stop.
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMock } from '../../src/node/index.ts'
import { startCli } from './support/cli.ts'
import { connectRaw, type Raw } from './support/raw.ts'

/** The keep-alive timeout of the command, in milliseconds. */
const idleTime = 250

const user = '{"email":"ada@example.com"}'
const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', 'Authorization: Bearer any', ...headers, '\r\n'].join('\r\n')
const list = [head('GET /projects/acme/users?limit=1')]
/** Sent in two parts, like the requests of HTTP clients. */
const create = [head('POST /projects/acme/users', `Content-Length: ${user.length}`), user]

/** How a client ended: with a `Connection: close`, or with a connection that closed after a request was sent. */
type End = 'announced' | 'cut off' | 'cut off after a long pause'

/** Sends requests one after the other on one connection until it closes. */
const sendInLoop = async (raw: Raw, stoppedAt: () => number, onResponse: () => void): Promise<End> => {
  for (let count = 0; ; count++) {
    for (const part of count % 2 === 0 ? list : create) raw.send(part)
    const isInTime = performance.now() <= stoppedAt() + idleTime
    // oxlint-disable-next-line no-await-in-loop -- the next request follows the response
    const response = await raw.readResponse().catch(() => undefined)
    if (response === undefined) return isInTime ? 'cut off' : 'cut off after a long pause'
    expect([200, 201]).toContain(response.status)
    onResponse()
    if (response.headers.connection === 'close') return 'announced'
  }
}

/** Stops a mock while 16 clients send requests, and returns how each of them ended. */
const endsOf = async (port: number, stop: () => unknown): Promise<End[]> => {
  let stoppedAt = Infinity
  let responses = 0
  const onResponse = () => {
    // By now every client has sent several requests.
    if (++responses !== 320) return
    stoppedAt = performance.now()
    stop()
  }
  const clients = await Promise.all(Array.from({ length: 16 }, () => connectRaw({ port })))
  return Promise.all(clients.map((raw) => sendInLoop(raw, () => stoppedAt, onResponse)))
}

describe('sixteen clients in a loop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('see no error through a %s', async (signal) => {
    const mock = await startCli(['--log', 'silent'])
    const ends = await endsOf(mock.port, () => mock.child.kill(signal))
    // A client that is not scheduled for that long may be cut off.
    expect(ends).not.toContain('cut off')
    expect(await mock.ended()).toMatchObject({ code: 0, signal: null })
  })

  it.each(['mock', 'server'] as const)('all get `Connection: close` when the %s closes in process', async (what) => {
    const mock = createMock()
    onTestFinished(() => mock.close())
    const server = await mock.listen()
    let closed: Promise<void> | undefined
    const ends = await endsOf(server.port, () => (closed = { mock, server }[what].close()))
    expect(ends).toEqual(Array(16).fill('announced'))
    await closed
    await expect(connectRaw({ port: server.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

it('sixty clients that have connected and not been accepted yet are served when the server stops', async () => {
  const mock = createMock()
  onTestFinished(() => mock.close())
  const { port } = await mock.listen()
  // The system has connected each of them when `connect` returns, and the server has seen none.
  const clients = Array.from({ length: 60 }, () => connectRaw({ port }))
  const closed = mock.close()
  const statuses = clients.map(async (connecting) => {
    const raw = await connecting
    for (const part of list) raw.send(part)
    const { status, headers } = await raw.readResponse()
    return `${status} ${headers.connection}`
  })
  expect(await Promise.all(statuses)).toEqual(Array(60).fill('200 close'))
  await closed
})

it('pipelined requests all get a response, and the last one closes the connection', async () => {
  const users = Array.from({ length: 16 }, () => ({ email: 'ada@example.com', fullName: 'x'.repeat(1024 * 1024) }))
  const mock = createMock({ seed: { projects: { acme: { users } } } })
  onTestFinished(() => mock.close())
  const raw = await connectRaw({ port: (await mock.listen()).port })
  const first = new Promise((resolve) => raw.socket.once('data', () => resolve(raw.socket.pause())))
  // The first response does not fit into the buffers of a client that does not read.
  raw.send(head('GET /__admin/state') + head('GET /projects/beta/users') + head('GET /projects/acme/users?limit=1'))
  await first
  const closed = mock.close()
  raw.socket.resume()
  const responses = [await raw.readResponse(), await raw.readResponse(), await raw.readResponse()]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(responses.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive', 'close'])
  await closed
})
