import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

/** The output and the terminal of a command. */
export interface CommandConsole {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly onTerminal: boolean
  /** The words that start this program as its user did. @default those of this process */
  readonly invocation?: string
  /** Asks the user a question; undefined without a terminal. */
  readonly ask?: ((question: string, signal?: AbortSignal) => Promise<string>) | undefined
  /** Returns a signal that an interruption aborts, so that the command can clean up and end. */
  readonly onInterrupt?: () => AbortSignal
  /** Waits until the time is over or the signal is aborted. @default a timer */
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Returns the arguments of the first process, if it runs this program: in a container it is the server. */
  readonly readServerArgs?: () => Promise<readonly string[] | undefined>
}

/** Returns the arguments of the first process; undefined if it does not run this program. */
export const readServerArgs = async (): Promise<readonly string[] | undefined> => {
  const words = (await readFile('/proc/1/cmdline', 'utf8').catch(() => '')).split('\0').slice(0, -1)
  const index = words.indexOf(process.argv[1] ?? '')
  return index < 0 ? undefined : words.slice(index + 1)
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
    signal?.addEventListener('abort', () => done(''))
    lines.question(question, done)
  })

/** Formats a value as a file of JSON. */
export const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Moves to the beginning of the line and clears it. */
export const clearLine = '\r\u001B[K'
