/** Where a command writes, and what it knows of the terminal. */
export interface Console {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly onTerminal: boolean
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask?: ((question: string, signal?: AbortSignal) => Promise<string>) | undefined
  /** From now on an interruption aborts the signal, and the command ends by itself. */
  readonly interruptible?: () => AbortSignal
}

/** A mistake in what a command was given: one sentence, exit code 1. */
export class StartError extends Error {}
