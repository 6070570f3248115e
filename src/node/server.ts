import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv4 } from 'node:net'
import type { ListenOptions, Server } from '../listen.ts'
import type { Core } from '../mock.ts'
import { optionsOf } from '../schema/options-of.ts'
import { ListenOptions as Options } from '../schema/options.ts'
import type { Connection } from '../wire/connection.ts'
import { trackConnections } from './connections.ts'
import { connectableHost } from './host.ts'
import { createListener } from './listener.ts'
import { answerParserErrors, type FormatInForce, headRefusal, maxHeaderSize, refuseHead } from './parser-errors.ts'

/** Where nobody says where to bind. */
export const loopback = '127.0.0.1'

/**
 * Opens a socket for a mock. Rejects with the error of the system when the address cannot be bound.
 * @param idleTime How long a connection may be without a request while the server closes, in milliseconds.
 */
export const startServer = async (core: Core, given: ListenOptions, idleTime = 0): Promise<Server> => {
  const options = optionsOf('listen', '{ port: 4600 }', Options, given)
  const { port = 0, host = loopback, allowedHosts = [] } = options
  const adminToken = adminTokenFor(host, options.adminToken)
  let stopping = false
  const stopped = new Set<() => void>()
  const onStop = (listener: () => void) => {
    stopped.add(listener)
    return () => stopped.delete(listener)
  }
  const connection: Connection = { admin: { token: adminToken, allowedHosts }, stopping: () => stopping, onStop }

  // Which project such a request is for is not known: it is the reading for all of them.
  const format: FormatInForce = () => core.behaviorsOf('').errorFormat
  const answer = createListener(core, connection, format)
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.add(outgoing)
    const refusal = headRefusal(incoming)
    if (refusal !== undefined) return refuseHead(outgoing, refusal, format())
    // Where HTTP/1.0 names none, it is the address that was connected to.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= new URL(url).host
    // What is sent in one go takes effect in its order: each request waits until it is its turn to be answered.
    if (outgoing.socket === null) outgoing.once('socket', () => answer(incoming, outgoing))
    else answer(incoming, outgoing)
  }
  // Node's own limits let one slow client hold a socket for minutes, and close idle ones while pooled clients use them.
  const server = createServer(
    {
      headersTimeout: 9000,
      requestTimeout: 9000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 65_000,
      maxHeaderSize,
      requireHostHeader: false,
    },
    listener,
  )
  // Node would drop what comes behind so many headers, a Host or a token among them; their size is bounded already.
  server.maxHeadersCount = 0
  const connections = trackConnections(server, idleTime)
  answerParserErrors(server, format)
  await bound(server, port, host)

  const address = server.address() as AddressInfo
  const url = `http://${connectableHost(host)}:${address.port}`
  let closed: Promise<void> | undefined
  const close = () => {
    stopping = true
    for (const listener of stopped) listener()
    closed ??= connections.close()
    return closed
  }
  return { url, port: address.port, adminToken, close, [Symbol.asyncDispose]: close }
}

/** A failed bind is an `error` event; here it is a rejection. */
const bound = (server: HttpServer, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** On loopback the control plane is open; on any other bind strangers could reach it, so that it needs a token. */
const adminTokenFor = (host: string, given: string | undefined): string | undefined => {
  if (given === 'none') return undefined
  if (given !== undefined) return given
  return isLoopback(host) ? undefined : randomBytes(18).toString('base64url')
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
