// Proves: Slow clients, Stop.
import { execFile } from 'node:child_process'
import { constants } from 'node:buffer'
import { expect, it } from 'vitest'
import { cliPath, seedFile, startCli, stopWith } from './support/cli.ts'
import { largeSeed, startReading } from './support/client-states.ts'
import { endsOf } from './support/clients-in-loop.ts'
import { connectRaw, type Raw } from './support/raw.ts'
import { request } from './support/request.ts'

it('a mock that is stopping disconnects a client that never reads its response, after some seconds', async () => {
  const mock = await startCli(['--log', 'silent', '--seed', seedFile(largeSeed)])
  await startReading(mock.port)
  const start = performance.now()
  expect((await stopWith(mock, 'SIGTERM')).code).toBe(0)
  // Four seconds, measured by another clock.
  expect(performance.now() - start, 'the client was given time').toBeGreaterThan(3900)
})

it.each(['SIGTERM', 'SIGINT'] as const)('sixteen clients in a loop see no error through a %s', async (signal) => {
  const mock = await startCli(['--log', 'silent'])
  const ends = await endsOf(mock.port, () => mock.child.kill(signal))
  // A client that is not scheduled for that long may be cut off.
  expect(ends).not.toContain('cut off')
  expect(await mock.ended()).toMatchObject({ code: 0, signal: null })
})

// `node test/quality slow` has two thousand.
const clients = Number(process.env.SLOW_CLIENTS ?? 100)
const create = 'POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n'
const load = 'PUT /__admin/state HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
/** How far they come. */
const halves = [
  '',
  'GET',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow:',
  `${create}Content-Length: 100\r\n\r\n{"email":`,
  `${create}Transfer-Encoding: chunked\r\n\r\n9\r\n{"email":\r\n`,
  // Rejected before its body is read.
  `${create.replace('Bearer', 'Basic')}Content-Length: 100\r\n\r\n`,
  `${load}Content-Length: 100\r\n\r\n{`,
  // It needs no body.
  `${create.replace('POST /projects/acme/users', 'DELETE /projects/acme/users/usr_1')}Content-Length: 100\r\n\r\n{`,
]
const seed = { projects: { acme: { users: [{ id: 'usr_1', email: 'ada@example.com' }] } } }

it(`serves others while ${clients} clients dawdle over headers and bodies, and closes those after some seconds`, async () => {
  const mock = await startCli(['--log', 'silent', '--seed', seedFile(seed)])
  const slow: { raw: Raw; opened: number }[] = []
  // In portions: what does not fit into the queue of the system is not the server's to accept.
  while (slow.length < clients)
    slow.push(
      ...(await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const raw = await connectRaw({ port: mock.port })
          raw.send(halves[index % halves.length]!)
          return { raw, opened: performance.now() }
        }),
      )),
    )
  expect(await request(`${mock.url}/projects/acme/users`, { headers: { authorization: 'Bearer any' } })).toMatchObject({
    status: 200,
  })
  const ends = await Promise.all(
    slow.map(async ({ raw, opened }) => ({ said: await raw.ended(), after: performance.now() - opened })),
  )
  const times = ends.map(({ after }) => after)
  expect(Math.min(...times), 'the clients were given nine seconds').toBeGreaterThan(8500)
  // Node alone would check every 30 seconds.
  expect(Math.max(...times)).toBeLessThan(20_000)
  for (const { said } of ends) {
    expect(said).toMatch(/^HTTP\/1\.1 408 /)
    expect(said).toContain('content-type: application/json')
    expect(said).toContain('"code":"requestTimeout"')
  }
  expect(await request(`${mock.url}/__admin/projects/acme`)).toMatchObject({ body: { users: 1, revision: 0 } })
  expect((await stopWith(mock, 'SIGTERM')).code).toBe(0)
})

it('a seed from a pipe that is too large for a string is rejected', async () => {
  const size = constants.MAX_STRING_LENGTH + 1
  const line = `head -c ${size} /dev/zero | '${process.execPath}' '${cliPath}' validate /dev/stdin`
  const err = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', line], (_, __, text) => resolve(text))
  })
  expect(err).toBe('The seed /dev/stdin is larger than 512 MB. Create its records with `generate`.\n')
})
