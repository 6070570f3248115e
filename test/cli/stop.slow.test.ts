// Proves: Stop.
import { describe, expect, it } from 'vitest'
import { type RunningMock, seedFile, startCli, stopWith, noDeadlines } from './support/cli.ts'
import { clients, get, largeSeed, startReading } from './support/client-states.ts'
import { connectRaw, type Raw } from './support/raw.ts'
describe('a mock that is stopping', () => {
  const startLarge = (env = {}): Promise<RunningMock> =>
    startCli(['--log', 'silent', '--seed', seedFile(largeSeed)], env)

  it('disconnects a client that never reads its response, after some seconds', async () => {
    const mock = await startLarge()
    await startReading(mock.port)
    const start = performance.now()
    expect((await stopWith(mock, 'SIGTERM')).code).toBe(0)
    // Four seconds, measured by another clock.
    expect(performance.now() - start, 'the client was given time').toBeGreaterThan(3900)
  })
})

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
})

// In parallel, because the time is spent waiting. `stop.test.ts` has all clients at one mock, and each in process.
it('SIGTERM ends a mock at once and without output, whatever state its client left', async () => {
  const left = clients.map(async ([what, leave]) => {
    const mock = await startCli(['--log', 'pretty'], noDeadlines)
    const raw = await connectRaw({ port: mock.port })
    await leave(raw)
    // After a response on another connection, everything that was sent before has arrived.
    const other = await connectRaw({ port: mock.port })
    other.send(get('/healthz'))
    await other.readResponse()
    return { what, mock, raw }
  })
  for (const { what, mock, raw } of await Promise.all(left)) {
    const { code, err } = await stopWith(mock, 'SIGTERM')
    expect(code, what).toBe(0)
    expect(err, what).not.toMatch(/fail|error| {4}at /i)
    await raw.ended()
  }
})
