/** How a wait ended: it elapsed, its client disconnected, the state was replaced, or the server stops. */
type WaitEnd = 'elapsed' | 'gone' | 'replaced' | 'stopped'

/**
 * Tells when whoever waits for an answer has no use for it any more: at once, when that is so already. Returns how to
 * stop listening.
 */
export type OnEnd = (listener: (why: 'gone' | 'stopped') => void) => () => void

interface Wait {
  /** Where it is set, the wait ends when the state of the project is replaced. */
  readonly project?: string | undefined
  /** Undefined: for ever. */
  readonly milliseconds?: number | undefined
  readonly onEnd: OnEnd
}

/** Waiting requests. They end with their client, with their state and with the mock. */
export interface PendingDelays {
  wait(wait: Wait): Promise<WaitEnd>
  /** The state of a project was replaced, or that of all. */
  replaced(project?: string): void
  /** The mock is closed: all that wait go on, and nobody waits any more. */
  stop(): void
}

interface Waiting {
  readonly project: string | undefined
  readonly end: (how: WaitEnd) => void
}

export const createPendingDelays = (): PendingDelays => {
  const waiting = new Set<Waiting>()
  let stopped = false
  return {
    wait: ({ project, milliseconds, onEnd }) =>
      new Promise((resolve) => {
        if (stopped) return resolve('stopped')
        let forget = () => {}
        const end = (how: WaitEnd) => {
          clearTimeout(timer)
          forget()
          waiting.delete(one)
          resolve(how)
        }
        const timer = milliseconds === undefined ? undefined : setTimeout(() => end('elapsed'), milliseconds)
        const one: Waiting = { project, end }
        waiting.add(one)
        forget = onEnd(end)
        // It was over before it began: there was nothing to forget yet.
        if (!waiting.has(one)) forget()
      }),
    replaced: (project) => {
      for (const one of waiting)
        if (one.project !== undefined && (project === undefined || one.project === project)) one.end('replaced')
    },
    stop: () => {
      stopped = true
      for (const one of waiting) one.end('stopped')
    },
  }
}
