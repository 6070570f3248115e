import { expect } from 'vitest'
import { connectRaw, type Raw } from './raw.ts'
import { within } from '../../support/within.ts'

export const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const create = 'POST /projects/acme/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n'

const formatCommand = (method: string, path: string, body: object): string => {
  const text = JSON.stringify(body)
  const headers = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return `${method} /__admin${path} HTTP/1.1\r\n${headers}\r\n${text}`
}

/** Sends a request that a fault applies to. */
const sendFaulted = async (raw: Raw, effect: object): Promise<void> => {
  raw.send(formatCommand('POST', '/projects/faulted/faults', { times: null, effect }))
  expect((await raw.readResponse()).status).toBe(201)
  raw.send(`GET /projects/faulted/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer any\r\n\r\n`)
}

const continuing = `${create}Expect: 100-continue\r\n`
const continued = /^HTTP\/1\.1 100 Continue\r\n\r\n/

const sendUntil = (text: string, received: RegExp) => (raw: Raw) => {
  raw.send(text)
  return raw.until(received)
}

/** States in which a client may leave a server. Each resolves once the server has received it. */
export const clients: readonly [what: string, leave: (raw: Raw) => Promise<unknown>][] = [
  ['nothing sent', async () => {}],
  [
    'an idle connection that is kept',
    (raw) => {
      raw.send(get('/healthz'))
      return raw.readResponse()
    },
  ],
  ['half a request line', async (raw) => raw.send('GET /proj')],
  ['half-sent headers', async (raw) => raw.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')],
  [
    'half-sent headers after a request',
    async (raw) => {
      raw.send(get('/healthz'))
      await raw.readResponse()
      raw.send('GET /healthz HTTP/1.1\r\nHost:')
    },
  ],
  ['half a body', sendUntil(`${continuing}Content-Length: 1000\r\n\r\n{"email":`, continued)],
  ['half a chunked body', sendUntil(`${continuing}Transfer-Encoding: chunked\r\n\r\n9\r\n{"email":\r\n`, continued)],
  ['a request that is not HTTP', sendUntil('what is this\r\n\r\n', /^HTTP\/1\.1 400 /)],
  ['a rejected Expect', sendUntil(`${create}Expect: tea\r\nContent-Length: 1000\r\n\r\n`, /^HTTP\/1\.1 417 /)],
  ['a rejected upload', sendUntil(`${create}Content-Length: 9000000\r\n\r\n{"email":`, /^HTTP\/1\.1 413 /)],
  ['a stream of events', sendUntil(get('/__admin/events'), /: events/)],
  ['a request that a fault leaves hanging', (raw) => sendFaulted(raw, { connection: 'hang' })],
  ['a request that a fault delays', (raw) => sendFaulted(raw, { delay: { milliseconds: 60_000 } })],
  [
    'a verification that waits',
    async (raw) => {
      const body = { match: { operation: 'createUser' }, times: { exactly: 1 }, within: 300_000 }
      raw.send(formatCommand('POST', '/requests/verify', body))
    },
  ],
]

/** A mock whose export is larger than all socket buffers. It has few records, for speed. */
const users = Array.from({ length: 16 }, () => ({ email: 'ada@example.com', fullName: 'x'.repeat(1024 * 1024) }))
export const largeSeed = { projects: { acme: { users } } }

/** A client that requested the export and stopped reading after the first bytes. */
export const startReading = async (port: number): Promise<Raw> => {
  const raw = await connectRaw({ port })
  const first = new Promise<void>((resolve) =>
    raw.socket.once('data', () => {
      raw.socket.pause()
      resolve()
    }),
  )
  raw.send(get('/__admin/state'))
  await within('the first bytes of the export', first)
  return raw
}
