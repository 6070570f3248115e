// Clients that send requests without a pause, while their server stops.
import { expect } from 'vitest'
import { connectRaw, type Raw } from './raw.ts'

/** The keep-alive timeout of the command, in milliseconds. */
const idleTime = 250

const user = '{"email":"ada@example.com"}'
export const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', 'Authorization: Bearer any', ...headers, '\r\n'].join('\r\n')
export const list = [head('GET /projects/acme/users?limit=1')]
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
export const endsOf = async (port: number, stop: () => unknown): Promise<End[]> => {
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
