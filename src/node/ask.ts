import { createInterface } from 'node:readline'

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Asks the person at the terminal, on stderr. The answer is empty when the input ends, or the signal is aborted. */
export const askPerson = (
  question: string,
  signal?: AbortSignal,
  { input, output }: Streams = { input: process.stdin, output: process.stderr },
): Promise<string> =>
  new Promise((resolve) => {
    // Not as a terminal: then Ctrl+C would be a key, and no signal.
    const lines = createInterface({ input, output, terminal: false })
    // To close says so at once: the answer comes first.
    const done = (answer: string) => {
      resolve(answer)
      lines.close()
    }
    lines.once('close', () => resolve(''))
    signal?.addEventListener('abort', () => done(''), { once: true })
    lines.question(question, done)
  })
