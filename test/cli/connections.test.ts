// Proves: HTTP edge.
import { Agent, get as sendGet } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { BehaviorChoices, ErrorCode, MockOptions } from '../../src/node/index.ts'
import { withoutDeadlines } from './support/wait.ts'
import { within } from '../support/within.ts'
import { get } from './support/client-states.ts'
import { connectRaw, expectError } from './support/raw.ts'
import { errorDefinitions } from '../../src/core/schema/error.ts'
import { listeningMock } from '../support/mock.ts'

const startServer = async (options: MockOptions = {}) => {
  const { mock, ...server } = await listeningMock(options)
  return { mock, server, connect: () => connectRaw({ port: server.port }) }
}

const formatRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n`

it('a CONNECT whose client disconnects does not stop the server', async () => {
  const { server } = await startServer()
  const once = () =>
    within(
      'the end of the connection',
      new Promise<void>((resolve) => {
        const socket = connectSocket(server.port, '127.0.0.1', () =>
          socket.write('CONNECT x:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy()),
        )
        socket.once('close', () => resolve())
      }),
    )
  for (let i = 0; i < 60; i++) await once()
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

it('a queued request is never executed after its client disconnects', async () => {
  const { mock, server } = await startServer()
  await mock.project('slow').faults.add({ times: null, effect: { delay: { milliseconds: 60_000 } } })
  await mock.project('never').faults.add({ times: null, effect: { connection: 'hang' } })
  const socket = connectSocket(server.port, '127.0.0.1')
  socket.write(formatRequest('/projects/slow/users') + formatRequest('/projects/never/users'))
  await expect.poll(async () => (await mock.faults.list()).map(({ hits }) => hits)).toEqual([1, 0])
  socket.destroy()
  await expect.poll(async () => (await mock.requests.list()).items).toHaveLength(1)
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  await within(
    'a response',
    new Promise((resolve) =>
      sendGet(`${server.url}/healthz`, { agent }, (response) => response.resume().on('end', resolve)),
    ),
  )
  // It would wait its four seconds for requests that nobody waits for.
  withoutDeadlines()
  await server.close()
})

it('a kept connection may be idle for 65 seconds, and a header says so', async () => {
  const raw = await (await startServer()).connect()
  raw.send(get('/healthz'))
  expect((await raw.readResponse()).headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=65' })
})

it.each([
  ['a Content-Length', 'Content-Length: 9000000', ''],
  ['chunks', 'Transfer-Encoding: chunked', `200000\r\n${'x'.repeat(0x200000)}\r\n`],
])('the rest of a rejected body with %s may take half a second', async (_, header, body) => {
  withoutDeadlines()
  const raw = await (await startServer()).connect()
  const sent = performance.now()
  raw.send(
    `POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n${header}\r\n\r\n${body}`,
  )
  expectError(await raw.readResponse(), 'bodyTooLarge')
  await raw.ended()
  expect(performance.now() - sent).toBeGreaterThan(450)
})

const hosts = ['a.1', 'foo.256', '1.2.3.999', '4294967296', 'a.0x1', 'xn--a', 'a.xn--a.b']
it.each(hosts)('a request to the Host %s, which is invalid in a URL, is rejected and changes nothing', async (host) => {
  const { mock, connect } = await startServer()
  const raw = await connect()
  const body = '{"email":"ada@example.com"}'
  const headers = `Authorization: Bearer any\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  // The second one is not valid because of the first.
  raw.send(`POST /projects/acme/users HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n\r\n${body}`.repeat(2))
  expectError(await raw.readResponse(), 'malformedRequest')
  expectError(await raw.readResponse(), 'malformedRequest')
  expect(await mock.projects()).toEqual([])
  expect((await mock.requests.list()).items).toEqual([])
})

const startParser = async (behaviors: BehaviorChoices = {}) => {
  const { mock, connect } = await startServer({ behaviors })
  const getResponse = async (sent: string) => {
    const client = await connect()
    client.send(sent)
    const { status, headers, body } = await client.readResponse()
    return { status, type: headers['content-type'], connection: headers.connection, body: JSON.parse(body) }
  }
  return { mock, getResponse }
}

const post = 'POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n'

const rejected: readonly (readonly [what: string, sent: string, code: ErrorCode])[] = [
  ['a line that is not HTTP', 'what is this\r\n\r\n', 'malformedRequest'],
  ['headers over 16 KiB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 'headersTooLarge'],
  ['an unknown transfer coding', `${post}Transfer-Encoding: gzip\r\n\r\n`, 'malformedRequest'],
]

it.each(rejected)('errorFormat=problem returns %s as in RFC 9457', async (_, sent, code) => {
  const { getResponse } = await startParser({ errorFormat: 'problem' })
  const { status, summary: title } = errorDefinitions[code]
  const response = await getResponse(sent)
  expect(response).toMatchObject({ status, type: 'application/problem+json', connection: 'close' })
  expect(response.body).toMatchObject({ type: `urn:paylink-mock:error:${code}`, title, status, code })
  expect(response.body.detail).toMatch(/\.$/)
})

it('the behavior of all projects applies to parser errors as soon as it is set', async () => {
  const { mock, getResponse } = await startParser()
  const typeOf = async () => (await getResponse('what is this\r\n\r\n')).type
  await mock.project('acme').behaviors.set({ errorFormat: 'problem' })
  expect(await typeOf()).toBe('application/json')
  await mock.behaviors.set({ errorFormat: 'problem' })
  expect(await typeOf()).toBe('application/problem+json')
  await mock.reset()
  expect(await typeOf()).toBe('application/json')
})

const jsonType = 'application/json'
const authorization = 'Authorization: Bearer secret'

/** Sends header lines as they are. Returns the status of the response. */
const startWithTokens = async () => {
  const { mock, connect } = await startServer({ tokens: ['secret'], behaviors: { requestHeaders: 'required' } })
  const send = async (line: string, headers: readonly string[], body = '') => {
    const raw = await connect()
    raw.send([`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n'))
    return (await raw.readResponse()).status
  }
  return { acme: mock.project('acme'), send }
}

const list = 'GET /projects/acme/users'
const create = 'POST /projects/acme/users'

const accept = `Accept: ${jsonType}`

it.each([
  [list, [authorization, 'Accept: text/html', accept], 200],
  [list, [authorization, accept, 'Accept: text/html'], 200],
  [list, [authorization, 'accept: text/html', accept.replace('Accept', 'ACCEPT')], 200],
  [list, [authorization, 'Accept: text/html', 'Accept: text/plain'], 406],
  [create, [authorization, accept, `Content-Type: ${jsonType}`, 'Content-Type: text/plain'], 415],
  [create, [authorization, accept, 'Content-Type: text/plain', `Content-Type: ${jsonType}`], 415],
  // A valid token does not count beside another one.
  [list, [accept, authorization, 'Authorization: Bearer other'], 401],
  [list, [accept, 'Authorization: Bearer other', authorization], 401],
])('both lines of a header count: %s with %j returns %i', async (line, lines, status) => {
  const { send } = await startWithTokens()
  const body = line === create ? '{"email":"ada@example.com"}' : ''
  expect(await send(line, [...lines, `Content-Length: ${body.length}`], body)).toBe(status)
})

it('a match sees both lines of a header', async () => {
  const { acme, send } = await startWithTokens()
  const headers = { 'x-tag': 'a, b' }
  await acme.faults.add({ match: { headers }, effect: { status: 503 } })
  const lines = [authorization, accept, 'X-Tag: a']
  expect(await send(list, lines)).toBe(200)
  expect(await send(list, [...lines, 'X-Tag: b'])).toBe(503)
  expect(await acme.requests.verify({ match: { headers } })).toMatchObject({ actual: 1 })
})
