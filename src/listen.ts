/** A mock that listens. */
export interface Server extends AsyncDisposable {
  /** For example `http://127.0.0.1:4600`. It is connectable even if the server is bound to all interfaces. */
  readonly url: string
  readonly port: number
  /** The bearer token of the control API, given or random. Undefined if it requires none. */
  readonly adminToken: string | undefined
  /**
   * Accepts no more connections, finishes the requests in flight and closes the connections. Resolves when all are closed:
   * at once if they are idle, and always within five seconds.
   */
  close(): Promise<void>
}

/** The `listen` of a runtime without sockets. */
export const listenWithoutSockets = (): Promise<Server> =>
  Promise.reject(
    new Error('Failed to listen: this runtime has no sockets. Call mock.fetch, or listen under Node, Bun or Deno.'),
  )
