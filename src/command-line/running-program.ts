export interface ProgramEnd {
  /** Null: a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** The last lines of its output. */
  readonly output: readonly string[]
  readonly isTimedOut: boolean
  /** The names of the processes that had to be killed after it ended. After `kill`, only those that left its group. */
  readonly escaped: readonly string[]
}

export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>
  /** Returns whether one of its processes listens on a port. Undefined if that is unknown. */
  readonly isListening: () => boolean | undefined
  /** Returns whether one of its processes computes, or waits for a processor or a disk. Undefined if that is unknown. */
  readonly isBusy: () => boolean | undefined
  /** Ends all of its processes at once. */
  readonly kill: () => void
  /** Asks all of its processes to end, and ends them a moment later. */
  readonly stop: () => void
}
