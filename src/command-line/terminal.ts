import { readFile } from 'node:fs/promises'
import type { LogEvent } from '../core/schema/mock-options.ts'
import { toPrintable } from '../core/schema/text.ts'
import type { LogFormat } from './flag-values.ts'

export interface CommandConsole {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly onTerminal: boolean
  /** The words that start this program as its user did. @default those of this process */
  readonly invocation?: string
  /** Called before a mock starts. */
  readonly onStart?: () => void
  /** Returns a signal that an interruption aborts, so that the command can clean up and end. Its reason is `SIGINT` or `SIGTERM`. */
  readonly onInterrupt?: () => AbortSignal
  /** Returns the arguments of the first process, if it runs this program: in a container it is the server. */
  readonly readServerArgs?: () => Promise<readonly string[] | undefined>
}

export const readServerArgs = async (): Promise<readonly string[] | undefined> => {
  const processWords = (await readFile('/proc/1/cmdline', 'utf8').catch(() => '')).split('\0').slice(0, -1)
  const index = processWords.indexOf(process.argv[1] ?? '')
  return index < 0 ? undefined : processWords.slice(index + 1)
}

export const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Moves to the beginning of the line and clears it. */
export const clearLine = '\r\u001B[K'

type CommandEvent = LogEvent | { readonly event: 'warning'; readonly message: string } | { readonly event: 'stopping' }

/** Logs events, one line each. `write` must not write to stdout, which contains only the ready line. */
export const createLog =
  (format: Exclude<LogFormat, 'silent'>, writeLine: (line: string) => void) =>
  (event: CommandEvent): void =>
    writeLine(format === 'json' ? formatJsonLine(toPlainEvent(event)) : formatEvent(event))

export const formatJsonLine = (event: object): string => JSON.stringify({ time: new Date().toISOString(), ...event })

export const formatWarning = (message: string): string => `Warning: ${toPrintable(message)}`

const formatEvent = (event: CommandEvent): string => {
  switch (event.event) {
    case 'request':
      return `${event.status ?? '---'} ${event.method} ${toPrintable(event.path)} (${event.milliseconds} ms)`
    case 'projectCreated':
      return `Project '${toPrintable(event.project)}'${formatSandbox(event)} was created from the template, since the seed does not declare it.`
    case 'sandboxEvicted':
      return `Sandbox '${event.sandbox}' was deleted to make room for a new one.`
    case 'seedReloaded':
      return `The seed ${toPrintable(event.file)} changed and was reloaded.`
    case 'seedRefused':
      return `The seed ${toPrintable(event.file)} changed, but is invalid. The old state is kept: ${toPrintable(event.message)}`
    case 'error':
      return `Failed to handle a request: ${getStack(event.error)}`
    case 'warning':
      return formatWarning(event.message)
    case 'stopping':
      return 'Stopping.'
  }
}

const formatSandbox = ({ sandbox }: { readonly sandbox?: string }): string =>
  sandbox === undefined ? '' : ` of sandbox '${sandbox}'`

const toPlainEvent = (event: CommandEvent) =>
  event.event === 'error' ? { ...event, error: getStack(event.error) } : event

const getStack = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
