/** What `listen` takes. Everything is optional. */
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
  /**
   * Accepts no more connections, finishes the requests in flight and closes the connections. Resolves when all are closed:
   * at once when they are idle, always within five seconds.
   */
  close(): Promise<void>
}

/** The `listen` of a runtime without sockets. */
export const listenWithoutSockets = (): Promise<Server> =>
  Promise.reject(
    new Error('Failed to listen: this runtime has no sockets. Call mock.fetch, or listen under Node, Bun or Deno.'),
  )
