/** How a program of the user ended. */
export interface ProgramEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last lines of its output. */
  readonly output: readonly string[]
  readonly isTimedOut: boolean
  /** The names of its processes that did not end with it: they were ended. After `kill`, only those that left its group. */
  readonly escaped: readonly string[]
}

/** A program of the user that runs. */
export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>
  /** Returns whether one of its processes listens on a port. Undefined if that is unknown. */
  readonly isListening: () => boolean | undefined
  /** Ends all of its processes at once. */
  readonly kill: () => void
  /** Asks all of its processes to end, and ends them a moment later. */
  readonly stop: () => void
}
