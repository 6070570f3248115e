import { describe, expect, it } from 'vitest'
import type { MockOptions } from '../../../src/node/index.ts'
import { connectRaw, expectError, countResponses } from '../../cli/support/raw.ts'
import { transports } from '../../support/api.ts'
import { startClient } from '../../control/traffic/support/client.ts'
import { listeningMock } from '../../support/mock.ts'

const start = async (options: MockOptions = {}) => {
  const { mock, port } = await listeningMock(options)
  return { mock, client: () => connectRaw({ port }) }
}

const host = 'Host: localhost\r\n'
const token = 'Authorization: Bearer any\r\n'
const user = '{"email":"a@b.c"}'
const chunks = `11\r\n${user}\r\n0\r\n\r\n`
const create = `POST /projects/acme/users HTTP/1.1\r\n${host}${token}Content-Type: application/json\r\n`

describe('a Transfer-Encoding', () => {
  it.each([
    ['gzip', create.replace('POST', 'GET'), ''],
    ['gzip', create, user],
    ['chunked, gzip', create, chunks],
    ['chunked, chunked', create, chunks],
    ['identity', create, user],
    ['chunked;q=1', create, chunks],
  ])('%j is malformed, and creates no record', async (coding, head, body) => {
    const { client, mock } = await start()
    const raw = await client()
    raw.send(`${head}Transfer-Encoding: ${coding}\r\n\r\n${body}`)
    const response = await raw.readResponse()
    expectError(response, 'malformedRequest')
    expect(response.headers.connection).toBe('close')
    await raw.ended()
    expect((await mock.project('acme').users.list()).items).toEqual([])
  })

  it.each(['chunked', 'Chunked', ' chunked '])('%j is accepted', async (coding) => {
    const { client } = await start()
    const raw = await client()
    raw.send(`${create}Transfer-Encoding: ${coding}\r\n\r\n${chunks}`)
    expect((await raw.readResponse()).status).toBe(201)
  })
})

const limit = 16 * 1024
/** A request whose request line and headers have this size, in lines of this length. */
const requestOf = (size: number, line: number): string => {
  const head = `GET /healthz HTTP/1.1\r\n${host}`
  const space = size - head.length - '\r\n'.length
  const lines = Math.floor(space / line) - 1
  const full = `A: ${'b'.repeat(line - 5)}\r\n`
  const last = `A: ${'b'.repeat(space - lines * line - 5)}\r\n`
  return `${head}${full.repeat(lines)}${last}\r\n`
}

it.each([6, 10, 100, 1000])('the headers of a request may have %d bytes a line and 16 KiB in all', async (line) => {
  const { client } = await start()
  const within = requestOf(limit, line)
  expect(within).toHaveLength(limit)
  const raw = await client()
  raw.send(within)
  expect((await raw.readResponse()).status).toBe(200)
})

describe.each(transports)('a path that cannot be decoded, %s,', (transport) => {
  it.each([
    ...'%zz/users %ff/users %/users %C0%AF/users %ED%A0%80/users %zz acme/users/%ff'.split(' '),
    'acme%2/paymentLinks/pml_1/cancel',
  ])('/projects/%s gets 401 without a token, else 400, and creates no project', async (path) => {
    const { mock, ask } = await startClient(transport)
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
      expect(await ask(`/projects/${path}`, { method })).toMatchObject({
        status: 400,
        body: { code: 'malformedRequest' },
      })
    expect(await ask(`/projects/${path}`, { headers: { authorization: '' } })).toMatchObject({ status: 401 })
    expect(await mock.projects()).toEqual([])
    expect((await mock.requests.list({ status: 400 })).items.map((entry) => entry.project)).toEqual(Array(4).fill(null))
  })

  it('gets 400 on the control API', async () => {
    const { mock, call } = await startClient(transport)
    for (const path of ['/_/../__admin/projects/%zz', '/_/../__admin/projects/%ff/users'])
      expect((await call(path, { method: 'GET' })).status).toBe(400)
    expect(await mock.projects()).toEqual([])
  })

  it('is one of the path alone: a query may have any bytes', async () => {
    const { ask } = await startClient(transport)
    expect((await ask('/users?unknown=%zz')).status).toBe(200)
  })

  it('is a problem where errors are problems', async () => {
    const { mock, ask } = await startClient(transport)
    await mock.behaviors.set({ errorFormat: 'problem' })
    const { headers, body } = await ask('/projects/%zz/users')
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(body).toMatchObject({ status: 400, code: 'malformedRequest' })
  })
})

const bodyLimit = 1000
const acme = { users: [{ id: 'usr_1', email: 'a@b.c' }], paymentLinks: [{ id: 'pml_1', invoice: 'inv_1' }] }
const seed = { projects: { acme } }
const startLimited = (transport: (typeof transports)[number]) => startClient(transport, { seed, bodyLimit })

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
      const { acme, ask } = await startLimited(transport)
      const before = await acme.state.get()
      expect(await ask(path, { method, raw })).toMatchObject({ status, body: { code } })
      expect(await acme.state.get()).toEqual(before)
      expect((await acme.summary()).revision).toBe(0)
    })

    it('is ignored when it is JSON, and recorded as a violation', async () => {
      const { acme, ask } = await startLimited(transport)
      expect((await ask(path, { method, raw: '{"a":1}' })).status).toBe(200)
      expect((await acme.summary()).revision).toBe(1)
      expect((await acme.violations.list()).items.map((violation) => violation.path)).toEqual(['body'])
    })

    it('is checked after the headers, the resource and the query', async () => {
      const { ask } = await startLimited(transport)
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

  const unfinished = writes.flatMap(([method, path]) => half.map((header) => [method, path, header] as const))
  it.each(unfinished)('%s %s with %s changes nothing when the client ends early', async (method, path, header) => {
    const { acme, port } = await startLimited('over HTTP')
    const before = await acme.state.get()
    const raw = await connectRaw({ port })
    raw.socket.end(`${head(method, path, header)}${header.startsWith('T') ? '5\r\n' : ''}{"a":`)
    const received = await raw.ended()
    expect(received).toMatch(/^HTTP\/1\.1 400 /)
    expect(countResponses(received)).toBe(1)
    expect(await acme.state.get()).toEqual(before)
    expect((await acme.summary()).revision).toBe(0)
  })

  it.each(writes)('%s %s: when the connection breaks in the middle of it, nothing changes', async (method, path) => {
    const { acme, port } = await startLimited('over HTTP')
    const raw = await connectRaw({ port })
    raw.send(`${head(method, path, 'Content-Length: 100', 'Expect: 100-continue')}{"a":`)
    await raw.until(/100 Continue/)
    raw.socket.resetAndDestroy()
    await acme.requests.verify({ match: { path: `/projects/acme${path}` }, within: 30_000 })
    expect((await acme.summary()).revision).toBe(0)
  })

  it('is read to its end before the response, and the connection serves the next request', async () => {
    const { port } = await startLimited('over HTTP')
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
