// Proves: Slow clients.
import { expect, it } from 'vitest'
import { seedFile, startCli, stopWith } from './support/cli.ts'
import { connectRaw, type Raw } from './support/raw.ts'
import { request } from './support/request.ts'

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
  // Node alone would check every 30 seconds for clients that take longer than 60.
  expect(Math.max(...times)).toBeLessThan(60_000)
  for (const { said } of ends) {
    expect(said).toMatch(/^HTTP\/1\.1 408 /)
    expect(said).toContain('content-type: application/json')
    expect(said).toContain('"code":"requestTimeout"')
  }
  expect(await request(`${mock.url}/__admin/projects/acme`)).toMatchObject({ body: { users: 1, revision: 0 } })
  expect((await stopWith(mock, 'SIGTERM')).code).toBe(0)
})
