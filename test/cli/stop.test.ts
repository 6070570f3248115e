// Proves: Stop.
import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCore } from '../../src/core/mock/core.ts'
import { createMock, type Server } from '../../src/node/index.ts'
import { startServer } from '../../src/node/server.ts'
import { cliPath, fileWith, noDeadlines, run, seedFile, startCli, stopWith } from './support/cli.ts'
import { clients, get, largeSeed, startReading } from './support/client-states.ts'
import { endsOf, head, list } from './support/clients-in-loop.ts'
import { connectRaw, expectError, type Raw } from './support/raw.ts'
import { watchTimers, withoutDeadlines } from './support/wait.ts'
import { within } from '../support/within.ts'
import { readJson, readText } from '../support/read.ts'
import { listeningMock } from '../support/mock.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

/** Resolves once the port accepts no connections, which is the first step of stopping. */
const refusesConnections = (port: number): Promise<void> => {
  const attempt = (): Promise<void> =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port })
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
      socket.once('connect', () => socket.destroy())
    }).then((isClosed) => (isClosed ? undefined : attempt()))
  return within('the port to reject connections', attempt())
}

// `cli.test.ts` does the same with SIGTERM.
it.runIf(process.env.SLOW_TESTS)('SIGINT ends a mock that has just become ready with exit code 0', async () => {
  const mock = await startCli(['--log', 'silent'])
  expect(await stopWith(mock, 'SIGINT')).toMatchObject({ code: 0, signal: null })
})

// Those below do the same in process.
it.runIf(process.env.SLOW_TESTS)('SIGTERM ends a mock with all of these clients, none of which closes', async () => {
  const mock = await startCli(['--log', 'silent'], noDeadlines)
  for (const [, leave] of clients) await leave(await connectRaw({ port: mock.port, allowHalfOpen: true }))
  expect((await stopWith(mock, 'SIGTERM')).code).toBe(0)
})

it.each([
  ['SIGINT', 0, 'a mock', ['--port', '0', '--seed']],
  ['SIGINT', 130, 'another command', ['validate']],
  ['SIGTERM', 143, 'another command', ['validate']],
] as const)('%s exits with %i while %s is still reading its seed', async (signal, code, _, words) => {
  const pipe = `${fileWith('')}.pipe`
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  const command = run([cliPath, ...words, pipe])
  // Opening a pipe for writing waits for its reader, so the command has started to read here.
  const seed = await within('the command to open its seed', open(pipe, 'w'))
  command.child.kill(signal)
  // Node waits for the pending read, which gets a valid seed.
  // The write fails if the command has already exited.
  await seed.writeFile('{}').catch(() => {})
  await seed.close().catch(() => {})
  expect(await command.ended()).toMatchObject({ code, signal: null })
})

describe('a mock that is stopping', () => {
  const startLarge = (env = {}) => startCli(['--log', 'silent', '--seed', seedFile(largeSeed)], env)

  it('finishes a response in progress, and then exits with 0', async () => {
    const mock = await startLarge()
    const raw = await startReading(mock.port)
    mock.child.kill('SIGTERM')
    await refusesConnections(mock.port)
    raw.socket.resume()
    const { status, headers, body } = await raw.readResponse()
    expect(status).toBe(200)
    expect(body).toHaveLength(Number(headers['content-length']))
    expect(Object.keys(JSON.parse(body))).toContain('projects')
    expect(await mock.ended()).toMatchObject({ code: 0 })
  })

  it('exits at once on any second signal', async () => {
    const pairs = process.env.SLOW_TESTS ? [signals, signals.toReversed()] : [signals]
    const exits = pairs.map(async ([first, second]) => {
      const mock = await startLarge(noDeadlines)
      await startReading(mock.port)
      mock.child.kill(first)
      await refusesConnections(mock.port)
      return stopWith(mock, second)
    })
    for (const { code } of await Promise.all(exits)) expect(code).toBe(0)
  })
})

// This client has a minute for its next request, enough for any machine.
describe('a server that is closing', () => {
  const startPatient = async (): Promise<{ server: Server; kept: Raw }> => {
    const server = await startServer(createCore(), {}, { idleTime: 60_000 })
    onTestFinished(() => server.close())
    const kept = await connectRaw({ port: server.port })
    kept.send(get('/healthz'))
    expect((await kept.readResponse()).headers.connection).toBe('keep-alive')
    return { server, kept }
  }

  it.each([
    ['the next request', ''],
    ['the rest of a half-sent request', 'GET /projects/acme/users HTTP/1.1\r\nHost: localhost\r\n'],
  ])('responds to %s of a kept connection, and closes it', async (_, before) => {
    const { server, kept } = await startPatient()
    kept.send(before)
    // A response on a newer connection means that the half request has arrived.
    const other = await connectRaw({ port: server.port })
    other.send(get('/healthz'))
    await other.readResponse()
    other.socket.destroy()
    const closed = server.close()
    await refusesConnections(server.port)
    const request = 'GET /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n\r\n'
    kept.send(request.slice(before.length))
    const { status, headers } = await kept.readResponse()
    expect({ status, connection: headers.connection }).toEqual({ status: 200, connection: 'close' })
    await kept.ended()
    await within('the server to close', closed)
  })

  it('returns 503 for a health check on a kept connection', async () => {
    const { server, kept } = await startPatient()
    const closed = server.close()
    kept.send(get('/healthz'))
    expectError(await kept.readResponse(), 'shuttingDown')
    await within('the server to close', closed)
  })
})

describe('close', () => {
  it('may be called any number of times, also at once', async () => {
    const mock = createMock()
    const server = await mock.listen()
    await Promise.all([server.close(), mock.close(), server.close(), mock.close()])
    await server.close()
    await mock.close()
  })

  it('of a server leaves the mock unchanged', async () => {
    const mock = createMock()
    const server = await mock.listen()
    const user = await mock.project('acme').users.create({ email: 'ada@example.com' })
    await server.close()
    expect(await mock.project('acme').users.get(user.id)).toEqual(user)
    await using again = await mock.listen()
    const response = await fetch(`${again.url}/__admin/projects/acme/users/${user.id}`)
    expect(await readJson(response)).toEqual(user)
  })

  it('of the mock closes all its servers', async () => {
    const mock = createMock()
    const servers = await Promise.all([mock.listen(), mock.listen()])
    await mock.close()
    for (const { port } of servers) await expect(connectRaw({ port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('of the mock closes a server that is being opened', async () => {
    const mock = createMock()
    const opening = mock.listen()
    await mock.close()
    const server = await opening.catch(() => undefined)
    if (server === undefined) return
    onTestFinished(() => server.close())
    await expect(connectRaw({ port: server.port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('is called at the end of `await using`, for the server and for the mock', async () => {
    let ports: number[] = []
    {
      await using mock = createMock()
      {
        await using server = await mock.listen()
        ports = [server.port]
        expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      }
      await expect(connectRaw({ port: ports[0]! })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      ports.push((await mock.listen()).port)
    }
    await expect(connectRaw({ port: ports[1]! })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  const kinds: [how: string, allowHalfOpen: boolean][] = [
    ['and never closes its own half', true],
    ['and closes when the server does', false],
  ]

  const triedKinds = process.env.SLOW_TESTS ? kinds : kinds.slice(0, 1)
  describe.each(triedKinds)('with a client in any state, %s,', (_, allowHalfOpen) => {
    it.each(clients)('does not wait: %s', async (_, leave) => {
      // Before the server opens, so that Node's limits do not apply to it.
      withoutDeadlines()
      const { mock, port } = await listeningMock()
      const raw = await connectRaw({ port, allowHalfOpen })
      await leave(raw)
      await within('the mock to close', mock.close())
      await raw.ended()
    })
  })

  it('does not wait for the kept connections of `fetch`', async () => {
    withoutDeadlines()
    const mock = createMock()
    const { url } = await mock.listen()
    await Promise.all([1, 2, 3].map(async () => readText(fetch(`${url}/healthz`))))
    await within('the mock to close', mock.close())
  })
})

it('sixteen clients in a loop all get `Connection: close` when the mock closes in process', async () => {
  const { mock, port } = await listeningMock()
  let closed: Promise<void> | undefined
  const ends = await endsOf(port, () => (closed = mock.close()))
  expect(ends).toEqual(Array(16).fill('announced'))
  await within('the server to close', Promise.resolve(closed))
  await expect(connectRaw({ port })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it.runIf(process.env.SLOW_TESTS)('sixty clients that are not accepted yet are served before a stop', async () => {
  const { mock, port } = await listeningMock()
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
  await within('the server to close', closed)
})

it.runIf(process.env.SLOW_TESTS)('sixty clients that connect again are served until the port is closed', async () => {
  const { mock, port } = await listeningMock()
  let served = 0
  const callAgain = async (): Promise<string> => {
    const connected = await connectRaw({ port }).catch(({ code }: NodeJS.ErrnoException) => `${code}`)
    if (typeof connected === 'string') return connected
    connected.send(head('GET /projects/acme/users', 'Connection: close'))
    expect((await connected.readResponse()).status).toBe(200)
    connected.socket.destroy()
    if (++served === 180) void mock.close()
    return callAgain()
  }
  const ends = await Promise.all(Array.from({ length: 60 }, callAgain))
  expect(ends).toEqual(Array(60).fill('ECONNREFUSED'))
})

it('a server that is closing accepts connections for a second, and finishes requests for four', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  const timers = watchTimers(4000)
  const server = await startServer(createCore(), {})
  const connectAgain = async (): Promise<void> => {
    // The server sees no turn of the event loop without a new connection.
    const raw = await connectRaw({ port: server.port }).catch(() => undefined)
    now += 100
    if (raw !== undefined && now < 100_000) await connectAgain()
  }
  const connecting = Promise.all(Array.from({ length: 4 }, connectAgain))
  const closed = server.close()
  expect(timers.running()).toBe(1)
  await connecting
  await within('the server to close', closed)
  expect(now).toBeGreaterThan(1000)
  expect(now).toBeLessThan(100_000)
})

it('pipelined requests all get a response, and the last one closes the connection', async () => {
  const largeUsers = Array.from({ length: 16 }, () => ({ email: 'ada@example.com', fullName: 'x'.repeat(1024 * 1024) }))
  const { mock, port } = await listeningMock({ seed: { projects: { acme: { users: largeUsers } } } })
  const raw = await connectRaw({ port })
  const first = new Promise((resolve) => raw.socket.once('data', () => resolve(raw.socket.pause())))
  // The first response does not fit into the buffers of a client that does not read.
  const user = JSON.stringify({ email: 'ada@example.com', fullName: 'x'.repeat(900_000) })
  raw.send(head('GET /__admin/state') + head('GET /projects/beta/users'))
  // Most of its body arrives when the first response has been read.
  raw.send(head('POST /projects/acme/users', `Content-Length: ${user.length}`) + user)
  await within('the first bytes', first)
  const closed = mock.close()
  raw.socket.resume()
  const responses = [await raw.readResponse(), await raw.readResponse(), await raw.readResponse()]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 201])
  expect(responses.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'keep-alive', 'close'])
  await within('the server to close', closed)
})
