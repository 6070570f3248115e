/** A mock that listens. */
export interface Server extends AsyncDisposable {
  /** For example `http://127.0.0.1:4600`. It is connectable even if the server is bound to all interfaces. */
  readonly url: string
  readonly port: number
  /** The bearer token of the control API, given or random. Undefined if it requires none. */
  readonly adminToken: string | undefined
  /**
   * Stops accepting connections, finishes the requests in flight and closes the connections. Resolves within five seconds,
   * or immediately if all connections are idle.
   */
  close(): Promise<void>
}

/** Implements `listen` for a runtime without sockets: it rejects. */
export const listenWithoutSockets = (): Promise<Server> =>
  Promise.reject(
    new Error('Failed to listen: this runtime has no sockets. Call mock.fetch, or listen under Node, Bun or Deno.'),
  )
