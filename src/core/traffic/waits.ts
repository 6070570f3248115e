/** `elapsed`: the time has passed, or there is no reason to wait any more. `replaced`: the state was replaced. */
type WaitEnd = 'elapsed' | 'disconnected' | 'replaced' | 'stopped'

/** Calls the listener when the client disconnects or the server stops, or at once if it already has. Returns its remover. */
export type OnEnd = (listener: (why: 'disconnected' | 'stopped') => void) => () => void

export interface Wait {
  /** If set, the wait ends when the state of this project is replaced. */
  readonly project?: string | undefined
  /** Undefined: no limit. */
  readonly milliseconds?: number | undefined
  /** The id of the fault that holds the request. */
  readonly heldBy?: string | undefined
  readonly onEnd: OnEnd
  /** Calls the listener when there is no reason to wait longer. Returns a function that removes it. */
  readonly until?: ((listener: () => void) => () => void) | undefined
}

// A wait without a limit keeps the process alive, as the socket of a client would. Node's `fetch` gives up after this time.
const maxIdleTime = 300_000

export type Waits = ReturnType<typeof createWaits>

interface PendingWait extends Pick<Wait, 'heldBy' | 'project'> {
  readonly end: (how: WaitEnd) => void
}

export const createWaits = () => {
  const pending = new Set<PendingWait>()
  const heldRequestListeners = new Set<() => void>()
  const findHeldBy = (fault: string) => [...pending].filter((wait) => wait.heldBy === fault)
  let isStopped = false
  const notifyHeld = (): void => heldRequestListeners.forEach((listener) => listener())
  return {
    wait: ({ project, milliseconds, heldBy, onEnd, until }: Wait): Promise<WaitEnd> =>
      new Promise((resolve) => {
        if (isStopped) return resolve('stopped')
        const listenerRemovers: (() => void)[] = []
        const stopListening = () => listenerRemovers.forEach((removeListener) => removeListener())
        const endWait = (ending: WaitEnd) => {
          clearTimeout(timer)
          stopListening()
          pending.delete(wait)
          resolve(ending)
        }
        const timer =
          milliseconds === undefined
            ? setTimeout(() => {}, maxIdleTime)
            : setTimeout(() => endWait('elapsed'), milliseconds)
        const wait: PendingWait = { heldBy, project, end: endWait }
        pending.add(wait)
        listenerRemovers.push(onEnd(endWait))
        if (until !== undefined) listenerRemovers.push(until(() => endWait('elapsed')))
        // If the listener was called at once, `end` could not remove it yet.
        if (!pending.has(wait)) stopListening()
        if (heldBy !== undefined) notifyHeld()
      }),
    endReplaced: (project?: string): void => {
      for (const wait of pending)
        if (wait.project !== undefined && (project === undefined || wait.project === project)) wait.end('replaced')
    },
    countHeld: (fault: string): number => findHeldBy(fault).length,
    /** Releases the oldest requests that a fault holds. @default all that it holds now */
    release: (fault: string, count?: number): void => {
      for (const wait of findHeldBy(fault).slice(0, count)) wait.end('elapsed')
    },
    notifyHeld,
    /** Calls the listener when a request is held and when a fault is removed. Returns a function that removes the listener. */
    onHeld: (listener: () => void) => {
      heldRequestListeners.add(listener)
      return (): void => void heldRequestListeners.delete(listener)
    },
    stop: (): void => {
      isStopped = true
      for (const wait of pending) wait.end('stopped')
    },
  }
}
