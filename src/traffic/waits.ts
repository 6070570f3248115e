/** How a wait ended: its time is over, its client is gone, the state was replaced, or the server stops. */
export type WaitEnd = 'elapsed' | 'gone' | 'replaced' | 'stopped'

/** Tells when whoever waits for an answer has no use for it any more. Returns how to stop listening. */
export type OnEnd = (listener: (why: 'gone' | 'stopped') => void) => () => void

/** Requests that are made to wait. None outlives its client, the state it was begun on, or the mock. */
export interface Waits {
  /** Waits so many milliseconds, or for ever. */
  wait(project: string, milliseconds: number | undefined, onEnd: OnEnd): Promise<WaitEnd>
  /** The state of a project was replaced, or that of all. */
  replaced(project?: string): void
  /** The mock is closed: all that wait go on, and nobody waits any more. */
  stop(): void
}

interface Waiting {
  readonly project: string
  readonly end: (how: WaitEnd) => void
}

export const createWaits = (): Waits => {
  const waiting = new Set<Waiting>()
  let stopped = false
  return {
    wait: (project, milliseconds, onEnd) =>
      new Promise((resolve) => {
        if (stopped) return resolve('stopped')
        const timer = milliseconds === undefined ? undefined : setTimeout(() => one.end('elapsed'), milliseconds)
        const forget = onEnd((why) => one.end(why))
        const one: Waiting = {
          project,
          end: (how) => {
            clearTimeout(timer)
            forget()
            waiting.delete(one)
            resolve(how)
          },
        }
        waiting.add(one)
      }),
    replaced: (project) => {
      for (const one of waiting) if (project === undefined || one.project === project) one.end('replaced')
    },
    stop: () => {
      stopped = true
      for (const one of waiting) one.end('stopped')
    },
  }
}
