// Proves: Stop.
import { expect, it } from 'vitest'
import { noDeadlines, startCli, stopWith } from './support/cli.ts'
import { clients, get } from './support/client-states.ts'
import { connectRaw } from './support/raw.ts'

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
