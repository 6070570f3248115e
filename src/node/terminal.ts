import { createInterface } from 'node:readline'

/** The output and the terminal of a command. */
export interface CommandConsole {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly onTerminal: boolean
  /** Asks the user a question; undefined without a terminal. */
  readonly ask?: ((question: string, signal?: AbortSignal) => Promise<string>) | undefined
  /** Returns a signal that an interruption aborts, so that the command can clean up and end. */
  readonly onInterrupt?: () => AbortSignal
}

/** Asks a question on stderr. Resolves with an empty text when the input ends or the signal is aborted. */
export const prompt = (
  question: string,
  signal?: AbortSignal,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string> =>
  new Promise((resolve) => {
    // With `terminal: true`, Ctrl+C would be a key instead of a signal.
    const lines = createInterface({ input, output, terminal: false })
    const done = (answer: string) => {
      // Before `close`, whose event resolves with an empty text.
      resolve(answer)
      lines.close()
    }
    lines.once('close', () => resolve(''))
    signal?.addEventListener('abort', () => done(''), { once: true })
    lines.question(question, done)
  })

/** Moves to the beginning of the line and clears it. */
export const clearLine = '\r\u001B[K'

type Write = ((text: string) => void) | undefined

/** Creates a line that shows the current step. `write` is undefined without a terminal. */
export const createStatusLine = (write: Write) => {
  let isShown = false
  return {
    show: (what: string): void => {
      isShown = true
      write?.(`${clearLine}${what} ...`)
    },
    end: (): void => {
      if (isShown) write?.(clearLine)
    },
  }
}

export type ProgressBar = ReturnType<typeof createProgressBar>

const barWidth = 30

/** Less work takes at most half a second. */
const minWork = 200_000

/** Draws a progress bar. Returns undefined if there is no terminal, or little work. */
export const createProgressBar = (label: string, total: number, write: Write) => {
  if (write === undefined || total < minWork) return undefined
  let done = 0
  let drawn = -1
  const add = (more: number): void => {
    done += more
    const percent = Math.min(100, Math.floor((done / total) * 100))
    if (percent === drawn) return
    drawn = percent
    const full = Math.round((percent / 100) * barWidth)
    write(`\r${label} [${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${percent}%`)
  }
  add(0)
  return { add, end: (): void => write(`\r${' '.repeat(label.length + barWidth + 8)}\r`) }
}
