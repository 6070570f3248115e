import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv4, Server as NetServer } from 'node:net'
import type { Core } from '../mock.ts'
import { optionsOf } from '../schema/options-of.ts'
import { ListenOptions as Options } from '../schema/options.ts'
import type { Connection } from '../wire/connection.ts'
import { connectableHost } from './host.ts'
import { createListener } from './listener.ts'
import { answerParserErrors, type FormatInForce, refuseHost, wrongHost } from './parser-errors.ts'

export interface ListenOptions {
  /** 0 takes any free port. @default 0 */
  readonly port?: number | undefined
  /** The address to bind. @default '127.0.0.1' */
  readonly host?: string | undefined
  /** The bearer token of the control plane; `'none'` leaves it open. @default open on loopback, else a random one */
  readonly adminToken?: string | undefined
  /** Hosts the control plane answers to beside the names that cannot be public. @default none */
  readonly allowedHosts?: readonly string[] | undefined
}

/** A mock that listens. */
export interface Server extends AsyncDisposable {
  /** `http://127.0.0.1:4600`: an address that can be connected to, also where the bind is to all interfaces. */
  readonly url: string
  readonly port: number
  /** The bearer token that the control plane asks for, given or made up; undefined where it is open. */
  readonly adminToken: string | undefined
  /** Stops accepting, finishes the requests in flight and cuts the rest: at once when idle, within five seconds always. */
  close(): Promise<void>
}

/** How long requests in flight may take once the server is told to stop, in milliseconds. */
const grace = 4000

/** Where nobody says where to bind. */
export const loopback = '127.0.0.1'

/** Opens a socket for a mock. Rejects with the error of the system when the address cannot be bound. */
export const startServer = async (core: Core, given: ListenOptions): Promise<Server> => {
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
  const inFlight = new Map<IncomingMessage, ServerResponse>()
  const settle = (incoming: IncomingMessage) => {
    inFlight.delete(incoming)
    if (stopping && inFlight.size === 0) server.closeAllConnections()
  }
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const wrong = wrongHost(incoming)
    if (wrong !== undefined) return refuseHost(outgoing, wrong, format())
    // Where HTTP/1.0 names none, it is the address that was connected to.
    if (incoming.httpVersion === '1.0') incoming.headers.host ??= new URL(url).host
    // What is sent in one go takes effect in its order: each request waits until it is its turn to be answered.
    if (outgoing.socket === null) outgoing.once('socket', () => serve(incoming, outgoing))
    else serve(incoming, outgoing)
  }
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    inFlight.set(incoming, outgoing)
    outgoing.once('close', () => settle(incoming))
    // A client that keeps its connection must not send its next request to a server that is gone.
    if (stopping) outgoing.setHeader('connection', 'close')
    answer(incoming, outgoing)
  }
  // Node's own limits let one slow client hold a socket for minutes, and close idle ones while pooled clients use them.
  const server = createServer(
    {
      headersTimeout: 9000,
      requestTimeout: 9000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
    },
    listener,
  )
  // Node would drop what comes behind so many headers, a Host or a token among them; their size is bounded already.
  server.maxHeadersCount = 0
  answerParserErrors(server, format)
  await bound(server, port, host)

  const address = server.address() as AddressInfo
  const url = `http://${connectableHost(host)}:${address.port}`
  let closed: Promise<void> | undefined
  const close = () => {
    stopping = true
    for (const listener of stopped) listener()
    closed ??= stop(server, inFlight)
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

const stop = (server: HttpServer, inFlight: ReadonlyMap<IncomingMessage, ServerResponse>): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), grace)
    const done = () => {
      clearTimeout(cut)
      // This ends the timer that looks for slow requests.
      server.close(() => resolve())
    }
    // Not `server.close()` yet: it takes an answer that is written, but not yet sent, for an idle connection. Under Bun
    // a server of HTTP is none of net, and has no other way to end.
    if ((server as object) instanceof NetServer) NetServer.prototype.close.call(server, done)
    else server.close(done)
    // Half a request is not in flight: nobody knows whether its rest will ever come.
    for (const incoming of inFlight.keys()) if (!incoming.complete) incoming.socket.destroy()
    if (inFlight.size === 0) server.closeAllConnections()
  })

/** On loopback the control plane is open; on any other bind strangers could reach it, so that it needs a token. */
const adminTokenFor = (host: string, given: string | undefined): string | undefined => {
  if (given === 'none') return undefined
  if (given !== undefined) return given
  return isLoopback(host) ? undefined : randomBytes(18).toString('base64url')
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
