import { describe, expect, it } from 'vitest'
import { connectRaw, countResponses } from '../../cli/support/raw.ts'
import { transports } from '../../support/api.ts'
import { startClient } from '../../control/traffic/support/client.ts'

const bodyLimit = 1000
const seed = {
  projects: {
    acme: { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] },
  },
}
const start = (transport: (typeof transports)[number]) => startClient(transport, { seed, bodyLimit })

const writes = [
  ['DELETE', '/users/usr_1'],
  ['POST', '/paymentLinks/pml_1/cancel'],
] as const

const head = (method: string, path: string, ...headers: string[]) =>
  [
    `${method} /projects/acme${path} HTTP/1.1`,
    'Host: localhost',
    'Authorization: Bearer any',
    'Accept: application/json',
    'Content-Type: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n')

describe.each(transports)('A body that the operation does not need, %s,', (transport) => {
  describe.each(writes)('%s %s,', (method, path) => {
    it.each([
      ['too large', 'x'.repeat(bodyLimit + 1), 413, 'bodyTooLarge'],
      ['not JSON', '{', 400, 'malformedBody'],
      ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'malformedBody'],
      ['nested too deeply', '['.repeat(65) + ']'.repeat(65), 400, 'malformedBody'],
    ])('is rejected when it is %s, and nothing changes', async (_, raw, status, code) => {
      const { acme, ask } = await start(transport)
      const before = await acme.state.get()
      expect(await ask(path, { method, raw })).toMatchObject({ status, body: { code } })
      expect(await acme.state.get()).toEqual(before)
      expect((await acme.summary()).revision).toBe(0)
    })

    it('is ignored when it is JSON, and recorded as a violation', async () => {
      const { acme, ask } = await start(transport)
      expect((await ask(path, { method, raw: '{"a":1}' })).status).toBe(200)
      expect((await acme.summary()).revision).toBe(1)
      expect((await acme.violations.list()).items.map((violation) => violation.path)).toEqual(['body'])
    })

    it('is checked after the headers, the resource and the query', async () => {
      const { ask } = await start(transport)
      const text = { 'content-type': 'text/plain' }
      const raw = 'x'.repeat(bodyLimit + 1)
      expect((await ask(path, { method, raw, headers: text })).status).toBe(415)
      expect((await ask(path.replace('_1', '_2'), { method, raw, headers: text })).status).toBe(415)
      expect((await ask(path.replace('_1', '_2'), { method, raw })).status).toBe(404)
      expect((await ask(path, { method, raw })).status).toBe(413)
    })
  })
})

describe('A body that the operation does not need, on a connection,', () => {
  const half = ['Content-Length: 100', 'Transfer-Encoding: chunked'] as const

  it.each(writes.flatMap(([method, path]) => half.map((header) => [method, path, header] as const)))(
    '%s %s with %s: when the client ends in the middle of it, nothing changes',
    async (method, path, header) => {
      const { acme, port } = await start('over HTTP')
      const before = await acme.state.get()
      const raw = await connectRaw({ port })
      raw.socket.end(`${head(method, path, header)}${header.startsWith('T') ? '5\r\n' : ''}{"a":`)
      const received = await raw.ended()
      expect(received).toMatch(/^HTTP\/1\.1 400 /)
      expect(countResponses(received)).toBe(1)
      expect(await acme.state.get()).toEqual(before)
      expect((await acme.summary()).revision).toBe(0)
    },
  )

  it.each(writes)('%s %s: when the connection breaks in the middle of it, nothing changes', async (method, path) => {
    const { acme, port } = await start('over HTTP')
    const raw = await connectRaw({ port })
    raw.send(`${head(method, path, 'Content-Length: 100', 'Expect: 100-continue')}{"a":`)
    await raw.until(/100 Continue/)
    raw.socket.resetAndDestroy()
    await acme.requests.verify({ match: { path: `/projects/acme${path}` }, within: 300_000 })
    expect((await acme.summary()).revision).toBe(0)
  })

  it('is read to its end before the response, and the connection serves the next request', async () => {
    const { port } = await start('over HTTP')
    const raw = await connectRaw({ port })
    for (const [method, path, status] of [
      ['GET', '/users/usr_1', 200],
      ['POST', '/paymentLinks/pml_1/cancel', 200],
      ['DELETE', '/users/usr_1', 200],
      ['DELETE', '/users/usr_1', 404],
    ] as const) {
      raw.send(`${head(method, path, 'Content-Length: 2')}{`)
      raw.send('}')
      expect((await raw.readResponse()).status).toBe(status)
    }
  })
})
