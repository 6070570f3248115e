import type { LogEvent } from '../schema/mock-options.ts'
import { toPrintable } from '../schema/text.ts'
import type { LogFormat } from './settings.ts'

/** An event of the mock, or of the command that runs it. */
type CommandEvent = LogEvent | { readonly event: 'warning'; readonly message: string } | { readonly event: 'stopping' }

/** Logs events, one line each. `write` must not write to stdout, which contains only the ready line. */
export const createLog =
  (format: Exclude<LogFormat, 'silent'>, write: (line: string) => void) =>
  (event: CommandEvent): void =>
    write(format === 'json' ? formatJsonLine(toPlainEvent(event)) : formatEvent(event))

/** Returns a line of the JSON log. */
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
