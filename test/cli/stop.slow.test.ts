// Proves: Stop.
import { describe, expect, it } from 'vitest'
import { type RunningMock, seedFile, startCli, stopWith, noDeadlines } from './support/cli.ts'
import { clients, get, largeSeed, startReading } from './support/client-states.ts'
import { endsOf } from './support/clients-in-loop.ts'
import { connectRaw } from './support/raw.ts'
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
