/** What the transport knows of the connection a request came in on. In process there is none. */
export interface Connection {
  /** How the control plane is defended on this listener. */
  readonly admin: {
    /** The bearer token it asks for; undefined leaves it open. */
    readonly token: string | undefined
    /** Hosts it answers to beside the names that cannot be public; `*.` stands for any label. */
    readonly allowedHosts: readonly string[]
  }
  /** Whether the listener has begun to stop. */
  readonly stopping: () => boolean
}

export interface ConnectionEnv {
  Bindings: { readonly connection?: Connection }
}
