// Runs a program of the user: without a shell, and in a process group of its own, which ends with it.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { setImmediate as turn } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { ProgramEnd } from '../extensions/explore/programs/program-run.ts'
import { quote } from '../schema/problem.ts'
import { cut, toPrintable } from '../schema/text.ts'
import { UsageError } from './args.ts'

/** A program and its arguments. */
export type ProgramWords = readonly [program: string, ...args: string[]]

interface ProgramOptions {
  /** The variables that it gets besides those of this process. */
  readonly env: Readonly<Record<string, string>>
  /** In milliseconds. */
  readonly timeout: number
  /** Ends the program. */
  readonly signal: AbortSignal
  /** Where its output goes: its last lines are kept, or it goes to the terminal. */
  readonly output: 'kept' | 'stdout' | 'stderr'
}

/** How long a program may take to end after SIGTERM, and its pipes to close after its end, in milliseconds. */
const grace = 1000

const running = new Set<ChildProcess>()
// A process group of its own would outlive this process and its terminal.
process.on('exit', () => running.forEach((child) => endGroup(child, 'SIGKILL')))
process.on('SIGHUP', () => process.exit(129))

/** Runs a program to its end, with all processes that it started. Throws a `UsageError` if it cannot be started. */
export const runProgram = async (
  [program, ...args]: ProgramWords,
  { env, timeout, signal, output }: ProgramOptions,
): Promise<ProgramEnd> => {
  const lines = createLastLines()
  let isTimedOut = false
  let lastResort: NodeJS.Timeout | undefined
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    detached: true,
    stdio: standardStreams[output],
  })
  running.add(child)
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', lines.add)
  const end = () => {
    endGroup(child, 'SIGTERM')
    lastResort ??= setTimeout(() => endGroup(child, 'SIGKILL'), grace)
  }
  const timer = setTimeout(() => {
    isTimedOut = true
    end()
  }, timeout)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    const [exitCode, signalName] = await waitForExit(child, program)
    return { exitCode, signal: signalName, isTimedOut, output: lines.list() }
  } finally {
    clearTimeout(timer)
    clearTimeout(lastResort)
    signal.removeEventListener('abort', end)
    running.delete(child)
  }
}

const standardStreams: Readonly<Record<ProgramOptions['output'], StdioOptions>> = {
  kept: ['ignore', 'pipe', 'pipe'],
  stdout: 'inherit',
  stderr: ['inherit', 2, 'inherit'],
}

const waitForExit = async (child: ChildProcess, program: string): Promise<[number | null, string | null]> => {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const end = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(explainStart(program, error)))
    child.once('exit', (...ended) => resolve(ended))
  })
  // Its children could hold the pipes open, and send requests after the run.
  endGroup(child, 'SIGKILL')
  const timer = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), grace)
  await closed
  clearTimeout(timer)
  // The requests that it has sent without waiting for a response are in the buffers of the sockets.
  for (let turns = 0; turns < 10; turns++) await turn()
  return end
}

const endGroup = ({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended already.
  }
}

const explainStart = (program: string, { code, message }: NodeJS.ErrnoException): UsageError => {
  const name = toPrintable(quote(program))
  if (code === 'ENOENT') return new UsageError(`The program ${name} was not found.`)
  if (code === 'EACCES') return new UsageError(`The program ${name} is not executable.`)
  return new UsageError(`The program ${name} cannot be started: ${message}.`)
}

/** How many lines of output are kept, and how many characters of each. */
const maxLines = 20
const maxLength = 500

const createLastLines = () => {
  let lines: string[] = []
  let open = ''
  return {
    add: (text: string) => {
      const [first = '', ...others] = text.split('\n')
      open = cut(open + first, maxLength)
      for (const line of others) {
        lines.push(open)
        open = cut(line, maxLength)
      }
      lines = lines.slice(-maxLines)
    },
    list: (): string[] => [...lines, ...(open === '' ? [] : [open])].slice(-maxLines).map(toPlainLine),
  }
}

/** Returns a line without colors and control characters. */
const toPlainLine = (line: string): string =>
  toPrintable(stripVTControlCharacters(line).replaceAll('\t', '  ').replace(/\r$/, ''))
